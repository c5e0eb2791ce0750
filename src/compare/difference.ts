/**
 * What is different between two versions of a result, row by row, without a model: which rows came, which went, and which
 * fields of the others changed. The order of rows never counts.
 */

import { isRecord } from '../contract/result-rows.ts';
import { canonicalAddress } from './addresses.ts';
import { readDate } from './date.ts';
import { everyList, isAboutRows, mainListOf } from './main-list.ts';
import { readNumber } from './number.ts';
import { isRelativeTime } from './relative-time.ts';
import { canonicalValue } from './sameness.ts';

type Row = Readonly<Record<string, unknown>>;

/** One field of a row that is in both versions. */
export interface FieldChange {
  /** The row's value of the key; null: the row has none, or the result is no list. */
  readonly key: unknown;
  readonly field: string;
  /** Null where there was, or is, nothing. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface Difference {
  /** The name of the key; `wholeRows` or `fields` where the rows have none. */
  readonly comparedBy: string;
  readonly added: readonly Row[];
  readonly removed: readonly Row[];
  readonly changed: readonly FieldChange[];
  /** Fields that were not compared: those that the caller named, and relative times. Sorted. */
  readonly ignored: readonly string[];
  readonly rows: { readonly before: number; readonly after: number };
  /** Rows of both versions that differ in a field. */
  readonly changedRows: number;
  /** No rows any more, or less than half of them: a reason to read once more before it is told. */
  readonly isLoss: boolean;
}

export interface DifferenceOptions {
  readonly key?: string | undefined;
  readonly ignore?: readonly string[] | undefined;
}

const wholeRows = 'whole rows';
const fields = 'fields';

/** Share of the rows of a version in which a key is there and unique. */
const keyShare = 0.95;

/** Compares two results of one action. */
export function differenceOf(
  before: unknown,
  after: unknown,
  { key: given, ignore = [] }: DifferenceOptions = {},
): Difference {
  const [old, now] = [readVersion(before), readVersion(after, listPath(before))];
  const ignored = new Set([...ignore, ...relativeFields([...old.rows, ...now.rows, old.beside, now.beside])]);
  const beside = changedFields(old.beside, now.beside, null, ignored);
  const ignoredNames = [...ignored].sort();
  if (!old.isList && !now.isList) {
    const rows = { before: countRecord(old.beside), after: countRecord(now.beside) };
    const changedRows = Math.min(beside.length, 1);
    const nothing = {
      added: [],
      removed: [],
      isLoss: isLoss(filledFields(old.beside), filledFields(now.beside)),
    };
    return { ...nothing, comparedBy: fields, changed: beside, ignored: ignoredNames, rows, changedRows };
  }
  const key = given !== undefined && hasField(given, old, now) ? given : findKey(old.rows, now.rows, ignored);
  const compared = compareByKey(old.rows, now.rows, { ignored, key });
  return {
    comparedBy: key ?? wholeRows,
    added: compared.added,
    // What is not on the pages that were read may be on one that was not.
    removed: now.mayGoOn ? [] : compared.removed,
    changed: [...compared.changed, ...beside],
    ignored: ignoredNames,
    rows: { before: old.rows.length, after: now.rows.length },
    changedRows: compared.changedRows,
    isLoss: isLoss(old.rows.length, now.rows.length),
  };
}

/** Names of the caller that a result does not have; none of a list without rows, which could have them. */
export function missingNames(data: unknown, { key, ignore = [] }: DifferenceOptions): string[] {
  const version = readVersion(data);
  const { isList, rows, beside } = version;
  if (isList && rows.length === 0) return [];
  const isIn = (name: string) => [...rows, beside].some((record) => Object.hasOwn(record, name));
  const hasKey = key === undefined || (isList ? hasField(key, version) : isIn(key));
  return [...(hasKey ? [] : [key]), ...ignore.filter((name) => !isIn(name))];
}

/** How many rows of a list are compared as a whole by this key: they have no value of it, or share it. */
export function countWhole(data: unknown, comparedBy: string): number {
  const { isList, rows } = readVersion(data);
  if (!isList) return 0;
  if (comparedBy === wholeRows) return rows.length;
  const groups = [...groupBy(rows, comparedBy)];
  return groups.reduce((sum, [key, { length }]) => sum + (length > 1 || key === '' ? length : 0), 0);
}

/** The rows of a result; of one that is no list, its one record. */
export function comparedRows(data: unknown): readonly Row[] {
  const { isList, rows, beside } = readVersion(data);
  return isList ? rows : [beside];
}

/** Whether nothing is to be told. */
export const isSame = ({ added, removed, changed }: Difference): boolean =>
  added.length + removed.length + changed.length === 0;

/** Fields of shared rows that differ between two readings in more than `share` of them. */
export function unsteadyFields(
  one: unknown,
  other: unknown,
  share: number,
  options: DifferenceOptions = {},
): string[] {
  const { changed, rows, comparedBy: by } = differenceOf(one, other, options);
  const least = by === fields ? 0 : share * Math.min(rows.before, rows.after);
  const counts = new Map<string, number>();
  for (const { field } of changed) counts.set(field, (counts.get(field) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > least).map(([field]) => field);
}

const isLoss = (before: number, after: number): boolean => before > 0 && after < before / 2;

const filledFields = (record: Row): number => Object.values(record).filter((value) => !isEmpty(value)).length;
const countRecord = (record: Row): number => Math.min(filledFields(record), 1);

interface Version {
  readonly isList: boolean;
  readonly rows: readonly Row[];
  /** The record itself, or what stands beside the rows. */
  readonly beside: Row;
  readonly mayGoOn: boolean;
}

/** `path`: of the rows, where the version before has them. */
function readVersion(data: unknown, path?: string): Version {
  if (Array.isArray(data)) return { isList: true, rows: data.map(toRow), beside: {}, mayGoOn: false };
  if (!isRecord(data)) return { isList: false, rows: [], beside: { value: data }, mayGoOn: false };
  const before = path === undefined ? undefined : everyList(data).find((one) => one.path === path);
  const list = before ?? mainListOf(data);
  if (list === undefined) return { isList: false, rows: [], beside: data, mayGoOn: false };
  const beside = Object.fromEntries(Object.entries(list.beside).filter(([name]) => !isAboutRows(name)));
  return { isList: true, rows: list.rows.map(toRow), beside, mayGoOn: mayGoOn(data) };
}

const listPath = (data: unknown): string | undefined => {
  const list = mainListOf(data);
  return list !== undefined && list.rows.length > 0 ? list.path : undefined;
};

function mayGoOn({ has_more: hasMore = false, missing }: Row): boolean {
  return hasMore !== false || (Array.isArray(missing) ? missing.length > 0 : canonicalValue(missing) !== '');
}

const toRow = (row: unknown): Row => (isRecord(row) ? row : { value: row });

const isEmpty = (value: unknown): boolean => canonicalValue(value) === '';

/** Fields that hold relative times, at most with dates beside them. */
function relativeFields(rows: readonly Row[]): string[] {
  const found = new Map<string, boolean>();
  const others = new Set<string>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      if (isEmpty(value) || others.has(name)) continue;
      if (typeof value !== 'string') others.add(name);
      else if (isRelativeTime(value)) found.set(name, true);
      else if (readDate(value) === undefined) others.add(name);
    }
  }
  return [...found.keys()].filter((name) => !others.has(name));
}

const hasField = (name: string, ...versions: readonly Version[]): boolean =>
  versions.some(({ rows }) => rows.some((row) => !isEmpty(row[name])));

/** The first of address, id and text that is present and unique in nearly all rows of both versions. */
function findKey(old: readonly Row[], now: readonly Row[], ignored: ReadonlySet<string>): string | undefined {
  const versions = [old, now].filter((rows) => rows.length > 0);
  const names = new Set(versions.flatMap((rows) => rows.slice(0, 20).flatMap((row) => Object.keys(row))));
  const ranks: readonly ((name: string, value: unknown) => boolean)[] = [
    (_name, value) => typeof value === 'string' && isPage(value),
    (name, value) => /(?:^|_)id$/i.test(name) && (typeof value === 'string' || typeof value === 'number'),
    (_name, value) => typeof value === 'string' && isName(value),
    (_name, value) => typeof value === 'string' && canonicalAddress(value) !== undefined,
  ];
  for (const fits of ranks) {
    for (const name of names) {
      if (!ignored.has(name) && versions.every((rows) => isUnique(name, rows, fits))) return name;
    }
  }
  return undefined;
}

/** An address that is no picture's: pictures change, and stand for other rows. */
const isPage = (text: string): boolean =>
  !/\.(?:avif|gif|ico|jpe?g|png|svg|webp)$/i.test((canonicalAddress(text) ?? '.png').replace(/[?#].*$/, ''));

/** A text that names something: numbers, prices and dates change. */
const isName = (text: string): boolean =>
  canonicalAddress(text) === undefined &&
  /\p{L}/u.test(text) &&
  readDate(text) === undefined &&
  (text.length > 80 || readNumber(text) === undefined || /\p{L}{3}/u.test(text));

function isUnique(
  name: string,
  rows: readonly Row[],
  fits: (name: string, value: unknown) => boolean,
): boolean {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = row[name];
    if (isEmpty(value) || !fits(name, value)) continue;
    const text = canonicalValue(value);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const unique = [...counts.values()].filter((count) => count === 1).length;
  return unique >= keyShare * rows.length;
}

interface Compared {
  readonly added: readonly Row[];
  readonly removed: readonly Row[];
  readonly changed: readonly FieldChange[];
  readonly changedRows: number;
}

interface Keyed {
  readonly ignored: ReadonlySet<string>;
  /** Undefined: rows are equal as a whole, or not. */
  readonly key: string | undefined;
}

/** Rows without a value of the key, and those that share it with others, are compared as whole rows. */
function compareByKey(old: readonly Row[], now: readonly Row[], keyed: Keyed): Compared {
  const { key: name } = keyed;
  if (name === undefined) return compareWhole(old, now, keyed);
  const [before, after] = [groupBy(old, name), groupBy(now, name)];
  const changed: FieldChange[] = [];
  const added: Row[] = [];
  const removed: Row[] = [];
  let changedRows = 0;
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const sides = [before.get(key) ?? [], after.get(key) ?? []] as const;
    const whole = compareWhole(...sides, keyed);
    const [gone, come] = [whole.removed[0], whole.added[0]];
    const isPair = sides.every(({ length }) => length === 1) && key !== '';
    if (isPair && gone !== undefined && come !== undefined) {
      changed.push(...changedFields(gone, come, come[name], keyed.ignored));
      changedRows += 1;
    } else {
      added.push(...whole.added);
      removed.push(...whole.removed);
    }
  }
  return { added, removed, changed, changedRows };
}

function groupBy(rows: readonly Row[], key: string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const value = canonicalValue(row[key]);
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [row]);
    else group.push(row);
  }
  return groups;
}

/** As multisets: of three equal rows of which one went, one is removed. */
function compareWhole(old: readonly Row[], now: readonly Row[], { ignored }: Keyed): Compared {
  const left = new Map<string, number>();
  for (const row of old) {
    const text = canonicalRow(row, ignored);
    left.set(text, (left.get(text) ?? 0) + 1);
  }
  const added: Row[] = [];
  for (const row of now) {
    const text = canonicalRow(row, ignored);
    const count = left.get(text) ?? 0;
    if (count === 0) added.push(row);
    else left.set(text, count - 1);
  }
  const removed: Row[] = [];
  for (const row of old) {
    const text = canonicalRow(row, ignored);
    const count = left.get(text) ?? 0;
    if (count === 0) continue;
    removed.push(row);
    left.set(text, count - 1);
  }
  return { added, removed, changed: [], changedRows: 0 };
}

const canonicalRow = (row: Row, ignored: ReadonlySet<string>): string =>
  canonicalValue(Object.fromEntries(Object.entries(row).filter(([name]) => !ignored.has(name))));

function changedFields(old: Row, now: Row, key: unknown, ignored: ReadonlySet<string>): FieldChange[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => !ignored.has(name));
  return names.flatMap((field): FieldChange[] =>
    canonicalValue(old[field]) === canonicalValue(now[field])
      ? []
      : [{ key: key ?? null, field, before: old[field] ?? null, after: now[field] ?? null }],
  );
}
