/** What `svc-mcp config` prints, against the format that each client documents: its keys, and nothing it does not know. */
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import {
  type Client,
  claudeDesktop,
  clients,
  createAddition,
  type Server,
  type System,
} from '../../../src/cli/clients/clients.ts';
import { configTexts, snippet } from '../../../src/cli/clients/config-text.ts';
import { localServer, remoteServer } from '../../../src/cli/clients/server.ts';

const program = { command: '/usr/local/bin/node', args: ['/opt/svc mcp/dist/cli/main.js'] };
const environment = {
  SVC_BASE_URL: 'https://service.example.com',
  SVC_API_KEY: 'a-key-that-nobody-may-see',
  SVC_DATABASE_URL: 'postgres://user:a-password-that-nobody-may-see@db/svc',
  SVC_DATA_DIR: '/data',
  SVC_HTTP_TOKEN: 'a-token-that-nobody-may-see',
  HTTPS_PROXY: 'http://user:a-password-that-nobody-may-see@proxy:3128',
  NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
};
const servers: Record<string, Server> = {
  embedded: localServer(program, {}, {}),
  'of a remote service': localServer(program, environment, { maxTools: '60' }),
  'with a token': remoteServer('https://mcp.example.com/mcp', 'token'),
  'with a key each': remoteServer('https://mcp.example.com/mcp', 'key'),
  'with OAuth': remoteServer('https://mcp.example.com/mcp', 'oauth'),
};

/** Secrets are never in a file, so what these may hold is known. */
const text = z.string().min(1);
const envWith = (reference: RegExp) =>
  z
    .record(z.string().regex(/^[A-Z_]+$/), z.string())
    .refine(
      (env) =>
        Object.entries(env).every(([name, value]) => (value === '') === `${name}_FILE` in env) &&
        ['SVC_API_KEY', 'SVC_DATABASE_URL'].every((name) => !env[name] || reference.test(env[name])),
      'a secret is not a reference',
    );
const started = { command: z.string().startsWith('/'), args: z.array(z.string()) };
const headersWith = (reference: RegExp) =>
  z.union([
    z.strictObject({ Authorization: z.string().regex(new RegExp(`^Bearer ${reference.source}$`)) }),
    z.strictObject({ 'X-API-Key': z.string().regex(new RegExp(`^${reference.source}$`)) }),
  ]);
const url = z.url({ protocol: /^https?$/ });
const plain = /\$\{SVC_[A-Z_]+\}/;
const cursorReference = /\$\{env:SVC_[A-Z_]+\}/;
const geminiReference = /\$SVC_[A-Z_]+/;
const openReference = /\{env:SVC_[A-Z_]+\}/;
const inputReference = /\$\{input:[a-z0-9-]+\}/;

/** One for each client, from its documentation. */
const documented: Record<string, z.ZodType> = {
  // modelcontextprotocol.io, "Connect to local MCP servers": command, args, env; no references to variables.
  'claude-desktop': z.strictObject({
    mcpServers: z.record(z.string(), z.strictObject({ ...started, env: envWith(/^never$/).optional() })),
  }),
  // code.claude.com/docs/en/mcp: ${VAR} in command, args, env, url and headers of .mcp.json.
  'claude-code': z.strictObject({
    mcpServers: z.record(
      z.string(),
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('stdio'), ...started, env: envWith(plain).optional() }),
        z.strictObject({ type: z.literal('http'), url, headers: headersWith(plain).optional() }),
      ]),
    ),
  }),
  // code.visualstudio.com, "MCP configuration reference": servers and inputs; type is required.
  vscode: z
    .strictObject({
      servers: z.record(
        z.string(),
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('stdio'), ...started, env: envWith(inputReference).optional() }),
          z.strictObject({ type: z.literal('http'), url, headers: headersWith(inputReference).optional() }),
        ]),
      ),
      inputs: z
        .array(
          z.strictObject({
            type: z.literal('promptString'),
            id: text,
            description: text,
            password: z.literal(true),
          }),
        )
        .optional(),
    })
    .refine(({ servers: entries, inputs = [] }) => {
      const asked = [...JSON.stringify(entries).matchAll(/\$\{input:([^}]+)\}/g)].map(([, id]) => id);
      return JSON.stringify(asked.sort()) === JSON.stringify(inputs.map(({ id }) => id).sort());
    }, 'inputs and references differ'),
  // cursor.com/docs/mcp: ${env:NAME} in command, args, env, url and headers; a remote server has no type.
  cursor: z.strictObject({
    mcpServers: z.record(
      z.string(),
      z.union([
        z.strictObject({ type: z.literal('stdio'), ...started, env: envWith(cursorReference).optional() }),
        z.strictObject({ url, headers: headersWith(cursorReference).optional() }),
      ]),
    ),
  }),
  // developers.openai.com/codex/mcp: variables are passed on by name; no references inside of values.
  codex: z.strictObject({
    mcp_servers: z.record(
      z.string(),
      z.union([
        z.strictObject({
          ...started,
          // The first turn waits until the server has listed its tools.
          required: z.literal(true),
          env_vars: z.array(z.string().regex(/^SVC_/)).optional(),
          env: envWith(/^never$/).optional(),
        }),
        z.strictObject({
          url,
          bearer_token_env_var: z.literal('SVC_HTTP_TOKEN').optional(),
          env_http_headers: z.strictObject({ 'X-API-Key': z.literal('SVC_API_KEY') }).optional(),
        }),
      ]),
    ),
  }),
  // docs.github.com, "Adding MCP servers for Copilot CLI": ${VAR} in env and headers; tools is required.
  copilot: z.strictObject({
    mcpServers: z.record(
      z.string(),
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('local'),
          ...started,
          env: envWith(plain).optional(),
          tools: z.tuple([z.literal('*')]),
        }),
        z.strictObject({
          type: z.literal('http'),
          url,
          headers: headersWith(plain).optional(),
          tools: z.tuple([z.literal('*')]),
        }),
      ]),
    ),
  }),
  // opencode.ai/docs/mcp-servers: the command is an array; {env:VAR} in any value.
  opencode: z.strictObject({
    mcp: z.record(
      z.string(),
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('local'),
          command: z.array(text).min(2),
          environment: envWith(openReference).optional(),
          enabled: z.literal(true),
        }),
        z.strictObject({
          type: z.literal('remote'),
          url,
          headers: headersWith(openReference).optional(),
          enabled: z.literal(true),
        }),
      ]),
    ),
  }),
  // QwenLM/qwen-code, docs/features/mcp.md: as in Gemini CLI.
  qwen: z.strictObject({
    mcpServers: z.record(
      z.string(),
      z.union([
        z.strictObject({ ...started, env: envWith(geminiReference).optional() }),
        z.strictObject({ httpUrl: url, headers: headersWith(geminiReference).optional() }),
      ]),
    ),
  }),
  // docs.cline.bot/mcp: no references to variables; streamableHttp for remote servers.
  cline: z.strictObject({
    mcpServers: z.record(
      z.string(),
      z.union([
        z.strictObject({ ...started, env: envWith(/^never$/).optional(), timeout: z.literal(60) }),
        z.strictObject({ type: z.literal('streamableHttp'), url }),
      ]),
    ),
  }),
  // docs.continue.dev/reference: a list in config.yaml, whose items have a name beside these members.
  continue: z.strictObject({
    mcpServers: z.record(
      z.string(),
      z.union([
        z.strictObject({ ...started, env: envWith(/^never$/).optional() }),
        z.strictObject({ type: z.literal('streamable-http'), url }),
      ]),
    ),
  }),
  // google-gemini/gemini-cli, docs/tools/mcp-server.md: httpUrl for Streamable HTTP; $VAR in env and headers.
  gemini: z.strictObject({
    mcpServers: z.record(
      z.string(),
      z.union([
        z.strictObject({ ...started, env: envWith(geminiReference).optional() }),
        z.strictObject({ httpUrl: url, headers: headersWith(geminiReference).optional() }),
      ]),
    ),
  }),
};

/** The text, and the content of the text, of a file that holds nothing but this server. */
function written(client: Client, server: Server) {
  const file = snippet(client, createAddition(client, server, 'svc'));
  if (client.format === 'yaml') return { file, content: contentOfYaml(file, client.section) };
  const { servers: entries, inputs } = configTexts[client.format].read(file, client.section);
  return { file, content: { [client.section]: entries, ...(inputs.length === 0 ? {} : { inputs }) } };
}

/** Continue's list of servers, by their names. */
function contentOfYaml(file: string, section: string) {
  const Content = z.record(z.string(), z.unknown());
  const list = z.array(z.looseObject({ name: z.string() })).parse(Content.parse(parseYaml(file))[section]);
  return { [section]: Object.fromEntries(list.map(({ name, ...members }) => [name, members])) };
}

describe.each([...clients])('the configuration for %s', (name, client) => {
  const possible = Object.entries(servers).filter(
    ([, server]) =>
      server.kind === 'local' ||
      (name !== 'claude-desktop' && (server.header === undefined || !['cline', 'continue'].includes(name))),
  );

  it.each(possible)('has the documented form: a server %s', (_, server) => {
    const { file, content } = written(client, server);
    expect(documented[name]?.safeParse(content)).toMatchObject({ success: true });
    expect(file).not.toContain('nobody-may-see');
    if (client.format === 'json') expect(JSON.parse(file)).toEqual(content);
  });

  it('names every setting that was given, and every secret in some form', () => {
    const { file } = written(client, localServer(program, environment, { maxTools: '60' }));
    for (const part of [
      'https://service.example.com',
      'SVC_MAX_TOOLS',
      '/etc/ca.pem',
      '/opt/svc mcp/dist/cli/main.js',
    ])
      expect(file).toContain(part);
    for (const secret of ['SVC_API_KEY', 'SVC_DATABASE_URL']) expect(file).toContain(secret);
    expect(file).not.toMatch(/SVC_HTTP_TOKEN|HTTPS_PROXY/);
  });
});

it('Claude Desktop is told where remote servers go', () => {
  const server = remoteServer('https://mcp.example.com/mcp', 'token');
  expect(() => createAddition(claudeDesktop, server, 'svc')).toThrow(/Connectors/);
});

it.each(['cline', 'continue'])('%s is told what to do with a secret that it cannot refer to', (name) => {
  const client = clients.get(name) ?? claudeDesktop;
  const server = remoteServer('https://mcp.example.com/mcp', 'token');
  expect(() => createAddition(client, server, 'svc')).toThrow(/--auth oauth/);
});

it('a key in a file stays in that file', () => {
  const server = localServer(
    program,
    { SVC_BASE_URL: 'https://s.example.com', SVC_API_KEY_FILE: '/run/key' },
    {},
  );
  expect(server).toMatchObject({ env: { SVC_API_KEY_FILE: '/run/key' }, secrets: [] });
});

describe('the path of the file', () => {
  const posix: System = { platform: 'linux', home: '/home/u', workingDirectory: '/project', environment: {} };
  const mac: System = { ...posix, platform: 'darwin', home: '/Users/u' };

  const paths: readonly (readonly [client: string, System, path: string])[] = [
    ['claude-desktop', posix, '/home/u/.config/Claude/claude_desktop_config.json'],
    ['claude-desktop', mac, '/Users/u/Library/Application Support/Claude/claude_desktop_config.json'],
    ['claude-code', posix, '/project/.mcp.json'],
    ['vscode', posix, '/home/u/.config/Code/User/mcp.json'],
    ['vscode', { ...posix, environment: { XDG_CONFIG_HOME: '/xdg' } }, '/xdg/Code/User/mcp.json'],
    ['vscode', mac, '/Users/u/Library/Application Support/Code/User/mcp.json'],
    ['cursor', posix, '/home/u/.cursor/mcp.json'],
    ['copilot', posix, '/home/u/.copilot/mcp-config.json'],
    ['opencode', posix, '/home/u/.config/opencode/opencode.json'],
    ['qwen', posix, '/home/u/.qwen/settings.json'],
    ['cline', posix, '/home/u/.cline/data/settings/cline_mcp_settings.json'],
    ['continue', posix, '/home/u/.continue/config.yaml'],
    ['codex', posix, '/home/u/.codex/config.toml'],
    ['codex', { ...posix, environment: { CODEX_HOME: '/codex' } }, '/codex/config.toml'],
    ['gemini', posix, '/home/u/.gemini/settings.json'],
  ];

  it.each(paths)('of %s is the documented one', (name, system, path) => {
    expect(clients.get(name)?.file(system)).toBe(path);
  });

  it('is known here for every client', () => {
    expect(new Set(paths.map(([name]) => name))).toEqual(new Set(clients.keys()));
  });

  it('on Windows is below APPDATA', () => {
    const windows: System = {
      ...posix,
      platform: 'win32',
      environment: { APPDATA: 'C:\\Users\\u\\Roaming' },
    };
    expect(clients.get('claude-desktop')?.file(windows)).toMatch(/^C:\\Users\\u\\Roaming.Claude/);
  });
});
