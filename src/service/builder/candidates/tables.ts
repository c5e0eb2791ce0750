/** Tables whose columns have headers; several with the same headers are one list. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { getElements, shownText } from '../../page/elements.ts';
import { captionOf, type HeadedTable } from '../../page/headed-tables.ts';
import { headingAbove } from '../../page/surroundings.ts';
import { getLines } from '../../page/text.ts';
import { hasBlocks } from '../../page/whole-texts.ts';
import { headingsOfTables } from '../../recipes/built-layout.ts';
import { htmlPlaces } from '../columns/html-places.ts';
import { afterLead } from '../columns/parts.ts';
import type { Place } from '../columns/place.ts';
import { sectionPlaces } from '../columns/section-places.ts';
import { type Structure, toExtract, toFields } from './candidate.ts';
import { findSelector, pathTo } from './row-selectors.ts';

/** Rows that places are read from. */
const sampled = 40;
const maxHeader = 60;

/** `headed`: as of `findHeadedTables`. */
export const findTables = (html: CheerioAPI, headed: readonly (readonly HeadedTable[])[]): Structure[] =>
  headed.flatMap((tables) => toStructure(tables, html) ?? []);

function selectorFor(tables: readonly Element[], html: CheerioAPI): string | undefined {
  const finds = (selector: string) => {
    const elements = html(selector).toArray();
    return elements.length === tables.length && elements.every((element, index) => element === tables[index]);
  };
  const shared = tables.length > 1 ? findSelector(tables, html) : undefined;
  const paths = tables.map((table) => pathTo(table, html)).join(', ');
  return ['table', ...(shared === undefined ? [] : [shared]), paths].find(finds);
}

function toStructure(tables: readonly HeadedTable[], html: CheerioAPI): Structure | undefined {
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
    about: captionOf(html, first.element) || headingAbove(first.element),
    element: first.element,
    under: headingsOfTables(elements, html),
    places: [...withTitle(places), ...sectionPlaces(tables, html)],
    toExtract: toExtract((fields) => ({ kind: 'table', table, columns: toFields(fields) })),
  };
}

/** What a page calls a column whose header is short: `<abbr title="Played">P</abbr>`. */
function fullNames(headerCell: Element | undefined, html: CheerioAPI): string[] {
  if (headerCell === undefined) return [];
  const { title, abbr, 'aria-label': spoken } = headerCell.attribs;
  const inner = html(headerCell).find('[title], [aria-label]').get(0)?.attribs ?? {};
  return [...new Set([title, abbr, spoken, inner.title, inner['aria-label']])].flatMap((name) => name ?? []);
}

/** Whether all cells begin with an element that says their header: for small screens, which show no head. */
const repeat = (header: string, cells: readonly (Element | undefined)[]): boolean =>
  header !== '' &&
  cells.every((cell) => {
    const [first] = cell === undefined ? [] : getElements(cell);
    return first !== undefined && shownText(first).replace(/\s*:$/, '') === header;
  });

/** The whole cell first, then its parts. */
function cellPlaces(
  header: string,
  headerCell: Element | undefined,
  cells: readonly (Element | undefined)[],
  html: CheerioAPI,
): Place[] {
  // The name of a group of columns is part of the names of its columns.
  const shown = headerCell === undefined || shownText(headerCell) === '' ? '' : header;
  const names = fullNames(headerCell, html).filter((name) => name !== '' && name.length <= maxHeader);
  const roots = cells.map((cell) => (cell === undefined ? [] : [cell]));
  const inner = htmlPlaces(roots, { html, list: 'td' });
  const whole: Place = {
    source: { header },
    label: shown,
    names,
    ...(repeat(shown, cells) && { match: afterLead(shown, ':?') }),
    ...(haveAmounts(cells) && { isUncertain: true }),
  };
  const isBox = cells.filter((cell) => cell !== undefined && hasBlocks(cell)).length * 2 > cells.length;
  const isWhole = ({ source, hint }: Place) => hint === undefined && Object.keys(source).length === 0;
  const hasText = cells.some((cell) => cell !== undefined && shownText(cell) !== '');
  return [
    ...(hasText ? [whole] : []),
    ...inner
      .filter((place) => !isWhole(place))
      .map((place) => ({
        ...place,
        isTitle: isBox ? place.isTitle : undefined,
        isTitleLink: undefined,
        source: { header, ...place.source },
        label: place.label === '' ? shown : `${shown} ${place.label}`.trim(),
        names: [...place.names, ...names],
      })),
  ];
}

/** Whether most cells have several amounts, one below the other: the last price and the one before. */
function haveAmounts(cells: readonly (Element | undefined)[]): boolean {
  const stacks = cells.filter((cell) => {
    const lines = cell === undefined ? [] : getLines(cell);
    return lines.length > 1 && lines.every((line) => /^\P{L}*\d[^\p{L}]*$/u.test(line));
  });
  return stacks.length * 2 > cells.length;
}

/** The texts of the first column with links, else of the first with texts; of cells with blocks those of its title. */
function withTitle(places: readonly Place[]): Place[] {
  const linked = new Set(places.filter(({ hint }) => hint === 'url').map(({ source }) => source.header));
  const wholes = places.filter(({ hint, source }) => hint === undefined && Object.keys(source).length === 1);
  const title = wholes.find(({ source }) => linked.has(source.header));
  const isOwn = ({ isTitle, source }: Place) => isTitle === true && source.header === title?.source.header;
  const own = places.find(isOwn) ?? title;
  const link = places.find(({ hint, source }) => hint === 'url' && source.header === title?.source.header);
  return places.map((place) => {
    if (place === own) return { ...place, isTitle: true };
    return { ...place, isTitle: undefined, ...(place === link && { isTitleLink: true }) };
  });
}
