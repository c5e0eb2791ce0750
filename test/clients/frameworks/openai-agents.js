import {
  Agent,
  MCPServerStdio,
  MCPServerStreamableHttp,
  run,
  setOpenAIAPI,
  setTracingDisabled,
} from '@openai/agents';

const { MODEL, KEY, PROMPT, SERVER } = process.env;
process.env.OPENAI_API_KEY = KEY;
process.env.OPENAI_BASE_URL = MODEL;
setTracingDisabled(true);
setOpenAIAPI('chat_completions');
const server = JSON.parse(SERVER);
const mcp =
  server.kind === 'stdio'
    ? new MCPServerStdio({ name: 'svc', command: server.command, args: server.args, env: server.env })
    : new MCPServerStreamableHttp({ name: 'svc', url: server.url });
await mcp.connect();
const agent = new Agent({ name: 'scripted', instructions: '', model: 'scripted', mcpServers: [mcp] });
await run(agent, PROMPT, { maxTurns: 20 });
await mcp.close();
