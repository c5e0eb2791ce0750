/** Rows as CSV (RFC 4180): lines end in CRLF, nested values are JSON, a missing value is empty. */

export interface CsvTable {
  readonly header: readonly string[];
  readonly rows: readonly unknown[];
  /** Units and currencies that are the same in every row: returned once instead of as columns. */
  readonly constants: Readonly<Record<string, unknown>>;
}

const unit = /(^|_)(currency|units?)$/i;
const valueColumn = 'value';

/** Whether a column of that name holds units or currencies. */
export const isUnit = (name: string): boolean => unit.test(name);

/**
 * One pass over the rows, because their sender decides the number of columns. `beside`: names that stand for something else
 * beside the rows, so that columns of these names stay columns.
 */
export function csvTable(rows: readonly unknown[], beside: object = {}): CsvTable {
  const names = new Set<string>();
  /** Of each column of units its first value, and how many rows have that one. */
  const units = new Map<string, { readonly first: unknown; count: number }>();
  for (const row of rows) {
    for (const name of isRecord(row) ? Object.keys(row) : [valueColumn]) {
      names.add(name);
      if (!isUnit(name) || Object.hasOwn(beside, name)) continue;
      const cell = getCell(row, name);
      const column = units.get(name);
      if (column === undefined) units.set(name, { first: cell, count: 1 });
      else if (column.first === cell) column.count += 1;
    }
  }
  const constants: Record<string, unknown> = {};
  for (const [name, { first, count }] of units) {
    if (rows.length === 1 || typeof first !== 'string' || count < rows.length) continue;
    constants[name] = first;
    names.delete(name);
  }
  return { header: [...names], rows, constants };
}

export const csvHeader = ({ header }: CsvTable): string => csvLine(header);

export const csvRow = ({ header }: CsvTable, row: unknown): string =>
  csvLine(header.map((name) => getCell(row, name)));

/** A record with its line end; a quoted cell may hold line ends. */
const csvRecord = /((?:"(?:[^"]|"")*"|[^"\r])*)\r\n/g;
const csvHeaderLine = /^(?:"(?:[^"]|"")*"|[^"\r])*/;
const csvCells = /"(?:[^"]|"")*"|[^",\r\n]+/g;

/**
 * The CSV text with the shared units as columns: a file has no members beside its rows. A column of the rows' own is not
 * repeated.
 */
export function withUnitColumns(text: string, beside: unknown): string {
  const [header = ''] = csvHeaderLine.exec(text) ?? [];
  const columns = header.match(csvCells);
  const units = Object.entries(Object(beside)).filter(
    ([name, value]) => isUnit(name) && typeof value === 'string' && !columns?.includes(csvCell(name)),
  );
  if (units.length === 0) return text;
  const [names, values] = [units.map(([name]) => name), units.map(([, value]) => value)];
  let isHeader = true;
  return text.replaceAll(csvRecord, (_, cells: string) => {
    const line = `${cells},${csvLine(isHeader ? names : values)}`;
    isHeader = false;
    return line;
  });
}

/** A row of one empty cell has quotes: readers pass over blank lines. Without columns there is no line. */
function csvLine(cells: readonly unknown[]): string {
  if (cells.length === 0) return '';
  const line = cells.map(csvCell).join(',');
  return `${line === '' && cells.length === 1 ? '""' : line}\r\n`;
}

function getCell(row: unknown, name: string): unknown {
  if (isRecord(row)) return Object.hasOwn(row, name) ? row[name] : undefined;
  return name === valueColumn ? row : undefined;
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A file of records for spreadsheets: no cell is taken for a formula, and units that all rows share are columns. Undefined where
 * it would have more than `maxCells` cells.
 */
export function csvText(
  records: readonly Readonly<Record<string, unknown>>[],
  maxCells = Number.POSITIVE_INFINITY,
): string | undefined {
  const plain = records.map((record) =>
    Object.fromEntries(Object.entries(record).map((cell) => cell.map(asPlainText))),
  );
  const table = csvTable(plain);
  if (table.header.length * plain.length > maxCells) return undefined;
  const lines = plain.map((record) => csvRow(table, record));
  return withUnitColumns(csvHeader(table) + lines.join(''), table.constants);
}

/** For files opened in spreadsheets: text that looks like a formula gets an apostrophe in front. */
export const asPlainText = (value: unknown): unknown =>
  typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
