import { HumanMessage } from '@langchain/core/messages';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ChatOpenAI } from '@langchain/openai';

const { MODEL, KEY, PROMPT, SERVER } = process.env;
const server = JSON.parse(SERVER);
const entry =
  server.kind === 'stdio'
    ? { transport: 'stdio', command: server.command, args: server.args, env: server.env }
    : { transport: 'http', url: server.url };
const client = new MultiServerMCPClient({ mcpServers: { svc: entry } });
const llm = new ChatOpenAI({ model: 'scripted', apiKey: KEY, configuration: { baseURL: MODEL } });
const agent = createReactAgent({ llm, tools: await client.getTools() });
await agent.invoke({ messages: [new HumanMessage(PROMPT)] }, { recursionLimit: 30 });
await client.close();
