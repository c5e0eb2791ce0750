/** Tables whose columns have headers; several with the same headers are one list. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { type Grid, toGrid } from '../../page/tables.ts';
import { htmlPlaces } from '../columns/html-places.ts';
import type { Place } from '../columns/place.ts';
import { getElements, shownText } from '../page/elements.ts';
import { headingAbove } from '../page/surroundings.ts';
import { type Structure, toExtract, toFields } from './candidate.ts';
import { findSelector, pathTo } from './row-selectors.ts';

const maxTables = 40;
/** Rows that places are read from. */
const sampled = 40;
const maxHeader = 60;

interface Table {
  readonly element: Element;
  readonly grid: Grid;
}

export function findTables(html: CheerioAPI): Structure[] {
  const groups = new Map<string, Table[]>();
  for (const element of html('table').toArray().slice(0, maxTables)) {
    const grid = toGrid(element);
    const { headers, rows } = grid;
    if (rows.length === 0 || headers.length < 2 || new Set(headers).size < headers.length) continue;
    if (headers.some(({ length }) => length > maxHeader) || !hasHeaders(element, grid)) continue;
    const key = headers.join('\n');
    groups.set(key, [...(groups.get(key) ?? []), { element, grid }]);
  }
  return [...groups.values()].flatMap((tables) => toStructure(withoutCopies(tables), html) ?? []);
}

/** Without copies of the same table for other screen sizes. */
function withoutCopies(tables: readonly Table[]): Table[] {
  const seen = new Set<string>();
  return tables.filter(({ element }) => !seen.has(shownText(element)) && seen.add(shownText(element)));
}

function selectorFor(tables: readonly Element[], html: CheerioAPI): string | undefined {
  const finds = (selector: string) => {
    const elements = html(selector).toArray();
    return elements.length === tables.length && elements.every((element, index) => element === tables[index]);
  };
  const shared = tables.length > 1 ? findSelector(tables, html) : undefined;
  const paths = tables.map((table) => pathTo(table, html)).join(', ');
  return ['table', ...(shared === undefined ? [] : [shared]), paths].find(finds);
}

function toStructure(tables: readonly Table[], html: CheerioAPI): Structure | undefined {
  const elements = tables.map(({ element }) => element);
  const table = selectorFor(elements, html);
  const [first] = tables;
  if (table === undefined || first === undefined) return undefined;
  const rows = tables.flatMap(({ grid }) => grid.rows.slice(0, Math.ceil(sampled / tables.length)));
  const places = first.grid.headers.flatMap((header, index) => {
    const cells = rows.map((row) => row.cells[index]);
    return cellPlaces(header, first.grid.headerCells[index]?.at(-1), cells, html);
  });
  return {
    kind: 'table',
    many: true,
    rows: tables.reduce((sum, { grid }) => sum + grid.rows.length, 0),
    about: html(first.element).find('caption').first().text().trim() || headingAbove(first.element),
    element: first.element,
    places: withTitle(places),
    toExtract: toExtract((fields) => ({ kind: 'table', table, columns: toFields(fields) })),
  };
}

/** The whole cell first, then its parts. */
function cellPlaces(
  header: string,
  headerCell: Element | undefined,
  cells: readonly (Element | undefined)[],
  html: CheerioAPI,
): Place[] {
  // The name of a group of columns is part of the names of its columns.
  const shown = headerCell === undefined || shownText(headerCell) === '' ? '' : header;
  const full = headerCell?.attribs.title ?? headerCell?.attribs.abbr ?? '';
  const names = full === '' || full.length > maxHeader ? [] : [full];
  const roots = cells.map((cell) => (cell === undefined ? [] : [cell]));
  const inner = htmlPlaces(roots, { html, list: 'td' });
  const whole: Place = { source: { header }, label: shown, names };
  const isWhole = ({ source, hint }: Place) => hint === undefined && Object.keys(source).length === 0;
  const hasText = cells.some((cell) => cell !== undefined && shownText(cell) !== '');
  return [
    ...(hasText ? [whole] : []),
    ...inner
      .filter((place) => !isWhole(place))
      .map((place) => ({
        ...place,
        isTitle: undefined,
        isTitleLink: undefined,
        source: { header, ...place.source },
        label: place.label === '' ? shown : `${shown} ${place.label}`.trim(),
        names: [...place.names, ...names],
      })),
  ];
}

/** The texts of the first column with links, else of the first with texts. */
function withTitle(places: readonly Place[]): Place[] {
  const linked = new Set(places.filter(({ hint }) => hint === 'url').map(({ source }) => source.header));
  const wholes = places.filter(({ hint, source }) => hint === undefined && Object.keys(source).length === 1);
  const title = wholes.find(({ source }) => linked.has(source.header));
  const link = places.find(({ hint, source }) => hint === 'url' && source.header === title?.source.header);
  return places.map((place) => {
    if (place === title) return { ...place, isTitle: true };
    return place === link ? { ...place, isTitleLink: true } : place;
  });
}

/** Whether the first rows are headers, by their tags or their look. */
function hasHeaders(table: Element, { headerCells, rows }: Grid): boolean {
  if (headerCells.every((cells) => cells.at(-1)?.name === 'th')) return true;
  if (getElements(table).some(({ name }) => name === 'thead')) return true;
  const cells = headerCells.flat();
  return (
    cells.every((cell) => shownText(cell) === '' || isBold(cell)) &&
    rows.slice(0, sampled).some((row) => row.cells.some((cell) => cell !== undefined && !isBold(cell)))
  );
}

/** Whether all text of the cell is bold. */
const isBold = (cell: Element): boolean =>
  cell.name === 'th' ||
  getElements(cell).some(
    (child) =>
      shownText(child) === shownText(cell) &&
      shownText(child) !== '' &&
      (/^(?:b|strong|th)$/.test(child.name) || isBold(child)),
  );
