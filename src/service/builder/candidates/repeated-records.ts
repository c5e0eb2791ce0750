/** Repeated records of a page as structures from which a recipe reads. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { findLists, type RepeatedRows } from '../../page/lists.ts';
import { headingAbove } from '../../page/surroundings.ts';
import { headingsOfRows } from '../../recipes/built-layout.ts';
import { htmlPlaces } from '../columns/html-places.ts';
import { placesAbove } from '../columns/places-above.ts';
import { type Structure, toExtract, toFields } from './candidate.ts';
import { findSelector } from './row-selectors.ts';

export const findRepeatedRecords = (html: CheerioAPI, root: Element): Structure[] =>
  findLists(root).flatMap((rows) => toStructure(rows, html) ?? []);

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
    rows: rows.length,
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
