/** Rows of data as a table for a terminal. */
import { table } from './table.ts';

const maxCell = 40;
const maxColumns = 12;

/** A value on one line, cut where it is long. */
export const cell = (value: unknown): string => {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replace(/\s+/g, ' ');
  return text.length <= maxCell ? text : `${text.slice(0, maxCell - 1)}…`;
};

export function rowTable(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, maxColumns);
  return table(
    columns.map((name) => name.toUpperCase()),
    rows.map((row) => columns.map((name) => (row[name] === null ? '' : cell(row[name])))),
  );
}
