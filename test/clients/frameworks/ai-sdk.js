import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs } from 'ai';

const { MODEL, KEY, PROMPT, SERVER } = process.env;
const server = JSON.parse(SERVER);
const transport =
  server.kind === 'stdio'
    ? new StdioTransport({ command: server.command, args: server.args, env: server.env })
    : { type: 'http', url: server.url };
const client = await createMCPClient({ transport });
const model = createOpenAICompatible({ name: 'local', baseURL: MODEL, apiKey: KEY })('scripted');
await generateText({ model, tools: await client.tools(), prompt: PROMPT, stopWhen: stepCountIs(20) });
await client.close();
