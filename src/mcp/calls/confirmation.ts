/** Asks the person before a call spends more than `SVC_CONFIRM_ABOVE_CREDITS`: a form in the client, in every revision. */
import {
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { cleanText, creditsText, quoted } from '../../gateway/foundation/text.ts';
import type { ConfirmationAnswer } from '../../gateway/interface/gateway.ts';
import type { JsonObject } from '../../gateway/interface/outcomes.ts';
import type { Confirmation } from '../../gateway/interface/questions.ts';
import { type AskedCall, fingerprint, type Question, type QuestionCodec } from './questions.ts';
import { wasUnhandled } from './unhandled-questions.ts';

const inputName = 'confirm';
/** A refusal within so many milliseconds comes from the client itself: nobody reads a question that fast. */
const unreadMs = 1_000;

/**
 * What the person said, where this request brings the answer to a question about the same call. `cannot-ask`: the client
 * answered by itself.
 */
export function readConfirmationAnswer(
  { name, args }: Pick<AskedCall, 'name' | 'args'>,
  { mcpReq }: ServerContext,
): ConfirmationAnswer | 'cannot-ask' | undefined {
  const question = mcpReq.requestState<Question>();
  if (question === undefined || !('credits' in question) || question.call !== fingerprint(name, args))
    return undefined;
  const response = inputResponse(mcpReq.inputResponses, inputName);
  if (response.kind !== 'elicit') return undefined;
  const { credits, askedAt } = question;
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
        message: describeConfirmation(confirmation, args),
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

function describeConfirmation(
  { actionName, site, credits, estimate, spentToday }: Confirmation,
  args: JsonObject,
): string {
  const where = site === undefined ? '' : ` of ${quoted(site, 80)}`;
  const basis = estimate === undefined ? '' : ` (Expected: ${estimate}.)`;
  const params = typeof args.action_id === 'string' ? (args.params ?? args.batch ?? {}) : args;
  const paramsText = cleanText(JSON.stringify(params), 400);
  return `Run ${quoted(actionName, 120)}${where} for ${creditsText(credits)}?${basis} Params: ${paramsText}. Spent today so far: ${creditsText(spentToday)}.`;
}
