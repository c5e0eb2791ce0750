/** Copilot CLI: `mcp-config.json`, in which `${VAR}` stands for a variable of its environment. */
import { join } from 'node:path';
import { type Client, getHeaders, localEntry, type Secret } from './client.ts';

const reference = ({ variable }: Secret) => `\${${variable}}`;

export const copilot: Client = {
  title: 'Copilot CLI',
  format: 'json',
  section: 'mcpServers',
  file: ({ home, environment }) =>
    join(environment.COPILOT_HOME || join(home, '.copilot'), 'mcp-config.json'),
  entry: (server) => ({
    entry:
      server.kind === 'local'
        ? {
            type: 'local',
            ...localEntry(server, (secret) => [secret.variable, reference(secret)]),
            tools: ['*'],
          }
        : { type: 'http', url: server.url, ...getHeaders(server, reference), tools: ['*'] },
    inputs: [],
  }),
  secretStep: ({ variable, about }) => `Set ${variable} to the ${about} in the shell that starts copilot.`,
  restartStep: 'Start copilot again; /mcp show lists the server.',
};
