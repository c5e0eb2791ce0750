/** Cursor: `~/.cursor/mcp.json`, in which `${env:VAR}` stands for a variable of its environment. */
import { join } from 'node:path';
import { type Client, getHeaders, localEntry, type Secret } from './client.ts';

const reference = ({ variable }: Secret) => `\${env:${variable}}`;

export const cursor: Client = {
  title: 'Cursor',
  format: 'json',
  section: 'mcpServers',
  file: ({ home }) => join(home, '.cursor', 'mcp.json'),
  entry: (server) => ({
    entry:
      server.kind === 'local'
        ? { type: 'stdio', ...localEntry(server, (secret) => [secret.variable, reference(secret)]) }
        : { url: server.url, ...getHeaders(server, reference) },
    inputs: [],
  }),
  secretStep: ({ variable, about }) =>
    `Set ${variable} to the ${about} in the environment that Cursor starts with.`,
  restartStep: 'Restart Cursor, or switch the server on under Settings, Tools & MCP.',
};
