/** Compares the versions of a watch, in a worker process (results may be large), tells the difference and judges it. */
import {
  countWhole,
  type Difference,
  differenceOf,
  type FieldChange,
  isSame,
  missingNames,
  unsteadyFields,
} from '../../compare/difference.ts';
import { isRecord } from '../../contract/result-rows.ts';
import { cleanText, wholeCharacters } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { parseData } from '../results/view.ts';
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

const maxRows = 20;
const maxChanges = 100;
const maxText = 500;
/** Characters of a difference; of a longer one only the counts are told. */
const maxChars = 64 * 1024;

interface ToldDifference extends JsonObject {
  readonly added: readonly unknown[];
  readonly removed: readonly unknown[];
  readonly changed: readonly FieldChange[];
  /** How many rows and fields are not shown. */
  readonly more?: number;
  readonly ignored?: readonly string[];
}

function toToldDifference({ added, removed, changed, ignored }: Difference): ToldDifference {
  const all = added.length + removed.length + changed.length;
  const shown = {
    added: added.slice(0, maxRows).map(short),
    removed: removed.slice(0, maxRows).map(short),
    changed: changed.slice(0, maxChanges).map((change) => ({
      ...change,
      key: short(change.key),
      before: short(change.before),
      after: short(change.after),
    })),
  };
  const more = all - shown.added.length - shown.removed.length - shown.changed.length;
  const told = {
    ...shown,
    ...(more > 0 && { more }),
    ...(ignored.length > 0 && { ignored }),
  };
  return JSON.stringify(told).length <= maxChars
    ? told
    : { added: [], removed: [], changed: [], more: all, ...(ignored.length > 0 && { ignored }) };
}

/** A value with its texts cut. */
function short(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= maxText ? value : `${wholeCharacters(value, maxText - 1)}…`;
  if (Array.isArray(value)) return value.slice(0, maxRows).map(short);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, short(member)]));
}

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];

/** One line, such as "2 rows added, price changed in 3 rows; 20 rows now." */
function summarize({ added, removed, changed, rows }: Difference): string {
  // A single record needs no count.
  const isOne = rows.before === 1 && rows.after === 1;
  const fields = new Map<string, number>();
  for (const { field } of changed) fields.set(field, (fields.get(field) ?? 0) + 1);
  const parts = [
    ...counted(added.length, 'row added', 'rows added'),
    ...counted(removed.length, 'row removed', 'rows removed'),
    ...[...fields]
      .slice(0, 5)
      .map(([field, count]) => `${cleanText(field, 60)} changed${isOne ? '' : ` in ${rowsText(count)}`}`),
    ...counted(Math.max(0, fields.size - 5), 'further field changed', 'further fields changed'),
  ];
  return `${parts.join(', ')}${isOne ? '' : `; ${rowsText(rows.after)} now`}.`;
}

const rowsText = (count: number): string => `${count} row${count === 1 ? '' : 's'}`;

/** Share of the rows that differ from which the first comparison is read once more: it may be noise. */
const noisyShare = 0.3;

interface Reading {
  /** The version before; undefined: there is none. */
  readonly base: { readonly data: unknown } | undefined;
  readonly data: unknown;
  /** A reading that was not told, because it was to be read once more. */
  readonly suspect: { readonly data: unknown } | undefined;
}

/** How a reading is to be compared. */
interface ComparedBy {
  readonly key: string | undefined;
  /** Fields that the caller named; undefined: none were, so that unsteady ones are looked for. */
  readonly ignore: readonly string[] | undefined;
  /** Fields that were found to be unsteady. */
  readonly unsteady: readonly string[];
  /** Whether no version was compared with the base yet. */
  readonly isFirstComparison: boolean;
  readonly reason: 'due' | 'asked' | 'noise' | 'recheck';
}

type ReadingVerdict =
  | { readonly kind: 'first' | 'same' }
  | { readonly kind: 'suspect'; readonly again: 'noise' | 'recheck' }
  /** Also where only the fields that are not compared have become others. */
  | { readonly kind: 'changed' };

interface Judged {
  readonly verdict: ReadingVerdict;
  /** From the base, or from itself. */
  readonly difference: Difference;
  /** Fields that are not compared from now on. */
  readonly unsteady: readonly string[];
}

function judgeReading({ base, data, suspect }: Reading, by: ComparedBy): Judged {
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
