/** Tables whose columns have headers; several with the same headers are one list. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import type { Document } from '../recipes/document.ts';
import { type Grid, type GridRow, gridOf } from '../recipes/table-grid.ts';
import { type Candidate, type Column, fieldOf, type NamedColumn } from './candidate.ts';
import { leadOf, partsOfCells } from './cells.ts';
import { headerWords } from './column-headers.ts';
import { classesOf, elementsOf, shownText } from './elements.ts';
import { groupColumns } from './groups.ts';
import { sharedStart } from './readings.ts';
import { type PageContext, pathTo, selectorOf } from './row-selectors.ts';
import { surroundings } from './surroundings.ts';
import { text, typeOfTexts } from './value-type.ts';
import { wordsOf } from './words.ts';

const maxTables = 40;
/** Rows that columns are read from. */
const sampled = 40;

interface Table {
  readonly element: Element;
  readonly grid: Grid;
}

export function tableCandidates(document: Document, language: string, root: Element): Candidate[] {
  const { html } = document;
  const context = { html, language, root };
  const kin = new Map<string, Table[]>();
  for (const element of html('table').toArray().slice(0, maxTables)) {
    const grid = gridOf(element);
    const { headers, rows } = grid;
    if (rows.length === 0 || headers.length < 2 || new Set(headers).size < headers.length) continue;
    if (!hasHeaders(element, grid)) continue;
    const key = headers.join('\n');
    kin.set(key, [...(kin.get(key) ?? []), { element, grid }]);
  }
  return [...kin.values()].flatMap((tables): Candidate[] => {
    // The same once more, for another size of screen.
    const seen = new Set<string>();
    const different = tables.filter(({ element }) => {
      const content = shownText(element);
      return !seen.has(content) && seen.add(content);
    });
    const each = different.map((table) => [table]);
    return (different.length > 1 ? [different, ...each] : each).flatMap(
      (some) => candidateOf(some, context) ?? [],
    );
  });
}

/** The selector that finds these tables and no other. */
function selectorFor(tables: readonly Element[], context: PageContext): string | undefined {
  const { html } = context;
  const finds = (selector: string) => {
    const found = html(selector).toArray();
    return found.length === tables.length && found.every((element, index) => element === tables[index]);
  };
  const shared = tables.length > 1 ? selectorOf(tables, context, []) : undefined;
  const options = ['table', shared ?? [], tables.map((table) => pathTo(table, context)).join(', ')].flat();
  return options.find(finds);
}

function candidateOf(tables: readonly Table[], context: PageContext): Candidate | undefined {
  const { html, language } = context;
  const elements = tables.map(({ element }) => element);
  const selector = selectorFor(elements, context);
  const [first] = tables;
  if (selector === undefined || first === undefined) return undefined;
  const { headers } = first.grid;
  const rows = tables.flatMap(({ grid }) => grid.rows.slice(0, Math.ceil(sampled / tables.length)));
  const wholes = headers.flatMap((header, index) =>
    columnsAt({ header, index, cells: first.grid.headerCells[index] ?? [], rows, html, language }),
  );
  const title = titleOf(wholes, rows);
  if (title !== undefined) Object.assign(title, { isTitle: true });
  const columns = headers.flatMap((header, index) =>
    withParts(
      wholes.filter(({ order }) => order === index),
      header,
      rows.map(({ cells }) => cells[index]),
      context,
    ),
  );
  const all = tables.flatMap(({ grid }) => grid.rows.map(({ element }) => [element]));
  const groups = groupColumns(all, context, new Set(tables.flatMap(({ grid }) => grid.others)));
  // What is above one of several says nothing of the others.
  const about = elements.map((element) => [
    ...wordsOf(html(element).find('caption').text()),
    ...surroundings(element, true),
  ]);
  return {
    kind: 'table',
    many: true,
    element: first.element,
    rows: all.length,
    about: about[0]?.filter((word) => about.every((words) => words.includes(word))) ?? [],
    columns: [
      ...groups.flatMap((column): Column[] => {
        if (column.source.in !== 'html' || column.source.all === true) return [];
        const { all: _, ...source } = column.source;
        return [{ ...column, source: { ...source, in: 'table' } }];
      }),
      ...columns.map((column) => (column.type.rules.type === 'json' ? { ...column, type: text } : column)),
    ],
    extract: (fields: readonly NamedColumn[]) => ({
      kind: 'table',
      table: selector,
      columns: Object.fromEntries(fields.map((field) => [field.name, fieldOf(field, false)])),
    }),
  };
}

/** The columns at one place, with what stands beside each other in its cells. */
function withParts(
  columns: readonly Column[],
  header: string,
  cells: readonly (Element | undefined)[],
  context: PageContext,
): Column[] {
  const whole = columns.find(({ type }) => type.rules.type !== 'url' && type.rules.type !== 'image');
  if (whole === undefined) return [...columns];
  const parts = partsOfCells(cells, { header, names: whole.names, order: whole.order }, context);
  const lead = leadOf(parts, cells, whole.isTitle);
  if (lead === undefined) return [...columns, ...parts];
  const { names, short, isTitle, isRepeated } = whole;
  return [
    ...columns.filter((column) => column !== whole),
    { ...lead, names: [...new Set([...names, ...lead.names])], short, isTitle, isRepeated },
    { ...whole, names: [], nearNames: names, short: undefined, isTitle: false, division: 'whole' },
    ...parts.filter((part) => part !== lead),
  ];
}

/** The headers of its rows, else the first texts that differ. */
function titleOf(columns: readonly Column[], rows: readonly GridRow[]): Column | undefined {
  const texts = columns.filter(({ type, constant }) => type.rules.type === 'text' && !constant);
  const heads = (column: Column) =>
    rows.filter(({ cells }) => cells[column.order]?.name === 'th').length > rows.length / 2;
  return texts.find(heads) ?? texts.find(({ isRepeated }) => isRepeated !== true) ?? texts[0];
}

interface Place {
  readonly header: string;
  readonly index: number;
  /** Its headers from the top. */
  readonly cells: readonly Element[];
  readonly rows: readonly GridRow[];
  readonly html: CheerioAPI;
  readonly language: string;
}

function columnsAt({ header, index, cells: headers, rows, html, language }: Place): Column[] {
  const cells = rows.map((row) => row.cells[index]);
  const values = cells
    .map((cell) => (cell === undefined ? '' : shownText(cell)))
    .filter((value) => value !== '');
  const holding = (what: string) =>
    cells.filter((cell) => cell !== undefined && html(cell).find(what).length > 0).length;
  const links = holding('a[href]');
  const images = holding('img');
  const type = typeOfTexts(values, language);
  const own = headers.at(-1);
  const shown = own === undefined ? '' : shownText(own);
  // "1.", "2.", "3." under nothing: their places.
  const isRank =
    shown === '' &&
    values.length > 2 &&
    values.every((value, place) => Number.parseFloat(value) === place + 1);
  const shared = {
    names: [
      ...new Set([
        ...headerWords(shown),
        ...(isRank ? ['position', 'rank', 'place'] : []),
        ...(own === undefined ? [] : wordsOf(fullForm(own))),
        ...wordsOf(type.unitWords ?? sharedStart(values)),
        ...headers
          .slice(0, -1)
          .flatMap((group) => [...wordsOf(shownText(group)), ...wordsOf(fullForm(group))]),
      ]),
    ],
    label: shown === '' ? undefined : shown,
    short: /^\p{L}[\p{L}.]{0,4}$/u.test(shown) ? shown : undefined,
    nearNames: [],
    isTitle: false,
    isRepeated: cells.some((cell, y) => y > 0 && cell !== undefined && cell === cells[y - 1]),
    fill: values.length / rows.length,
    constant: values.length > 2 && new Set(values).size === 1,
    length: values.reduce((sum, value) => sum + value.length, 0) / Math.max(values.length, 1),
    samples: values.slice(0, 12),
    order: index,
    source: { in: 'table' as const, header },
  };
  const found: Column[] = [];
  if (values.length > 0) {
    const unitInHeader = /[([]\s*(°?[A-Za-z€$£%²³/]{1,8})\s*[)\]]/.exec(header)?.[1];
    const unit =
      type.rules.type === 'number' && type.unit === undefined && unitInHeader !== undefined
        ? { ...type, unit: 'unit' as const, rules: { ...type.rules, unit: unitInHeader } }
        : type;
    found.push({ ...shared, type: unit });
  }
  if (links >= rows.length * 0.6)
    found.push({
      ...shared,
      names:
        values.length === 0 ? [...shared.names, 'url', 'link'] : ['url', 'link', ...shared.names.slice(0, 1)],
      type: { rules: { type: 'url' } },
      fill: links / rows.length,
    });
  if (images >= rows.length * 0.6)
    found.push({
      ...shared,
      names: ['image', ...shared.names],
      type: { rules: { type: 'image' } },
      fill: images / rows.length,
    });
  return found;
}

/** What an abbreviated header stands for: "Pts" with the title "Points". */
function fullForm(cell: Element): string {
  const titles = [cell, ...elementsOf(cell)].map(({ attribs }) => attribs.title ?? attribs.abbr ?? '');
  const title = titles.find((one) => one !== '') ?? '';
  return title.length > 40 || /\b(?:sort|click|filter|order by|sortier|trier|ordenar)/i.test(title)
    ? ''
    : title;
}

/** Whether what stands at the top are headers: by their tags, by their look, or by what is below. */
function hasHeaders(table: Element, { headers, headerCells, rows, others }: Grid): boolean {
  if (headerCells.every((cells) => cells.at(-1)?.name === 'th')) return true;
  if (elementsOf(table).some(({ name }) => name === 'thead')) return true;
  const cells = headerCells.flat();
  const [top] = others;
  const isNamed =
    top !== undefined && classesOf(top).some((name) => /(?:^|[-_])(?:head|header|heading)s?$/i.test(name));
  const areBold =
    cells.every((cell) => shownText(cell) === '' || isBold(cell)) &&
    rows.slice(0, sampled).some((row) => row.cells.some((cell) => cell !== undefined && !isBold(cell)));
  if ((isNamed || areBold) && headers.every((header) => header.length <= 40)) return true;
  return saysWhat(
    headers,
    rows
      .slice(0, sampled)
      .map(({ cells }) => Array.from(cells, (cell) => (cell === undefined ? '' : shownText(cell)))),
  );
}

/** All of its text is set in bold. */
const isBold = (cell: Element): boolean =>
  cell.name === 'th' ||
  elementsOf(cell).some(
    (child) =>
      shownText(child) === shownText(cell) &&
      shownText(child) !== '' &&
      (/^(?:b|strong|th)$/.test(child.name) || isBold(child)),
  );

/** A first row without `th` is a header where it has no numbers and the rows below have. */
function saysWhat(headers: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const isNumber = (value: string | undefined) => value !== undefined && /^\D{0,3}\d/.test(value);
  if (headers.some(isNumber) || headers.some((header) => header.length > 40)) return false;
  return headers.some((_, index) => rows.length > 1 && rows.every((row) => isNumber(row[index])));
}
