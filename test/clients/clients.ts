/** The real clients: how each is told about the server and about the scripted model, and how it is started. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export type ServerSpec =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'http'; readonly url: string };

interface Setup {
  /** An empty folder of this run: home and working directory. */
  readonly home: string;
  /** Where the clients are installed. */
  readonly installed: string;
  readonly model: string;
  readonly server: ServerSpec;
}

interface Launch {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface RealClient {
  readonly name: string;
  readonly package: string;
  launch(setup: Setup): Promise<Launch>;
}

const prompt = 'Call the tools that you are told to call.';
const key = 'no-key-is-needed';

const binary = ({ installed }: Setup, name: string) => join(installed, 'node_modules/.bin', name);

async function write(setup: Setup, path: string, content: unknown): Promise<string> {
  const file = join(setup.home, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const claudeCode: RealClient = {
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  async launch(setup) {
    const { server } = setup;
    const entry =
      server.kind === 'stdio'
        ? { command: server.command, args: server.args, env: server.env }
        : { type: 'http', url: server.url };
    const file = await write(setup, 'mcp.json', { mcpServers: { svc: entry } });
    return {
      command: [
        binary(setup, 'claude'),
        '-p',
        prompt,
        '--mcp-config',
        file,
        '--strict-mcp-config',
        '--allowedTools',
        'mcp__svc',
      ],
      env: {
        ANTHROPIC_BASE_URL: setup.model,
        ANTHROPIC_API_KEY: key,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    };
  },
};

const codex: RealClient = {
  name: 'Codex',
  package: '@openai/codex',
  async launch(setup) {
    const { server } = setup;
    const pairs = (values: Readonly<Record<string, string>>) =>
      Object.entries(values)
        .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
        .join(', ');
    const entry =
      server.kind === 'stdio'
        ? `command = ${JSON.stringify(server.command)}\nargs = ${JSON.stringify(server.args)}\nenv = { ${pairs(server.env)} }`
        : `url = ${JSON.stringify(server.url)}`;
    const config = `model = "scripted"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "${setup.model}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
[mcp_servers.svc]
${entry}
required = true
default_tools_approval_mode = "approve"
`;
    await write(setup, '.codex/config.toml', config);
    return {
      command: [binary(setup, 'codex'), 'exec', '--skip-git-repo-check', '--sandbox', 'read-only', prompt],
      env: { LOCAL_KEY: key },
    };
  },
};

const geminiCli: RealClient = {
  name: 'Gemini CLI',
  package: '@google/gemini-cli',
  async launch(setup) {
    const { server } = setup;
    const entry =
      server.kind === 'stdio'
        ? { command: server.command, args: server.args, env: server.env }
        : { httpUrl: server.url };
    await write(setup, '.gemini/settings.json', {
      mcpServers: { svc: { ...entry, trust: true } },
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
    });
    return {
      command: [binary(setup, 'gemini'), '-p', prompt, '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash'],
      env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: setup.model, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    };
  },
};

const copilotCli: RealClient = {
  name: 'Copilot CLI',
  package: '@github/copilot',
  async launch(setup) {
    const { server } = setup;
    const entry =
      server.kind === 'stdio'
        ? { type: 'local', command: server.command, args: server.args, env: server.env }
        : { type: 'http', url: server.url };
    await write(setup, '.copilot/mcp-config.json', { mcpServers: { svc: { ...entry, tools: ['*'] } } });
    return {
      command: [binary(setup, 'copilot'), '-p', prompt, '--allow-all-tools'],
      env: {
        COPILOT_PROVIDER_BASE_URL: `${setup.model}/v1`,
        COPILOT_PROVIDER_API_KEY: key,
        COPILOT_MODEL: 'scripted',
        COPILOT_OFFLINE: 'true',
      },
    };
  },
};

const opencode: RealClient = {
  name: 'opencode',
  package: 'opencode-ai',
  async launch(setup) {
    const { server } = setup;
    const entry =
      server.kind === 'stdio'
        ? { type: 'local', command: [server.command, ...server.args], environment: server.env }
        : { type: 'remote', url: server.url };
    await write(setup, 'opencode.json', {
      autoupdate: false,
      model: 'local/scripted',
      provider: {
        local: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${setup.model}/v1`, apiKey: key },
          models: { scripted: { name: 'scripted', tool_call: true } },
        },
      },
      mcp: { svc: { ...entry, enabled: true } },
    });
    return {
      command: [binary(setup, 'opencode'), 'run', prompt],
      env: { OPENCODE_DISABLE_MODELS_FETCH: '1' },
    };
  },
};

const qwenCode: RealClient = {
  name: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  async launch(setup) {
    const { server } = setup;
    const entry =
      server.kind === 'stdio'
        ? { command: server.command, args: server.args, env: server.env }
        : { httpUrl: server.url };
    await write(setup, '.qwen/settings.json', {
      mcpServers: { svc: { ...entry, trust: true } },
      security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
    });
    return {
      command: [binary(setup, 'qwen'), '--yolo', '-m', 'scripted', prompt],
      env: { OPENAI_BASE_URL: `${setup.model}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: 'scripted' },
    };
  },
};

const continueCli: RealClient = {
  name: 'Continue CLI',
  package: '@continuedev/cli',
  async launch(setup) {
    const { server } = setup;
    const entry =
      server.kind === 'stdio'
        ? { command: server.command, args: server.args, env: server.env }
        : { type: 'streamable-http', url: server.url };
    const model = { provider: 'openai', model: 'scripted', apiBase: `${setup.model}/v1`, apiKey: key };
    // YAML is a superset of JSON.
    const file = await write(setup, 'config.yaml', {
      ...{ name: 'test', version: '1.0.0', schema: 'v1' },
      models: [{ name: 'scripted', ...model, roles: ['chat'], capabilities: ['tool_use'] }],
      mcpServers: [{ name: 'svc', ...entry }],
    });
    return {
      command: [binary(setup, 'cn'), '-p', '--auto', '--config', file, prompt],
      env: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_METRICS_ENABLED: '0' },
    };
  },
};

const cline: RealClient = {
  name: 'Cline',
  package: 'cline',
  async launch(setup) {
    const { server } = setup;
    const entry =
      server.kind === 'stdio'
        ? { command: server.command, args: server.args, env: server.env }
        : { type: 'streamableHttp', url: server.url };
    // Without a time-out it leaves a server that has not answered after two seconds.
    await write(setup, '.cline/data/settings/cline_mcp_settings.json', {
      mcpServers: { svc: { ...entry, timeout: 60 } },
    });
    const provider = 'openai-compatible';
    const settings = { provider, apiKey: key, model: 'scripted', baseUrl: `${setup.model}/v1` };
    const updatedAt = new Date(0).toISOString();
    await write(setup, '.cline/data/settings/providers.json', {
      ...{ version: 1, lastUsedProvider: provider, modes: {} },
      providers: { [provider]: { settings, updatedAt, tokenSource: 'manual' } },
    });
    return {
      command: [binary(setup, 'cline'), '-P', provider, '-m', 'scripted', prompt],
      // Else it starts a daemon that outlives it.
      env: { CLINE_SESSION_BACKEND_MODE: 'local' },
    };
  },
};

/** An agent framework: a short program that runs its own loop of model and tools, installed beside the clients. */
const framework = (name: string, npmPackage: string, file: string): RealClient => ({
  name,
  package: npmPackage,
  launch: async (setup) => ({
    command: [binary(setup, 'node'), join(setup.installed, 'frameworks', file)],
    env: { MODEL: `${setup.model}/v1`, KEY: key, PROMPT: prompt, SERVER: JSON.stringify(setup.server) },
  }),
});

export const realClients: readonly RealClient[] = [
  claudeCode,
  codex,
  geminiCli,
  copilotCli,
  opencode,
  qwenCode,
  continueCli,
  cline,
  framework('LangChain.js', '@langchain/mcp-adapters', 'langchain.js'),
  framework('AI SDK', 'ai', 'ai-sdk.js'),
  framework('OpenAI Agents', '@openai/agents', 'openai-agents.js'),
  framework('Mastra', '@mastra/core', 'mastra.js'),
];

/** Installed in a folder of their own: they are large and need a newer Node. */
export const packages = [
  'node@24',
  '@anthropic-ai/claude-code@2.1.330',
  '@openai/codex@0.169.0',
  '@google/gemini-cli@0.61.0',
  '@github/copilot@1.0.102',
  'opencode-ai@1.18.33',
  '@qwen-code/qwen-code@0.24.4',
  '@continuedev/cli@1.5.47',
  'cline@3.0.65',
  '@langchain/core',
  '@langchain/langgraph@1.7.3',
  '@langchain/mcp-adapters@1.1.4',
  '@langchain/openai@1.6.0',
  'ai@7.0.173',
  '@ai-sdk/mcp@2.0.99',
  '@ai-sdk/openai-compatible@3.0.92',
  '@openai/agents@0.20.0',
  '@mastra/core@1.71.0',
  '@mastra/mcp@2.0.0',
];
