/** Tables beside those that are read that may go on with their rows: of as many columns, under other heads or none. */
import { type Element, isTag } from 'domhandler';
import type { Document } from '../page/document.ts';
import { getParent, shownText } from '../page/elements.ts';
import { contentOf, maxTables } from '../page/headed-tables.ts';
import { columnAt, type Grid, tablesOf, toGrid } from '../page/tables.ts';
import { sayHeadings } from './built-layout.ts';
import type { Extract } from './recipe-schema.ts';
import { boxesOf, type Places } from './row-places.ts';

/** The least share of the heads that tables of one list have in common. */
const mostHeads = 0.5;

const isFigure = (text: string) => /^\P{L}*\p{Nd}/u.test(text);

/** For each column whether most of these cells begin with figures. */
function figuresBelow({ rows, headers }: Grid): readonly boolean[] {
  const textAt = (cells: readonly (Element | undefined)[], at: number) => {
    const cell = cells[at];
    return cell === undefined ? '' : shownText(cell);
  };
  return headers.map((_, at) => {
    const figures = rows.filter(({ cells }) => isFigure(textAt(cells, at)));
    return figures.length * 2 > rows.length;
  });
}

/** What a head says without its unit: "Height" of "Height (ft)". */
const toName = (head: string) => head.replace(/\s*[([].*$/, '').toLowerCase();

/** Whether the tables have the same columns as far as their look tells, and most heads, where both have any. */
function goesOn(grid: Grid, read: Grid): boolean {
  if (grid.rows.length === 0 || grid.headers.length !== read.headers.length) return false;
  const figures = figuresBelow(read);
  if (String(figuresBelow(grid)) !== String(figures)) return false;
  const shared = grid.headers.filter((head, at) => toName(head) === toName(read.headers[at] ?? ''));
  // Its first row is one of data: nothing names its columns.
  const isHeadless =
    figures.includes(true) && grid.headers.every((head, at) => isFigure(head) === figures[at]);
  return isHeadless || shared.length >= grid.headers.length * mostHeads;
}

/** A sentence about the tables beside those that the recipe reads; those with its columns are told as `departures`. */
export function explainTablesBeside({ html }: Document, extraction: Extract, places: Places): string[] {
  if (extraction.kind !== 'table' || extraction.columns === undefined) return [];
  const headers = Object.values(extraction.columns).flatMap(({ header }) => header ?? []);
  const hasColumns = (grid: Grid) => headers.every((header) => columnAt(grid, header) >= 0);
  const all = html(tablesOf).toArray().filter(isTag).slice(0, maxTables);
  if (all.length < 2) return [];
  const parents = boxesOf(all).map(getParent);
  const matching = new Set(places.elements);
  const tables = all.map((element, at) => ({ element, parent: parents[at], grid: toGrid(element) }));
  const read = tables.filter((table) => matching.has(table.element) && hasColumns(table.grid));
  const contents = new Set(read.map(contentOf));
  const beside = tables.filter(
    (table) =>
      !hasColumns(table.grid) &&
      // Copies for other sizes of the screen.
      !contents.has(contentOf(table)) &&
      read.some((one) => one.parent === table.parent && goesOn(table.grid, one.grid)),
  );
  if (beside.length === 0) return [];
  const [what, whose] =
    beside.length === 1 ? ['stands another table', 'its'] : [`stand ${beside.length} tables`, 'their'];
  const begins = sayHeadings(beside.map(({ grid }) => grid.headers.join(' | ')));
  return [
    `Beside the table ${what} of as many columns, which may go on with it (begins with "${begins}"): ${whose} rows are not given.`,
  ];
}
