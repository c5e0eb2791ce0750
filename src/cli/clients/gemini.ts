/** Gemini CLI: `~/.gemini/settings.json`, in which `$VAR` stands for a variable of its environment. */
import { join } from 'node:path';
import { type Client, getHeaders, localEntry, type Secret } from './client.ts';

const reference = ({ variable }: Secret) => `$${variable}`;

export const gemini: Client = {
  title: 'Gemini CLI',
  format: 'json',
  section: 'mcpServers',
  file: ({ home }) => join(home, '.gemini', 'settings.json'),
  entry: (server) => ({
    entry:
      server.kind === 'local'
        ? localEntry(server, (secret) => [secret.variable, reference(secret)])
        : { httpUrl: server.url, ...getHeaders(server, reference) },
    inputs: [],
  }),
  secretStep: ({ variable, about }) => `Set ${variable} to the ${about} in the shell that starts gemini.`,
  restartStep:
    'Start gemini again; /mcp shows the server. It starts servers in trusted folders only: /permissions trusts the folder.',
};
