/** The table of clients: where each has its configuration, and how its entry refers to a secret. */
import {
  type Client,
  clients,
  createAddition,
  type LocalServer,
  type System,
} from '../../src/cli/clients/clients.ts';

const variable = 'SVC_API_KEY';
const server: LocalServer = {
  kind: 'local',
  command: 'node',
  args: [],
  env: {},
  secrets: [{ variable, about: '', file: '…' }],
};
const system: System = { platform: 'linux', home: '~', workingDirectory: '', environment: {} };
const systems: readonly (readonly [string, System])[] = [
  ['Linux', system],
  ['macOS', { ...system, platform: 'darwin' }],
  ['Windows', { ...system, platform: 'win32', environment: { APPDATA: '%APPDATA%' } }],
];

function filesOf(client: Client): string {
  const paths = systems.map(([name, one]) => {
    const path = client.file(one);
    return [name, path.startsWith('%') ? path.replaceAll('/', '\\') : path] as const;
  });
  const different = new Set(paths.map(([, path]) => path)).size > 1;
  return different
    ? paths.map(([name, path]) => `\`${path}\` (${name})`).join(', ')
    : `\`${paths[0]?.[1]}\`${client.file(system).startsWith('~') ? '' : ' of the project'}`;
}

function secretOf(client: Client): string {
  const { entry } = createAddition(client, server, 'svc');
  const text = JSON.stringify(entry);
  const [, value] = /"SVC_API_KEY":"([^"]+)"/.exec(text) ?? [];
  if (value !== undefined) return `\`${value}\``;
  return text.includes('env_vars') ? '`env_vars` passes it on' : `a file (\`${variable}_FILE\`)`;
}

export const clientRows = [...clients].map(([name, client]) => [
  `${client.title} (\`${name}\`)`,
  filesOf(client),
  secretOf(client),
]);
