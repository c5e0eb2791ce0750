/** What a new intent costs, and who may refuse it. */
import type { Outcome, Refused } from '../interface/outcomes.ts';

/** Credits spent since the start of the UTC day, what is under way included. */
export interface Spent {
  readonly byPrincipal: number;
  /** By all principals that act with the same service key. */
  readonly byKey: number;
}

/** The most that may be spent before a new intent; undefined: no limit. */
export type Ceilings = { readonly [Who in keyof Spent]: number | undefined };

/** What a new intent costs, and whether it may be written. */
export interface Terms {
  /** The base price in credits. */
  readonly price: number;
  /** What counts against the day's budget until the end, in credits. */
  readonly reserved: number;
  /** The most that may have been spent before: checked by the statement that writes the intent. */
  readonly ceilings: Ceilings;
  /** Why a new intent is not written: a refusal, or the question to a person. Undefined where it may be written. */
  readonly findRefusal: (spent: Spent) => Outcome<Refused> | undefined;
}

export const nothingSpent: Spent = { byPrincipal: 0, byKey: 0 };

/** Midnight UTC, when the day's budget starts anew. */
export function startOfDay(now: number): number {
  return Math.floor(now / 86_400_000) * 86_400_000;
}
