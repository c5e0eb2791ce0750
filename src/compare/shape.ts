/** What a result looks like, in a few numbers: its rows, and of each field how often it is filled, of which kinds, with how many values. */
import { hash } from 'node:crypto';
import { isRecord } from '../contract/result-rows.ts';
import { mainListOf } from './main-list.ts';
import { isRelativeTime } from './relative-time.ts';

export interface FieldShape {
  /** Share of the rows in which it is there: not null, not an empty text or list. */
  readonly fill: number;
  /** Sorted, without repeats. */
  readonly kinds: readonly string[];
  /** Different values, at most `maxValues`. */
  readonly values: number;
  /** Of the first rows that have it the share of different texts or numbers; older profiles have none. */
  readonly distinct?: number | undefined;
}

export interface ResultShape {
  readonly rows: number;
  /** The path of its list, empty where it is the result itself; undefined: it is one record, or nothing. */
  readonly list?: string | undefined;
  readonly fields: Readonly<Record<string, FieldShape>>;
  /** Of the first rows that have a key: their values, numbers as they are and others as short hashes, which days stand behind, by the hash of the key. */
  readonly known: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** From so many different values on a field varies. */
const maxValues = 3;
const maxFields = 40;
/** Rows of which the values are remembered. */
const maxKnown = 20;
/** What an answer says was left out: that there is nothing of it is no loss. */
const leftOut = 'missing';
/** Rows whose values are compared with each other. */
const maxCompared = 200;
/** Share of rows in which a key is there and unique. */
const keyShare = 0.95;
const mostly = 0.5;

interface Counted {
  filled: number;
  readonly kinds: Set<string>;
  readonly values: Set<unknown>;
  /** Of the first rows. */
  compared: number;
  readonly plain: Set<unknown>;
}

export function shapeOf(data: unknown): ResultShape {
  const { path: list, rows } = rowsOf(data);
  const counts = new Map<string, Counted>();
  for (const row of rows) {
    for (const name in row) {
      if (name === leftOut) continue;
      const value = row[name];
      let count = counts.get(name);
      if (count === undefined) {
        if (counts.size >= maxFields) continue;
        count = { filled: 0, kinds: new Set(), values: new Set(), compared: 0, plain: new Set() };
        counts.set(name, count);
      }
      if (isEmpty(value)) continue;
      count.filled += 1;
      count.kinds.add(kindOf(value));
      if (count.compared < maxCompared && typeof value !== 'object') {
        count.compared += 1;
        count.plain.add(value);
      }
      if (count.values.size < maxValues)
        count.values.add(typeof value === 'object' ? JSON.stringify(value) : value);
    }
  }
  const fields = [...counts].map(
    ([name, { filled, kinds, values, compared, plain }]): [string, FieldShape] => [
      name,
      {
        fill: round(filled / rows.length),
        kinds: [...kinds].sort(),
        values: values.size,
        ...(compared > 0 && { distinct: round(plain.size / compared) }),
      },
    ],
  );
  return {
    rows: rows.length,
    list,
    fields: Object.fromEntries(fields),
    known: knownRows(rows.slice(0, maxKnown)),
  };
}

type Row = Readonly<Record<string, unknown>>;

/** The rows of a result; a single record is one, and a list of values has rows with the field `value`. */
function rowsOf(data: unknown): { readonly path?: string; readonly rows: readonly Row[] } {
  if (data === null || data === undefined) return { rows: [] };
  const list = Array.isArray(data) ? { path: '', rows: data } : mainListOf(data);
  const rows = (list?.rows ?? [data]).map((row) => (isRecord(row) ? row : { value: row }));
  return list === undefined ? { rows } : { path: list.path, rows };
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0);

function kindOf(value: unknown): string {
  if (typeof value !== 'string') return Array.isArray(value) ? 'list' : typeof value;
  if (/^https?:\/\//i.test(value)) return 'address';
  return /^\d{4}-\d{2}(?:-\d{2})?(?:$|[T ])/.test(value) ? 'date' : 'text';
}

/**
 * A key is different in nearly all rows, else in most of them, with its count where it repeats: an address, an id, a text, or
 * else a day or a number, which may be read otherwise.
 */
function knownRows(rows: readonly Row[]): ResultShape['known'] {
  const [first = {}] = rows;
  const names = Object.keys(first).slice(0, maxFields);
  const rank = (name: string) => {
    const kind = kindOf(first[name]);
    if (kind === 'address') return 0;
    return /(^|_)id$/i.test(name) ? 1 : kind === 'text' && !isRelativeTime(`${first[name]}`) ? 2 : 3;
  };
  const sorted = [...names].sort((one, other) => rank(one) - rank(other));
  const isDifferentIn = (share: number) => (name: string) => {
    const values = rows
      .map((row) => row[name])
      .filter((value) => typeof value === 'string' || typeof value === 'number');
    return new Set(values).size >= share * rows.length;
  };
  const key = sorted.find(isDifferentIn(keyShare)) ?? sorted.find(isDifferentIn(mostly));
  if (key === undefined || rows.length < 2) return {};
  const times = new Map<unknown, number>();
  return Object.fromEntries(
    rows.flatMap((row) => {
      if (isEmpty(row[key])) return [];
      const time = times.get(row[key]) ?? 0;
      times.set(row[key], time + 1);
      const others = names.filter((name) => name !== key);
      const values = others.map((name): [string, string] => [name, toKnown(row[name])]);
      return [[shortHash(time === 0 ? row[key] : [row[key], time]), Object.fromEntries(values)]];
    }),
  );
}

const shortHash = (value: unknown): string => hash('sha1', JSON.stringify(value) ?? '', 'base64').slice(0, 6);

/** Numbers that are known as they are tell also how far they have changed, and days behind their hash whether they were read otherwise. */
const toKnown = (value: unknown): string => {
  const number = typeof value === 'number' ? `${numberSign}${value}` : '';
  if (number !== '' && number.length <= 12) return number;
  return `${shortHash(value)}${typeof value === 'string' && isoDay.test(value) ? value : ''}`;
};
const numberSign = '#';
const isoDay = /^\d{4}-\d{2}-\d{2}$/;
/** What is remembered where a row has nothing. */
export const noValue = shortHash(null);
/** Undefined for a value that is no number, or a long one. */
export const knownNumber = (known = ''): number | undefined =>
  known.startsWith(numberSign) ? Number(known.slice(1)) : undefined;
/** Undefined for a value that is no day. */
export const knownDay = (known = ''): string | undefined =>
  isoDay.test(known.slice(noValue.length)) ? known.slice(noValue.length) : undefined;
/** Older profiles have the hashes of days alone. */
export const isSameKnown = (one = '', other = ''): boolean =>
  one.startsWith(numberSign) || other.startsWith(numberSign)
    ? one === other
    : one.slice(0, noValue.length) === other.slice(0, noValue.length);

const round = (share: number): number => Math.round(share * 100) / 100;
