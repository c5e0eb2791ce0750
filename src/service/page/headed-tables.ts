/** The tables of a page whose columns have names, copies left out. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { getElements, shownText } from './elements.ts';
import { addTo } from './grouping.ts';
import { headingAbove } from './surroundings.ts';
import { type Grid, type GridRow, getCellText, isHeaderCell, tablesOf, toGrid } from './tables.ts';

export interface HeadedTable {
  readonly element: Element;
  readonly grid: Grid;
}

/** Tables looked at in one page. */
export const maxTables = 40;
const maxHeader = 60;
/** Rows by whose look headers are told. */
const sampled = 40;

/**
 * What a table says, by which copies for other sizes of the screen are known: the days of two months are the same numbers, but
 * under another heading, or in other columns.
 */
export const contentOf = ({ element, grid }: HeadedTable): string =>
  [headingAbove(element), ...grid.rows.map(({ cells }) => cells.map(getCellText).join('\t'))].join('\n');

/** The tables whose columns have names; those with the same names are one list. Copies for other screen sizes are left out. */
export function findHeadedTables(html: CheerioAPI): HeadedTable[][] {
  const groups = new Map<string, HeadedTable[]>();
  const seen = new Set<string>();
  for (const element of html(tablesOf).toArray().filter(isTag).slice(0, maxTables)) {
    const grid = toGrid(element);
    const { headers, rows } = grid;
    if (rows.length === 0 || headers.length < 2 || new Set(headers).size < headers.length) continue;
    if (headers.some(({ length }) => length > maxHeader) || !hasHeaders(element, grid)) continue;
    const content = contentOf({ element, grid });
    if (seen.has(content)) continue;
    seen.add(content);
    addTo(groups, headers.join('\n'), { element, grid });
  }
  return [...groups.values()];
}

/** Whether the first rows are headers, by their tags or their look. */
function hasHeaders(table: Element, { headerCells, rows }: Grid): boolean {
  if (headerCells.every((cells) => cells.slice(-1).some(isHeaderCell))) return true;
  if (getElements(table).some(({ name }) => name === 'thead')) return true;
  if (leadsRows(headerCells, rows)) return true;
  const cells = headerCells.flat();
  return (
    cells.every((cell) => shownText(cell) === '' || isBold(cell)) &&
    rows.slice(0, sampled).some((row) => row.cells.some((cell) => cell !== undefined && !isBold(cell)))
  );
}

/**
 * Whether a first row that looks like the others, a header and plain cells, names the columns: it has words where most of the
 * others have digits.
 */
function leadsRows(headerCells: Grid['headerCells'], rows: readonly GridRow[]): boolean {
  const isHeaded = (cells: readonly (Element | undefined)[]) =>
    cells.length > 2 && cells.every((cell, at) => cell === undefined || isHeaderCell(cell) === (at === 0));
  const names = headerCells.map((cells) => cells.at(-1));
  const areWords = names.every(
    (cell) => cell !== undefined && /^\P{Nd}*\p{L}\P{Nd}*$/u.test(shownText(cell)),
  );
  const some = rows.slice(0, sampled);
  if (!areWords || !isHeaded(names) || !some.every(({ cells }) => isHeaded(cells))) return false;
  const hasDigits = (cell: Element | undefined) => cell !== undefined && /\p{Nd}/u.test(shownText(cell));
  return names.some(
    (_, at) => at > 0 && some.filter(({ cells }) => hasDigits(cells[at])).length * 2 > some.length,
  );
}

/** Whether all text of the cell is bold. */
const isBold = (cell: Element): boolean =>
  isHeaderCell(cell) ||
  getElements(cell).some(
    (child) =>
      shownText(child) === shownText(cell) &&
      shownText(child) !== '' &&
      (/^(?:b|strong|th)$/.test(child.name) || isBold(child)),
  );

/** The caption of a table, or the name that it has for readers of the screen; empty where it has none. */
export function captionOf(html: CheerioAPI, table: Element): string {
  const caption = html(table).find('caption, [role="caption"]').get(0);
  return caption === undefined ? (table.attribs['aria-label'] ?? '').trim() : shownText(caption);
}
