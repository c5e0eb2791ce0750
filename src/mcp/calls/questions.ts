/**
 * Questions to a person that travel through the client and come back with its answer. They are authenticated and bound to
 * the call.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  createRequestStateCodec,
  inputResponse,
  type JSONRPCErrorResponse,
  type JSONRPCResultResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Clock } from '../../gateway/foundation/clock.ts';
import type { JsonObject } from '../../gateway/interface/outcomes.ts';

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
export interface SignInQuestion {
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
export function readResponse({ mcpReq }: ServerContext, name: string): ReturnType<typeof inputResponse> {
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
export const isUnseen = ({ mcpReq }: ServerContext, name: string, askedAt: number, clock: Clock): boolean =>
  clock.now() - askedAt < unreadMs || Unhandled.safeParse(Object(mcpReq.inputResponses)[name]).success;

export function fingerprint(name: string, args: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify([name, args]))
    .digest('base64url');
}
