/** Claude Code: `.mcp.json` of the project, in which `${VAR}` stands for a variable of its environment. */
import { join } from 'node:path';
import { type Client, getHeaders, localEntry, type Secret } from './client.ts';

const reference = ({ variable }: Secret) => `\${${variable}}`;

export const claudeCode: Client = {
  title: 'Claude Code',
  format: 'json',
  section: 'mcpServers',
  file: ({ workingDirectory }) => join(workingDirectory, '.mcp.json'),
  entry: (server) => ({
    entry:
      server.kind === 'local'
        ? { type: 'stdio', ...localEntry(server, (secret) => [secret.variable, reference(secret)]) }
        : { type: 'http', url: server.url, ...getHeaders(server, reference) },
    inputs: [],
  }),
  secretStep: ({ variable, about }) => `Set ${variable} to the ${about} in the shell that starts claude.`,
  restartStep: "Start claude in this folder again; it asks once whether you trust the project's servers.",
};
