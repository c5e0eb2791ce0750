/**
 * The price that a catalog lists. The interface has only the base price and does not say which prices are computed
 * from the result; a catalog may declare it by `credits_computed` and `credits_max`, as the embedded service does.
 */
import type { Action, SearchResult } from '../../contract/resources.ts';
import { creditsText } from '../foundation/text.ts';

/** In credits. */
export interface ListedPrice {
  readonly base: number;
  /** Whether the final cost is computed from the result; undefined: the catalog does not say. */
  readonly computed: boolean | undefined;
  /** What a run costs at most, where the catalog declares it. */
  readonly maximum: number | undefined;
}

export const priceOfAction = (action: Action): ListedPrice => listedPrice(action.credits_per_call, action);

export const priceOfSearchResult = (result: SearchResult): ListedPrice => listedPrice(result.credits, result);

function listedPrice(base: number, declared: Pick<Action, 'credits_computed' | 'credits_max'>): ListedPrice {
  return {
    base,
    computed: declared.credits_computed ?? undefined,
    maximum: declared.credits_max ?? undefined,
  };
}

/** The price in a list: `3 credits`, or `from 3 credits (at most 10)` where the catalog declares it so. */
export function describeListedPrice({ base, computed, maximum }: ListedPrice): string {
  if (computed !== true) return creditsText(base);
  return `from ${creditsText(base)}${maximum === undefined ? '' : ` (at most ${maximum})`}`;
}
