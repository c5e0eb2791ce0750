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
import { ConfirmationNeeded } from '../gateway/errors.ts';
import type { CallContext, Confirmation } from '../gateway/gateway.ts';
import type { JsonObject } from '../gateway/outcomes.ts';
import { quoted } from '../gateway/text.ts';
import type { SignInQuestion } from './sign-in.ts';

/** What a person was asked. */
export interface Question {
  /** Fingerprint of the tool's name and arguments. */
  readonly call: string;
  readonly credits: number;
  /** When the call came in, in milliseconds since 1970: the client's clock ran on while it asked. */
  readonly startedAt: number;
}

export const confirmationSeconds = 600;

/** One for a process, or one key for all processes that answer the same clients. */
export function questionCodec(key: Uint8Array = randomBytes(32)) {
  return createRequestStateCodec<Question | SignInQuestion>({ key, ttlSeconds: confirmationSeconds });
}
export type QuestionCodec = ReturnType<typeof questionCodec>;

interface Call<Answer> {
  readonly name: string;
  readonly args: JsonObject;
  readonly startedAt: number;
  readonly canAsk: boolean;
  run(confirmation: CallContext['confirmation']): Promise<Answer>;
}

/** Runs a call; where a person must be asked first, answers with the question or goes on with the answer. */
export async function withConfirmation<Answer>(
  call: Call<Answer>,
  ctx: ServerContext,
  codec: QuestionCodec,
): Promise<Answer | InputRequiredResult> {
  if (!call.canAsk) return call.run('cannot-ask');
  try {
    return await call.run('unasked');
  } catch (error) {
    if (!(error instanceof ConfirmationNeeded)) throw error;
    const question: Question = {
      call: fingerprint(call.name, call.args),
      credits: error.confirmation.credits,
      startedAt: call.startedAt,
    };
    const answer = answerTo(question, ctx);
    if (answer !== undefined) return call.run(answer);
    return inputRequired({
      inputRequests: {
        confirm: inputRequired.elicit({
          message: wording(error.confirmation),
          // Accept and decline are the answer; there is nothing to fill in.
          requestedSchema: { type: 'object', properties: {} },
        }),
      },
      requestState: await codec.mint(question),
    });
  }
}

/** The answer that came with this request, if it was given to the same question at the same price. */
function answerTo(question: Question, { mcpReq }: ServerContext): 'accepted' | 'declined' | undefined {
  const asked = mcpReq.requestState<Question | SignInQuestion>();
  if (asked === undefined || !('credits' in asked)) return undefined;
  if (asked.call !== question.call || asked.credits !== question.credits) return undefined;
  const response = inputResponse(mcpReq.inputResponses, 'confirm');
  if (response.kind !== 'elicit') return undefined;
  return response.action === 'accept' ? 'accepted' : 'declined';
}

function wording({ actionName, credits, spentToday }: Confirmation): string {
  return `Run ${quoted(actionName, 120)} for ${credits} credits? Spent today so far: ${spentToday} credits.`;
}

export function fingerprint(name: string, args: JsonObject): string {
  return createHash('sha256')
    .update(JSON.stringify([name, args]))
    .digest('base64url');
}
