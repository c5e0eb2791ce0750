/** Plain tables for a terminal. Cells are often the text of others: none of it moves the cursor, or ends its line. */
import { escaped } from './terminal.ts';

/** A text on one line, without control characters. */
export const oneLine = (text: string): string => escaped(text.replace(/\s+/g, ' '));

/** Columns as wide as their longest cell, the last one cut at the window's edge. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows].map((cells) => cells.map(oneLine));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  // A terminal that does not tell its size says 0.
  const window = (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY;
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .slice(0, window),
    )
    .join('\n');
}

const maxCell = 40;
const maxColumns = 12;

/** A value on one line, cut where it is long. */
export const cell = (value: unknown): string => {
  const text = oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  return text.length <= maxCell ? text : `${text.slice(0, maxCell - 1)}…`;
};

/** Rows of data as a table. */
export function rowTable(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, maxColumns);
  return table(
    columns.map((name) => name.toUpperCase()),
    rows.map((row) => columns.map((name) => (row[name] === null ? '' : cell(row[name])))),
  );
}
