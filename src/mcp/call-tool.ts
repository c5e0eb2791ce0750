/** One tool call: checked, run with the questions that a person must answer first, and answered as its client wants. */
import {
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type Clock, systemClock } from '../gateway/foundation/clock.ts';
import { GatewayError } from '../gateway/foundation/errors.ts';
import type { Logger } from '../gateway/foundation/logger.ts';
import { cleanText } from '../gateway/foundation/text.ts';
import type { CallContext, Gateway } from '../gateway/interface/gateway.ts';
import { isUnfinished, type JsonObject, type Outcome } from '../gateway/interface/outcomes.ts';
import type { CallAnswer } from './calls/call-observer.ts';
import { CallTime, createProgressReport, type ProgressReport } from './calls/call-time.ts';
import { type CallingClient, findKnownClient, getWaits, readClient } from './calls/client.ts';
import type { Deliveries } from './calls/delivery.ts';
import {
  askConfirmation,
  askSignIn,
  type QuestionCodec,
  readConfirmationAnswer,
  readSignInAnswer,
  type SignInAnswer,
  waitForSignIn,
} from './calls/questions.ts';
import { toolResult, withResourceAddress } from './calls/result.ts';
import { noteListed, withNews } from './calls/watch-news.ts';
import { toCreatedTask } from './tasks/tasks.ts';
import { checkBounds, readInput } from './tools/arguments.ts';
import type { Scope } from './tools/define-tool.ts';
import { staticTools } from './tools/index.ts';
import { listWatches } from './tools/list-watches.ts';

export interface CallDependencies {
  readonly gateway: Gateway;
  readonly logger: Logger;
  /** The setting `SVC_WAIT_SECONDS`. */
  readonly waitSeconds?: number | undefined;
  readonly deliveries: Deliveries;
  readonly questions: QuestionCodec;
  readonly clock?: Clock;
}

export interface CallToolParams {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The scope needed to connect an account within another call. */
const connectScope: Scope = 'accounts:write';
/** Reserved of the client's time for a call, for the work and the answer after a sign-in. */
const afterSignInMs = 5_000;
/** How long a call waits for an accepted job before it becomes a task, for clients that take tasks. */
const taskAfterMs = 2_000;

/** @throws ProtocolError for an unknown tool; every other failure is a result that says what to do next. */
export async function callTool(
  server: Server,
  dependencies: CallDependencies,
  params: CallToolParams,
  ctx: ServerContext,
): Promise<CallAnswer> {
  const { gateway, logger, deliveries } = dependencies;
  const client = readClient(server, ctx);
  const tool = staticTools.find(({ name }) => name === params.name);
  // Every tool that is not static is an action.
  const takesTask = client.takesTasks && (tool === undefined || tool.mayBeTask === true);
  const progress = createProgressReport(ctx);
  try {
    const outcome = await runCall(params, { server, dependencies, ctx, client, progress, takesTask });
    if (isInputRequiredResult(outcome)) return { result: outcome, body: {} };
    const task = takesTask ? await asTask(outcome, dependencies) : undefined;
    if (task !== undefined) return { result: task, body: outcome.body };
    const revision = server.getNegotiatedProtocolVersion();
    const session = { server, gateway, client };
    const isListing = params.name === listWatches.name;
    if (isListing) noteListed(session, outcome.body);
    const body = withResourceAddress(isListing ? outcome.body : withNews(outcome.body, session));
    const result = toolResult(body, { revision, client: findKnownClient(client.name) });
    const { signal, id } = ctx.mcpReq;
    deliveries.expect(id, signal, outcome);
    return { result, body };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    logger.error({ err: error, tool: params.name }, 'A tool call failed unexpectedly');
    const { body } = internalError();
    return { result: toolResult(body), body };
  } finally {
    progress.end();
  }
}

interface ToolCallContext {
  readonly server: Server;
  readonly dependencies: CallDependencies;
  readonly ctx: ServerContext;
  readonly client: CallingClient;
  readonly progress: ProgressReport;
  /** Whether the client takes a task for what goes on. */
  readonly takesTask: boolean;
}

async function runCall(
  { name, arguments: args }: CallToolParams,
  { server, dependencies, ctx, client, progress, takesTask }: ToolCallContext,
): Promise<Outcome | InputRequiredResult> {
  const { gateway, deliveries, questions, clock = systemClock } = dependencies;
  try {
    checkBounds(name, args);
    const run = prepare(gateway, name, args);
    const time = startCallTime(clock, run, { dependencies, ctx, client, progress });
    // The same call again, right after its answer arrived, must find that answer recorded as delivered.
    const recording = deliveries.whenRecorded();
    if (recording !== undefined) await recording;
    const signInContext = { server, ctx, gateway, codec: questions, clock };
    const signIn = client.canShowPages ? readSignInAnswer({ name, args }, signInContext) : undefined;
    if (signIn !== undefined && signIn.answer !== 'unshown') {
      const { stateless } = client;
      const wait = { stateless, waitMs: Math.max(0, time.untilGivenUpMs - afterSignInMs), progress };
      const waitAgain =
        signIn.answer === 'accepted' ? await waitForSignIn(signIn, wait, signInContext) : undefined;
      if (waitAgain !== undefined) return waitAgain;
      time.restartWait();
    }
    const outcome = await run.call({
      signal: ctx.mcpReq.signal,
      waitMs: time.remainingMs,
      taskAfterMs: takesTask ? taskAfterMs : undefined,
      progress: progress.update,
      resultChars: findKnownClient(client.name).chars,
      confirmation: client.canElicit
        ? (readConfirmationAnswer({ name, args }, ctx, clock) ?? 'unasked')
        : 'cannot-ask',
      signIn: client.canShowPages ? toSignInContext(signIn) : undefined,
      mayConnect: ctx.http?.authInfo?.scopes.includes(connectScope) ?? true,
    });
    const request = { name, args, startedAt: time.startedAt };
    switch (outcome.question?.kind) {
      case 'confirmation':
        return await askConfirmation(outcome.question.confirmation, request, { codec: questions, clock });
      case 'sign-in':
        return await askSignIn(outcome.question.offer, request, signInContext);
      default:
        return outcome;
    }
  } catch (error) {
    if (error instanceof GatewayError) return { body: error.body };
    throw error;
  }
}

function startCallTime(
  clock: Clock,
  run: PreparedCall,
  {
    dependencies,
    ctx,
    client,
    progress,
  }: Pick<ToolCallContext, 'dependencies' | 'ctx' | 'client' | 'progress'>,
): CallTime {
  const waits = getWaits(findKnownClient(client.name), {
    hasProgressToken: progress.requested,
    settingSeconds: dependencies.waitSeconds,
    requestedSeconds: run.waitSeconds,
  });
  // A client that was asked within its call has used up part of its time.
  const state = client.stateless ? undefined : ctx.mcpReq.requestState<{ startedAt: number }>();
  return new CallTime(clock, { startedAt: state?.startedAt, ...waits });
}

/** Undefined: the client shows no pages, so the answer has the address. */
function toSignInContext(signIn: SignInAnswer | undefined): CallContext['signIn'] {
  if (signIn === undefined) return 'unasked';
  const { question, answer } = signIn;
  return answer === 'unshown' ? undefined : { id: question.signIn, answer };
}

/** The task for what goes on after this answer. Undefined: the answer stands, or names the job where no task could be written. */
async function asTask(outcome: Outcome, { gateway, logger }: CallDependencies) {
  const isPaid = outcome.paidCall !== undefined || outcome.batch !== undefined;
  if (!isPaid || !isUnfinished(outcome.body)) return undefined;
  try {
    return toCreatedTask(await gateway.tasks.open(outcome));
  } catch (error) {
    logger.error({ err: error }, 'A task could not be written');
    return undefined;
  }
}

interface PreparedCall {
  readonly waitSeconds: number | undefined;
  call(context: CallContext): Promise<Outcome>;
}

function prepare(gateway: Gateway, name: string, args: JsonObject): PreparedCall {
  const tool = staticTools.find((candidate) => candidate.name === name);
  if (tool === undefined) {
    const call = async (context: CallContext) =>
      (await gateway.runTool(name, args, context)) ?? (await unknownTool(gateway, name));
    return { waitSeconds: undefined, call };
  }
  const input = readInput(tool, args);
  const waitSeconds = typeof input.wait_seconds === 'number' ? input.wait_seconds : undefined;
  return { waitSeconds, call: (context) => tool.run(gateway, input, context) };
}

async function unknownTool(gateway: Gateway, name: string): Promise<never> {
  const nearest = await gateway.nearestTool(name);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${cleanText(name, 100)}. ${nearest === undefined ? '' : `Did you mean ${nearest}? `}Find actions with search_actions and run them with run_action; edit_action with revert: true brings back one of your own.`,
  );
}

function internalError(): GatewayError {
  return new GatewayError('INTERNAL_ERROR', 'Internal error of svc-mcp; its log on stderr has the details.', {
    kind: 'list',
    of: 'jobs',
    why: 'started',
  });
}
