/** Lists of records, tables and links of a page, as the page shows them. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import type { Document, Row } from '../page/document.ts';
import { collapse, getElements, getParent, isPresent, shownText } from '../page/elements.ts';
import { captionOf, findHeadedTables, type HeadedTable, maxTables } from '../page/headed-tables.ts';
import { findJsonRows, isObject, type JsonObject, type JsonRows } from '../page/json.ts';
import { findLists, type RepeatedRows } from '../page/lists.ts';
import { readScriptValues } from '../page/scripts.ts';
import { findLargerCount } from '../page/stated-count.ts';
import { headingAbove, isBesideContent } from '../page/surroundings.ts';
import { layOut, subRowsText, tablesOf, unloadedText } from '../page/tables.ts';
import { isHidden } from '../page/text.ts';
import { sayStruck, struckText } from '../recipes/element-box.ts';
import { fewerHeadings, Headings, headingTags } from '../recipes/headings.ts';
import { Tally } from '../recipes/tally.ts';
import { columnsOf, labelsIn, type RecordColumn } from './columns.ts';
import { mostRows } from './readings.ts';

/** The most lists in an answer, the best first. */
const maxLists = 5;
const maxColumns = 40;

export interface Records extends Row {
  readonly about: string | null;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** The number of rows on the page, of which `rows` are the first. */
  readonly total: number;
  /** What of it is left out, for the note about it. */
  readonly leftOut: readonly string[];
  /** Sentences about its values, each begun with their column. */
  readonly doubts: readonly string[];
  /** What the page says of more rows than there are, in its words. */
  readonly said?: string | undefined;
}

/** Rows with a value for each column, under names that are made unique; none where there is no value. `further` rows are not read. */
function toRecords(
  about: string,
  columns: readonly RecordColumn[],
  leftOut: readonly string[] = [],
  further = 0,
): Records[] {
  const usedNames = new Set<string>();
  const allStruck = new Tally();
  const named = columns
    .filter(({ values }) => values.some(isPresent))
    .map(({ name: own, values, struck = [] }, index) => {
      const base = own || `column ${index + 1}`;
      let name = base;
      for (let count = 2; usedNames.has(name); count++) name = `${base} ${count}`;
      usedNames.add(name);
      for (const text of struck) allStruck.add(name, text);
      return { name, values };
    });
  const doubts = allStruck.explain(sayStruck);
  const count = Math.max(0, ...named.map(({ values }) => values.length));
  const rows = Array.from({ length: count }, (_, index) =>
    Object.fromEntries(named.map(({ name, values }) => [name, values[index] ?? null])),
  ).filter((row) => Object.values(row).some(isPresent));
  const names = named.map(({ name }) => name);
  const total = rows.length + further;
  return rows.length === 0 ? [] : [{ about: about || null, columns: names, rows, total, leftOut, doubts }];
}

const countFurther = (count: number, most: number, what: string): string[] =>
  count > most ? [`${count - most} ${what}`] : [];

/** Adds to `missing` the number of tables that were not looked at. */
export function readTables({ isData, html, base }: Document, missing: string[] = []): Records[] {
  if (isData) return [];
  for (const count of countFurther(html(tablesOf).length, maxTables, 'further tables'))
    missing.push(`${count} of the page are left out: an answer holds the first ${maxTables}.`);
  const headed = findHeadedTables(html);
  for (const { grid } of headed.flat()) if (grid.unloaded > 0) missing.push(unloadedText(grid.unloaded));
  if (headed.flat().some(({ grid }) => grid.hasSubRows)) missing.push(subRowsText);
  const tables = headed.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const rows = group.flatMap(({ grid }) => grid.rows);
    const nameOf = ({ element }: HeadedTable) => captionOf(html, element) || headingAbove(element);
    const isNamed = new Set(group.map(nameOf)).size > 1;
    const beside = group.map((table) => findBeside(table, isNamed ? nameOf(table) : ''));
    const columns = first.grid.headers.flatMap((header, index) => {
      const cells = rows.map((row) => row.cells[index]);
      const inner = columnsOf(
        cells.map((cell) => (cell === undefined ? [] : [cell])),
        base,
      );
      const texts = cells.map((cell) => (cell === undefined ? null : shownText(cell)));
      return [
        {
          name: header,
          values: texts,
          struck: cells.flatMap((cell) =>
            cell === undefined || shownText(cell) === '' ? [] : [struckText(cell)],
          ),
        },
        ...inner
          .filter(({ what }) => what === 'url' || what === 'image')
          .map(({ what, values }) => ({ name: `${header} ${what}`, values })),
        ...labelsIn(cells, inner).map((values) => ({ name: `${header} label`, values })),
      ];
    });
    const said = findLargerCount(
      group.map(({ element }) => element),
      rows.length,
    )?.text;
    return toRecords(
      isNamed ? '' : nameOf(first),
      [...columns, { name: 'section', values: beside.flatMap(({ sections }) => sections) }],
      [
        ...(beside.some(({ hasFoot }) => hasFoot) ? ['Rows and notes below the data'] : []),
        ...(beside.some(({ hasBetween }) => hasBetween) ? ['Rows that are one cell across'] : []),
        ...(group.some(({ element }) => hasHiddenRows(html, element)) ? ['Hidden rows'] : []),
        ...(rows.some(({ element }) => hasNoteMark(html, element)) ? ['Marks of notes in the cells'] : []),
      ],
    ).map((one) => ({ ...one, said }));
  });
  const known = new Set(headed.flat().map(({ element }) => shownText(element)));
  const others = html(tablesOf)
    .toArray()
    .filter(isTag)
    .slice(0, maxTables)
    .filter((table) => !known.has(shownText(table)) && html(table).find(tablesOf).length === 0);
  return [...tables, ...others.flatMap((table) => readPlainTable(html, table))];
}

/**
 * For each row the heading between the rows that stands above it, after the table's own; and whether more stands below them.
 * Where the first row has none above it, what stands between the rows may as well belong to the row before.
 */
function findBeside({ element, grid }: HeadedTable, own: string) {
  const [data, others] = [new Set(grid.rows.map((row) => row.element)), new Set(grid.others)];
  const sections: string[] = [];
  let [section, isOpen, hasFoot] = [own, false, false];
  for (const { element: row } of layOut(element).rows) {
    if (data.has(row)) {
      sections.push(section);
      isOpen = false;
    } else if (getParent(row)?.name === 'tfoot') hasFoot ||= shownText(row) !== '';
    else if (!others.has(row) && shownText(row) !== '') {
      section = [own, shownText(row)].filter(Boolean).join(': ');
      isOpen = true;
    }
  }
  const areHeadings = sections[0] !== own || sections.every((one) => one === own);
  return {
    sections: areHeadings ? sections : sections.map(() => own),
    hasBetween: !areHeadings,
    hasFoot: hasFoot || isOpen,
  };
}

const hasHiddenRows = (html: CheerioAPI, table: Element) =>
  html(table)
    .find('tr, [role="row"]')
    .toArray()
    .some((row) => isHidden(row) && shownText(row) !== '');

/** Whether a mark stands in it that is no part of a value: `£60[1]`. */
const hasNoteMark = (html: CheerioAPI, row: Element) =>
  html(row)
    .find('sup')
    .toArray()
    .some((mark) => shownText(mark) === '' && !isHidden(mark) && collapse(html(mark).text()) !== '');

/** A table whose columns have no names, such as one of names and values: each row by the places of its cells. */
function readPlainTable(html: CheerioAPI, table: Element): Records[] {
  const lines = layOut(table).rows.map(({ cells }) =>
    cells.map((cell) => (cell === undefined ? '' : shownText(cell))),
  );
  const width = Math.max(0, ...lines.map(({ length }) => length));
  if (width < 2) return [];
  const columns = Array.from({ length: width }, (_, index) => ({
    name: `column ${index + 1}`,
    values: lines.map((cells) => cells[index] || null),
  }));
  return toRecords(captionOf(html, table), columns);
}

/** The lists of a page that are not repeated by an earlier one. Adds to `missing` that there are more than an answer holds. */
export function readLists(document: Document, missing: string[] = []): Records[] {
  const lists = document.isData
    ? findJsonRows(document.json).flatMap(readJsonRows)
    : readShownLists(document, missing);
  if (lists.length > maxLists)
    missing.push(`Further lists are left out: an answer holds the best ${maxLists}.`);
  return lists.slice(0, maxLists);
}

const isWithinHidden = (element: Element | null): boolean =>
  element !== null && (isHidden(element) || isWithinHidden(getParent(element)));

/** Beside rows that are shown, hidden ones are patterns for scripts, or left out on purpose; a list may wait as a whole. */
function withoutHiddenRows<List extends Pick<RepeatedRows, 'rows' | 'heads'>>(list: List): List {
  const isShown = list.heads.map((head) => !isWithinHidden(head));
  if (!isShown.includes(true)) return list;
  const ofShown = <Item>(items: readonly Item[]) => items.filter((_, index) => isShown[index]);
  return { ...list, rows: ofShown(list.rows), heads: ofShown(list.heads) };
}

/** Tells of lists whether each of their rows is a part of a row that an earlier list has, with all that it says. */
function createPartCheck(): (rows: RepeatedRows['rows'], columns: readonly RecordColumn[]) => boolean {
  const given = new Map<Element, ReadonlySet<unknown>>();
  const isHeld = (element: Element | null, values: readonly unknown[]): boolean =>
    element !== null &&
    (values.every((value) => given.get(element)?.has(value) === true) || isHeld(getParent(element), values));
  return (rows, columns) => {
    const valuesOf = (at: number) => columns.map(({ values }) => values[at]).filter(isPresent);
    const areParts = rows.every(([root = null], at) => isHeld(root, valuesOf(at).flat()));
    if (!areParts)
      for (const [at, roots] of rows.entries())
        for (const root of roots) given.set(root, new Set(valuesOf(at).flat()));
    return areParts;
  };
}

/** Tells of a list of texts whether each stands in a row of another list, such as the days of events. */
function createTextCheck(lists: readonly RepeatedRows[]): (list: RepeatedRows) => boolean {
  const roots = new Set(lists.flatMap(({ rows }) => rows.flat()));
  const isInRow = (element: Element | null): boolean =>
    element !== null && (roots.has(element) || isInRow(getParent(element)));
  return ({ rows }) =>
    rows.every((some) => some.every((root) => getElements(root).length === 0 && isInRow(getParent(root))));
}

/** The headings above the rows of a list that stands in parts of a page, for each row; none where one stands above all of them. */
function sectionsOf(headings: Headings, heads: readonly Element[]): string[] {
  if (new Set(heads.map(getParent)).size < 2) return [];
  const sections = headings
    .around(heads, headingTags.join(', '))
    .map((heading) => (heading === undefined ? '' : shownText(heading).slice(0, maxSection)));
  const { size } = new Set(sections);
  return size > 1 && size <= heads.length * fewerHeadings ? sections : [];
}
const maxSection = 100;

/** Up to one more than an answer holds. The rows, columns and cells of tables with headers are told as tables only. */
function readShownLists(document: Document, missing: string[]): Records[] {
  const { html, base } = document;
  const body = html('body').get(0);
  if (body === undefined) return [];
  const tables = new Set(findHeadedTables(html).flatMap((group) => group.map(({ element }) => element)));
  const isOfTable = (element: Element | null): boolean =>
    element !== null && (tables.has(element) || isOfTable(getParent(element)));
  const found = findLists(body);
  const outside = found.filter(({ heads }) => !heads.some(isOfTable));
  if (outside.length === 0 && found.length > 0)
    missing.push('The rows of its tables are no lists: ask for parts ["tables"].');
  const areTexts = createTextCheck(found);
  const shown = outside
    .map((list) => ({
      ...list,
      place: Number(list.heads.some(isBesideContent)) * 2 + Number(areTexts(list)),
    }))
    .sort((one, other) => one.place - other.place);
  const headings = new Headings(html);
  const lists: Records[] = [];
  const seen = new Set<string>();
  const areParts = createPartCheck();
  const add = (records: readonly Records[]) => {
    for (const one of records) {
      const contents = one.columns.map((name) => JSON.stringify(one.rows.map((row) => row[name])));
      const isNew = contents.filter((content) => seen.has(content)).length < contents.length * 0.75;
      for (const content of contents) seen.add(content);
      if (isNew && lists.length <= maxLists) lists.push(one);
    }
  };
  for (const { rows, heads } of shown.map(withoutHiddenRows))
    if (lists.length <= maxLists && heads[0] !== undefined) {
      const columns = columnsOf(rows.slice(0, mostRows), base);
      if (areParts(rows.slice(0, mostRows), columns)) continue;
      const further = countFurther(columns.length, maxColumns, 'columns');
      const sections = sectionsOf(headings, heads.slice(0, mostRows));
      const about = sections.length > 0 ? '' : headingAbove(heads[0]);
      const said = findLargerCount(heads, heads.length)?.text;
      const records = toRecords(
        about,
        [...columns.slice(0, maxColumns), { name: 'section', values: sections }],
        further,
        Math.max(rows.length - mostRows, 0),
      );
      add(records.map((one) => ({ ...one, said })));
    }
  for (const { value } of readScriptValues(html, 'script:not([src]):not([type="application/ld+json"])'))
    add(findJsonRows(value).flatMap(readJsonRows));
  return lists;
}

/** A list inside of one row of another is named by its place: the other rows have their own. */
function readJsonRows({ rows, many, path, about, others = 0 }: JsonRows): Records[] {
  if (!many) return [];
  const flat = rows.map((row) => flatten(row));
  const names = [...new Set(flat.flatMap((row) => Object.keys(row)))];
  return toRecords(
    path.includes('[') ? path : about,
    names.slice(0, maxColumns).map((name) => ({ name, values: flat.map((row) => row[name]) })),
    [
      ...countFurther(names.length, maxColumns, 'columns'),
      ...countFurther(others, 0, 'values that are no objects'),
    ],
  );
}

/** Objects inside of a row are columns of their own: `author.name`. */
const flatten = (object: JsonObject, path = '', depth = 0): JsonObject =>
  Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) =>
      isObject(value) && depth < 5
        ? Object.entries(flatten(value, `${path}${key}.`, depth + 1))
        : [[`${path}${key}`, value]],
    ),
  );

/** The links of a page, each address once. */
export function readLinks({ html, base }: Document): { readonly text: string; readonly url: string }[] {
  const links = new Map<string, string>();
  for (const link of html('a[href], area[href]').toArray()) {
    const href = html(link).attr('href') ?? '';
    if (!URL.canParse(href, base)) continue;
    const url = new URL(href, base);
    if (!/^https?:$/.test(url.protocol)) continue;
    url.hash = '';
    const text =
      shownText(link) ||
      (html(link).attr('aria-label') ?? html(link).attr('title') ?? html(link).find('img').attr('alt') ?? '');
    links.set(url.href, links.get(url.href) || text.slice(0, 300));
  }
  return [...links].map(([url, text]) => ({ text, url }));
}
