/**
 * Asks the person before a call spends more than may be spent unasked: a form in the client, in every
 * revision of the protocol. What was asked travels through the client and comes back with the answer, so it
 * is authenticated and bound to the call and its price.
 */

import { createHash, randomBytes } from 'node:crypto';
import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Confirmation, ConfirmationAnswer } from '../gateway/gateway.ts';
import type { JsonObject } from '../gateway/outcomes.ts';
import { cleanText, creditsText, quoted } from '../gateway/text.ts';
import type { SignInQuestion } from './sign-in.ts';
import { wasUnhandled } from './unhandled-questions.ts';

/** What a person was asked. */
export interface Question {
  /** Fingerprint of the tool's name and arguments. */
  readonly call: string;
  readonly credits: number;
  /** When the call came in, in milliseconds since 1970: the client's clock ran on while it asked. */
  readonly startedAt: number;
  /** When the person was asked. */
  readonly askedAt: number;
}

const inputName = 'confirm';
/** Milliseconds within which nobody reads a question and says no: the client answered by itself. */
const unreadMs = 1_000;

export const confirmationSeconds = 600;

/** One for a process, or one key for all processes that answer the same clients. */
export function questionCodec(key: Uint8Array = randomBytes(32)) {
  return createRequestStateCodec<Question | SignInQuestion>({ key, ttlSeconds: confirmationSeconds });
}
export type QuestionCodec = ReturnType<typeof questionCodec>;

/** The call that a question is about. */
export interface AskedCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly startedAt: number;
}

/**
 * What the person said, where this request brings the answer to a question about the same call. `cannot-ask`: the client
 * answered by itself.
 */
export function confirmationAnswer(
  { name, args }: Pick<AskedCall, 'name' | 'args'>,
  { mcpReq }: ServerContext,
): ConfirmationAnswer | 'cannot-ask' | undefined {
  const asked = mcpReq.requestState<Question | SignInQuestion>();
  if (asked === undefined || !('credits' in asked) || asked.call !== fingerprint(name, args))
    return undefined;
  const response = inputResponse(mcpReq.inputResponses, inputName);
  if (response.kind !== 'elicit') return undefined;
  const { credits, askedAt } = asked;
  if (response.action === 'accept') return { credits, answer: 'accepted' };
  const isUnseen = Date.now() - askedAt < unreadMs || wasUnhandled(mcpReq.inputResponses, inputName);
  return isUnseen ? 'cannot-ask' : { credits, answer: 'declined' };
}

export async function askConfirmation(
  confirmation: Confirmation,
  { name, args, startedAt }: AskedCall,
  codec: QuestionCodec,
): Promise<InputRequiredResult> {
  const { credits } = confirmation;
  return inputRequired({
    inputRequests: {
      [inputName]: inputRequired.elicit({
        message: wording(confirmation, args),
        // Accept and decline are the answer; there is nothing to fill in.
        requestedSchema: { type: 'object', properties: {} },
      }),
    },
    requestState: await codec.mint({
      call: fingerprint(name, args),
      credits,
      startedAt,
      askedAt: Date.now(),
    }),
  });
}

function wording(
  { actionName, site, credits, estimate, spentToday }: Confirmation,
  args: JsonObject,
): string {
  const where = site === undefined ? '' : ` of ${quoted(site, 80)}`;
  const basis = estimate === undefined ? '' : ` (Expected: ${estimate}.)`;
  const params = typeof args.action_id === 'string' ? (args.params ?? args.batch ?? {}) : args;
  const shown = cleanText(JSON.stringify(params), 400);
  return `Run ${quoted(actionName, 120)}${where} for ${creditsText(credits)}?${basis} Params: ${shown}. Spent today so far: ${creditsText(spentToday)}.`;
}

export function fingerprint(name: string, args: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify([name, args]))
    .digest('base64url');
}
