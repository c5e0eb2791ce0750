/** HTML tables with headers: columns are found by their header. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { PageChangedError } from '../foundation/errors.ts';
import type { Document, Extracted, Row } from '../page/document.ts';
import { getElements, previousElement, shownText } from '../page/elements.ts';
import { addTo } from '../page/grouping.ts';
import { captionOf } from '../page/headed-tables.ts';
import { headingAbove } from '../page/surroundings.ts';
import { columnAt, type Grid, subRowsText, toGrid, unloadedText } from '../page/tables.ts';
import { getLines } from '../page/text.ts';
import { ElementDoubts } from './element-doubts.ts';
import { countLines, findElements, getRoot, readElements } from './extract-html.ts';
import { FoundByOrder } from './found-by-order.ts';
import { Headings, selectorsAbove } from './headings.ts';
import { explainHead, explainLines, explainTable } from './lost-texts.ts';
import type { HtmlField, TableExtract } from './recipe-schema.ts';
import { RowFields } from './row-fields.ts';
import { explainUnreadUnits } from './unread-column.ts';

interface ReadGrid extends Grid {
  readonly element: Element;
}

/** Where a table says what holds for all of its cells. */
function textsBeside(html: CheerioAPI, { element, headers: [first = ''] }: ReadGrid): string[] {
  const before = previousElement(element);
  return [
    captionOf(html, element),
    first,
    before === undefined ? '' : shownText(before),
    headingAbove(element),
  ];
}

/** The matching tables that have the wanted columns; if none are wanted, the tables with the first one's columns. */
function readGrids({ html }: Document, { table, columns }: TableExtract): ReadGrid[] {
  const grids = html(table)
    .toArray()
    .filter(isTag)
    .map((element) => ({ ...toGrid(element), element }));
  const [first] = grids;
  if (first === undefined) throw new PageChangedError('The page has no matching table; it may have changed');
  if (columns === undefined) {
    const headers = first.headers.join('\n');
    return grids.filter((grid) => grid.headers.join('\n') === headers);
  }
  const headers = Object.values(columns).flatMap(({ header }) => header ?? []);
  const matchingGrids = grids.filter((grid) => headers.every((header) => columnAt(grid, header) >= 0));
  if (matchingGrids.length > 0) return matchingGrids;
  const missingHeader = headers.find((header) => columnAt(first, header) < 0);
  throw new PageChangedError(`The table has no column ${missingHeader}; the page may have changed`);
}

const acrossText = 'Rows of the table that head its sections, or are one cell across it, are left out.';

/** Whether the field is the text of whole cells. */
const isWholeCell = ({
  type,
  header,
  ...rules
}: HtmlField & { readonly header?: string | undefined }): boolean =>
  type === 'text' && header !== undefined && Object.values(rules).every((rule) => rule === undefined);

const allColumns = ({ headers }: Grid) =>
  Object.fromEntries(headers.map((header) => [header, { header, type: 'text' as const }]));

/** `maxRows`: the most rows to read, for callers that show only a few. */
export function extractTable(
  document: Document,
  extraction: TableExtract,
  maxRows = Number.POSITIVE_INFINITY,
): Extracted {
  const { base, html } = document;
  const headings = new Headings(html);
  const above = headings.of(selectorsAbove(extraction.columns ?? {}));
  const fields = new RowFields(document, extraction.built === undefined);
  const rows: Row[] = [];
  const inLines = new Map<string, string[]>();
  const ofElements = new ElementDoubts();
  const byOrder = new FoundByOrder();
  let [across, unloaded, hasSubRows] = [0, 0, false];
  const grids = readGrids(document, extraction);
  for (const grid of grids) {
    across += grid.across;
    unloaded += grid.unloaded;
    hasSubRows ||= grid.hasSubRows;
    const places = Object.entries(extraction.columns ?? allColumns(grid)).map(([name, column]) => ({
      name,
      column,
      index: column.header === undefined ? -1 : columnAt(grid, column.header),
      isText: isWholeCell(column),
    }));
    for (const { element, cells } of grid.rows) {
      if (rows.length >= maxRows) break;
      if (above.has(element)) continue;
      const row: Row = {};
      let complete = true;
      for (const { name, column, index, isText } of places) {
        const cell = cells[index];
        const root =
          index < 0 ? getRoot(column, html(element), html, headings) : html(cell === undefined ? '' : cell);
        const elements = findElements(root, column);
        countLines(byOrder, name, column, elements);
        const typed = readElements(elements, column, base);
        complete = fields.set(row, name, column, typed) && complete;
        const isWhole = cell !== undefined && isText;
        const hasLines = isWhole && getElements(cell).length > 0 && getLines(cell).length > 1;
        if (hasLines) addTo(inLines, name, shownText(cell));
        ofElements.count(name, column, typed, elements.get(0), element, !isWhole || hasLines);
      }
      if (!complete || fields.isEmpty(row, element)) continue;
      rows.push(row);
      ofElements.countRow(element, row);
    }
  }
  fields.settle(rows);
  const isLeftOut = across > 0 && ![...above].some((element) => isTag(element) && element.name === 'tr');
  const doubts = [
    ...fields.doubts,
    ...Object.entries(extraction.columns ?? {}).flatMap(([name, rules]) => [
      ...explainHead(name, rules, rules.header),
      ...explainLines(name, inLines.get(name)),
    ]),
    ...byOrder.doubts,
    ...ofElements.doubts,
    ...explainUnreadUnits(grids, extraction.columns ?? {}),
    ...explainTable(
      grids.flatMap((grid) => textsBeside(html, grid)),
      Object.values(extraction.columns ?? {}),
    ),
    ...(isLeftOut ? [acrossText] : []),
    ...(hasSubRows ? [subRowsText] : []),
    ...(unloaded > 0 ? [unloadedText(unloaded)] : []),
  ];
  return { kind: 'rows', rows, doubts };
}
