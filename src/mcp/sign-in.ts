/**
 * Shows a person the page to sign in, in the client, in every revision of the protocol; then the same call goes on.
 * The address never reaches the model. What was asked travels through the client, so it is authenticated and bound
 * to the call; the gateway knows the page only for the principal who asked.
 */
import { randomUUID } from 'node:crypto';
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { pageLifetimeMs } from '../gateway/accounts/sign-in-pages.ts';
import { SignInNeeded } from '../gateway/errors.ts';
import type { CallContext, Gateway, SignInOffer } from '../gateway/gateway.ts';
import type { JsonObject } from '../gateway/outcomes.ts';
import { fingerprint, type Question, type QuestionCodec } from './confirmation.ts';
import type { ProgressReport } from './progress.ts';

/** What a person was shown. */
export interface SignInQuestion {
  /** Fingerprint of the tool's name and arguments. */
  readonly call: string;
  readonly signIn: string;
  readonly startedAt: number;
  /** How often a stateless client has come back to wait on; clients stop after about ten. */
  readonly waits: number;
}

const inputName = 'sign_in';
const maxWaits = 7;
const progressEveryMs = 5_000;
/** The protocol's one revision with a notification that a page is done. */
const notifyingRevision = '2025-11-25';

interface Call<Answer> {
  readonly name: string;
  readonly args: JsonObject;
  readonly startedAt: number;
  /** Whether the client can show its user an address. */
  readonly canShow: boolean;
  readonly stateless: boolean;
  /** Milliseconds that this request may wait for the person. */
  readonly waitMs: number;
  readonly progress: ProgressReport;
  run(signIn: CallContext['signIn']): Promise<Answer>;
}

interface Surroundings {
  readonly server: Server;
  readonly ctx: ServerContext;
  readonly gateway: Gateway;
  readonly codec: QuestionCodec;
}

/** Runs a call; where a person must sign in first, answers with the page, or waits for it and goes on. */
export async function withSignIn<Answer>(
  call: Call<Answer>,
  around: Surroundings,
): Promise<Answer | InputRequiredResult> {
  if (!call.canShow) return call.run(undefined);
  const asked = askedBefore(call, around.ctx);
  if (asked === undefined) {
    try {
      return await call.run('unasked');
    } catch (error) {
      if (!(error instanceof SignInNeeded)) throw error;
      return question(error.offer, call, around);
    }
  }
  const { signIn: id, waits } = asked.question;
  if (!asked.accepted) return call.run({ id, answer: 'declined' });
  const end = await waitForPerson(id, call, around);
  // The next request of a stateless client has the client's whole time-out again.
  if (end === 'pending' && call.stateless && waits < maxWaits && !around.ctx.mcpReq.signal.aborted) {
    return inputRequired({ requestState: await around.codec.mint({ ...asked.question, waits: waits + 1 }) });
  }
  return call.run({ id, answer: 'accepted' });
}

async function question(
  { id, url, message }: SignInOffer,
  { name, args, startedAt }: Call<unknown>,
  { server, gateway, codec }: Surroundings,
): Promise<InputRequiredResult> {
  const asked: SignInQuestion = { call: fingerprint(name, args), signIn: id, startedAt, waits: 0 };
  const notifies = server.getNegotiatedProtocolVersion() === notifyingRevision;
  const elicitationId = randomUUID();
  if (notifies) tellWhenDone(id, elicitationId, server, gateway);
  const request = { mode: 'url', message, url, ...(notifies ? { elicitationId } : {}) } as const;
  return inputRequired({
    inputRequests: { [inputName]: inputRequired.elicitUrl(request) },
    requestState: await codec.mint(asked),
  });
}

/** What this request says about a page: that the person was shown it, or that a client has come back to wait on. */
function askedBefore(
  { name, args }: Call<unknown>,
  { mcpReq }: ServerContext,
): { readonly question: SignInQuestion; readonly accepted: boolean } | undefined {
  const state = mcpReq.requestState<Question | SignInQuestion>();
  if (state === undefined || !('signIn' in state) || state.call !== fingerprint(name, args)) return undefined;
  const response = inputResponse(mcpReq.inputResponses, inputName);
  if (response.kind === 'elicit') return { question: state, accepted: response.action === 'accept' };
  return state.waits > 0 ? { question: state, accepted: true } : undefined;
}

async function waitForPerson(
  id: string,
  { waitMs, progress }: Call<unknown>,
  { ctx, gateway }: Surroundings,
): Promise<'verified' | 'pending' | 'ended'> {
  let count = 0;
  const report = () => {
    count += 1;
    // Below what the run itself reports: progress must only grow.
    progress.update({ progress: count / 10_000, message: 'Waiting for the sign-in on the page' });
  };
  report();
  const timer = setInterval(report, progressEveryMs);
  try {
    return await gateway.awaitSignIn(id, { signal: ctx.mcpReq.signal, timeoutMs: waitMs });
  } finally {
    clearInterval(timer);
  }
}

/** The page may outlive the call, so the client hears of its end by itself. */
function tellWhenDone(id: string, elicitationId: string, server: Server, gateway: Gateway): void {
  const notify = server.createElicitationCompletionNotifier(elicitationId);
  gateway
    .awaitSignIn(id, { signal: new AbortController().signal, timeoutMs: pageLifetimeMs })
    .then((end) => (end === 'verified' ? notify() : undefined))
    // The client is gone.
    .catch(() => {});
}
