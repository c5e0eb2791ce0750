/** What a call is expected to cost: the base price, or what earlier runs at that price have cost. */
import { creditsText } from '../foundation/text.ts';
import type { ListedPrice } from './listed-price.ts';

/** How many earlier runs count, and how many there must be for them to count. */
export const countedRuns = 20;
const fewestRuns = 5;

/** In credits. */
export interface ExpectedCost extends ListedPrice {
  /** The larger of the base price and the 90th percentile of earlier runs, where there are at least five. */
  readonly expected: number;
  /** What earlier runs at this base price have cost; undefined where there are none. */
  readonly earlierRuns:
    | { readonly count: number; readonly lowest: number; readonly highest: number }
    | undefined;
}

/** `costs`: of the newest completed runs at the current base price, in any order. */
export function expectedCost(price: ListedPrice, costs: readonly number[]): ExpectedCost {
  const sorted = costs.toSorted((a, b) => a - b);
  const [lowest] = sorted;
  const highest = sorted.at(-1);
  if (price.computed === false || lowest === undefined || highest === undefined) {
    return { ...price, expected: price.base, earlierRuns: undefined };
  }
  const percentile = sorted[Math.ceil(sorted.length * 0.9) - 1] ?? highest;
  return {
    ...price,
    expected: sorted.length < fewestRuns ? price.base : Math.max(price.base, percentile),
    earlierRuns: { count: sorted.length, lowest, highest },
  };
}

/** What so many runs cost together. */
export function times(cost: ExpectedCost, count: number): ExpectedCost {
  const { base, expected, maximum, earlierRuns } = cost;
  return {
    ...cost,
    base: base * count,
    expected: expected * count,
    maximum: maximum === undefined ? undefined : maximum * count,
    earlierRuns: earlierRuns && {
      count: earlierRuns.count,
      lowest: earlierRuns.lowest * count,
      highest: earlierRuns.highest * count,
    },
  };
}

/** What the expected cost rests on: `base 3; earlier runs 3 to 10; may cost more`. Undefined for a fixed price. */
export function describeEstimate({ base, earlierRuns, computed, maximum }: ExpectedCost): string | undefined {
  const alwaysBase =
    earlierRuns !== undefined &&
    earlierRuns.count >= fewestRuns &&
    earlierRuns.lowest === base &&
    earlierRuns.highest === base;
  if (computed === false || (computed === undefined && alwaysBase)) return undefined;
  const runs =
    earlierRuns === undefined
      ? 'no earlier runs'
      : earlierRuns.lowest === earlierRuns.highest
        ? `earlier runs ${earlierRuns.lowest}`
        : `earlier runs ${earlierRuns.lowest} to ${earlierRuns.highest}`;
  const limit = maximum === undefined ? 'may cost more' : `at most ${maximum}`;
  return `base ${base}; ${runs}; ${limit}`;
}

/** A verb phrase: `costs 3 credits`, or `is expected to cost 10 credits (base 3; earlier runs 3 to 10; may cost more)`. */
export function describeCost(cost: ExpectedCost): string {
  const estimate = describeEstimate(cost);
  return estimate === undefined
    ? `costs ${creditsText(cost.expected)}`
    : `is expected to cost ${creditsText(cost.expected)} (${estimate})`;
}
