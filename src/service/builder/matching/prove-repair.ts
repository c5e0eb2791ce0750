/**
 * Finds the columns of a changed page that hold what an action returned before, and proves it by the rows of an earlier
 * run. A wrong repair sells other data under an old name, so wherever the proof is not complete, there is none.
 */
import type { KeptChoice, KeptColumn, RepairProof } from '../../foundation/ports.ts';
import type { Row } from '../../page/document.ts';
import { isPresent } from '../../page/elements.ts';
import type { Candidate, Column } from '../candidates/candidate.ts';
import { type Chosen, toField } from './choice.ts';
import { isSamePlace } from './kept-columns.ts';

/** Earlier rows that must be on the page; where there were fewer, all of them. */
const enoughFound = 5;
/** Different rows of which every field is equal. */
const enoughWhole = 3;
/** The share of the rows found of which every field is equal. */
const enoughEqual = 0.9;
/** Different values by which a column is known without its label or place. */
const enoughValues = 3;
/** The share of earlier values from which on another column may be meant: prices of which some are on sale. */
const enoughRival = 0.5;
/** The share of rows with a key of their own. */
const enoughUnique = 0.95;
/** Of what was filled before, the share that is filled on the page of now. */
const enoughFilled = 0.8;

type NotProved = { readonly reason: string };
export type Repair = { readonly chosen: Chosen; readonly proof: RepairProof } | NotProved;

interface Mapping {
  readonly candidate: Candidate;
  readonly columns: ReadonlyMap<string, Column>;
  readonly proof: RepairProof;
  /** What it gives for the page: two mappings that give the same are one. */
  readonly content: string;
  /** A field that another column holds almost as well. */
  readonly rival: string | undefined;
}

/** Equal for equal values: blanks do not count, and dates count as written. */
export const toComparable = (value: unknown): string =>
  !isPresent(value)
    ? ''
    : typeof value === 'string'
      ? value.replace(/\s+/g, ' ').trim()
      : JSON.stringify(value);

const distinct = (values: readonly string[]) => new Set(values.filter((value) => value !== '')).size;

/** 1, 2, 3: places in a list, which any list has. */
function areRanks(values: readonly unknown[]): boolean {
  const numbers = values.filter((value) => typeof value === 'number' && Number.isInteger(value)).map(Number);
  return numbers.length === values.length && Math.max(...numbers) - Math.min(...numbers) < numbers.length;
}

/** Fields that tell the rows apart, the best first. */
function keysOf(rows: readonly Row[], all: readonly string[]): string[] {
  const names = all.filter((name) => !areRanks(rows.map((row) => row[name])));
  const counts = names.map((name) => ({
    name,
    count: distinct(rows.map((row) => toComparable(row[name]))),
  }));
  return counts
    .filter(({ count }) => count >= rows.length * enoughUnique && count >= enoughWhole)
    .sort((one, other) => other.count - one.count)
    .map(({ name }) => name);
}

/** Pairs of an earlier row and one of the page with the same key; a key that stands twice is none. */
function pairsBy(
  key: readonly string[],
  values: readonly string[],
): { readonly before: number; readonly now: number }[] {
  const places = new Map<string, number | undefined>();
  for (const [index, value] of values.entries())
    places.set(value, places.has(value) || value === '' ? undefined : index);
  const twice = new Set(key.filter((value, index) => key.indexOf(value) !== index));
  return key.flatMap((value, before) => {
    const now = twice.has(value) ? undefined : places.get(value);
    return now === undefined ? [] : [{ before, now }];
  });
}

export function findRepair(candidates: readonly Candidate[], kept: KeptChoice, rows: readonly Row[]): Repair {
  const names = Object.keys(kept.fields);
  const keys = keysOf(rows, names);
  if (keys.length === 0) return { reason: 'no field of the earlier result tells at least three rows apart' };
  const misses: Miss[] = [];
  const mappings = candidates
    .filter(({ many }) => many)
    .flatMap((candidate) =>
      keys.flatMap((key) => mapBy(key, { candidate, kept, rows, onMiss: (miss) => misses.push(miss) })),
    );
  const [first] = mappings;
  if (first === undefined) return { reason: whyNone(misses, rows) };
  if (mappings.some(({ content }) => content !== first.content))
    return {
      reason: 'several columns of the page hold what the action returned before, and differ in the rest',
    };
  const { rival } = first;
  if (rival !== undefined)
    return { reason: `another column of the page holds most of what ${rival} was: either could be meant` };
  const fields = names.flatMap((name) => {
    const column = first.columns.get(name);
    return column === undefined ? [] : [toField(column, name)];
  });
  return { chosen: { candidate: first.candidate, fields }, proof: first.proof };
}

/** Earlier rows that are on the page, and fields that no column surely is. */
interface Miss {
  readonly found: number;
  readonly missing: readonly string[];
}

/** What is missing where the most of the rows and fields are found. */
function whyNone(misses: readonly Miss[], rows: readonly Row[]): string {
  const [nearest] = [...misses].sort(
    (one, other) => one.missing.length - other.missing.length || other.found - one.found,
  );
  if (nearest === undefined)
    return 'no columns of the page hold enough of the rows that the action returned before';
  const { found, missing } = nearest;
  const few = missing.filter((name) => distinct(rows.map((row) => toComparable(row[name]))) < enoughValues);
  const why =
    few.length === 0
      ? ''
      : `; ${few.join(', ')} had fewer than ${enoughValues} different values, which do not tell a column without its label`;
  return `${found} of ${rows.length} earlier rows are on the page, but no column surely holds ${missing.join(', ')}${why}`;
}

interface Search {
  readonly candidate: Candidate;
  readonly kept: KeptChoice;
  readonly rows: readonly Row[];
  readonly onMiss: (miss: Miss) => void;
}

/** All ways to read the candidate in which the earlier rows are what they were, by one field that tells rows apart. */
function mapBy(key: string, { candidate, kept, rows, onMiss }: Search): Mapping[] {
  const texts = new Map(
    Object.keys(kept.fields).map((name) => [name, rows.map((row) => toComparable(row[name]))] as const),
  );
  const ofPage = new Map(
    candidate.columns.map((column) => [column, column.values.map(toComparable)] as const),
  );
  const valuesOf = (column: Column) => ofPage.get(column) ?? [];
  const keyTexts = texts.get(key) ?? [];
  const least = Math.min(enoughFound, rows.length);
  return candidate.columns.flatMap((keyColumn) => {
    if (!fits(keyColumn, kept.fields[key])) return [];
    const pairs = pairsBy(keyTexts, valuesOf(keyColumn));
    if (pairs.length < least) return [];
    const pairsOf = (name: string, column: Column) =>
      pairs.map(({ before, now }) => [texts.get(name)?.[before] ?? '', valuesOf(column)[now] ?? ''] as const);
    const ways = [...texts.keys()].map((name): readonly (readonly [string, Column])[] => {
      if (name === key) return [[name, keyColumn]];
      const holders = candidate.columns.filter((column) =>
        holds(column, kept.fields[name], pairsOf(name, column)),
      );
      const seen = new Set<string>();
      // Of equal columns the one that is called as before.
      const isCalled = ({ label }: Column) => Number(label === kept.fields[name]?.label);
      return holders
        .sort((one, other) => isCalled(other) - isCalled(one))
        .filter((column) => !seen.has(valuesOf(column).join('\n')) && seen.add(valuesOf(column).join('\n')))
        .map((column) => [name, column]);
    });
    const missing = [...texts.keys()].filter((_, at) => ways[at]?.length === 0);
    if (missing.length > 0 && missing.length < texts.size - 1) onMiss({ found: pairs.length, missing });
    return combinations(ways).flatMap((columns): Mapping[] => {
      const chosen = new Map(columns);
      const whole = pairs.filter(({ before, now }) =>
        columns.every(([name, column]) => texts.get(name)?.[before] === valuesOf(column)[now]),
      );
      const different = new Set(
        whole.map(({ before }) => JSON.stringify([...texts.values()].map((column) => column[before]))),
      ).size;
      const isProof =
        chosen.size === texts.size && different >= enoughWhole && whole.length >= pairs.length * enoughEqual;
      if (!isProof) return [];
      const content = columns.map(([name, column]) => [name, valuesOf(column)]);
      const proof = { rows_before: rows.length, rows_found: pairs.length, rows_equal: whole.length };
      const rival = columns.find(([name, column]) =>
        candidate.columns.some(
          (other) =>
            valuesOf(other).join('\n') !== valuesOf(column).join('\n') &&
            // A part of its texts is no other thing.
            other.partOf !== column.id &&
            isRival(other, kept.fields[name], pairsOf(name, other)),
        ),
      );
      return [{ candidate, columns: chosen, proof, content: JSON.stringify(content), rival: rival?.[0] }];
    });
  });
}

const fits = (column: Column, kept: KeptColumn | undefined) =>
  kept !== undefined && column.kind === kept.kind;

/** Whether the column has the field's earlier values, given as pairs of before and now. */
function holds(
  column: Column,
  kept: KeptColumn | undefined,
  pairs: readonly (readonly [before: string, now: string])[],
): boolean {
  if (kept === undefined || !fits(column, kept)) return false;
  const equal = pairs.filter(([before, now]) => before === now);
  if (equal.length < pairs.length * enoughEqual) return false;
  const filled = pairs.filter(([before]) => before !== '').length / pairs.length;
  if (column.fill < Math.min(filled, 1) * enoughFilled) return false;
  if (distinct(equal.map(([before]) => before)) >= enoughValues) return true;
  return isSamePlace(column, kept) || (kept.label !== '' && column.label === kept.label);
}

/** Whether the column has so many of the earlier values that a change of some would explain the rest. */
function isRival(
  column: Column,
  kept: KeptColumn | undefined,
  pairs: readonly (readonly [before: string, now: string])[],
): boolean {
  const equal = pairs.filter(([before, now]) => before === now);
  return (
    fits(column, kept) &&
    equal.length >= pairs.length * enoughRival &&
    distinct(equal.map(([before]) => before)) >= enoughValues
  );
}

const maxCombinations = 16;

/** Every way to take one of each; none where there are more than could be told apart by hand. */
function combinations<Item>(ways: readonly (readonly Item[])[]): Item[][] {
  const count = ways.reduce((product, { length }) => product * length, 1);
  if (count === 0) return [];
  // More than that are several mappings in any case: the first two say so.
  const some = count > maxCombinations ? ways.map((way) => way.slice(0, 2)) : ways;
  return some.reduce<Item[][]>(
    (all, way) => all.flatMap((before) => way.map((item) => [...before, item])).slice(0, maxCombinations),
    [[]],
  );
}
