/**
 * The tables of a page, also those of other elements that say so by their roles. One is read as a grid: cells that span rows
 * or columns are repeated, and header rows and the names of columns are told from data.
 */
import { type Element, isTag } from 'domhandler';
import { shownText } from './elements.ts';
import { isHidden } from './text.ts';

/** Bounds a wrong `colspan`; browsers stop at 1,000 too. */
const maxColumns = 1_000;

/** A selector of what may be a table. */
export const tablesOf = 'table, [role="table"], [role="grid"], [role="treegrid"]';
const isTable = ({ name, attribs }: Element) =>
  name === 'table' || /^(?:table|grid|treegrid)$/.test(attribs.role ?? '');
const isRow = ({ name, attribs }: Element) => name === 'tr' || attribs.role === 'row';
export const isHeaderCell = ({ name, attribs }: Element) =>
  name === 'th' || /^(?:column|row)header$/.test(attribs.role ?? '');
const isCell = (element: Element) =>
  element.name === 'td' || isHeaderCell(element) || /^(?:grid)?cell$/.test(element.attribs.role ?? '');

export const getCellText = (cell: Element | undefined) => (cell === undefined ? '' : shownText(cell));

/** The table's own rows that are shown, without those of nested tables; those of its foot stand last, wherever they are written. */
function rowsIn(table: Element): Element[] {
  const rows: Element[] = [];
  const walk = (element: Element) => {
    for (const child of element.children) {
      if (!isTag(child) || isTable(child) || isHidden(child)) continue;
      if (isRow(child)) rows.push(child);
      else walk(child);
    }
  };
  walk(table);
  const isFoot = (row: Element) => getSection(row) === 'tfoot';
  return [...rows.filter((row) => !isFoot(row)), ...rows.filter(isFoot)];
}

/** In a row of other elements, they may stand in further ones. */
const getCells = (row: Element): Element[] =>
  row.children
    .filter(isTag)
    .filter((child) => !isHidden(child))
    .flatMap((child) => {
      if (isCell(child)) return [child];
      return row.name === 'tr' || isTable(child) ? [] : getCells(child);
    });

export interface GridRow {
  readonly element: Element;
  /** By column; a spanning cell is in every place that it covers. */
  readonly cells: readonly (Element | undefined)[];
}

export interface Grid {
  /** The names of the columns: the text of the last header row, after the headers of its groups. */
  readonly headers: readonly string[];
  /** For each column its header cells from the top, without those that span the whole table. */
  readonly headerCells: readonly (readonly Element[])[];
  /** Rows without data: headers at the top and further down, footers. */
  readonly others: readonly Element[];
  readonly rows: readonly GridRow[];
  /** Rows between those with data that head a section: one cell with a text, or other headers than at the top. */
  readonly across: number;
  /** Whether every second row only went on with the row above it: it is left out. */
  readonly hasSubRows: boolean;
  /** Rows that the page says to be there, but has not loaded. */
  readonly unloaded: number;
}

const getSection = ({ parent }: Element) => (parent !== null && isTag(parent) ? parent.name : '');
const different = (cells: readonly (Element | undefined)[]) =>
  new Set(cells.filter((cell) => cell !== undefined)).size;
const countTexts = (cells: readonly (Element | undefined)[]) =>
  new Set(cells.filter((cell) => getCellText(cell) !== '')).size;

/** A span by HTML's rules for parsing integers, which read `3px` as 3; undefined where there is none. */
function readSpan(value: string | undefined): number | undefined {
  const [, digits] = /^[\t\n\f\r ]*\+?(\d+)/.exec(value ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function spread(elements: readonly Element[]): GridRow[] {
  const grid: (Element | undefined)[][] = elements.map(() => []);
  /** A cell ends with its section of the table, whatever its `rowspan`. */
  const rowSpans = elements.map(() => 1);
  for (let y = elements.length - 2; y >= 0; y--)
    if (elements[y]?.parent === elements[y + 1]?.parent) rowSpans[y] = (rowSpans[y + 1] ?? 0) + 1;
  for (const [y, row] of elements.entries()) {
    let x = 0;
    for (const cell of getCells(row)) {
      while (grid[y]?.[x] !== undefined) x += 1;
      const width = Math.min(
        readSpan(cell.attribs.colspan ?? cell.attribs['aria-colspan']) || 1,
        maxColumns - x,
      );
      const left = rowSpans[y] ?? 1;
      // 0 reaches to the end of the section.
      const height =
        Math.min(readSpan(cell.attribs.rowspan ?? cell.attribs['aria-rowspan']) ?? 1, left) || left;
      for (const target of grid.slice(y, y + height))
        for (let right = 0; right < width; right++) target[x + right] = cell;
      x += width;
    }
  }
  return elements.map((element, y) => ({ element, cells: Array.from(grid[y] ?? []) }));
}

const isAllHeaders = ({ element }: GridRow) => {
  const cells = getCells(element);
  return cells.length > 0 && cells.every(isHeaderCell);
};
/** One cell across several columns: a title, a section's heading, a note. */
const isAcross = ({ cells }: GridRow) => cells.length > 1 && different(cells) === 1;

/** The number of header rows at the top. */
function headerCount(rows: readonly GridRow[]): number {
  const hasHead = rows.some((row) => getSection(row.element) === 'thead');
  const first = rows.findIndex(
    (row) => getSection(row.element) !== 'thead' && (hasHead || !isAllHeaders(row)),
  );
  // Where all cells are headers, the first row names the others.
  let end = first < 0 ? (hasHead ? rows.length : 1) : first;
  const lastTelling = rows.slice(0, end).findLastIndex(({ cells }) => countTexts(cells) > 1);
  // A row after them is the first section's heading.
  if (lastTelling >= 0) end = lastTelling + 1;
  // A title above headers that are plain cells.
  if (rows.slice(0, end).every(isAcross)) end = rows.findIndex((row) => !isAcross(row)) + 1;
  end = Math.max(end, 1);
  // If half or more of the plain cells reach into the next row, that row names the parts of the others.
  while (end < rows.length - 1 && reaches(rows[end - 1], rows[end])) end += 1;
  return end;
}

function reaches(row: GridRow | undefined, next: GridRow | undefined): boolean {
  if (row === undefined || next === undefined || row.cells.length < 3) return false;
  const ownCells = next.cells.filter((cell, index) => cell !== row.cells[index]);
  if (divides(row, next)) return true;
  const isPart = ownCells.length > 0 && ownCells.length * 2 <= next.cells.length;
  return isPart && ownCells.every((cell) => cell !== undefined && !/\d/.test(getCellText(cell)));
}

/** Whether some cells reach into the next row, whose own cells all stand below cells that span several columns. */
function divides({ cells }: GridRow, next: GridRow): boolean {
  const isWide = (index: number) => [cells[index - 1], cells[index + 1]].includes(cells[index]);
  const own = [...next.cells.keys()].filter((index) => next.cells[index] !== cells[index]);
  return own.length > 0 && own.length < next.cells.length && own.every(isWide);
}

/** Names of the columns; an empty or repeated one gets its number. */
function toNames(headerCells: readonly (readonly Element[])[]): string[] {
  const paths = headerCells.map(getPath);
  const last = headerCells.map((cells, index) => getLast(cells) || `column ${index + 1}`);
  const usedNames = new Set<string>();
  return last.map((text, index) => {
    const path = paths[index] ?? '';
    const label = path !== '' && paths.indexOf(path) === paths.lastIndexOf(path) ? path : text;
    const name = usedNames.has(label) ? `${label} ${index + 1}` : label;
    usedNames.add(name);
    return name;
  });
}
const getLast = (cells: readonly Element[]) =>
  cells
    .map(getCellText)
    .filter((text) => text !== '')
    .at(-1) ?? '';
const getPath = (cells: readonly Element[]) =>
  cells
    .map(getCellText)
    .filter((text) => text !== '')
    .join(' ');

/** What the page calls its columns, without those that it does not name. */
export const ownHeaders = ({ headerCells }: Grid): string[] =>
  headerCells.map(getPath).filter((text) => text !== '');

/** All rows of a table, and how many at the top name the columns. */
export function layOut(table: Element): { readonly rows: readonly GridRow[]; readonly heads: number } {
  const rows = spread(rowsIn(table));
  return { rows, heads: headerCount(rows) };
}

/** The least number of rows that each have a second one. */
const fewPairs = 3;
/** Rows that by turns have a cell in each column, and cells across several columns, always the same ones. */
function findSubRows(rows: readonly GridRow[]): ReadonlySet<GridRow> {
  const spansOf = ({ cells }: GridRow) =>
    cells.map((cell, index) => (cell !== undefined && cell === cells[index - 1] ? '-' : '|')).join('');
  const spans = rows.map(spansOf);
  const [, shape = ''] = spans;
  const isByTurns =
    rows.length >= 2 * fewPairs &&
    rows.length % 2 === 0 &&
    shape.includes('-') &&
    spans.every((span, index) => (index % 2 === 1 ? span === shape : !span.includes('-')));
  return new Set(isByTurns ? rows.filter((_, index) => index % 2 === 1) : []);
}

export const subRowsText =
  'Every second row of the table, whose cells go across its columns, is left out: it belongs to the row above it.';

export function toGrid(table: Element): Grid {
  const { rows: all, heads: count } = layOut(table);
  const top = all.slice(0, count);
  const width = all.reduce(
    (most, { cells }) => {
      // Where the last cell with a text begins: one that spans far is no further column.
      const last = cells.findLastIndex(
        (cell, index) => cell !== cells[index - 1] && getCellText(cell) !== '',
      );
      return Math.max(most, last + 1);
    },
    top.reduce((most, { cells }) => Math.max(most, cells.length), 0),
  );
  const above = top.length > 1 ? top.filter((row) => !isAcross(row)) : top;
  const headerCells = Array.from({ length: width }, (_, index) => [
    ...new Set(above.map(({ cells }) => cells[index]).filter((cell) => cell !== undefined)),
  ]);
  const headers = toNames(headerCells);
  const last = headerCells.map(getLast);
  const others = top.map(({ element }) => element);
  const below = all.slice(count);
  // A row that goes on with the one above it may also be one cell across the whole table, as a heading is.
  const whole = findSubRows(below);
  const isOfHeaders = below.every(isAllHeaders);
  let across = 0;
  const rows = below.filter((row) => {
    const isRepeated =
      row.cells.length > 0 && row.cells.every((cell, index) => getCellText(cell) === last[index]);
    const isHeader = !isOfHeaders && isAllHeaders(row);
    if ((isHeader || isRepeated) && countTexts(row.cells) > (isHeader ? 1 : 0)) {
      others.push(row.element);
      across += isRepeated ? 0 : 1;
    } else if (getSection(row.element) === 'tfoot') others.push(row.element);
    // A row that is too short has values, and one cell across the table is a heading.
    else {
      const isWhole = width > 1 && isAcross(row) && row.cells.length >= width;
      if (isWhole && countTexts(row.cells) > 0 && !whole.has(row)) across += 1;
      return !isHeader && row.cells.length > 0 && !isWhole;
    }
    return false;
  });
  const stated = readSpan(table.attribs['aria-rowcount']) ?? 0;
  const subRows = whole.size > 0 ? whole : findSubRows(rows);
  return {
    headers,
    headerCells,
    others: [...others, ...[...subRows].map(({ element }) => element)],
    rows: rows.filter((row) => !subRows.has(row)),
    across,
    hasSubRows: subRows.size > 0,
    unloaded: Math.max(stated - all.length, 0),
  };
}

/**
 * The column that a recipe means: by its name, by its own header if that repeats, or by that after its group's header.
 */
export function columnAt({ headers, headerCells }: Grid, header: string): number {
  const wantedName = header.toLowerCase();
  const places = [headers, headerCells.map(getLast), headerCells.map(getPath)].map((names) =>
    names.findIndex((name) => name.toLowerCase() === wantedName),
  );
  return places.find((place) => place >= 0) ?? -1;
}

export const unloadedText = (count: number): string =>
  `The page says that ${count === 1 ? '1 more row is' : `${count} more rows are`} in the table, which it has not loaded.`;
