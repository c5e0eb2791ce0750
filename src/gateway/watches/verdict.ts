/** What a reading of a watch means: the first version, the same, a change, or something to be read once more. Pure. */
import { type Difference, differenceOf, isSame, unsteadyFields } from '../../compare/difference.ts';

/** Share of the rows that differ from which the first comparison is read once more: it may be noise. */
const noisyShare = 0.3;

export interface Reading {
  /** The version before; undefined: there is none. */
  readonly base: { readonly data: unknown } | undefined;
  readonly data: unknown;
  /** A reading that was not told, because it was to be read once more. */
  readonly suspect: { readonly data: unknown } | undefined;
}

/** How a reading is to be compared. */
export interface ComparedBy {
  readonly key: string | undefined;
  /** Fields that the caller named; undefined: none were, so that unsteady ones are looked for. */
  readonly ignore: readonly string[] | undefined;
  /** Fields that were found to be unsteady. */
  readonly unsteady: readonly string[];
  /** Whether no version was compared with the base yet. */
  readonly isFirstComparison: boolean;
  readonly reason: 'due' | 'asked' | 'noise' | 'recheck';
}

export type ReadingVerdict =
  | { readonly kind: 'first' | 'same' }
  | { readonly kind: 'suspect'; readonly again: 'noise' | 'recheck' }
  /** Also where only the fields that are not compared have become others. */
  | { readonly kind: 'changed' };

export interface Judged {
  readonly verdict: ReadingVerdict;
  /** From the base, or from itself. */
  readonly difference: Difference;
  /** Fields that are not compared from now on. */
  readonly unsteady: readonly string[];
}

export function judgeReading({ base, data, suspect }: Reading, by: ComparedBy): Judged {
  const { key, ignore } = by;
  const found =
    by.reason === 'noise' && suspect !== undefined
      ? unsteadyFields(suspect.data, data, noisyShare, { key, ignore: [...(ignore ?? []), ...by.unsteady] })
      : [];
  const unsteady = [...new Set([...by.unsteady, ...found])].sort();
  const compared = { key, ignore: [...(ignore ?? []), ...unsteady] };
  const difference = differenceOf(base === undefined ? data : base.data, data, compared);
  const verdict = (): ReadingVerdict => {
    if (base === undefined) return { kind: 'first' };
    if (isSame(difference)) return { kind: found.length === 0 ? 'same' : 'changed' };
    if (suspect === undefined && difference.isLoss) return { kind: 'suspect', again: 'recheck' };
    const isNoisy = difference.changedRows > noisyShare * difference.rows.after;
    return isNoisy && suspect === undefined && by.isFirstComparison && ignore?.length !== 0
      ? { kind: 'suspect', again: 'noise' }
      : { kind: 'changed' };
  };
  return { verdict: verdict(), difference, unsteady };
}
