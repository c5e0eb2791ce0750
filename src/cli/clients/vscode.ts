/** VS Code: `mcp.json` of the user; `${input:…}` stands for a value that it asks for once and keeps encrypted. */
import { join } from 'node:path';
import { type Client, getHeaders, type Input, localEntry, type Secret, userSettings } from './client.ts';

const inputId = (name: string, { variable }: Secret) =>
  `svc-mcp-${name}-${variable.replace(/^SVC_/, '').toLowerCase().replaceAll('_', '-')}`;

export const vscode: Client = {
  title: 'VS Code',
  format: 'json',
  section: 'servers',
  file: (system) => join(userSettings(system), 'Code', 'User', 'mcp.json'),
  entry(server, name) {
    const reference = (secret: Secret) => `\${input:${inputId(name, secret)}}`;
    const secrets =
      server.kind === 'local' ? server.secrets : server.header === undefined ? [] : [server.header.secret];
    const inputs = secrets.map(
      (secret): Input => ({
        type: 'promptString',
        id: inputId(name, secret),
        description: `svc-mcp: ${secret.about}`,
        password: true,
      }),
    );
    const entry =
      server.kind === 'local'
        ? { type: 'stdio', ...localEntry(server, (secret) => [secret.variable, reference(secret)]) }
        : { type: 'http', url: server.url, ...getHeaders(server, reference) };
    return { entry, inputs };
  },
  secretStep: ({ about }) => `VS Code asks for the ${about} when it starts the server for the first time.`,
  restartStep: 'Run "MCP: List Servers" in VS Code and start the server.',
};
