/** What may be spent: refusals before anything is sent. */
import { GatewayError } from '../errors.ts';
import type { CallContext } from '../gateway.ts';
import type { Outcome, Refused } from '../outcomes.ts';
import { startOfDay } from '../paid-calls/intents.ts';
import type { GatewaySettings } from '../settings.ts';

const dayMs = 86_400_000;

type BudgetSettings = Pick<GatewaySettings, 'maxCreditsPerCall' | 'maxCreditsPerDay' | 'confirmAboveCredits'>;

/** Whether what was spent today matters to any rule. */
export const hasBudget = (settings: BudgetSettings): boolean =>
  [settings.maxCreditsPerCall, settings.maxCreditsPerDay, settings.confirmAboveCredits].some(
    (limit) => limit !== undefined,
  );

export interface Purchase {
  readonly actionId: string;
  readonly actionName: string;
  readonly price: number;
}

/**
 * Throws where the purchase is above a budget or was declined; returns the question to a person who has not answered
 * it yet. Runs where the intent is written, so that calls at the same time cannot both fit into what is left.
 */
export function admit(
  purchase: Purchase,
  spentToday: number,
  settings: BudgetSettings,
  confirmation: CallContext['confirmation'],
): Outcome<Refused> | undefined {
  const { maxCreditsPerCall, maxCreditsPerDay, confirmAboveCredits } = settings;
  const { price, actionId } = purchase;
  if (maxCreditsPerCall !== undefined && price > maxCreditsPerCall) {
    throw new GatewayError(
      'BUDGET_EXCEEDED',
      `${actionId} costs ${price} credits; one call may cost ${maxCreditsPerCall} (SVC_MAX_CREDITS_PER_CALL). Nothing was sent.`,
      'Choose a cheaper action, or let the user raise SVC_MAX_CREDITS_PER_CALL.',
      { price, limit: maxCreditsPerCall, spent: spentToday },
    );
  }
  if (maxCreditsPerDay !== undefined && spentToday + price > maxCreditsPerDay) {
    const resetsAt = new Date(startOfDay(Date.now()) + dayMs).toISOString();
    throw new GatewayError(
      'BUDGET_EXCEEDED',
      `${actionId} costs ${price} credits; ${spentToday} of today's ${maxCreditsPerDay} (SVC_MAX_CREDITS_PER_DAY) are spent. Nothing was sent.`,
      `Wait until ${resetsAt}, or let the user raise SVC_MAX_CREDITS_PER_DAY.`,
      { price, limit: maxCreditsPerDay, spent: spentToday, resets_at: resetsAt },
    );
  }
  if (confirmAboveCredits === undefined || price <= confirmAboveCredits) return undefined;
  const unavailable = new GatewayError(
    'CONFIRMATION_UNAVAILABLE',
    `${actionId} costs ${price} credits, more than the ${confirmAboveCredits} of SVC_CONFIRM_ABOVE_CREDITS, and this client cannot ask the user. Nothing was sent.`,
    'Let the user raise SVC_CONFIRM_ABOVE_CREDITS, or use a client that can ask (elicitation).',
    { price, limit: confirmAboveCredits },
  );
  if (confirmation === 'cannot-ask') throw unavailable;
  // An answer to another price is none to this one.
  if (confirmation === 'unasked' || confirmation.credits !== price) {
    const question = { actionId, actionName: purchase.actionName, credits: price, spentToday };
    return { body: unavailable.body, question: { kind: 'confirmation', confirmation: question } };
  }
  if (confirmation.answer === 'accepted') return undefined;
  throw new GatewayError(
    'CONFIRMATION_DECLINED',
    `The user declined to spend ${price} credits on ${actionId}. Nothing was sent.`,
    'Do not repeat the call unless the user asks for it.',
    { price },
  );
}
