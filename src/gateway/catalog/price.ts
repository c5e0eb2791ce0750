/**
 * The price of a call. The interface has only the base price and does not say which prices are computed from the result; a
 * catalog may declare it by `credits_computed` and `credits_max` (the extension `cost-bound`), as the embedded service does.
 */
import type { ListedPrice } from '../../contract/price.ts';
import type { Action, SearchResult } from '../../contract/resources.ts';

export const priceOfAction = (action: Action): ListedPrice => listedPrice(action.credits_per_call, action);

export const priceOfSearchResult = (result: SearchResult): ListedPrice => listedPrice(result.credits, result);

function listedPrice(base: number, declared: Pick<Action, 'credits_computed' | 'credits_max'>): ListedPrice {
  return {
    base,
    computed: declared.credits_computed ?? undefined,
    maximum: declared.credits_max ?? undefined,
  };
}

/** A price that never differs from what is listed. */
export const fixedPrice = (credits: number): ListedPrice => ({
  base: credits,
  computed: false,
  maximum: credits,
});

/** Credits in thousandths, without the dust of binary fractions. */
export const toExact = (credits: number): number => Math.round(credits * 1000) / 1000;

/** How many earlier runs at the same base price count. */
export const countedRuns = 20;

/** A price with what is reserved for a call. */
export interface Cost extends ListedPrice {
  /** The larger of the announced bound, the base price and, while a limit applies, the dearest of the earlier runs at it. */
  readonly reserve: number;
  /** Whether anything says what a call costs: the catalog, or a completed run. */
  readonly isKnown: boolean;
}

/** `costs`: of the newest completed runs at this base price. */
export function costOf(price: ListedPrice, costs: readonly number[]): Cost {
  return {
    ...price,
    reserve: Math.max(price.base, price.maximum ?? 0, ...costs),
    isKnown: price.computed === false || price.maximum !== undefined || costs.length > 0,
  };
}

/** The cost of `count` calls together. */
export const times = (cost: Cost, count: number): Cost => ({
  ...cost,
  base: cost.base * count,
  maximum: cost.maximum === undefined ? undefined : cost.maximum * count,
  reserve: cost.reserve * count,
});
