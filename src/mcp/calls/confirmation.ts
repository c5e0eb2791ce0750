/** Asks the person before a call spends more than `SVC_CONFIRM_ABOVE_CREDITS`: a form in the client, in every revision. */
import { randomBytes } from 'node:crypto';
import { type InputRequiredResult, inputRequired, type ServerContext } from '@modelcontextprotocol/server';
import { creditsText } from '../../contract/price.ts';
import type { Clock } from '../../gateway/foundation/clock.ts';
import { cleanText, quoted } from '../../gateway/foundation/text.ts';
import type { ConfirmationAnswer } from '../../gateway/interface/gateway.ts';
import type { Confirmation, JsonObject } from '../../gateway/interface/outcomes.ts';
import {
  type AskedCall,
  type AskedQuestion,
  fingerprint,
  isUnseen,
  type QuestionCodec,
  readResponse,
} from './questions.ts';

const inputName = 'confirm';
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
  const response = readResponse(ctx, inputName);
  if (response.kind !== 'elicit') return undefined;
  const { credits, consent, askedAt } = question;
  if (isUnseen(ctx, inputName, askedAt, clock)) return 'cannot-ask';
  return { credits, consent, answer: response.action === 'accept' ? 'accepted' : 'declined' };
}

export async function askConfirmation(
  confirmation: Confirmation,
  { name, args, startedAt }: AskedCall,
  { codec, clock }: { readonly codec: QuestionCodec; readonly clock: Clock },
): Promise<InputRequiredResult> {
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
