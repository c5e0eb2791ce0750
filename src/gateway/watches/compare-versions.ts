/** Reads and compares the versions of a watch, in a worker process: results may be large. */
import { countWhole, isSame, missingNames } from '../../compare/difference.ts';
import { parseData } from '../results/view.ts';
import { summarize, type ToldDifference, toToldDifference } from './told-difference.ts';
import { type ComparedBy, judgeReading, type ReadingVerdict } from './verdict.ts';
import { doubtOfWhen } from './when.ts';

export interface CompareTask extends ComparedBy {
  /** Answers as they are kept, as of `Reading`. */
  readonly base: Uint8Array | undefined;
  readonly data: Uint8Array;
  readonly suspect: Uint8Array | undefined;
  /** What decides whether the difference is told; undefined: nothing does. */
  readonly when: string | undefined;
}

export interface Compared {
  readonly verdict: ReadingVerdict;
  /** The name of the key, or what stands for it. */
  readonly comparedBy: string;
  readonly rows: number;
  /** Of the version's rows, those without a key of their own. */
  readonly wholeRows: number;
  /** What the caller named as key or to ignore, and this version does not have. */
  readonly missing: readonly string[];
  /** What `when` asks for that this version does not have. */
  readonly whenDoubt: string | undefined;
  readonly unsteady: readonly string[];
  /** What there is to tell; undefined: nothing. */
  readonly news:
    | { readonly told: ToldDifference; readonly summary: string; readonly whole: Uint8Array | undefined }
    | undefined;
}

/** Throws a `SyntaxError` for what is no JSON. */
export function compareVersions({ base, data, suspect, when, ...by }: CompareTask): Compared {
  const read = (kept: Uint8Array | undefined) => kept && { data: parseData(kept) };
  const reading = { base: read(base), data: parseData(data), suspect: read(suspect) };
  const { verdict, difference, unsteady } = judgeReading(reading, by);
  const { comparedBy, rows } = difference;
  const missing = missingNames(reading.data, by);
  const whenDoubt = when === undefined ? undefined : doubtOfWhen(when, reading.data);
  const isNews = verdict.kind === 'changed' && !isSame(difference);
  const news = isNews
    ? {
        told: toToldDifference(difference),
        summary: summarize(difference),
        // In the form of a kept answer.
        whole: when !== undefined ? Buffer.from(JSON.stringify({ data: difference })) : undefined,
      }
    : undefined;
  const wholeRows = countWhole(reading.data, comparedBy);
  return { verdict, comparedBy, rows: rows.after, wholeRows, missing, whenDoubt, unsteady, news };
}
