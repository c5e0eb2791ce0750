/** A table as a grid: spans are spread out, its header rows and the names of its columns are told from its data. */
import { type Element, isTag } from 'domhandler';
import { textOf as shownText } from './text.ts';

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

interface GridRow {
  readonly element: Element;
  /** By column; a cell that spans stands in every place it covers. */
  readonly cells: readonly (Element | undefined)[];
}

export interface Grid {
  /** The names of the columns: what stands in the last header row, after the header of its group where that repeats. */
  readonly headers: readonly string[];
  /** For each column its header cells from the top, without such as stand over the whole table. */
  readonly headerCells: readonly (readonly Element[])[];
  /** Rows that hold no data: headers at the top and further down, footers. */
  readonly others: readonly Element[];
  readonly rows: readonly GridRow[];
}

const sectionOf = ({ parent }: Element) => (parent !== null && isTag(parent) ? parent.name : '');
const different = (cells: readonly (Element | undefined)[]) =>
  new Set(cells.filter((cell) => cell !== undefined)).size;
const said = (cells: readonly (Element | undefined)[]) =>
  new Set(cells.filter((cell) => textOf(cell) !== '')).size;

function spread(elements: readonly Element[]): GridRow[] {
  const grid: (Element | undefined)[][] = elements.map(() => []);
  const span = (value: string | undefined, most: number) => Math.min(Math.max(Number(value) || 1, 1), most);
  /** A cell ends with its section of the table, whatever it says. */
  const left = elements.map(() => 1);
  for (let y = elements.length - 2; y >= 0; y--)
    if (elements[y]?.parent === elements[y + 1]?.parent) left[y] = (left[y + 1] ?? 0) + 1;
  for (const [y, row] of elements.entries()) {
    let x = 0;
    for (const cell of cellsOf(row)) {
      while (grid[y]?.[x] !== undefined) x += 1;
      const width = Math.min(span(cell.attribs.colspan, maxColumns), maxColumns - x);
      const height = span(cell.attribs.rowspan, left[y] ?? 1);
      for (const target of grid.slice(y, y + height))
        for (let right = 0; right < width; right++) target[x + right] = cell;
      x += width;
    }
  }
  return elements.map((element, y) => ({ element, cells: Array.from(grid[y] ?? []) }));
}

const isAllHeaders = ({ element }: GridRow) => {
  const cells = cellsOf(element);
  return cells.length > 0 && cells.every(({ name }) => name === 'th');
};
/** One cell across several columns: a title, the heading of a section, a note. */
const isAcross = ({ cells }: GridRow) => cells.length > 1 && different(cells) === 1;

/** How many rows at the top are headers. */
function headerCount(rows: readonly GridRow[]): number {
  const first = rows.findIndex((row) => sectionOf(row.element) !== 'thead' && !isAllHeaders(row));
  let end = first < 0 ? rows.length : first;
  const telling = rows.slice(0, end).findLastIndex(({ cells }) => said(cells) > 1);
  // What follows is the heading of the first section, right below the headers.
  if (telling >= 0) end = telling + 1;
  // A title over headers that are plain cells.
  if (rows.slice(0, end).every(isAcross)) end = rows.findIndex((row) => !isAcross(row)) + 1;
  end = Math.max(end, 1);
  // Plain cells of which half and more reach into the next row: it names the parts of the others.
  while (end < rows.length - 1 && reaches(rows[end - 1], rows[end])) end += 1;
  return end;
}

function reaches(row: GridRow | undefined, next: GridRow | undefined): boolean {
  if (row === undefined || next === undefined || row.cells.length < 3) return false;
  const own = next.cells.filter((cell, index) => cell !== row.cells[index]);
  const isPart = own.length > 0 && own.length * 2 <= next.cells.length;
  return isPart && own.every((cell) => cell !== undefined && !/\d/.test(textOf(cell)));
}

/** Names of the columns; an empty or repeated one gets its number. */
function namesOf(headerCells: readonly (readonly Element[])[]): string[] {
  const paths = headerCells.map(pathOf);
  const last = headerCells.map((cells, index) => lastOf(cells) || `column ${index + 1}`);
  const counts = new Map<string, number>();
  for (const text of last) counts.set(text, (counts.get(text) ?? 0) + 1);
  const seen = new Set<string>();
  return last.map((text, index) => {
    const path = paths[index] ?? '';
    const told = (counts.get(text) ?? 0) > 1 && paths.indexOf(path) === paths.lastIndexOf(path) ? path : text;
    const name = seen.has(told) ? `${told} ${index + 1}` : told;
    seen.add(name);
    return name;
  });
}
const lastOf = (cells: readonly Element[]) =>
  cells
    .map(textOf)
    .filter((text) => text !== '')
    .at(-1) ?? '';
const pathOf = (cells: readonly Element[]) =>
  cells
    .map(textOf)
    .filter((text) => text !== '')
    .join(' ');

export function gridOf(table: Element): Grid {
  const all = spread(rowsIn(table));
  const count = headerCount(all);
  const top = all.slice(0, count);
  const width = top.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const above = top.length > 1 ? top.filter((row) => !isAcross(row)) : top;
  const headerCells = Array.from({ length: width }, (_, index) => [
    ...new Set(above.map(({ cells }) => cells[index]).filter((cell) => cell !== undefined)),
  ]);
  const headers = namesOf(headerCells);
  const last = headerCells.map(lastOf);
  const others = top.map(({ element }) => element);
  const rows = all.slice(count).filter((row) => {
    const isRepeated = row.cells.length > 0 && row.cells.every((cell, index) => textOf(cell) === last[index]);
    const isHeader = (isAllHeaders(row) && said(row.cells) > 1) || (isRepeated && said(row.cells) > 0);
    if (isHeader || sectionOf(row.element) === 'tfoot') others.push(row.element);
    else return !isAllHeaders(row) && different(row.cells) > (headers.length > 1 ? 1 : 0);
    return false;
  });
  return { headers, headerCells, others, rows };
}

/** The column that a recipe means: by its name, by its own header where that repeats, or after that of its group. */
export function columnAt({ headers, headerCells }: Grid, header: string): number {
  const wanted = header.toLowerCase();
  const places = [headers, headerCells.map(lastOf), headerCells.map(pathOf)].map((names) =>
    names.findIndex((name) => name.toLowerCase() === wanted),
  );
  return places.find((place) => place >= 0) ?? -1;
}
