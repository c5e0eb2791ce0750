/** What may be spent: refusals before anything is sent. */

import { toRefusal } from '../errors/errors.ts';
import { creditsText } from '../foundation/text.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { JsonObject, Outcome, Refused } from '../interface/outcomes.ts';
import type { GatewaySettings } from '../interface/settings.ts';
import { describeCost, describeEstimate, type ExpectedCost } from '../prices/expected-cost.ts';
import { type Spent, startOfDay } from '../store/terms.ts';

const dayMs = 86_400_000;

export interface Purchase {
  readonly actionId: string;
  readonly actionName: string;
  /** The catalog of the action. */
  readonly site?: string;
  /** For a batch, the cost of all its runs together. */
  readonly cost: ExpectedCost;
  /** `max_credits` of the call. */
  readonly maxCredits?: number | undefined;
}

export type Limits = Pick<
  GatewaySettings,
  'maxCreditsPerCall' | 'maxCreditsPerDay' | 'maxCreditsPerDayPerKey' | 'confirmAboveCredits'
>;

/** Whether anything may refuse a call for its price, so that its price and what was spent must be known. */
export function isLimited(limits: Limits, maxCredits: number | undefined): boolean {
  const { maxCreditsPerCall, maxCreditsPerDay, maxCreditsPerDayPerKey, confirmAboveCredits } = limits;
  return [maxCredits, maxCreditsPerCall, maxCreditsPerDay, maxCreditsPerDayPerKey, confirmAboveCredits].some(
    (limit) => limit !== undefined,
  );
}

/**
 * `BUDGET_EXCEEDED` where the purchase is above a limit. `spent` is read inside the transaction that writes the
 * intent, so that calls at the same time cannot all fit into what is left.
 */
export function findBudgetRefusal(purchase: Purchase, spent: Spent, limits: Limits): Refused | undefined {
  const { actionId, cost, maxCredits } = purchase;
  const { expected } = cost;
  const { maxCreditsPerCall, maxCreditsPerDay, maxCreditsPerDayPerKey } = limits;
  const costs = `${actionId} ${describeCost(cost)}`;
  if (maxCredits !== undefined && expected > maxCredits) {
    return exceeded(
      `${costs}; the call allows max_credits ${maxCredits}. Nothing was sent.`,
      `Repeat the call with max_credits ${expected} or more if the user agrees, or choose a cheaper action.`,
      { ...priceMembers(cost), limit: maxCredits, spent: spent.byPrincipal },
    );
  }
  if (maxCreditsPerCall !== undefined && expected > maxCreditsPerCall) {
    return exceeded(
      `${costs}; one call may cost ${maxCreditsPerCall} (SVC_MAX_CREDITS_PER_CALL). Nothing was sent.`,
      `Choose a cheaper action, or let the user raise SVC_MAX_CREDITS_PER_CALL to ${expected} or more.`,
      { ...priceMembers(cost), limit: maxCreditsPerCall, spent: spent.byPrincipal },
    );
  }
  const days = [
    { limit: maxCreditsPerDay, used: spent.byPrincipal, name: 'SVC_MAX_CREDITS_PER_DAY', by: '' },
    {
      limit: maxCreditsPerDayPerKey,
      used: spent.byKey,
      name: 'SVC_MAX_CREDITS_PER_DAY_PER_KEY',
      by: ' by all users of this service key',
    },
  ];
  for (const { limit, used, name, by } of days) {
    if (limit === undefined || used + expected <= limit) continue;
    const resetsAt = endOfDay(Date.now());
    return exceeded(
      `${costs}; ${used} of today's ${limit} (${name}) are spent${by}. Nothing was sent.`,
      `Wait until ${resetsAt}, or let the user raise ${name} to ${used + expected} or more.`,
      { ...priceMembers(cost), limit, spent: used, resets_at: resetsAt },
    );
  }
  return undefined;
}

/**
 * Where the purchase costs more than may be spent unasked: the question to a person who has not answered it yet, or the
 * refusal where they declined or cannot be asked.
 */
export function findConfirmation(
  purchase: Purchase,
  spent: Spent,
  { confirmAboveCredits }: Limits,
  confirmation: CallContext['confirmation'],
): Outcome<Refused> | undefined {
  const { actionId, actionName, cost } = purchase;
  const credits = cost.expected;
  if (confirmAboveCredits === undefined || credits <= confirmAboveCredits) return undefined;
  const unavailable = toRefusal(
    'CONFIRMATION_UNAVAILABLE',
    `${actionId} ${describeCost(cost)}, more than the ${confirmAboveCredits} of SVC_CONFIRM_ABOVE_CREDITS, and this client cannot ask the user, or answered in the user's place. Nothing was sent.`,
    `Let the user raise SVC_CONFIRM_ABOVE_CREDITS to ${credits} or more, or use a client that can ask (elicitation).`,
    { ...priceMembers(cost), limit: confirmAboveCredits },
  );
  if (confirmation === 'cannot-ask') return { body: unavailable };
  // An answer to another price does not count for this one.
  if (confirmation === 'unasked' || confirmation.credits !== credits) {
    const question = {
      actionId,
      actionName,
      site: purchase.site,
      credits,
      estimate: describeEstimate(cost),
      spentToday: spent.byPrincipal,
    };
    return { body: unavailable, question: { kind: 'confirmation', confirmation: question } };
  }
  if (confirmation.answer === 'accepted') return undefined;
  const body = toRefusal(
    'CONFIRMATION_DECLINED',
    `The user declined to spend ${creditsText(credits)} on ${actionId}. Nothing was sent.`,
    'Do not repeat the call unless the user asks for it.',
    priceMembers(cost),
  );
  return { body };
}

/**
 * When the day's budgets start anew, in RFC 3339: for people, so by this machine's clock. What counts as today is decided
 * by the store's.
 */
export const endOfDay = (now: number): string => new Date(startOfDay(now) + dayMs).toISOString();

const exceeded = (message: string, next: string, extra: JsonObject) =>
  toRefusal('BUDGET_EXCEEDED', message, next, extra);

const priceMembers = ({ base, expected }: ExpectedCost): JsonObject => ({
  price: base,
  ...(expected === base ? {} : { expected_cost: expected }),
});
