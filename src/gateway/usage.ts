/** `get_usage`: what was spent, what is left of the budgets, and the balance where it is known. Free. */
import { isApiError, isKeyRefusal } from '../client/errors.ts';
import type { Api } from '../contract/api.ts';
import { toExact } from './catalog/prices.ts';
import { announcedExtensions } from './foundation/extensions.ts';
import { cleanText } from './foundation/text.ts';
import type { JsonObject } from './interface/outcomes.ts';
import type { GatewaySettings } from './interface/settings.ts';
import type { SpentDay, SpentOn, SpentOnDay } from './paid/row-queries.ts';
import { endOfDay, startOfDay } from './paid/spending-limits.ts';
import type { GatewayStore } from './paid/store.ts';

const shownDays = 30;
const dayMs = 24 * 60 * 60_000;
const shownActions = 20;
/** The newest days name their dearest actions. */
const namedDays = 7;
const namedActions = 5;
/** Those beyond the shown ones are counted and summed. */
const countedActions = 10_000;
const shownCosts = 5;
const timeoutMs = 10_000;

interface Dependencies {
  readonly api: Api;
  readonly store: GatewayStore;
  readonly settings: GatewaySettings;
}

/** The store's clock decides what today is. Rejects with `STORE_UNAVAILABLE`, and if the service refuses the key. */
export async function getUsage(dependencies: Dependencies, signal: AbortSignal): Promise<JsonObject> {
  const { settings } = dependencies;
  const { orders, queries } = await dependencies.store.open();
  const spent = await orders.readSpent();
  const { now } = spent;
  const today = startOfDay(now);
  const since = today - (shownDays - 1) * dayMs;
  const [spentOnAll, byDay, dearest, balance] = await Promise.all([
    queries.spentOn(since, today, countedActions),
    queries.spentByDay(since),
    queries.dearestByDay(today - (namedDays - 1) * dayMs, namedActions),
    readBalance(dependencies, now, signal),
  ]);
  const spentOn = spentOnAll.slice(0, shownActions);
  const others = spentOnAll.slice(shownActions);
  const actions = spentOn.filter(({ kind }) => kind === 'run').map(({ subject }) => subject);
  const lastCosts = await queries.lastCosts(actions, shownCosts);
  const byAction = spentOn.map(({ kind, subject, runs, spent: total, spentToday }) => ({
    ...nameOf({ kind, subject }),
    ...(kind === 'run' && { last_costs: lastCosts.get(subject) ?? [] }),
    runs,
    spent: total,
    spent_today: spentToday,
  }));
  const { maxCreditsPerDay, maxCreditsPerDayPerKey } = settings;
  const remainingBudgets = [
    ...(maxCreditsPerDay === undefined ? [] : [maxCreditsPerDay - spent.byPrincipal]),
    ...(maxCreditsPerDayPerKey === undefined ? [] : [maxCreditsPerDayPerKey - spent.byKey]),
  ];
  return {
    today: {
      spent: spent.byPrincipal,
      budget_left: remainingBudgets.length === 0 ? null : toExact(Math.max(0, Math.min(...remainingBudgets))),
      resets_at: endOfDay(now),
    },
    // Of both lists: what was spent before that day is in neither.
    since: new Date(since).toISOString().slice(0, 10),
    by_action: byAction,
    ...othersOf(others.length, sumOf(others)),
    by_day: byDay.map((day) =>
      ofDay(
        day,
        dearest.filter((one) => one.day === day.day),
      ),
    ),
    ...balance,
  };
}

const nameOf = ({ kind, subject }: Pick<SpentOn, 'kind' | 'subject'>) =>
  kind === 'build' ? { build_for: cleanText(subject, 200) } : { action_id: cleanText(subject, 200) };

const sumOf = (list: readonly { readonly spent: number }[]): number =>
  list.reduce((sum, { spent }) => sum + spent, 0);

/** What a list leaves out; nothing where it is whole. */
const othersOf = (actions: number, spent: number) =>
  actions === 0 ? {} : { others: { actions, spent: toExact(spent) } };

function ofDay({ day, runs, spent }: SpentDay, dearest: readonly SpentOnDay[]): JsonObject {
  if (dearest.length === 0) return { day, runs, spent };
  const actions = dearest.map(({ runs: ofAction, spent: total, ...of }) => ({
    ...nameOf(of),
    runs: ofAction,
    spent: total,
  }));
  const others = (dearest[0]?.subjects ?? 0) - dearest.length;
  return { day, runs, spent, by_action: actions, ...othersOf(others, spent - sumOf(dearest)) };
}

interface ShownBalance {
  readonly balance: number | null;
  /** RFC 3339; null where there is no balance. */
  readonly balance_at: string | null;
  readonly note?: string;
}

/**
 * From the service where it has the extension `usage`, else the last balance that it named in a refusal. Rejects if the
 * key is refused.
 */
async function readBalance(
  { api, store }: Dependencies,
  now: number,
  signal: AbortSignal,
): Promise<ShownBalance> {
  let failure = '';
  try {
    if ((await announcedExtensions(api, { signal, timeoutMs })).has('usage')) {
      const { balance } = await api.getUsage({ signal, timeoutMs });
      return { balance, balance_at: new Date(now).toISOString() };
    }
  } catch (error) {
    if (!isApiError(error) || isKeyRefusal(error)) throw error;
    failure = 'The service did not answer the request for the balance. ';
  }
  const last = await (await store.open()).queries.lastBalance();
  if (last === undefined) {
    const reason = 'The balance is not known: the service names it only when credits do not suffice.';
    return { balance: null, balance_at: null, note: failure === '' ? reason : failure.trim() };
  }
  return {
    balance: last.balance,
    balance_at: new Date(last.at).toISOString(),
    note: `${failure}The balance is the last one that the service named; it may have changed since.`,
  };
}
