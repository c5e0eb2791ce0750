/** What stands around the rows of a page, and how that departs from what the page had when the action was built. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { isMonthName } from '../../compare/month-names.ts';
import type { Document } from '../page/document.ts';
import { shownText } from '../page/elements.ts';
import { contentOf, type HeadedTable, maxTables } from '../page/headed-tables.ts';
import { tabAround } from '../page/panels.ts';
import { columnAt, ownHeaders, tablesOf, toGrid } from '../page/tables.ts';
import { extractHtml } from './extract-html.ts';
import { fewerHeadings, Headings, headingTags, selectorsAbove } from './headings.ts';
import type { Built, Extract, HtmlExtract, TableExtract } from './recipe-schema.ts';
import { labelsOf } from './row-labels.ts';
import { type Places, readPlaces } from './row-places.ts';

/** Characters of a heading, and headings, that are remembered and said. */
const maxHeading = 80;
const maxSaid = 5;

const headingText = (element: Element | undefined) =>
  element === undefined ? '' : shownText(element).slice(0, maxHeading);

/** The text of each table's caption, else of the heading above it; empty where it has neither. */
export function headingsOfTables(tables: readonly Element[], html: CheerioAPI): string[] {
  const above = new Headings(html).around(tables, headingTags.join(', '));
  return tables.map(
    (table, index) =>
      headingText(html(table).children('caption').get(0)) || headingText(tabAround(table) ?? above[index]),
  );
}

/** The texts of the headings that groups of rows stand under, in the order of the page. */
export function headingsOfRows(rows: readonly (readonly Element[])[], html: CheerioAPI): string[] {
  const elements = rows.flat();
  const around = new Headings(html).around(elements, headingTags.join(', '));
  const above = elements.map((element, index) => tabAround(element) ?? around[index]);
  const texts = [...new Set(above)].map(headingText).filter((text) => text !== '');
  return texts.length > rows.length * fewerHeadings ? [] : texts;
}

/** The page's tables that have these columns. Copies for other sizes of the screen count once. */
function equalTables(html: CheerioAPI, headers: readonly string[]): HeadedTable[] {
  const seen = new Set<string>();
  return html(tablesOf)
    .toArray()
    .filter(isTag)
    .slice(0, maxTables)
    .flatMap((element) => {
      const grid = toGrid(element);
      const content = contentOf({ element, grid });
      const isEqual = grid.rows.length > 0 && headers.every((header) => columnAt(grid, header) >= 0);
      if (!isEqual || seen.has(content)) return [];
      seen.add(content);
      return { element, grid };
    });
}

function layoutOfTables(html: CheerioAPI, { columns = {} }: TableExtract, tables: readonly Element[]) {
  const wanted = Object.values(columns).flatMap(({ header }) => header ?? []);
  const equal = equalTables(html, wanted);
  const elements = equal.map(({ element }) => element);
  const read = new Set(tables);
  const headers = equal.flatMap(({ element, grid }) => (read.has(element) ? ownHeaders(grid) : []));
  return {
    under: headingsOfTables(elements, html),
    isRead: elements.map((element) => read.has(element)),
    headers: [...new Set(headers)],
  };
}

function headingsOfList(
  html: CheerioAPI,
  { list = '', siblings, fields }: HtmlExtract,
  elements: readonly Element[],
): string[] {
  const above = new Headings(html).of(selectorsAbove(fields));
  const rows = elements.filter((element) => !above.has(element));
  const toRow = (row: Element) =>
    siblings === true ? [row, ...html(row).nextUntil(list).toArray().filter(isTag)] : [row];
  return headingsOfRows(rows.map(toRow), html);
}

/** The extraction with what the page has around the rows, to be compared with later. */
export function withBuilt(document: Document, extraction: Extract, places: Places): Extract {
  const { html } = document;
  if (extraction.kind === 'table') {
    const { under, headers } = layoutOfTables(html, extraction, places.elements);
    return { ...extraction, built: { under, headers, ...readPlaces(document, extraction, places) } };
  }
  if (extraction.kind !== 'html' || extraction.list === undefined) return extraction;
  const under = headingsOfList(html, extraction, places.elements);
  const rows = extractHtml(document, extraction);
  const { among } = rows.kind === 'rows' ? rows : {};
  const labels = labelsOf(html, extraction, places.elements);
  return {
    ...extraction,
    built: {
      ...(under.length > 0 && { under }),
      ...readPlaces(document, extraction, places),
      ...(among && { among }),
      ...(Object.keys(labels).length > 0 && { labels }),
    },
  };
}

/** For the pages after the one that the action was built on: they have other headings. */
export function forFurtherPages(extraction: Extract): Extract {
  if (!('built' in extraction) || extraction.built === undefined) return extraction;
  const { under: _, headers: _headers, ...built } = extraction.built;
  return { ...extraction, built };
}

/** For pages of other params: they may have other things among their rows as well. */
export function forOtherPages(extraction: Extract): Extract {
  const further = forFurtherPages(extraction);
  if (!('built' in further) || further.built === undefined) return further;
  const { besides: _, ...built } = further.built;
  return { ...further, built };
}

/** The values that only the second list has, each as often as it has it more. */
function without(few: readonly string[], many: readonly string[]): number[] {
  const left = [...few];
  return [...many.keys()].filter((index) => {
    const at = left.indexOf(many[index] ?? '');
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Some of the texts, each once. */
export const sayHeadings = (texts: readonly string[]) => {
  const named = [...new Set(texts)].filter((text) => text !== '');
  const rest = named.length > maxSaid ? ` and ${named.length - maxSaid} more` : '';
  return `${named.slice(0, maxSaid).join(', ')}${rest}`;
};
/** What is on the page now beside all that was there; where something left as well, the page has turned over. */
function joined(before: readonly string[], now: readonly string[]): number[] {
  return without(now, before).length > 0 ? [] : without(before, now);
}

const words = (heading: string) => heading.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
/** Such as a day, which pages have others of each time. */
const isOfTime = (heading: string) => /\d/.test(heading) || words(heading).some(isMonthName);

/** Whether a heading or a label is another one by all of its words. */
function isOther(before: string, now: string): boolean {
  const known = new Set(words(before));
  return !words(now).some((word) => known.has(word));
}

/** Where all rows stand under one heading, and it is another one. */
function renamed(
  [before = '', ...others]: readonly string[],
  [now = '', ...more]: readonly string[],
): string[] {
  if (others.length + more.length > 0 || before === '' || now === '' || isOfTime(`${before} ${now}`))
    return [];
  if (!isOther(before, now)) return [];
  return [`The rows stand under "${now}"; when the action was built they stood under "${before}".`];
}

/** Fields of which all values have another label than when the action was built. */
function relabelled(
  html: CheerioAPI,
  extraction: HtmlExtract,
  { labels = {} }: Built,
  places: Places,
): string[] {
  if (Object.keys(labels).length === 0) return [];
  const now = labelsOf(html, extraction, places.elements);
  return Object.entries(labels).flatMap(([name, before]) => {
    const label = now[name];
    return label === undefined || !isOther(before, label)
      ? []
      : `${name}: the page says "${label}" beside it, and said "${before}" when the action was built: it may be another value.`;
  });
}

/** Sentences about what the page has beside all that it had when the action was built. */
export function departures({ html }: Document, extraction: Extract, places: Places): string[] {
  if (!('built' in extraction) || extraction.built === undefined) return [];
  const { under, ...built } = extraction.built;
  if (extraction.kind === 'table')
    return under === undefined ? [] : tableDepartures(html, extraction, { ...built, under }, places);
  const otherLabels = relabelled(html, extraction, built, places);
  if (under === undefined) return otherLabels;
  const now = headingsOfList(html, extraction, places.elements);
  const added = joined(under, now).map((index) => now[index] ?? '');
  const headings =
    added.length === 0
      ? renamed(under, now)
      : [`Rows stand under headings that had none when the action was built: ${sayHeadings(added)}.`];
  return [...headings, ...otherLabels];
}

function tableDepartures(
  html: CheerioAPI,
  extraction: TableExtract,
  built: Built & { readonly under: readonly string[] },
  places: Places,
): string[] {
  const now = layoutOfTables(html, extraction, places.elements);
  const added = joined(built.under, now.under);
  const sentences = [true, false].flatMap((isRead) => {
    const some = added.filter((index) => now.isRead[index] === isRead).map((index) => now.under[index] ?? '');
    if (some.length === 0) return [];
    const [what, rows] =
      some.length === 1 ? ['1 more table', 'Its'] : [`${some.length} more tables`, 'Their'];
    const where = sayHeadings(some) === '' ? '' : `, under: ${sayHeadings(some)}`;
    return `The page has ${what} with these columns than when the action was built${where}. ${rows} rows are ${isRead ? 'among those' : 'not'} given.`;
  });
  const read = now.under.filter((_, index) => now.isRead[index]);
  // Under its own heading the one table is known; under others any of them may be it.
  if (built.under.length === 1 && read.length > 1 && without(read, built.under).length > 0)
    sentences.push(
      `The page has ${read.length} tables with these columns${sayHeadings(read) === '' ? '' : `, under: ${sayHeadings(read)}`}; when the action was built it had 1. All of their rows are given.`,
    );
  sentences.push(...renamed(built.under, now.under));
  const columns = joined(built.headers ?? now.headers, now.headers).map((index) => now.headers[index] ?? '');
  return columns.length === 0
    ? sentences
    : [
        ...sentences,
        `The table has columns that it did not have when the action was built: ${sayHeadings(columns)}. They are not given.`,
      ];
}
