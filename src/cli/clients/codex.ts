/** Codex: a table of `config.toml`; it passes the variables that `env_vars` names on to the server, and no others. */
import { join } from 'node:path';
import type { Client, JsonObject, LocalServer, RemoteServer } from './client.ts';

const local = ({ command, args, env, secrets }: LocalServer): JsonObject => ({
  command,
  args: [...args],
  // Otherwise the first turn of a session may begin before the server is ready, and lack its tools.
  required: true,
  ...(secrets.length === 0 ? {} : { env_vars: secrets.map(({ variable }) => variable) }),
  ...(Object.keys(env).length === 0 ? {} : { env: { ...env } }),
});

function remote({ url, header }: RemoteServer): JsonObject {
  if (header === undefined) return { url };
  const { name, prefix, secret } = header;
  return prefix === 'Bearer '
    ? { url, bearer_token_env_var: secret.variable }
    : { url, env_http_headers: { [name]: secret.variable } };
}

export const codex: Client = {
  title: 'Codex',
  format: 'toml',
  section: 'mcp_servers',
  file: ({ home, environment }) => join(environment.CODEX_HOME || join(home, '.codex'), 'config.toml'),
  entry: (server) => ({ entry: server.kind === 'local' ? local(server) : remote(server), inputs: [] }),
  secretStep: ({ variable, about }) =>
    `Set ${variable} to the ${about} in the environment that Codex starts with.`,
  restartStep:
    'Start Codex again; /mcp shows the server. Codex asks before it runs a paid tool, and `codex exec` refuses those unless the entry has default_tools_approval_mode = "approve".',
};
