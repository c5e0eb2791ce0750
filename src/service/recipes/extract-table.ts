/** HTML tables with headers: spans are spread out, columns are found by their header. */
import { type Element, isTag } from 'domhandler';
import { type Document, type Extracted, ParseError, type Row } from './document.ts';
import { htmlField } from './extract-html.ts';
import type { Extract } from './schema.ts';
import { textOf as shownText } from './text.ts';
import { setField } from './values.ts';

/** A wrong `colspan` must not become a million columns; browsers stop at 1,000. */
const maxColumns = 1_000;

const textOf = (cell: Element | undefined) =>
  cell === undefined ? '' : shownText(cell).replace(/\s+/g, ' ').trim();

/** The rows of the table itself, not those of tables in its cells. */
function rowsIn(table: Element): Element[] {
  const rows: Element[] = [];
  const walk = (element: Element) => {
    for (const child of element.children) {
      if (!isTag(child) || child.name === 'table') continue;
      if (child.name === 'tr') rows.push(child);
      else walk(child);
    }
  };
  walk(table);
  return rows;
}

const cellsOf = (row: Element): Element[] =>
  row.children.filter(isTag).filter(({ name }) => name === 'td' || name === 'th');

/** Cells by row and column, where a cell that spans stands in every place it covers; the rows at the top that are headers. */
export function gridOf(document: Document, selector: string): { grid: Element[][]; headerRows: number } {
  const { html } = document;
  const table = html(selector).get(0);
  if (table === undefined || !isTag(table))
    throw new ParseError('The page has no such table; it may have changed');
  const rows = rowsIn(table);
  const grid: Element[][] = [];
  let headerRows = 0;
  for (const [y, row] of rows.entries()) {
    grid[y] ??= [];
    let x = 0;
    const elements = cellsOf(row);
    for (const element of elements) {
      while (grid[y]?.[x] !== undefined) x += 1;
      const span = (value: string | undefined, most: number) =>
        Math.min(Math.max(Number(value) || 1, 1), most);
      const width = Math.min(span(element.attribs.colspan, maxColumns), maxColumns - x);
      const height = span(element.attribs.rowspan, rows.length - y);
      for (let down = 0; down < height; down++) {
        grid[y + down] ??= [];
        for (let right = 0; right < width; right++) {
          const target = grid[y + down];
          if (target !== undefined) target[x + right] = element;
        }
      }
      x += width;
    }
    const { parent } = row;
    const inHead = parent !== null && isTag(parent) && parent.name === 'thead';
    const isHeader = inHead || (elements.length > 0 && elements.every(({ name }) => name === 'th'));
    if (isHeader && headerRows === y) headerRows = y + 1;
  }
  return { grid, headerRows: Math.max(headerRows, 1) };
}

/** Names of the columns by the last header row; an empty or repeated one gets its number. */
export function headersOf(row: readonly Element[]): string[] {
  const seen = new Set<string>();
  return Array.from(row, (cell, index) => {
    const text = textOf(cell) || `column ${index + 1}`;
    const name = seen.has(text) ? `${text} ${index + 1}` : text;
    seen.add(name);
    return name;
  });
}

/** Not the headers once more, and not one cell across the whole table: a heading, a note, an advertisement. */
function isData(cells: readonly Element[], headers: readonly string[]): boolean {
  if (headers.length > 1 && cells.every((cell) => cell === cells[0]) && cells.length > 1) return false;
  return (
    cells.length === 0 || cells.some((cell, index) => cell.name !== 'th' || textOf(cell) !== headers[index])
  );
}

/** `most`: the rows that are read, for those who want to see a few. */
export function extractTable(
  document: Document,
  how: Extract & { kind: 'table' },
  most = Number.POSITIVE_INFINITY,
): Extracted {
  const { grid, headerRows } = gridOf(document, how.table);
  const headers = headersOf(grid[headerRows - 1] ?? []);
  const columns =
    how.columns ?? Object.fromEntries(headers.map((header) => [header, { header, type: 'text' as const }]));
  const places = Object.entries(columns).map(([name, column]) => {
    const index = headers.findIndex((header) => header.toLowerCase() === column.header.toLowerCase());
    if (index < 0)
      throw new ParseError(`The table has no column ${column.header}; the page may have changed`);
    return { name, column, index };
  });
  const { base, html } = document;
  const rows: Row[] = [];
  for (const cells of grid.slice(headerRows)) {
    if (rows.length >= most) break;
    if (!isData(cells, headers)) continue;
    const row: Row = {};
    let complete = true;
    for (const { name, column, index } of places) {
      const cell = cells[index];
      const found = htmlField(cell === undefined ? html('') : html(cell), column, base);
      complete = setField(row, name, column, found) && complete;
    }
    if (complete) rows.push(row);
  }
  return { kind: 'rows', rows };
}
