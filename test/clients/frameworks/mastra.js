import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';

const { MODEL, KEY, PROMPT, SERVER } = process.env;
const server = JSON.parse(SERVER);
const entry =
  server.kind === 'stdio'
    ? { command: server.command, args: server.args, env: server.env }
    : { url: new URL(server.url) };
const client = new MCPClient({ servers: { svc: entry } });
const model = createOpenAICompatible({ name: 'local', baseURL: MODEL, apiKey: KEY })('scripted');
const agent = new Agent({
  id: 'scripted',
  name: 'scripted',
  instructions: 'Follow the script.',
  model,
  tools: await client.listTools(),
});
await agent.generate(PROMPT, { maxSteps: 20 });
await client.disconnect();
