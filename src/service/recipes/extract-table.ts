/** HTML tables with headers: spans are spread out, columns are found by their header. */
import type { Cheerio } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { type Document, type Extracted, ParseError, type Row } from './document.ts';
import { htmlField } from './extract-html.ts';
import type { Extract } from './schema.ts';
import { setField } from './values.ts';

type Cell = Cheerio<Element>;
/** A wrong `colspan` must not become a million columns; browsers stop at 1,000. */
const maxColumns = 1_000;

const textOf = (cell: Cell | undefined) => (cell?.text() ?? '').replace(/\s+/g, ' ').trim();

/** Rows of cells where a cell that spans stands in every place it covers. */
/** Cells by row and column; the rows at the top that are headers. */
export function gridOf(document: Document, selector: string): { grid: Cell[][]; headerRows: number } {
  const { html } = document;
  const table = html(selector).first();
  if (table.length === 0) throw new ParseError('The page has no such table; it may have changed');
  const rows = table.find('tr').filter((_, row) => html(row).closest('table').is(table));
  const grid: Cell[][] = [];
  let headerRows = 0;
  rows.each((y, rowElement) => {
    const row = html(rowElement);
    grid[y] ??= [];
    let x = 0;
    row.children('td, th').each((_, cellElement) => {
      const cell = html(cellElement);
      while (grid[y]?.[x] !== undefined) x += 1;
      const span = (name: string, most: number) => Math.min(Math.max(Number(cell.attr(name)) || 1, 1), most);
      const width = Math.min(span('colspan', maxColumns), maxColumns - x);
      const height = span('rowspan', rows.length - y);
      for (let down = 0; down < height; down++) {
        grid[y + down] ??= [];
        for (let right = 0; right < width; right++) {
          const target = grid[y + down];
          if (target !== undefined) target[x + right] = cell;
        }
      }
      x += width;
    });
    const isHeader =
      row.parent().is('thead') || (row.children('th').length > 0 && row.children('td').length === 0);
    if (isHeader && headerRows === y) headerRows = y + 1;
  });
  return { grid, headerRows: Math.max(headerRows, 1) };
}

/** Names of the columns by the last header row; an empty or repeated one gets its number. */
export function headersOf(row: readonly Cell[]): string[] {
  const seen = new Set<string>();
  return Array.from(row, (cell, index) => {
    const text = textOf(cell) || `column ${index + 1}`;
    const name = seen.has(text) ? `${text} ${index + 1}` : text;
    seen.add(name);
    return name;
  });
}

/** Not the headers once more, and not one cell across the whole table: a heading, a note, an advertisement. */
function isData(cells: readonly Cell[], headers: readonly string[]): boolean {
  if (headers.length > 1 && cells.every((cell) => cell === cells[0]) && cells.length > 1) return false;
  return cells.length === 0 || cells.some((cell, index) => !cell.is('th') || textOf(cell) !== headers[index]);
}

export function extractTable(document: Document, how: Extract & { kind: 'table' }): Extracted {
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
    if (!isData(cells, headers)) continue;
    const row: Row = {};
    let complete = true;
    for (const { name, column, index } of places) {
      const found = htmlField(cells[index] ?? html(''), column, base);
      complete = setField(row, name, column, found) && complete;
    }
    if (complete) rows.push(row);
  }
  return { kind: 'rows', rows };
}
