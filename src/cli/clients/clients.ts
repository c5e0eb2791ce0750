/** Every client whose configuration `svc-mcp config` knows. */
import { claudeCode } from './claude-code.ts';
import { claudeDesktop } from './claude-desktop.ts';
import type { Client } from './client.ts';
import { codex } from './codex.ts';
import { cursor } from './cursor.ts';
import { gemini } from './gemini.ts';
import { vscode } from './vscode.ts';

export const clients: ReadonlyMap<string, Client> = new Map([
  ['claude-desktop', claudeDesktop],
  ['claude-code', claudeCode],
  ['vscode', vscode],
  ['cursor', cursor],
  ['codex', codex],
  ['gemini', gemini],
]);
