/**
 * Questions to a person that travel through the client and come back with its answer. They are authenticated and bound to
 * the call.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type JSONRPCErrorResponse,
  type JSONRPCResultResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { creditsText } from '../../contract/price.ts';
import { pageLifetimeMs } from '../../gateway/accounts/sign-in-pages.ts';
import type { Clock } from '../../gateway/foundation/clock.ts';
import { cleanText, quoted } from '../../gateway/foundation/text.ts';
import type { ConfirmationAnswer, Gateway } from '../../gateway/interface/gateway.ts';
import type { Confirmation, JsonObject, SignInOffer } from '../../gateway/interface/outcomes.ts';
import type { ProgressReport } from './call-time.ts';
import { findKnownClient, noticeHiddenPages, readClient } from './client.ts';

/** Whether a call may spend its credits. */
interface ConfirmationQuestion {
  /** Fingerprint of the tool's name and arguments. */
  readonly call: string;
  readonly credits: number;
  /** When the call came in, in milliseconds since 1970; the client's time-out includes the time of the question. */
  readonly startedAt: number;
  /** When the person was asked. */
  readonly askedAt: number;
  /** Random: the name of the consent that an answer gives. */
  readonly consent: string;
}

/** A page to sign in that the person was shown. */
interface SignInQuestion {
  /** Fingerprint of the tool's name and arguments. */
  readonly call: string;
  readonly signIn: string;
  readonly startedAt: number;
  readonly askedAt: number;
  /** How often a stateless client has repeated the request to keep waiting; clients stop after about ten. */
  readonly waits: number;
}

export type AskedQuestion = ConfirmationQuestion | SignInQuestion;

/** The call that a question is about. */
export interface AskedCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly startedAt: number;
}

/** An answer within so many milliseconds comes from the client itself: nobody reads a question that fast. */
const unreadMs = 1_000;

/** Seconds for which an answer is accepted. */
export const questionSeconds = 600;

/** Use one codec in a process, or one key in all processes that serve the same clients. */
export function createQuestionCodec(key: Uint8Array = randomBytes(32)) {
  return createRequestStateCodec<AskedQuestion>({ key, ttlSeconds: questionSeconds });
}
export type QuestionCodec = ReturnType<typeof createQuestionCodec>;

/** What the client says to one question. */
function readResponse({ mcpReq }: ServerContext, name: string): ReturnType<typeof inputResponse> {
  const { inputResponses } = mcpReq;
  // A member `__proto__` of the client's JSON is the prototype of what the SDK passes on.
  return inputResponse(Object.hasOwn(inputResponses ?? {}, name) ? inputResponses : undefined, name);
}

const unhandled = 'svc/unhandled';
const Unhandled = z.looseObject({ _meta: z.looseObject({ [unhandled]: z.literal(true) }) });

/**
 * Some clients declare questions to their user but answer them with an error: nobody was asked. As a cancelled question
 * it lets the call go on and say why it did not run.
 */
export const toCancelledQuestion = ({ jsonrpc, id }: JSONRPCErrorResponse): JSONRPCResultResponse => ({
  jsonrpc,
  id: id ?? '',
  result: { action: 'cancel', _meta: { [unhandled]: true } },
});

/** Whether nobody has seen the question that the client answers: it did so by itself. */
const isUnseen = ({ mcpReq }: ServerContext, name: string, askedAt: number, clock: Clock): boolean =>
  clock.now() - askedAt < unreadMs || Unhandled.safeParse(Object(mcpReq.inputResponses)[name]).success;

function fingerprint(name: string, args: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify([name, args]))
    .digest('base64url');
}

// The form before a call spends more than `SVC_CONFIRM_ABOVE_CREDITS`.
const confirmInput = 'confirm';
const consentBytes = 18;
const maxParamLines = 20;
const maxParamChars = 200;

/**
 * What the person said, where this request brings the answer to a question about the same call. `cannot-ask`: the client
 * answered by itself.
 */
export function readConfirmationAnswer(
  { name, args }: Pick<AskedCall, 'name' | 'args'>,
  ctx: ServerContext,
  clock: Clock,
): ConfirmationAnswer | 'cannot-ask' | undefined {
  const question = ctx.mcpReq.requestState<AskedQuestion>();
  if (question === undefined || !('consent' in question) || question.call !== fingerprint(name, args))
    return undefined;
  const response = readResponse(ctx, confirmInput);
  if (response.kind !== 'elicit') return undefined;
  const { credits, consent, askedAt } = question;
  if (isUnseen(ctx, confirmInput, askedAt, clock)) return 'cannot-ask';
  return { credits, consent, answer: response.action === 'accept' ? 'accepted' : 'declined' };
}

export async function askConfirmation(
  confirmation: Confirmation,
  { name, args, startedAt }: AskedCall,
  { codec, clock }: { readonly codec: QuestionCodec; readonly clock: Clock },
): Promise<InputRequiredResult> {
  return inputRequired({
    inputRequests: {
      [confirmInput]: inputRequired.elicit({
        message: describeConfirmation(confirmation, args),
        // Accept and decline are the answer; there is nothing to fill in.
        requestedSchema: { type: 'object', properties: {} },
      }),
    },
    requestState: await codec.mint({
      call: fingerprint(name, args),
      credits: confirmation.credits,
      startedAt,
      askedAt: clock.now(),
      consent: randomBytes(consentBytes).toString('base64url'),
    }),
  });
}

/** The price comes first, because clients cut long messages. */
function describeConfirmation(
  { actionName, site, account, cost, spentToday }: Confirmation,
  args: JsonObject,
): string {
  const where = site === undefined ? '' : ` of ${quoted(site, 80)}`;
  const acting = account === undefined ? '' : ` as ${quoted(account, 100)}`;
  const lines = describeParams(args);
  return [
    `Spend ${cost} to run ${quoted(actionName, 120)}${where}${acting}? Spent today so far: ${creditsText(spentToday)}.`,
    ...lines.slice(0, maxParamLines),
    ...(lines.length > maxParamLines ? [`… and ${lines.length - maxParamLines} more`] : []),
  ].join('\n');
}

/** One line for each param, or for each input of a batch. */
function describeParams(args: JsonObject): string[] {
  const params = typeof args.action_id === 'string' ? (args.params ?? args.batch ?? {}) : args;
  const describe = (value: unknown) => cleanText(JSON.stringify(value) ?? '', maxParamChars);
  if (Array.isArray(params)) return params.map((row, index) => `${index + 1}. ${describe(row)}`);
  // Params may be sent as JSON text.
  if (typeof params !== 'object') return [describe(params)];
  return Object.entries({ ...params }).map(([name, value]) => `${cleanText(name, 60)}: ${describe(value)}`);
}

// The page to sign in. Its address never reaches the model; the gateway knows it only for the principal who asked.
const signInInput = 'sign_in';
const maxWaits = 7;
const progressEveryMs = 5_000;
/** The protocol's one revision with a notification that a page is done. */
const notifyingRevision = '2025-11-25';

/**
 * What this request says about a page: the person was shown it, or the client repeats the request to keep waiting.
 * `unshown`: the client declined by itself, so nobody has seen the page.
 */
export interface SignInAnswer {
  readonly question: SignInQuestion;
  readonly answer: 'accepted' | 'declined' | 'unshown';
}

interface SignInContext {
  readonly server: Server;
  readonly ctx: ServerContext;
  readonly gateway: Gateway;
  readonly codec: QuestionCodec;
  readonly clock: Clock;
}

export async function askSignIn(
  { id, url, message }: SignInOffer,
  { name, args, startedAt }: AskedCall,
  { server, ctx, gateway, codec, clock }: SignInContext,
): Promise<InputRequiredResult> {
  const call = fingerprint(name, args);
  const question: SignInQuestion = { call, signIn: id, startedAt, askedAt: clock.now(), waits: 0 };
  const notifies = server.getNegotiatedProtocolVersion() === notifyingRevision;
  const elicitationId = randomUUID();
  if (notifies) notifyWhenDone(id, elicitationId, server, gateway);
  const hasId = notifies || findKnownClient(readClient(server, ctx).name).elicitationId === true;
  const request = { mode: 'url', message, url, ...(hasId ? { elicitationId } : {}) } as const;
  return inputRequired({
    inputRequests: { [signInInput]: inputRequired.elicitUrl(request) },
    requestState: await codec.mint(question),
  });
}

export function readSignInAnswer(
  { name, args }: Pick<AskedCall, 'name' | 'args'>,
  { server, ctx, clock }: Pick<SignInContext, 'server' | 'ctx' | 'clock'>,
): SignInAnswer | undefined {
  const state = ctx.mcpReq.requestState<AskedQuestion>();
  if (state === undefined || !('signIn' in state) || state.call !== fingerprint(name, args)) return undefined;
  const response = readResponse(ctx, signInInput);
  if (response.kind !== 'elicit')
    return state.waits > 0 ? { question: state, answer: 'accepted' } : undefined;
  if (response.action === 'accept') return { question: state, answer: 'accepted' };
  if (!isUnseen(ctx, signInInput, state.askedAt, clock)) return { question: state, answer: 'declined' };
  noticeHiddenPages(server);
  return { question: state, answer: 'unshown' };
}

/**
 * Waits for the person who was shown the page. Returns a result if the client must repeat the request to keep
 * waiting; undefined if the call continues, whether or not the person signed in.
 */
export async function waitForSignIn(
  { question }: SignInAnswer,
  wait: { readonly stateless: boolean; readonly waitMs: number; readonly progress: ProgressReport },
  { ctx, gateway, codec }: SignInContext,
): Promise<InputRequiredResult | undefined> {
  const startedAt = performance.now();
  const report = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    wait.progress.update({ message: `Waiting for the sign-in on the page (${seconds} s)` });
  };
  report();
  const timer = setInterval(report, progressEveryMs);
  const { signal } = ctx.mcpReq;
  try {
    const end = await gateway.awaitSignIn(question.signIn, { signal, timeoutMs: wait.waitMs });
    // The next request of a stateless client has the client's whole time-out again.
    if (end !== 'pending' || !wait.stateless || question.waits >= maxWaits || signal.aborted)
      return undefined;
    return inputRequired({ requestState: await codec.mint({ ...question, waits: question.waits + 1 }) });
  } finally {
    clearInterval(timer);
  }
}

/** Notifies the client of the page's end, because the page may outlive the call. */
function notifyWhenDone(id: string, elicitationId: string, server: Server, gateway: Gateway): void {
  const notify = server.createElicitationCompletionNotifier(elicitationId);
  gateway
    .awaitSignIn(id, { signal: new AbortController().signal, timeoutMs: pageLifetimeMs })
    .then((end) => (end === 'verified' ? notify() : undefined))
    // The client is gone.
    .catch(() => {});
}
