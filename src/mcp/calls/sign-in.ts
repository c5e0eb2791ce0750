/**
 * Shows a person the page to sign in, in the client, in every revision of the protocol; then the same call goes on.
 * The address never reaches the model. What was asked travels through the client, so it is authenticated and bound
 * to the call; the gateway knows the page only for the principal who asked.
 */
import { randomUUID } from 'node:crypto';
import {
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { pageLifetimeMs } from '../../gateway/accounts/sign-in-pages.ts';
import type { Clock } from '../../gateway/foundation/clock.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import type { SignInOffer } from '../../gateway/interface/outcomes.ts';
import { noticeHiddenPages, readClient } from './client.ts';
import { findKnownClient } from './known-clients.ts';
import type { ProgressReport } from './progress.ts';
import {
  type AskedCall,
  type AskedQuestion,
  fingerprint,
  isUnseen,
  type QuestionCodec,
  readResponse,
  type SignInQuestion,
} from './questions.ts';

const inputName = 'sign_in';
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
    inputRequests: { [inputName]: inputRequired.elicitUrl(request) },
    requestState: await codec.mint(question),
  });
}

export function readSignInAnswer(
  { name, args }: Pick<AskedCall, 'name' | 'args'>,
  { server, ctx, clock }: Pick<SignInContext, 'server' | 'ctx' | 'clock'>,
): SignInAnswer | undefined {
  const state = ctx.mcpReq.requestState<AskedQuestion>();
  if (state === undefined || !('signIn' in state) || state.call !== fingerprint(name, args)) return undefined;
  const response = readResponse(ctx, inputName);
  if (response.kind !== 'elicit')
    return state.waits > 0 ? { question: state, answer: 'accepted' } : undefined;
  if (response.action === 'accept') return { question: state, answer: 'accepted' };
  if (!isUnseen(ctx, inputName, state.askedAt, clock)) return { question: state, answer: 'declined' };
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
