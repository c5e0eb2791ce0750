/** What the rows that were there before tell of a field: whether it stayed, or holds what another one held. */
import { isSameKnown, knownDay, knownNumber, noValue, type ResultShape } from './shape.ts';

type Known = ResultShape['known'];

/** Shared rows from which values that all changed say something. */
const least = 5;
/** Numbers that are others: by this factor, in this share of the rows. */
const otherNumbers = { factor: 1.5, share: 0.8 };
/** How exactly numbers are multiples of the earlier ones, by one factor. */
const exactly = 1.001;
/** The same of numbers whose product is one, because both are rounded. */
const roughly = 1.01;

/** The rows of both, by their keys, and their fields; undefined where they are too few. */
function pairsOf(before: Known, now: Known) {
  const keys = Object.keys(now).filter((key) => before[key] !== undefined);
  if (keys.length < least) return undefined;
  return {
    names: Object.keys(now[keys[0] ?? ''] ?? {}),
    rows: keys.map((key) => ({ was: before[key] ?? {}, is: now[key] ?? {} })),
  };
}

/** Of each field the share of the rows in which it stayed equal. */
export function sharesOfSame(before: Known, now: Known): Record<string, number> | undefined {
  const pairs = pairsOf(before, now);
  if (pairs === undefined) return undefined;
  const shareOf = (name: string) => {
    const isFilled = ({ was, is }: Pair) => was[name] !== noValue || is[name] !== noValue;
    // What rows lack as before has not stayed; of a few values, chance decides.
    const filled = pairs.rows.filter(isFilled);
    const rows = filled.length < least ? pairs.rows : filled;
    return rows.filter(({ was, is }) => isSameKnown(was[name], is[name])).length / rows.length;
  };
  return Object.fromEntries(pairs.names.map((name) => [name, Math.round(shareOf(name) * 100) / 100]));
}

/** Different rows that are enough to know them again by all but their key. */
const leastLike = 3;

/** Whether no row has a key that was there, and all rows are else what they were, one by one: the key is read otherwise. */
export function haveOtherKeys(before: Known, now: Known): boolean {
  const [was, is] = [before, now].map((known) => Object.values(known).map((row) => JSON.stringify(row)));
  return (
    is !== undefined &&
    is.length >= least &&
    new Set(is).size >= leastLike &&
    String(was) === String(is) &&
    !Object.keys(now).some((key) => before[key] !== undefined)
  );
}

/** A field that has another content in every row: other amounts, units or numbers, or those of another field. */
export function otherContent(before: Known, now: Known, when: string): string | undefined {
  const pairs = pairsOf(before, now);
  if (pairs === undefined) return undefined;
  const { names, rows } = pairs;
  const far = names.find((name) => isFar(name, names.includes(`${name}_currency`), rows));
  if (far !== undefined) return `${far} is far from what it was ${when}, in every row that was there.`;
  const changed = names.filter((name) => rows.every(({ was, is }) => !isSameKnown(was[name], is[name])));
  const isThere = (name: string) =>
    rows.every(({ was, is }) => was[name] !== noValue && is[name] !== noValue);
  const unit = changed.find((name) => /_(?:unit|currency)$/.test(name) && isThere(name));
  if (unit !== undefined) return `${unit} is another one than ${when}, in every row that was there.`;
  const tookFrom = (name: string, other: string) =>
    rows.every(({ was, is }) => isSameKnown(is[name], was[other]));
  const one = changed.find((name) =>
    changed.some((other) => name !== other && tookFrom(name, other) && tookFrom(other, name)),
  );
  return one && `${one} holds what another field held ${when}, in every row that was there.`;
}

/** Rows whose values are the same ones read otherwise. */
const leastMisread = 2;

/**
 * A field whose values stayed, or are the earlier ones read otherwise: a thousand times as much, or with day and month
 * exchanged.
 */
export function misread(before: Known, now: Known, when: string): string | undefined {
  const pairs = pairsOf(before, now);
  if (pairs === undefined) return undefined;
  const { names, rows } = pairs;
  for (const name of names) {
    const changed = rows.filter(({ was, is }) => !isSameKnown(was[name], is[name]));
    if (changed.length < leastMisread) continue;
    const values = changed.map(({ was, is }) => ({ was: was[name], is: is[name] }));
    const how = values.every(hasTurnedDay)
      ? 'has day and month exchanged'
      : areByThousands(values)
        ? 'is a thousand times as much or as little'
        : undefined;
    if (how !== undefined)
      return `${name} ${how} in ${changed.length} of ${rows.length} rows that were there ${when}.`;
  }
  return undefined;
}

interface Values {
  readonly was: string | undefined;
  readonly is: string | undefined;
}

function hasTurnedDay({ was, is }: Values): boolean {
  const [year, month, day] = knownDay(was)?.split('-') ?? [];
  return year !== undefined && knownDay(is) === `${year}-${day}-${month}`;
}

function areByThousands(values: readonly Values[]): boolean {
  const factors = values.map(({ was, is }) => (knownNumber(is) ?? 0) / (knownNumber(was) ?? 0));
  const isThousands = (factor: number) => Math.abs(factor / 1_000 - 1) < 1e-9;
  return factors.every(isThousands) || factors.every((factor) => isThousands(1 / factor));
}

interface Pair {
  readonly was: Readonly<Record<string, string>>;
  readonly is: Readonly<Record<string, string>>;
}

type Numbers = readonly (readonly [was: number, is: number])[];

/** Whether amounts of money are far from the earlier ones; other numbers, such as temperatures, may well be, but not all by one rule. */
function isFar(name: string, isMoney: boolean, rows: readonly Pair[]): boolean {
  const numbers = rows.flatMap(({ was, is }) => {
    const [one, other] = [knownNumber(was[name]), knownNumber(is[name])];
    return one === undefined || other === undefined ? [] : [[one, other] as const];
  });
  if (numbers.length < Math.max(least, rows.length * otherNumbers.share)) return false;
  if (numbers.some(([one, other]) => one === other)) return false;
  const far = numbers.filter(
    ([one, other]) => Math.max(one, other) > Math.min(one, other) * otherNumbers.factor || one * other < 0,
  );
  return isMoney
    ? far.length >= numbers.length * otherNumbers.share
    : far.length > 0 && new Set(numbers.map(([one]) => one)).size >= least && areByOneRule(numbers);
}

/** Whether all are the earlier ones by one factor, or one number by them: rates that are told the other way round. */
function areByOneRule(numbers: Numbers): boolean {
  const areEqual = (some: readonly number[], by: number) => Math.max(...some) <= Math.min(...some) * by;
  const products = numbers.map(([was, is]) => was * is);
  return (
    areEqual(
      numbers.map(([was, is]) => Math.abs(is / was)),
      exactly,
    ) ||
    (products.every((product) => product > 0) && areEqual(products, roughly))
  );
}
