/** Refusals of calls by limits, and the question to a person who must confirm a price. */
import { creditsText, priceText } from '../../contract/price.ts';
import { type Cost, toExact } from '../catalog/prices.ts';
import { toRefusal } from '../foundation/errors.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject, Outcome, Refused } from '../interface/outcomes.ts';
import type { GatewaySettings } from '../interface/settings.ts';
import {
  type Allowance,
  endOfDay,
  findExceeded,
  nothingSpent,
  type Spending,
  type SpendLimits,
} from './spending-limits.ts';

export type LimitSettings = Pick<
  GatewaySettings,
  'maxCreditsPerCall' | 'maxCreditsPerDay' | 'maxCreditsPerDayPerKey' | 'confirmAboveCredits'
>;

/** The cost of a call, for a person or a model. */
export interface CallPrice {
  readonly actionId: string;
  readonly actionName: string;
  /** The catalog of the action. */
  readonly site?: string;
  /** The name of the account that it acts for. */
  readonly account?: string | undefined;
  /** Of a group, the cost of all its runs together. */
  readonly cost: Cost;
  /** Which runs it is the cost of, where it is not one. */
  readonly runs?: number | 'of-watch' | undefined;
}

/**
 * `BUDGET_EXCEEDED` where one call may not cost so much, beside what was spent today. `asked`: what is told, where that is
 * more than what the limit is compared with; `before`: what the batch that the call continues has cost.
 */
export function aboveCallLimit(
  priced: CallPrice,
  maxCredits: number | undefined,
  { maxCreditsPerCall }: LimitSettings,
  { asked, before }: { readonly asked: CallPrice; readonly before: number },
): ((spent: Spending) => Refused) | undefined {
  const { cost } = asked;
  if (isAbove(priced.cost.reserve, 0, maxCredits)) {
    return ({ byPrincipal }) =>
      exceeded(
        `${describe(priced)}; the call allows max_credits ${maxCredits}. Nothing was sent.`,
        { kind: 'raise-limit', limit: 'max_credits', to: cost.reserve, or: 'cheaper-action' },
        { ...priceMembers(cost), limit: maxCredits, spent: byPrincipal },
      );
  }
  if (isAbove(priced.cost.reserve, before, maxCreditsPerCall)) {
    const beside = before === 0 ? '' : ` beside the ${creditsText(before)} that the batch has cost`;
    return ({ byPrincipal }) =>
      exceeded(
        `${describe(priced)}${beside}; one call may cost ${maxCreditsPerCall} (SVC_MAX_CREDITS_PER_CALL). Nothing was sent.`,
        {
          kind: 'raise-limit',
          limit: 'SVC_MAX_CREDITS_PER_CALL',
          to: toExact(before + cost.reserve),
          or: before === 0 ? 'cheaper-action' : 'rest',
        },
        { ...priceMembers(cost), limit: maxCreditsPerCall, spent: byPrincipal },
      );
  }
  return undefined;
}

/** `BUDGET_EXCEEDED` where a watch has cost what it may, or so much that no run fits. */
export function usedUp(
  priced: CallPrice,
  { byPrincipal }: Spending,
  { allowance, before }: { readonly allowance: number | undefined; readonly before: number },
): Refused {
  const { cost } = priced;
  return exceeded(
    `${describe(priced)}; its runs have cost ${before} of the ${allowance} credits that this watch may cost (max_credits). Nothing was changed.`,
    { kind: 'raise-limit', limit: 'max_credits', to: toExact(before + cost.reserve), or: 'cheaper-action' },
    { ...priceMembers(cost), limit: allowance, spent: byPrincipal },
  );
}

/** `BUDGET_EXCEEDED` by a limit that SQL has found exceeded. `spent` is what it saw. */
export function overLimit(
  which: keyof SpendLimits,
  priced: CallPrice,
  spent: Spending,
  limits: SpendLimits,
): Refused {
  const { cost } = priced;
  if (which === 'allowance') return overAllowance(priced, spent, limits.allowance);
  const isOfKey = which === 'perDayPerKey';
  const limit = isOfKey ? limits.perDayPerKey : limits.perDay;
  const used = isOfKey ? spent.byKey : spent.byPrincipal;
  const name = isOfKey ? 'SVC_MAX_CREDITS_PER_DAY_PER_KEY' : 'SVC_MAX_CREDITS_PER_DAY';
  const by = isOfKey ? ' by all users of this service key' : '';
  const resetsAt = endOfDay(spent.now);
  return exceeded(
    `${describe(priced)}; ${used} of today's ${limit} (${name}) are spent or reserved${by}. Nothing was sent.`,
    {
      kind: 'raise-limit',
      limit: name,
      to: toExact(used + cost.reserve),
      or: 'next-day',
      until: resetsAt,
    },
    { ...priceMembers(cost), limit, spent: used, resets_at: resetsAt },
  );
}

/** A row of a batch does not fit what the batch, or a setting of this process, lets it cost. */
function overAllowance(
  priced: CallPrice,
  { byGroup }: Spending,
  { credits: limit, setting, of: group = 'batch' }: Partial<Allowance> = {},
): Refused {
  const members = { ...priceMembers(priced.cost), limit, spent: byGroup };
  const cost = `${describe(priced)}, and its ${setting === 'SVC_CONFIRM_ABOVE_CREDITS' ? 'batch or watch' : group} has cost or reserved ${byGroup}`;
  switch (setting) {
    case 'SVC_CONFIRM_ABOVE_CREDITS':
      return toRefusal(
        'CONFIRMATION_UNAVAILABLE',
        `${cost}: more than the ${limit} that it may cost without a further confirmation (SVC_CONFIRM_ABOVE_CREDITS). It was not sent.`,
        { kind: 'raise-limit', limit: setting, or: 'rest' },
        members,
      );
    case 'SVC_MAX_CREDITS_PER_CALL':
      return exceeded(
        `${cost}; one call may cost ${limit} (SVC_MAX_CREDITS_PER_CALL). It was not sent.`,
        { kind: 'raise-limit', limit: setting, or: 'rest' },
        members,
      );
    default:
      return exceeded(
        `${describe(priced)}; ${byGroup} of the ${limit} credits that this ${group} may cost are spent or reserved. It was not sent.`,
        { kind: 'raise-limit', limit: 'max_credits', or: 'rest' },
        members,
      );
  }
}

/** The refusal of a quote that SQL has found above a limit. */
export function refuseOver(
  { priced, limits }: { readonly priced: CallPrice; readonly limits: SpendLimits },
  spent: Spending,
): Refused {
  return overLimit(findExceeded(priced.cost.reserve, spent, limits) ?? 'perDay', priced, spent, limits);
}

/** A limit applies, and the run that shows what the action costs did not end within the call's time. */
export const costUnknown = ({ actionId, cost }: CallPrice): Refused =>
  toRefusal(
    'BUDGET_EXCEEDED',
    `${actionId} costs ${priceText(cost)}, and a limit on credits applies. Another run, which shows what it costs, is under way. Nothing was sent.`,
    { kind: 'list', of: 'jobs', why: 'under-way' },
    { ...priceMembers(cost), retry_after_seconds: retryAfterSeconds },
  );

/** A guess: nobody knows how long the run takes that shows the cost. */
const retryAfterSeconds = 10;

/**
 * Where the call costs more than may be spent unasked, with what the batch that it continues has cost `before`: the question
 * to a person who has not answered it yet, or the refusal where they declined or cannot be asked, by what was spent today.
 */
export function findConfirmation(
  { cost, ...call }: CallPrice,
  { confirmAboveCredits }: Pick<LimitSettings, 'confirmAboveCredits'>,
  confirmation: CallContext['confirmation'],
  before: number,
): ((spent: Spending) => Outcome<Refused>) | undefined {
  const { actionId } = call;
  const credits = cost.reserve;
  if (confirmAboveCredits === undefined || !isAbove(credits, before, confirmAboveCredits)) return undefined;
  const unavailable = toRefusal(
    'CONFIRMATION_UNAVAILABLE',
    `${describe({ ...call, cost })}, more than the ${confirmAboveCredits} of SVC_CONFIRM_ABOVE_CREDITS, and this client cannot ask the user, or answered in the user's place. Nothing was sent.`,
    {
      kind: 'raise-limit',
      limit: 'SVC_CONFIRM_ABOVE_CREDITS',
      to: credits,
      or: call.runs === 'of-watch' ? 'smaller-total' : 'other-client',
    },
    { ...priceMembers(cost), limit: confirmAboveCredits },
  );
  if (confirmation === 'cannot-ask') return () => ({ body: unavailable });
  // An answer to another price does not count for this one.
  if (confirmation === 'unasked' || confirmation.credits !== credits) {
    return ({ byPrincipal }) => ({
      body: unavailable,
      question: {
        kind: 'confirmation',
        confirmation: {
          ...call,
          credits,
          cost: `${priceText(cost)}${inRuns(call)}`,
          spentToday: byPrincipal,
        },
      },
    });
  }
  if (confirmation.answer === 'accepted') return undefined;
  const body = toRefusal(
    'CONFIRMATION_DECLINED',
    `The user declined to spend ${creditsText(credits)} on ${actionId}. Nothing was sent.`,
    { kind: 'ask', about: 'declined-credits' },
    priceMembers(cost),
  );
  return () => ({ body });
}

/** In thousandths, as SQL compares. */
const isAbove = (reserve: number, spent: number, limit: number | undefined): boolean =>
  findExceeded(reserve, { ...nothingSpent, byPrincipal: spent }, { perDay: limit }) !== undefined;

const describe = ({ actionId, cost, runs }: CallPrice): string =>
  `${actionId} costs ${priceText(cost)}${inRuns({ runs })}`;

const inRuns = ({ runs }: Pick<CallPrice, 'runs'>): string =>
  runs === undefined ? '' : runs === 'of-watch' ? ' in all runs of the watch' : ` in ${runs} runs`;

const exceeded = (message: string, next: NextStep, extra: JsonObject) =>
  toRefusal('BUDGET_EXCEEDED', message, next, extra);

/** Limits are compared with `reserve`, so it is shown if it differs from the price. */
const priceMembers = ({ base, reserve }: Cost): JsonObject => ({
  price: base,
  ...(reserve === base ? {} : { reserve }),
});
