/** The rows of a result, their columns, and their order. */
import { asPlainText } from '../contract/csv.ts';

export type ResultRow = Readonly<Record<string, unknown>>;

export interface ResultRows {
  readonly rows: readonly ResultRow[];
  /** What stands beside the list, such as its count. */
  readonly others: Readonly<Record<string, unknown>>;
}

const isRecord = (value: unknown): value is ResultRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The list itself, or the longest list of records in an object; undefined where there is none. */
export function findRows(data: unknown): ResultRows | undefined {
  if (Array.isArray(data)) {
    if (data.length === 0) return undefined;
    return { rows: data.map((value) => (isRecord(value) ? value : { value })), others: {} };
  }
  if (!isRecord(data)) return undefined;
  const lists = Object.entries(data).filter(
    (entry): entry is [string, unknown[]] =>
      Array.isArray(entry[1]) && entry[1].length > 0 && entry[1].every(isRecord),
  );
  const [longest] = lists.sort(([, one], [, other]) => other.length - one.length);
  if (longest === undefined) return undefined;
  const [name, list] = longest;
  const others = Object.fromEntries(Object.entries(data).filter(([other]) => other !== name));
  return { rows: list.filter(isRecord), others };
}

/** The names of all fields, in the order in which they first appear. */
export function getColumnNames(rows: readonly ResultRow[], atMost = 60): string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names].slice(0, atMost);
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** By number where both are, else by their text; missing values come last in either direction. */
export function sortRows(
  rows: readonly ResultRow[],
  column: string,
  direction: 'ascending' | 'descending',
): ResultRow[] {
  const sign = direction === 'ascending' ? 1 : -1;
  const keyed = rows.map((row) => ({ row, key: sortKey(row[column]) }));
  keyed.sort((one, other) => {
    if (one.key === undefined || other.key === undefined) {
      return Number(one.key === undefined) - Number(other.key === undefined);
    }
    if (typeof one.key === 'number' && typeof other.key === 'number') return sign * (one.key - other.key);
    return sign * collator.compare(String(one.key), String(other.key));
  });
  return keyed.map(({ row }) => row);
}

function sortKey(value: unknown): number | string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'number') return value;
  return toText(value).slice(0, 200);
}

/** The value as one line. */
const toText = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

/** Characters of a value that a filter looks at. */
const searched = 2_000;

/** What a filter looks for in a row, in lower case. */
export const searchText = (row: ResultRow): string =>
  Object.values(row)
    .map((value) => toText(value).slice(0, searched))
    .join('\n')
    .toLowerCase();

/** RFC 4180, for people. */
export function toCsv(rows: readonly ResultRow[]): string {
  const columns = getColumnNames(rows, Number.POSITIVE_INFINITY);
  const lines = rows.map((row) => columns.map((column) => csvCell(row[column])).join(','));
  return `${[columns.map(csvCell).join(','), ...lines].join('\r\n')}\r\n`;
}

function csvCell(value: unknown): string {
  const text = toText(asPlainText(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
