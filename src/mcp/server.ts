/** The MCP server of one connection or one request: cheap to make, all state lives in the gateway. */
import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { GatewayError } from '../gateway/errors.ts';
import type { CallContext, Gateway } from '../gateway/gateway.ts';
import type { Logger } from '../gateway/logger.ts';
import type { JsonObject, Outcome } from '../gateway/outcomes.ts';
import { cleanText } from '../gateway/text.ts';
import { checkBounds, readInput } from './arguments.ts';
import { type CallObserver, observed } from './calls.ts';
import { clientOf } from './client.ts';
import { type QuestionCodec, withConfirmation } from './confirmation.ts';
import type { Deliveries } from './delivery.ts';
import { instructions } from './instructions.ts';
import { progressReport } from './progress.ts';
import { toolResult } from './result.ts';
import type { Scope } from './scopes.ts';
import { withSignIn } from './sign-in.ts';
import { listStaticTools, toolList } from './tool-list.ts';
import { staticTools } from './tools/index.ts';
import { limitMs, waitMs } from './waits.ts';

export interface McpServerOptions {
  readonly gateway: Gateway;
  readonly logger: Logger;
  /** Version of this program, for `serverInfo`. */
  readonly version: string;
  /** The setting `SVC_WAIT_SECONDS`. */
  readonly waitSeconds?: number | undefined;
  /** Of the transport that this server will be connected to. */
  readonly deliveries: Deliveries;
  readonly questions: QuestionCodec;
  /** Is told of every tool call. */
  readonly calls?: CallObserver | undefined;
}

/** As long as a catalog snapshot counts as fresh; `list_changed` tells of changes before. */
const cacheHint = { ttlMs: 300_000, cacheScope: 'private' } as const;

/** Kept of the client's time for a call: what remains to be done, or said, after a sign-in. */
const afterSignInMs = 5_000;

/** The scope of whoever may connect an account within another call. */
const connecting: Scope = 'accounts:write';

/** `arguments` stays as it came: the protocol's own schema drops names that ours must refuse. */
const CallParams = z.object({ name: z.string(), arguments: z.custom<JsonObject>(isObject).default({}) });

/** The SDK's default validator for forms is large, and no form of ours asks for content. */
const jsonSchemaValidator = {
  getValidator: () => () =>
    ({ valid: false, data: undefined, errorMessage: 'No content was asked for' }) as const,
};

export function createMcpServer(options: McpServerOptions): Server {
  const { questions } = options;
  const server = new Server(
    { name: 'svc-mcp', title: 'Catalog and task automation', version: options.version },
    {
      capabilities: { tools: { listChanged: true } },
      instructions,
      cacheHints: { 'tools/list': cacheHint, 'server/discover': cacheHint },
      requestState: { verify: questions.verify },
      jsonSchemaValidator,
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: await listTools(options) }));
  server.setRequestHandler('tools/call', { params: CallParams }, (params, ctx) =>
    observed(options.calls, { id: ctx.mcpReq.id, tool: params.name }, () =>
      callTool(server, options, params, ctx),
    ),
  );
  return server;
}

async function listTools({ gateway, logger }: McpServerOptions): Promise<Tool[]> {
  try {
    return toolList(await gateway.listing());
  } catch (error) {
    logger.error({ err: error }, 'The actions could not be listed');
    return [...listStaticTools()];
  }
}

/** @throws ProtocolError for an unknown tool; every other failure is a result that says what to do next. */
async function callTool(
  server: Server,
  { gateway, logger, waitSeconds, deliveries, questions }: McpServerOptions,
  params: z.infer<typeof CallParams>,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { signal, id } = ctx.mcpReq;
  const client = clientOf(server, ctx);
  // A client that is asked within its call has a clock that ran on meanwhile.
  const asked = client.stateless ? undefined : ctx.mcpReq.requestState<{ startedAt: number }>();
  const startedAt = asked?.startedAt ?? Date.now();
  const progress = progressReport(ctx);
  try {
    const { name, arguments: args } = params;
    checkBounds(name, args);
    const run = await prepare(gateway, name, args);
    const waitRequest = {
      clientName: client.name,
      hasProgressToken: progress.requested,
      settingSeconds: waitSeconds,
      requestedSeconds: run.waitSeconds,
    };
    const wait = waitMs(waitRequest);
    const limit = limitMs(waitRequest);
    // A client that is still there after its time, because it asked its user something, counts differently.
    const giveUpAt = (Date.now() > startedAt + limit ? Date.now() : startedAt) + limit;
    // The same call again, right after its answer arrived, must find that answer recorded as delivered.
    await deliveries.recorded();
    const runFrom = (start: number, signIn: CallContext['signIn']) =>
      withConfirmation(
        {
          name,
          args,
          startedAt,
          canAsk: client.canElicit,
          run: (confirmation) =>
            run.call({
              signal,
              waitMs: Math.max(0, Math.min(start + wait, giveUpAt) - Date.now()),
              progress: progress.update,
              confirmation,
              signIn,
              mayConnect: ctx.http?.authInfo?.scopes.includes(connecting) ?? true,
            }),
        },
        ctx,
        questions,
      );
    const outcome = await withSignIn(
      {
        name,
        args,
        startedAt,
        canShow: client.canShowPages,
        stateless: client.stateless,
        waitMs: giveUpAt - Date.now() - afterSignInMs,
        progress,
        // What a person took to sign in is no part of the wait for the job.
        run: (signIn) => runFrom(typeof signIn === 'object' ? Date.now() : startedAt, signIn),
      },
      { server, ctx, gateway, codec: questions },
    );
    if (isInputRequiredResult(outcome)) return outcome;
    const result = toolResult(outcome.body);
    if (outcome.delivered !== undefined) deliveries.expect(id, signal, outcome.delivered);
    return result;
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (error instanceof GatewayError) return toolResult(error.body);
    logger.error({ err: error, tool: params.name }, 'A tool call failed unexpectedly');
    return toolResult(internalError().body);
  } finally {
    progress.end();
  }
}

interface PreparedCall {
  readonly waitSeconds: number | undefined;
  call(context: CallContext): Promise<Outcome>;
}

async function prepare(gateway: Gateway, name: string, args: JsonObject): Promise<PreparedCall> {
  const tool = staticTools.find((candidate) => candidate.name === name);
  if (tool !== undefined) {
    const input = readInput(tool, args);
    const waitSeconds = typeof input.wait_seconds === 'number' ? input.wait_seconds : undefined;
    return { waitSeconds, call: (context) => tool.run(gateway, input, context) };
  }
  if ((await gateway.actionOfTool(name)) !== undefined) {
    return { waitSeconds: undefined, call: (context) => gateway.runTool(name, args, context) };
  }
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${cleanText(name, 100)}. Find actions with search_actions and run them with run_action.`,
  );
}

function internalError(): GatewayError {
  return new GatewayError(
    'INTERNAL_ERROR',
    'The server met an unexpected problem; its log on stderr has the details.',
    'If this call could have spent credits, look at get_job without a job_id before calling again.',
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
