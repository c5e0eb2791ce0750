/** What a reading of a watch means: the first version, the same, a change, or something to be read once more. Pure. */
import { type Difference, differenceOf, isSame, unsteadyFields } from '../../compare/difference.ts';

/** Share of the rows that differ from which the first comparison is read once more: it may be noise. */
const noisyShare = 0.3;

export interface Reading {
  /** The version before; undefined: there is none. */
  readonly base: { readonly data: unknown } | undefined;
  readonly data: unknown;
  readonly key: string | undefined;
  /** Fields that the caller named; undefined: none were, so that unsteady ones are looked for. */
  readonly ignore: readonly string[] | undefined;
  /** Fields that were found to be unsteady. */
  readonly unsteady: readonly string[];
  /** Whether no version was compared with the base yet. */
  readonly isFirstComparison: boolean;
  /** A reading that was not told, because it was to be read once more. */
  readonly suspect: { readonly data: unknown } | undefined;
  readonly reason: 'due' | 'asked' | 'noise' | 'recheck';
}

export type ReadingVerdict =
  | { readonly kind: 'first' | 'same' }
  | { readonly kind: 'suspect'; readonly again: 'noise' | 'recheck' }
  | {
      readonly kind: 'changed';
      readonly difference: Difference;
      /** Fields that are not compared from now on. */
      readonly unsteady: readonly string[];
    };

export function judgeReading(reading: Reading): ReadingVerdict & { readonly difference?: Difference } {
  const { base, data, key, ignore, suspect, reason } = reading;
  if (base === undefined) return { kind: 'first' };
  const compare = (unsteady: readonly string[]) =>
    differenceOf(base.data, data, { key, ignore: [...(ignore ?? []), ...unsteady] });
  const found =
    reason === 'noise' && suspect !== undefined
      ? unsteadyFields(suspect.data, data, noisyShare, {
          key,
          ignore: [...(ignore ?? []), ...reading.unsteady],
        })
      : [];
  const unsteady = [...new Set([...reading.unsteady, ...found])].sort();
  const difference = compare(unsteady);
  if (isSame(difference))
    return found.length === 0 ? { kind: 'same' } : { kind: 'changed', difference, unsteady };
  if (suspect === undefined && difference.isLoss) return { kind: 'suspect', again: 'recheck' };
  const isNoisy = difference.changedRows > noisyShare * difference.rows.after;
  if (isNoisy && suspect === undefined && reading.isFirstComparison && ignore?.length !== 0)
    return { kind: 'suspect', again: 'noise' };
  return { kind: 'changed', difference, unsteady };
}
