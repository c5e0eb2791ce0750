/** Repeated records of a page as structures from which a recipe reads. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag, isText } from 'domhandler';
import {
  getClasses,
  getElements,
  getParent,
  isWithin,
  previousElement,
  shownText,
  tagWithClass,
} from '../../page/elements.ts';
import { addTo } from '../../page/grouping.ts';
import type { HeadedTable } from '../../page/headed-tables.ts';
import { findLists, type RepeatedRows } from '../../page/lists.ts';
import { saysPlace } from '../../page/sibling-marks.ts';
import { headingAbove } from '../../page/surroundings.ts';
import { headingsOfRows } from '../../recipes/built-layout.ts';
import { boxesOf } from '../../recipes/row-places.ts';
import { htmlPlaces } from '../columns/html-places.ts';
import { placesAbove } from '../columns/places-above.ts';
import { type Structure, toExtract, toFields } from './candidate.ts';
import { findSelector } from './row-selectors.ts';

interface Found {
  readonly list: RepeatedRows;
  readonly structure: Structure;
}

/** `headed`: the tables of the page whose columns have names. */
export function findRepeatedRecords(
  html: CheerioAPI,
  root: Element,
  headed: readonly HeadedTable[],
): Structure[] {
  const names = new Set(headed.flatMap(({ grid }) => grid.others.slice(0, 1)));
  // With the names of the columns among its rows, a list is none: the table is.
  const lists = findLists(root).filter(({ heads }) => !heads.some((head) => names.has(head)));
  const all = new Set(lists.flatMap(({ rows }) => rows.flat()));
  const found = lists.flatMap((list) => {
    const structure = toStructure(list, html);
    return structure === undefined ? [] : [{ list, structure }];
  });
  const whyNone = (list: RepeatedRows): Structure['noRecords'] => {
    if (list.heads.slice(0, 1).some((head) => isReply(head, all))) return 'replies';
    if (found.some((inner) => areGroupsOf(list, inner) || areColumnsOf(list, inner))) return 'groups';
    if (found.some(({ list: outer }) => areFieldsOf(list, outer))) return 'fields';
    if (areSecondHalves(list)) return 'halves';
    return found.some(({ list: outer }) => areLinksOf(list, outer, html)) ? 'links' : undefined;
  };
  return found.map(({ list, structure }) => ({ ...structure, noRecords: whyNone(list) }));
}

const titleLink = ':is(h1, h2, h3, h4, h5, h6) a[href]';
/** The least share of records with a title that leads somewhere, and of links that say nothing of their own. */
const mostOf = 0.5;
/** The least share of rows before which the other half of a record stands. */
const mostHalves = 0.9;

/**
 * Whether each row is a link of a record that has a title and more: "Save" and "Cite", as other records have them, or the
 * formats of a data set, all with its address.
 */
function areLinksOf(list: RepeatedRows, outer: RepeatedRows, html: CheerioAPI): boolean {
  const byRecord = linksByRecord(list, outer, html);
  const counts = new Map<string, number>();
  for (const links of byRecord.values())
    for (const text of new Set(links.map((one) => one.text))) counts.set(text, (counts.get(text) ?? 0) + 1);
  let [titled, idle] = [0, 0];
  for (const [record, links] of byRecord) {
    const title = html([...record])
      .find(titleLink)
      .get(0);
    const length = record.reduce((sum, element) => sum + shownText(element).length, 0);
    const ofLinks = links.reduce((sum, { text }) => sum + text.length + 1, 0);
    if (title !== undefined && length > ofLinks + shownText(title).length + 1) titled += 1;
    const isIdle = ({ text, link }: RowLink) =>
      link !== title && ((counts.get(text) ?? 0) > 1 || link.attribs.href === title?.attribs.href);
    idle += links.filter(isIdle).length;
  }
  return byRecord.size > 0 && titled >= byRecord.size * mostOf && idle >= list.heads.length * mostOf;
}

interface RowLink {
  readonly text: string;
  readonly link: Element;
}

/** The rows that are links, by the records that have them; empty where one is not. */
function linksByRecord(
  { heads, siblings }: RepeatedRows,
  outer: RepeatedRows,
  html: CheerioAPI,
): ReadonlyMap<readonly Element[], readonly RowLink[]> {
  const recordOf = new Map(outer.rows.flatMap((row) => row.map((element) => [element, row] as const)));
  const byRecord = new Map<readonly Element[], RowLink[]>();
  for (const head of siblings ? [] : heads) {
    const link = head.name === 'a' ? head : html(head).find('a[href]').get(0);
    let above = getParent(head);
    while (above !== null && !recordOf.has(above)) above = getParent(above);
    const record = above === null ? undefined : recordOf.get(above);
    const text = shownText(head);
    if (record === undefined || link === undefined || shownText(link) !== text) return new Map();
    addTo(byRecord, record, { text, link });
  }
  return byRecord;
}

/** The heading that an element begins with. */
function leadingHeading(element: Element): Element | undefined {
  if (/^h[1-6]$/.test(element.name)) return element;
  const first = getElements(element).find((one) => shownText(one) !== '');
  return first && leadingHeading(first);
}

const hasLink = (element: Element): boolean =>
  element.name === 'a' || getElements(element).some((child) => hasLink(child));

/** Whether an element has a heading that leads nowhere and these records, and no more. */
function isHeadOf(element: Element, records: readonly Element[]): boolean {
  const heading = leadingHeading(element);
  const pieces = [heading, ...records].map((one) => (one === undefined ? '' : shownText(one)));
  const isHeading =
    heading !== undefined && !hasLink(heading) && !records.some((record) => isWithin(heading, record));
  return isHeading && shownText(element).length <= pieces.join(' ').length;
}

/** Whether each begins with a bold text of its own, which names nothing behind it: persons, not paragraphs with labels. */
function areNamed(heads: readonly Element[]): boolean {
  const names = heads.map((head) => {
    const [first] = head.children.filter((node) => !isText(node) || node.data.trim() !== '');
    const isBold = first !== undefined && isTag(first) && /^(?:b|strong)$/.test(first.name);
    return isBold ? shownText(first) : '';
  });
  return new Set(names).size === names.length && names.every((name) => /\p{L}$/u.test(name));
}

/** Whether each row is a heading above some of these records, in one row more than in another. */
function areGroupsOf({ rows, siblings }: RepeatedRows, { list, structure }: Found): boolean {
  const leads = structure.places.some(({ hint }) => hint === 'url');
  if (structure.places.length <= 2 || !(leads || areNamed(list.heads))) return false;
  const records = rows.map((row) =>
    list.heads.filter((head) =>
      row.some((element, at) => (at > 0 || element !== head) && isWithin(head, element)),
    ),
  );
  const isGroup = ([first]: readonly Element[], at: number) =>
    first !== undefined && isHeadOf(first, records[at] ?? []);
  const lengthOf = (elements: readonly Element[]) =>
    elements.reduce((sum, element) => sum + shownText(element).length, 0);
  // Several links within one element are those of a record, such as its authors, unless they are most of it.
  const areBehindHead = ([, ...others]: readonly Element[], at: number) => {
    const own = records[at] ?? [];
    const holding = others.filter((other) => own.some((record) => isWithin(record, other)));
    return holding.length === own.length || lengthOf(own) >= lengthOf(others) * mostOf;
  };
  if (!rows.every(siblings ? areBehindHead : isGroup)) return false;
  const counts = records.map(({ length }) => length);
  const sum = counts.reduce((all, count) => all + count, 0);
  return sum === list.heads.length && sum > rows.length && !counts.includes(0) && new Set(counts).size > 1;
}

/** Whether each row is nothing but several links, which are the rows of another list: a list that is set in columns. */
function areColumnsOf({ rows, heads }: RepeatedRows, { list }: Found): boolean {
  if (list.siblings || list.heads.length < heads.length * 2 || !list.heads.every(hasLink)) return false;
  return rows.every(([row, ...others]) => {
    if (row === undefined || others.length > 0) return false;
    const inner = list.heads.filter((head) => head !== row && isWithin(head, row));
    return inner.length > 1 && shownText(row) === inner.map(shownText).join(' ');
  });
}

/** Whether each record of another list is several of these rows and nothing else, each with a class that only its turn has. */
function areFieldsOf({ heads, siblings }: RepeatedRows, outer: RepeatedRows): boolean {
  if (siblings || heads.length < outer.rows.length * 2) return false;
  const inRecord = outer.rows.map(([record, ...others]) =>
    record === undefined || others.length > 0
      ? []
      : heads.filter((head) => head !== record && isWithin(head, record)),
  );
  // "item first", "cell-2": what stands in a row of a grid, and no field.
  const isName = (name: string) => !saysPlace(name) && !/\d/.test(name);
  const namesOf = (fields: readonly Element[]) =>
    fields.map((field) => getClasses(field).filter(isName).join(' '));
  const names = namesOf(inRecord[0] ?? []);
  return (
    names.length > 1 &&
    new Set(names).size === names.length &&
    inRecord.flat().length === heads.length &&
    inRecord.every((fields) => namesOf(fields).join('\n') === names.join('\n'))
  );
}

/** The nearest element before that shows something. */
function shownBefore(element: Element): Element | undefined {
  let before = previousElement(element);
  while (before !== undefined && shownText(before) === '') before = previousElement(before);
  return before;
}

/** Whether one and the same kind of element, which leads somewhere, stands before each row: records begin in it. */
function areSecondHalves({ heads, siblings }: RepeatedRows): boolean {
  if (siblings) return false;
  const boxes = boxesOf(heads);
  const before = boxes.map(shownBefore);
  const kindOf = (element: Element) =>
    [element, ...getElements(element)].map((one) => tagWithClass(one)).join(' ');
  const kinds = before.map((one) => (one === undefined ? '' : kindOf(one)));
  const isHalf = (box: Element, at: number) => {
    const first = before[at];
    return first?.name === box.name && !boxes.includes(first) && hasLink(first) && kinds[at] === kinds[0];
  };
  return (
    boxes.filter(isHalf).length >= boxes.length * mostHalves && boxes[0] !== undefined && isHalf(boxes[0], 0)
  );
}

/** Whether it is within a row of its own kind: a reply to a comment. */
function isReply(element: Element, rows: ReadonlySet<Element>): boolean {
  const classes = getClasses(element).join(' ');
  for (let above = getParent(element); above !== null; above = getParent(above))
    if (rows.has(above) && above.name === element.name && getClasses(above).join(' ') === classes)
      return true;
  return false;
}

function toStructure({ heads, rows, siblings }: RepeatedRows, html: CheerioAPI): Structure | undefined {
  const [first] = heads;
  const list = findSelector(heads, html);
  if (first === undefined || list === undefined) return undefined;
  const places = htmlPlaces(rows, { html, list });
  if (places.length === 0 || (rows.length < 3 && places.length < 3)) return undefined;
  const above = placesAbove(rows, html);
  return {
    kind: 'repeated records',
    many: true,
    // What an action gives: the selector may find rows that look otherwise.
    rows: html(list).length,
    about: headingAbove(first),
    element: first,
    under: above.some(({ isSection }) => isSection === true) ? headingsOfRows(rows, html) : [],
    places: [...places, ...above],
    toExtract: toExtract((fields) => ({
      kind: 'html',
      list,
      ...(siblings ? { siblings: true } : {}),
      fields: toFields(fields),
    })),
  };
}
