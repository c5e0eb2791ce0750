/** The headings that equal tables stand under: they tell the rows of one table from those of another. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { isWithin, shownText } from '../../page/elements.ts';
import type { HeadedTable } from '../../page/headed-tables.ts';
import { tabAround } from '../../page/panels.ts';
import { getNames } from '../../page/slot-names.ts';
import { Headings, headingTags } from '../../recipes/headings.ts';
import type { Place } from './place.ts';
import { placesAbove, singleCell, tabPlaces } from './places-above.ts';

const labels = ['Section', 'Outer section'];

/** The innermost headings, and those around where these repeat. */
export function sectionPlaces(tables: readonly HeadedTable[], html: CheerioAPI): Place[] {
  const [only] = tables;
  if (only === undefined || tables.length === 1) return only === undefined ? [] : rowsAcross(only, html);
  const elements = tables.map(({ element }) => element);
  const headings = new Headings(html);
  const nearest = headings.around(elements, headingTags.join(', ')).map((heading) => heading?.name ?? '');
  const deepest = Math.max(...nearest.map((tag) => headingTags.indexOf(tag)));
  // A heading ends what stands under the deeper ones before it.
  const levels = headingTags
    .slice(0, deepest + 1)
    .map((_, level) => headingTags.slice(0, level + 1).join(', '));
  const tabs = tabPlaces(elements);
  const places: Place[] = tabs.map(toPlace);
  let known = elements.map((element) => {
    const tab = tabs.length > 0 ? tabAround(element) : undefined;
    return tab === undefined ? '' : shownText(tab);
  });
  for (const above of ['caption', ...levels.reverse()]) {
    const found =
      above === 'caption'
        ? elements.map((element) => html(element).children('caption').get(0))
        : headings.around(elements, above);
    const [first] = found;
    const together = found.map((heading, index) => `${heading && shownText(heading)}\n${known[index]}`);
    const isTelling = new Set(together).size > new Set(known).size;
    if (first === undefined || !isTelling || !areAbove(found, above, tables, headings)) continue;
    places.push(toPlace({ source: { above }, names: getNames(first) }, places.length));
    known = together;
    if (places.length === labels.length || new Set(known).size === tables.length) break;
  }
  if (places.length > 0) return places;
  return placesAbove(
    elements.map((element) => [element]),
    html,
    tables.length,
  )
    .filter(({ source: { above = '' } }) => {
      const found = elements.map((element) => headings.before(element, above));
      return areAbove(found, above, tables, headings);
    })
    .map(toPlace);
}

const maxHeading = 100;
/** The rows of one cell that head the rows below them in a table, such as its days. */
function rowsAcross({ element, grid }: HeadedTable, html: CheerioAPI): Place[] {
  const headings = new Headings(html);
  const found = grid.rows.flatMap(({ element: row }) => headings.before(row, singleCell) ?? []);
  const [first] = found;
  const isHeading = (heading: Element) => {
    const { length } = shownText(heading);
    return length > 0 && length <= maxHeading && heading !== element && isWithin(heading, element);
  };
  const areHeadings = found.length === grid.rows.length && new Set(found).size > 1 && found.every(isHeading);
  return first === undefined || !areHeadings
    ? []
    : [toPlace({ source: { above: singleCell }, names: getNames(first) }, 0)];
}

const toPlace = (place: Pick<Place, 'source' | 'names'>, index: number): Place => ({
  ...place,
  label: labels[index] ?? '',
  isSection: true,
});

/** Whether a recipe that reads above the rows finds these headings, with a text. */
const areAbove = (
  found: readonly (Element | undefined)[],
  above: string,
  tables: readonly HeadedTable[],
  headings: Headings,
): boolean =>
  tables.every(({ grid }, index) => {
    const heading = found[index];
    return (
      heading !== undefined &&
      shownText(heading) !== '' &&
      grid.rows.every(({ element }) => headings.before(element, above) === heading)
    );
  });
