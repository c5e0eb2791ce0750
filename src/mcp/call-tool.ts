/** One tool call: checked, run with the questions that a person must answer first, and answered as its client wants. */
import {
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { GatewayError } from '../gateway/errors/errors.ts';
import { type Clock, systemClock } from '../gateway/foundation/clock.ts';
import type { Logger } from '../gateway/foundation/logger.ts';
import { cleanText } from '../gateway/foundation/text.ts';
import type { CallContext, Gateway } from '../gateway/interface/gateway.ts';
import { isUnfinished, type JsonObject, type Outcome } from '../gateway/interface/outcomes.ts';
import { CallTime } from './calls/call-time.ts';
import type { CallAnswer } from './calls/calls.ts';
import { type Client, readClient } from './calls/client.ts';
import { getResultChars, takesLinks } from './calls/client-limits.ts';
import { askConfirmation, readConfirmationAnswer } from './calls/confirmation.ts';
import type { Deliveries } from './calls/delivery.ts';
import { createProgressReport, type ProgressReport } from './calls/progress.ts';
import type { QuestionCodec } from './calls/questions.ts';
import { toolResult, withResourceAddress } from './calls/result.ts';
import { askSignIn, readSignInAnswer, type SignInAnswer, waitForSignIn } from './calls/sign-in.ts';
import { getLimitMs, getWaitMs } from './calls/waits.ts';
import { toTask } from './tasks/gateway-tasks.ts';
import { getWantedTaskForm, type TaskForm, toCreatedTask } from './tasks/task.ts';
import { checkBounds, readInput } from './tools/arguments.ts';
import { staticTools } from './tools/index.ts';
import type { Scope } from './tools/scopes.ts';

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
  /** Only of 2025-11-25. */
  readonly task?: { readonly ttl?: number | undefined } | undefined;
}

/** The scope needed to connect an account within another call. */
const connectScope: Scope = 'accounts:write';
/** Reserved of the client's time for a call, for the work and the answer after a sign-in. */
const afterSignInMs = 5_000;
/** How long a call waits for an accepted job before it becomes a task, for clients that take tasks. */
const taskAfterMs: Readonly<Record<TaskForm, number>> = { extension: 2_000, core: 0 };

/** @throws ProtocolError for an unknown tool; every other failure is a result that says what to do next. */
export async function callTool(
  server: Server,
  dependencies: CallDependencies,
  params: CallToolParams,
  ctx: ServerContext,
): Promise<CallAnswer> {
  const { logger, deliveries } = dependencies;
  const wantedTaskForm = getWantedTaskForm(server, ctx, params.task);
  const tool = staticTools.find(({ name }) => name === params.name);
  // Every tool that is not static is an action.
  const mayBeTask = tool === undefined || tool.mayBeTask === true;
  if (wantedTaskForm === 'core' && !mayBeTask) throw noTask(params.name);
  const form = mayBeTask ? wantedTaskForm : undefined;
  const progress = createProgressReport(ctx);
  try {
    const client = readClient(server, ctx);
    const outcome = await runCall(params, { server, dependencies, ctx, client, progress, form });
    if (isInputRequiredResult(outcome)) return { result: outcome, body: {} };
    if (form !== undefined) {
      const result = await asTask(outcome, form, dependencies, params.task?.ttl);
      if (result !== undefined) return { result, body: outcome.body };
    }
    const { signal, id } = ctx.mcpReq;
    deliveries.expect(id, signal, outcome);
    const revision = server.getNegotiatedProtocolVersion();
    const body = withResourceAddress(outcome.body);
    return { result: toolResult(body, { revision, takesLinks: takesLinks(client.name) }), body };
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    logger.error({ err: error, tool: params.name }, 'A tool call failed unexpectedly');
    const { body, message } = internalError();
    if (form === 'core') throw new ProtocolError(ProtocolErrorCode.InternalError, `${message} ${body.next}`);
    return { result: toolResult(body), body };
  } finally {
    progress.end();
  }
}

interface ToolCallContext {
  readonly server: Server;
  readonly dependencies: CallDependencies;
  readonly ctx: ServerContext;
  readonly client: Client;
  readonly progress: ProgressReport;
  readonly form: TaskForm | undefined;
}

async function runCall(
  { name, arguments: args }: CallToolParams,
  { server, dependencies, ctx, client, progress, form }: ToolCallContext,
): Promise<Outcome | InputRequiredResult> {
  const { gateway, deliveries, questions, clock = systemClock } = dependencies;
  try {
    checkBounds(name, args);
    const run = await prepare(gateway, name, args);
    const time = startCallTime(clock, run, { dependencies, ctx, client, progress });
    // The same call again, right after its answer arrived, must find that answer recorded as delivered.
    await deliveries.whenRecorded();
    const signInContext = { server, ctx, gateway, codec: questions };
    const signIn = client.canShowPages ? readSignInAnswer({ name, args }, ctx) : undefined;
    if (signIn !== undefined) {
      const { stateless } = client;
      const wait = { stateless, waitMs: Math.max(0, time.untilGivenUpMs - afterSignInMs), progress };
      const waitAgain = signIn.accepted ? await waitForSignIn(signIn, wait, signInContext) : undefined;
      if (waitAgain !== undefined) return waitAgain;
      time.restartWait();
    }
    const outcome = await run.call({
      signal: ctx.mcpReq.signal,
      waitMs: time.remainingMs,
      handleAfterMs: form && taskAfterMs[form],
      progress: progress.update,
      resultChars: getResultChars(client.name),
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
  const waitRequest = {
    clientName: client.name,
    hasProgressToken: progress.requested,
    settingSeconds: dependencies.waitSeconds,
    requestedSeconds: run.waitSeconds,
  };
  // A client that was asked within its call has used up part of its time.
  const state = client.stateless ? undefined : ctx.mcpReq.requestState<{ startedAt: number }>();
  return new CallTime(clock, {
    startedAt: state?.startedAt,
    waitMs: getWaitMs(waitRequest),
    limitMs: getLimitMs(waitRequest),
  });
}

const toSignInContext = (answer: SignInAnswer | undefined): CallContext['signIn'] =>
  answer === undefined
    ? 'unasked'
    : { id: answer.question.signIn, answer: answer.accepted ? 'accepted' : 'declined' };

/**
 * What the call becomes for a client that takes tasks. The extension leaves it to us, so that only what goes on becomes
 * one; in the older form the client has asked for one, and gets it for every answer.
 */
async function asTask(
  outcome: Outcome,
  form: TaskForm,
  { gateway, logger }: CallDependencies,
  ttlMs: number | undefined,
) {
  const isPaid = outcome.paidCall !== undefined || outcome.batch !== undefined;
  const isStillRunning = isUnfinished(outcome.body) && isPaid;
  if (form === 'extension' && !isStillRunning) return undefined;
  try {
    return toCreatedTask(toTask(await gateway.handles.open(outcome, { ttlMs })), form);
  } catch (error) {
    logger.error({ err: error }, 'A task could not be written');
    // The body names the job; a client that takes nothing but a task must hear of it too.
    if (form === 'extension') return undefined;
    throw new ProtocolError(ProtocolErrorCode.InternalError, withoutTask(outcome.body));
  }
}

function withoutTask({ status, job_id, error }: JsonObject): string {
  const { message }: { message?: unknown } = Object(error);
  const reason = typeof message === 'string' ? ` ${message}` : '';
  const readHint =
    typeof job_id === 'string' ? ` Call get_job ${JSON.stringify({ job_id })} to read it.` : '';
  return `The call has the status "${status}", but its task could not be written.${reason}${readHint}`;
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
  if ((await gateway.findActionByTool(name)) !== undefined) {
    return { waitSeconds: undefined, call: (context) => gateway.runTool(name, args, context) };
  }
  const nearest = await gateway.nearestTool(name);
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: ${cleanText(name, 100)}. ${nearest === undefined ? '' : `Did you mean ${nearest}? `}Find actions with search_actions and run them with run_action.`,
  );
}

const noTask = (name: string) =>
  new ProtocolError(
    ProtocolErrorCode.MethodNotFound,
    `${cleanText(name, 100)} does not run as a task: call it without one.`,
  );

function internalError(): GatewayError {
  return new GatewayError(
    'INTERNAL_ERROR',
    'Internal error of svc-mcp; its log on stderr has the details.',
    'If this call could have spent credits, look at get_job without a job_id before calling again.',
  );
}
