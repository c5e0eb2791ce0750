/** The MCP server of one connection or one request: cheap to make, all state lives in the gateway. */
import { Server, type ServerCapabilities, type Tool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { isFailure, type JsonObject } from '../gateway/interface/outcomes.ts';
import { type CallDependencies, callTool } from './call-tool.ts';
import { type CallObserver, observeCall } from './calls/calls.ts';
import { isStateless, readClient, tasksExtension } from './calls/client.ts';
import { takesStructure } from './calls/client-limits.ts';
import { describeAnswer, traceRequest } from './calls/request-span.ts';
import { hasStructure } from './calls/result.ts';
import { acceptUnhandledQuestions } from './calls/unhandled-questions.ts';
import { instructionsFor } from './instructions.ts';
import { listCacheHints, registerPromptsAndResources, serverCapabilities } from './offers.ts';
import { registerTasks } from './tasks/tasks.ts';
import { staticToolList } from './tools/static-tool-list.ts';
import { toolList, withoutOutputSchema } from './tools/tool-list.ts';
import { listsViews, viewExtension, withView } from './views/views.ts';

export interface McpServerOptions extends CallDependencies {
  /** Version of this program, for `serverInfo`. */
  readonly version: string;
  /** Observes every tool call. */
  readonly calls?: CallObserver;
}

const extensions = { [tasksExtension]: {}, [viewExtension]: {} };

/** As long as a catalog snapshot counts as fresh; `list_changed` tells of changes before. */
const cacheHint = { ttlMs: 300_000, cacheScope: 'private' } as const;

/** `arguments` stays as it came: the protocol's own schema drops names that ours must refuse. */
const CallParams = z.object({
  name: z.string(),
  arguments: z.custom<JsonObject>(isObject).default({}),
});

/** The SDK's default validator for forms is large, and no form of ours asks for content. */
const jsonSchemaValidator = {
  getValidator: () => () =>
    ({ valid: false, data: undefined, errorMessage: 'No content was asked for' }) as const,
};

/** Earlier revisions know no extensions. */
class McpServer extends Server {
  override getCapabilities(): ServerCapabilities {
    const { extensions: declared, ...capabilities } = super.getCapabilities();
    return isStateless(this) && declared ? { ...capabilities, extensions: declared } : capabilities;
  }
}

export function createMcpServer(options: McpServerOptions): Server {
  const { gateway, questions, deliveries } = options;
  const server = new McpServer(
    { name: 'svc-mcp', title: 'Catalog and task automation', version: options.version },
    {
      capabilities: { tools: { listChanged: true }, ...serverCapabilities, extensions },
      instructions: instructionsFor(gateway.websites()),
      cacheHints: { 'tools/list': cacheHint, 'server/discover': cacheHint, ...listCacheHints },
      requestState: { verify: questions.verify },
      jsonSchemaValidator,
    },
  );
  acceptUnhandledQuestions(server);
  server.setRequestHandler('tools/list', async (_request, ctx) => {
    const tools = await listTools(options);
    // A client that finds a schema wants the content.
    const isStructured =
      hasStructure(server.getNegotiatedProtocolVersion()) && takesStructure(readClient(server, ctx).name);
    const plain = isStructured ? tools : tools.map(withoutOutputSchema);
    return { tools: listsViews(server) ? plain.map(withView) : plain };
  });
  server.setRequestHandler('tools/call', { params: CallParams }, (params, ctx) =>
    traceRequest(server, ctx, { method: 'tools/call', tool: params.name }, (span) =>
      observeCall(options.calls, { id: ctx.mcpReq.id, tool: params.name }, async () => {
        const answer = await callTool(server, options, params, ctx);
        describeAnswer(span, answer.body, isFailure(answer.body));
        return answer;
      }),
    ),
  );
  registerTasks(server, gateway.tasks, deliveries);
  registerPromptsAndResources(server, gateway, {
    hints: () => isStateless(server),
    calls: options.calls,
  });
  return server;
}

async function listTools({ gateway, logger }: McpServerOptions): Promise<Tool[]> {
  try {
    return toolList(await gateway.listing());
  } catch (error) {
    logger.error({ err: error }, 'The actions could not be listed');
    return [...staticToolList];
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
