/** opencode: the `mcp` object of `opencode.json`, in which `{env:VAR}` stands for a variable of its environment. */
import { join } from 'node:path';
import { type Client, getHeaders, type JsonObject, type LocalServer, type Secret } from './client.ts';

const reference = ({ variable }: Secret) => `{env:${variable}}`;

function local({ command, args, env, secrets }: LocalServer): JsonObject {
  const environment = {
    ...env,
    ...Object.fromEntries(secrets.map((header) => [header.variable, reference(header)])),
  };
  return {
    type: 'local',
    command: [command, ...args],
    ...(Object.keys(environment).length === 0 ? {} : { environment }),
    enabled: true,
  };
}

export const opencode: Client = {
  title: 'opencode',
  format: 'json',
  section: 'mcp',
  file: ({ home, environment }) =>
    join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', 'opencode.json'),
  entry: (server) => ({
    entry:
      server.kind === 'local'
        ? local(server)
        : { type: 'remote', url: server.url, ...getHeaders(server, reference), enabled: true },
    inputs: [],
  }),
  secretStep: ({ variable, about }) => `Set ${variable} to the ${about} in the shell that starts opencode.`,
  restartStep: 'Start opencode again; `opencode mcp list` shows the server.',
};
