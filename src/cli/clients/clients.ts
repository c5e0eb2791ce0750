/** What the configuration of each client says, and where it is. */
import { join } from 'node:path';
import type * as z from 'zod';
import { ClientConfigError } from '../config/errors.ts';

/** A value that stays out of the file: the client looks it up when it starts the server. */
export interface Secret {
  /** The server's own variable, such as `SVC_API_KEY`. */
  readonly variable: string;
  readonly about: string;
  /** A file that holds the value, for clients that cannot refer to secrets (`<variable>_FILE`). */
  readonly file: string;
}

/** A server that the client starts, and speaks with over stdin and stdout. */
export interface LocalServer {
  readonly kind: 'local';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly Secret[];
}

/** A server that runs elsewhere (`svc-mcp http`); without a header the client signs in by OAuth. */
export interface RemoteServer {
  readonly kind: 'remote';
  readonly url: string;
  readonly header: { readonly name: string; readonly prefix: string; readonly secret: Secret } | undefined;
}

export type Server = LocalServer | RemoteServer;

export type Json = z.infer<z.ZodJSONSchema>;
type JsonObject = Record<string, Json>;

/** A value that VS Code asks its user for, once. */
export type Input = JsonObject & { readonly id: string };

/** What goes into a client's file: an entry under `<section>.<name>`, and the inputs it refers to. */
export interface Addition {
  readonly section: string;
  readonly name: string;
  readonly entry: Json;
  readonly inputs: readonly Input[];
}

/** The machine that the client runs on. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The usual members of a started server's entry. */
type Started = JsonObject & { command: string; args: string[]; env?: Record<string, string> };

export interface Client {
  /** As people call it. */
  readonly title: string;
  readonly format: 'json' | 'toml' | 'yaml';
  /** The table or object that holds the servers. */
  readonly section: string;
  /** Path of its configuration file. */
  file(system: System): string;
  /** What stands for a secret in the file. A client without it gets the path of a file that holds the secret. */
  reference?(secret: Secret, name: string): string;
  /** The entry of a started server. */
  local(started: Started, server: LocalServer): JsonObject;
  /** The entry of a hosted server. Throws a `ClientConfigError` where the file cannot name one. */
  remote(url: string, headers: { readonly headers?: JsonObject }, header: RemoteServer['header']): JsonObject;
  /** Whether the client asks its user for the secrets. */
  readonly asks?: true;
  /** Where the variables that `reference` names are set. */
  readonly startedBy?: string;
  /** What makes the client read its file again. */
  readonly restartStep: string;
  /** The client's own command for all folders, where the file is that of one folder. */
  userWide?(addition: Addition): readonly string[];
}

const inShell = ({ variable }: Secret) => `\${${variable}}`;
const inputId = (name: string, { variable }: Secret) =>
  `svc-mcp-${name}-${variable.replace(/^SVC_/, '').toLowerCase().replaceAll('_', '-')}`;

/** Where a program keeps its user's settings on this system. */
function userSettings({ platform, home, environment }: System): string {
  if (platform === 'darwin') return `${home}/Library/Application Support`;
  if (platform === 'win32') return environment.APPDATA ?? `${home}\\AppData\\Roaming`;
  return environment.XDG_CONFIG_HOME || `${home}/.config`;
}

/** The remote entry of a client that cannot refer to secrets: one with OAuth, which needs none. */
const onlyOAuth =
  (title: string, type: string): Client['remote'] =>
  (url, _, header) => {
    if (header === undefined) return { type, url };
    throw new ClientConfigError(
      `${title} cannot refer to a secret in its file: use --auth oauth, or start svc-mcp locally without --url`,
    );
  };

const mcpServers = { format: 'json', section: 'mcpServers' } as const;

/** Most clients take entries of this form. */
export const claudeDesktop: Client = {
  title: 'Claude Desktop',
  ...mcpServers,
  file: (system) => join(userSettings(system), 'Claude', 'claude_desktop_config.json'),
  local: (started) => started,
  remote() {
    throw new ClientConfigError(
      'Claude Desktop names no remote servers in its file: add the address in its settings, under Connectors',
    );
  },
  restartStep: 'Quit Claude Desktop and start it again.',
};

const gemini: Client = {
  title: 'Gemini CLI',
  ...mcpServers,
  file: ({ home }) => join(home, '.gemini', 'settings.json'),
  reference: ({ variable }) => `$${variable}`,
  local: (started) => started,
  remote: (httpUrl, headers) => ({ httpUrl, ...headers }),
  startedBy: 'the shell that starts gemini',
  restartStep:
    'Start gemini again; /mcp shows the server. It starts servers in trusted folders only: /permissions trusts the folder.',
};

const table: Readonly<Record<string, Client>> = {
  'claude-desktop': claudeDesktop,
  'claude-code': {
    title: 'Claude Code',
    ...mcpServers,
    file: ({ workingDirectory }) => join(workingDirectory, '.mcp.json'),
    reference: inShell,
    local: (started) => ({ type: 'stdio', ...started }),
    remote: (url, headers) => ({ type: 'http', url, ...headers }),
    startedBy: 'the shell that starts claude',
    restartStep: "Start claude in this folder again; it asks once whether you trust the project's servers.",
    userWide: ({ name, entry }) => [
      ...'claude mcp add-json --scope user'.split(' '),
      name,
      JSON.stringify(entry),
    ],
  },
  vscode: {
    title: 'VS Code',
    format: 'json',
    section: 'servers',
    file: (system) => join(userSettings(system), 'Code', 'User', 'mcp.json'),
    // VS Code stores the answer encrypted.
    asks: true,
    reference: (secret, name) => `\${input:${inputId(name, secret)}}`,
    local: (started) => ({ type: 'stdio', ...started }),
    remote: (url, headers) => ({ type: 'http', url, ...headers }),
    restartStep: 'Run "MCP: List Servers" in VS Code and start the server.',
  },
  cursor: {
    title: 'Cursor',
    ...mcpServers,
    file: ({ home }) => join(home, '.cursor', 'mcp.json'),
    reference: ({ variable }) => `\${env:${variable}}`,
    local: (started) => ({ type: 'stdio', ...started }),
    remote: (url, headers) => ({ url, ...headers }),
    startedBy: 'the environment that Cursor starts with',
    restartStep: 'Restart Cursor, or switch the server on under Settings, Tools & MCP.',
  },
  codex: {
    title: 'Codex',
    format: 'toml',
    section: 'mcp_servers',
    file: ({ home, environment }) => join(environment.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    // Codex passes on the variables that `env_vars` names, and no others.
    local: ({ command, args }, { env, secrets }) => ({
      command,
      args,
      // Otherwise the first turn of a session may begin before the server is ready, and lack its tools.
      required: true,
      ...(secrets.length === 0 ? {} : { env_vars: secrets.map(({ variable }) => variable) }),
      ...(Object.keys(env).length === 0 ? {} : { env: { ...env } }),
    }),
    remote(url, _, header) {
      if (header === undefined) return { url };
      const { name, prefix, secret } = header;
      return prefix === 'Bearer '
        ? { url, bearer_token_env_var: secret.variable }
        : { url, env_http_headers: { [name]: secret.variable } };
    },
    startedBy: 'the environment that Codex starts with',
    restartStep:
      'Start Codex again; /mcp shows the server. Codex asks before it runs a paid tool, and `codex exec` refuses those unless the entry has default_tools_approval_mode = "approve".',
  },
  gemini,
  copilot: {
    title: 'Copilot CLI',
    ...mcpServers,
    file: ({ home, environment }) =>
      join(environment.COPILOT_HOME || join(home, '.copilot'), 'mcp-config.json'),
    reference: inShell,
    local: (started) => ({ type: 'local', ...started, tools: ['*'] }),
    remote: (url, headers) => ({ type: 'http', url, ...headers, tools: ['*'] }),
    startedBy: 'the shell that starts copilot',
    restartStep: 'Start copilot again; /mcp show lists the server.',
  },
  opencode: {
    title: 'opencode',
    format: 'json',
    section: 'mcp',
    file: ({ home, environment }) =>
      join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', 'opencode.json'),
    reference: ({ variable }) => `{env:${variable}}`,
    local: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      ...(env === undefined ? {} : { environment: env }),
      enabled: true,
    }),
    remote: (url, headers) => ({ type: 'remote', url, ...headers, enabled: true }),
    startedBy: 'the shell that starts opencode',
    restartStep: 'Start opencode again; `opencode mcp list` shows the server.',
  },
  qwen: {
    ...gemini,
    title: 'Qwen Code',
    file: ({ home }) => join(home, '.qwen', 'settings.json'),
    startedBy: 'the shell that starts qwen',
    restartStep: 'Start qwen again; /mcp shows the server.',
  },
  cline: {
    title: 'Cline',
    ...mcpServers,
    file: ({ home, environment }) =>
      environment.CLINE_MCP_SETTINGS_PATH ||
      join(home, '.cline', 'data', 'settings', 'cline_mcp_settings.json'),
    // Seconds. Without it Cline leaves a server that has not answered after 2 s, and goes on without its tools.
    local: (started) => ({ ...started, timeout: 60 }),
    remote: onlyOAuth('Cline', 'streamableHttp'),
    restartStep:
      'Open the MCP servers of Cline; it reads its file again. Its extension for VS Code has a file of its own: Configure MCP Servers opens it.',
  },
  continue: {
    title: 'Continue',
    format: 'yaml',
    section: 'mcpServers',
    // The file that the editor's extension and the command line `cn` both read.
    file: ({ home }) => join(home, '.continue', 'config.yaml'),
    local: (started) => started,
    remote: onlyOAuth('Continue', 'streamable-http'),
    restartStep: 'Reload the window of the editor, or start cn again; Continue uses tools in agent mode.',
  },
};

/** Every client whose configuration `svc-mcp config` knows. */
export const clients: ReadonlyMap<string, Client> = new Map(Object.entries(table));

/** What this client's file says of the server. Throws a `ClientConfigError` for a server that it cannot name. */
export function createAddition(client: Client, server: Server, name: string): Addition {
  const { section } = client;
  const inputs = client.asks ? listSecrets(server).map((secret) => toInput(name, secret)) : [];
  if (server.kind === 'remote') {
    const { url, header } = server;
    const value = header && client.reference && `${header.prefix}${client.reference(header.secret, name)}`;
    const headers = header === undefined || value === undefined ? {} : { headers: { [header.name]: value } };
    return { section, name, entry: client.remote(url, headers, header), inputs };
  }
  const { command, args, secrets } = server;
  const references = secrets.map((secret) =>
    client.reference === undefined
      ? [`${secret.variable}_FILE`, secret.file]
      : [secret.variable, client.reference(secret, name)],
  );
  const given: Record<string, string> = { ...server.env, ...Object.fromEntries(references) };
  // Some clients pass their whole environment on, and the server refuses a secret that comes in two ways.
  const emptied = Object.keys(given).flatMap((name) =>
    name.endsWith('_FILE') ? [[name.slice(0, -'_FILE'.length), '']] : [],
  );
  const env = { ...given, ...Object.fromEntries(emptied) };
  const started = { command, args: [...args], ...(Object.keys(env).length === 0 ? {} : { env }) };
  return { section, name, entry: client.local(started, server), inputs };
}

export const listSecrets = (server: Server): readonly Secret[] =>
  server.kind === 'local' ? server.secrets : server.header === undefined ? [] : [server.header.secret];

const toInput = (name: string, secret: Secret): Input => ({
  type: 'promptString',
  id: inputId(name, secret),
  description: `svc-mcp: ${secret.about}`,
  password: true,
});

/** How the user gives the client the secret. */
export function describeSecretStep(client: Client, { variable, about, file }: Secret): string {
  if (client.asks)
    return `${client.title} asks for the ${about} when it starts the server for the first time.`;
  return client.startedBy === undefined
    ? `Put the ${about} into ${file}, readable by you only.`
    : `Set ${variable} to the ${about} in ${client.startedBy}.`;
}
