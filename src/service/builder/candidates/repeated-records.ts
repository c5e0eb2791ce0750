/** Repeated records of a page as structures from which a recipe reads. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { getClasses, getParent, isWithin } from '../../page/elements.ts';
import { findLists, type RepeatedRows } from '../../page/lists.ts';
import { headingAbove } from '../../page/surroundings.ts';
import { headingsOfRows } from '../../recipes/built-layout.ts';
import { htmlPlaces } from '../columns/html-places.ts';
import { placesAbove } from '../columns/places-above.ts';
import { type Structure, toExtract, toFields } from './candidate.ts';
import { findSelector } from './row-selectors.ts';

interface Found {
  readonly list: RepeatedRows;
  readonly structure: Structure;
}

export function findRepeatedRecords(html: CheerioAPI, root: Element): Structure[] {
  const lists = findLists(root);
  const all = new Set(lists.flatMap(({ rows }) => rows.flat()));
  const found = lists.flatMap((list) => {
    const structure = toStructure(list, html, all);
    return structure === undefined ? [] : [{ list, structure }];
  });
  return found.map(({ list, structure }) =>
    found.some((inner) => areGroupsOf(list, inner)) ? { ...structure, isOfGroups: true } : structure,
  );
}

/** Whether each row is a heading above some of these records, in one row more than in another. */
function areGroupsOf({ rows, siblings }: RepeatedRows, { list, structure }: Found): boolean {
  const isRecord = structure.places.length > 2 && structure.places.some(({ hint }) => hint === 'url');
  if (!siblings || !isRecord) return false;
  const counts = rows.map(
    (row) =>
      list.heads.filter((head) => row.some((element) => element !== head && isWithin(head, element))).length,
  );
  const sum = counts.reduce((all, count) => all + count, 0);
  return sum === list.heads.length && sum > rows.length && !counts.includes(0) && new Set(counts).size > 1;
}

/** Whether it is within a row of its own kind: a reply to a comment. */
function isReply(element: Element, rows: ReadonlySet<Element>): boolean {
  const classes = getClasses(element).join(' ');
  for (let above = getParent(element); above !== null; above = getParent(above))
    if (rows.has(above) && above.name === element.name && getClasses(above).join(' ') === classes)
      return true;
  return false;
}

function toStructure(
  { heads, rows, siblings }: RepeatedRows,
  html: CheerioAPI,
  all: ReadonlySet<Element>,
): Structure | undefined {
  const [first] = heads;
  const list = findSelector(heads, html);
  if (first === undefined || list === undefined) return undefined;
  const places = htmlPlaces(rows, { html, list });
  if (places.length === 0 || (rows.length < 3 && places.length < 3)) return undefined;
  const above = placesAbove(rows, html);
  return {
    kind: 'repeated records',
    many: true,
    rows: rows.length,
    about: headingAbove(first),
    element: first,
    ...(isReply(first, all) && { isOfReplies: true }),
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
