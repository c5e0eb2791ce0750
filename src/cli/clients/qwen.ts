/** Qwen Code: `~/.qwen/settings.json`, in which `$VAR` stands for a variable of its environment. */
import { join } from 'node:path';
import type { Client } from './client.ts';
import { gemini } from './gemini.ts';

export const qwen: Client = {
  ...gemini,
  title: 'Qwen Code',
  file: ({ home }) => join(home, '.qwen', 'settings.json'),
  secretStep: ({ variable, about }) => `Set ${variable} to the ${about} in the shell that starts qwen.`,
  restartStep: 'Start qwen again; /mcp shows the server.',
};
