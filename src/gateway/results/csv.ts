/** Rows as CSV (RFC 4180): lines end in CRLF, nested values are JSON, a missing value is empty. */

export interface CsvTable {
  readonly header: readonly string[];
  readonly rows: readonly unknown[];
  /** Units and currencies that are the same in every row: told once, and no columns. */
  readonly constants: Readonly<Record<string, unknown>>;
}

const unit = /(^|_)(currency|units?)$/i;
const valueColumn = 'value';

export function csvTable(rows: readonly unknown[]): CsvTable {
  const names = new Set<string>();
  for (const row of rows)
    for (const name of isRecord(row) ? Object.keys(row) : [valueColumn]) names.add(name);
  const constants: Record<string, unknown> = {};
  for (const name of [...names].filter((candidate) => unit.test(candidate))) {
    const [first, ...others] = rows.map((row) => getCell(row, name));
    if (others.length === 0 || typeof first !== 'string' || others.some((cell) => cell !== first)) continue;
    constants[name] = first;
    names.delete(name);
  }
  return { header: [...names], rows, constants };
}

export const csvHeader = ({ header }: CsvTable): string => csvLine(header);

export const csvRow = ({ header }: CsvTable, row: unknown): string =>
  csvLine(header.map((name) => getCell(row, name)));

const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function getCell(row: unknown, name: string): unknown {
  if (isRecord(row)) return Object.hasOwn(row, name) ? row[name] : undefined;
  return name === valueColumn ? row : undefined;
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
