/** Repeated records of a page as structures from which a recipe reads. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { getClasses, getParent } from '../../page/elements.ts';
import { findLists, type RepeatedRows } from '../../page/lists.ts';
import { headingAbove } from '../../page/surroundings.ts';
import { headingsOfRows } from '../../recipes/built-layout.ts';
import { htmlPlaces } from '../columns/html-places.ts';
import { placesAbove } from '../columns/places-above.ts';
import { type Structure, toExtract, toFields } from './candidate.ts';
import { findSelector } from './row-selectors.ts';

export function findRepeatedRecords(html: CheerioAPI, root: Element): Structure[] {
  const lists = findLists(root);
  const all = new Set(lists.flatMap(({ rows }) => rows.flat()));
  return lists.flatMap((rows) => toStructure(rows, html, all) ?? []);
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
