/** Headings above groups of rows that apply to each row below: a day, a section, a department. */
import type { CheerioAPI } from 'cheerio/slim';
import { is } from 'cheerio-select';
import type { Element } from 'domhandler';
import { getElements, getParent, isWithin, shownText, tagWithClass } from '../../page/elements.ts';
import { addTo } from '../../page/grouping.ts';
import { tabAround, tabSelectors } from '../../page/panels.ts';
import { getNames } from '../../page/slot-names.ts';
import { fewerHeadings, Headings, headingTags } from '../../recipes/headings.ts';
import type { Place } from './place.ts';

const maxLength = 200;
const maxLevels = 6;
const headingTag = /^(?:h[1-6]|caption|summary|legend|dt|strong|b|p|div|tr|li|time)$/;

/** A heading is short and in an element of its own. */
const isHeading = (element: Element) => {
  if (!headingTag.test(element.name)) return false;
  const text = shownText(element);
  if (text === '' || text.length > maxLength) return false;
  if (element.name === 'tr')
    return getElements(element).filter((cell) => shownText(cell) !== '').length === 1;
  return getElements(element).every((child) => !/^(?:div|p|ul|ol|table|h[1-6])$/.test(child.name));
};

/** Rows of a table with one cell. */
export const singleCell = 'tr:has(> :only-child)';

/** Tag and class, by which headings of one kind are found. */
const selectorFor = (element: Element) => {
  const select = tagWithClass(element);
  return select === 'tr' ? singleCell : select;
};

/** Elements between the rows, by their selectors, in the order of the page. */
function between(rows: ReadonlySet<Element>, container: Element): Map<string, Element[]> {
  const elementsBySelector = new Map<string, Element[]>();
  const walk = (element: Element, depth: number) => {
    for (const child of getElements(element)) {
      if (rows.has(child)) continue;
      const selector = isHeading(child) ? selectorFor(child) : undefined;
      if (selector !== undefined) addTo(elementsBySelector, selector, child);
      else if (depth < 6) walk(child, depth + 1);
    }
  };
  walk(container, 0);
  return elementsBySelector;
}

/** The tabs that show the rows, where these stand in several panels. */
export function tabPlaces(rows: readonly Element[]): Place[] {
  const tabs = rows.map(tabAround);
  const [first] = tabs;
  const above = tabSelectors.find((selector) => tabs.every((tab) => tab !== undefined && is(tab, selector)));
  if (first === undefined || above === undefined || new Set(tabs).size < 2) return [];
  return [{ source: { above }, label: '', names: ['tab'], isSection: true }];
}

/** `most`: the most headings that belong to rows, and not to one of them. */
export function placesAbove(
  rows: readonly (readonly Element[])[],
  html: CheerioAPI,
  most = rows.length * fewerHeadings,
): Place[] {
  const members = new Set(rows.flat());
  const heads = rows.flatMap(([first]) => first ?? []);
  const tabs = tabPlaces(heads);
  if (tabs.length > 0) return tabs;
  const headings = new Headings(html);
  let container = heads[0] === undefined ? null : getParent(heads[0]);
  for (let level = 0; level < maxLevels && container !== null && container.name !== 'html'; level++) {
    const inside = container;
    for (const [select, elements] of between(members, inside)) {
      const [element] = elements;
      if (element === undefined || elements.length < 2 || elements.length > most) continue;
      const above = heads.map((row) => headings.before(row, select));
      // An element in a row or around one is no heading.
      const areBetween = heads.every((row, index) =>
        elements.some((element) => element === above[index] && !isWithin(row, element)),
      );
      if (areBetween && new Set(above).size > 1)
        return [
          {
            source: { above: select },
            label: '',
            names: getNames(element),
            ...(headingTags.includes(element.name) && { isSection: true }),
          },
        ];
    }
    container = getParent(container);
  }
  return [];
}
