/** The order of rows, what a filter finds in them, and their file. */
import { asPlainText } from '../contract/csv.ts';
import { booleanText, getColumnNames, type ResultRow } from '../contract/result-rows.ts';

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

/** What a filter looks for in a row, in lower case and in the words of its cells. */
export const searchText = (row: ResultRow): string =>
  Object.values(row)
    .map((value) => (typeof value === 'boolean' ? booleanText(value) : toText(value).slice(0, searched)))
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
