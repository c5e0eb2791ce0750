/** `get_usage`: what was spent, what is left of the budgets, and the balance where it is known. Free. */
import { isApiError, isKeyRefusal } from '../client/errors.ts';
import type { Api } from '../contract/api.ts';
import { toExact } from './catalog/prices.ts';
import { announcedExtensions } from './foundation/extensions.ts';
import { cleanText } from './foundation/text.ts';
import type { JsonObject } from './interface/outcomes.ts';
import type { GatewaySettings } from './interface/settings.ts';
import { endOfDay, startOfDay } from './paid/limit-refusals.ts';
import type { GatewayStore } from './paid/store.ts';

const shownDays = 30;
const dayMs = 24 * 60 * 60_000;
const shownActions = 20;
const shownCosts = 5;
const timeoutMs = 10_000;

interface Dependencies {
  readonly api: Api;
  readonly store: GatewayStore;
  readonly settings: GatewaySettings;
  readonly now: number;
}

/** Rejects with `STORE_UNAVAILABLE`, and if the service refuses the key. */
export async function getUsage(dependencies: Dependencies, signal: AbortSignal): Promise<JsonObject> {
  const { settings, now } = dependencies;
  const { rows, queries } = await dependencies.store.open();
  const today = startOfDay(now);
  const since = today - (shownDays - 1) * dayMs;
  const [spent, spentToday, spentOn, byDay, balance] = await Promise.all([
    rows.readSpent(),
    queries.spentOn(today, Number.MAX_SAFE_INTEGER),
    queries.spentOn(since, shownActions),
    queries.spentByDay(since),
    readBalance(dependencies, signal),
  ]);
  const byAction = await Promise.all(
    spentOn.map(async ({ kind, subject, runs, spent: total }) => ({
      ...(kind === 'build'
        ? { build_for: cleanText(subject, 200) }
        : { action_id: cleanText(subject, 200), last_costs: await queries.costs(subject, shownCosts) }),
      runs,
      spent: total,
      spent_today: spentToday.find((row) => row.kind === kind && row.subject === subject)?.spent ?? 0,
    })),
  );
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
    by_action: byAction,
    by_day: byDay.map(({ day, runs, spent: total }) => ({ day, runs, spent: total })),
    ...balance,
  };
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
async function readBalance({ api, store, now }: Dependencies, signal: AbortSignal): Promise<ShownBalance> {
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
