/** The surroundings of an element: navigation, the heading above it. */
import type { Element } from 'domhandler';
import { getElements, getParent, previousElement, shownText } from './elements.ts';

const navigation =
  /(?:^|[-_ ])(?:nav|navbar|navigation|menu|breadcrumbs?|pagination|pager|footer|header|sidebar|social|share|toolbar|tabs?|cookies?|languages?|filters?|facets?)(?:$|[-_ ])/i;

/** Characters of text in links. */
const linkedLength = (element: Element): number =>
  element.name === 'a'
    ? shownText(element).length
    : getElements(element).reduce((sum, child) => sum + linkedLength(child), 0);

const isCard = (element: Element): boolean => {
  const heading = headingIn(element);
  return heading !== undefined && shownText(element).length >= shownText(heading).length + 12;
};
const headingIn = (element: Element): Element | undefined =>
  /^h[1-6]$/.test(element.name)
    ? element
    : getElements(element)
        .map(headingIn)
        .find((heading) => heading !== undefined);

/** Whether it is in a menu, a sidebar, a footer: by the tags around it, or by class names alone. */
function asideBy(element: Element | undefined): 'tag' | 'name' | undefined {
  let isNamed = false;
  let node = element ?? null;
  for (; node !== null && node.name !== 'body' && node.name !== 'main'; node = getParent(node)) {
    if (/^(?:nav|footer)$/.test(node.name)) return 'tag';
    if (node.name === 'header' && getParent(node)?.name === 'body') return 'tag';
    const { class: classes = '', id = '', role = '' } = node.attribs;
    if (node.name === 'aside' || navigation.test(`${classes} ${id} ${role}`)) isNamed = true;
  }
  return isNamed ? 'name' : undefined;
}

export const isBesideContent = (element: Element): boolean => asideBy(element) !== undefined;

/** Whether the elements are a menu, breadcrumbs or a footer: by tags, or by class names where nearly all text is in links. */
export function isNavigation(members: readonly Element[]): boolean {
  const aside = asideBy(members[0]);
  if (aside !== 'name') return aside === 'tag';
  const some = members.slice(0, 10);
  // A card may be a single link around a heading and a text; that is not a menu.
  if (some.filter(isCard).length * 2 > some.length) return false;
  const length = some.reduce((sum, member) => sum + shownText(member).length, 0);
  return some.reduce((sum, member) => sum + linkedLength(member), 0) >= length * 0.8;
}

/** The heading before the element or before its ancestors; empty if there is none near. */
export function headingAbove(element: Element): string {
  let node: Element | null = element;
  for (let level = 0; level < 6 && node !== null && node.name !== 'body'; level++, node = getParent(node)) {
    let before = previousElement(node);
    for (let steps = 0; before !== undefined && steps < 6; steps++, before = previousElement(before)) {
      const heading = headingIn(before);
      if (heading !== undefined && shownText(heading) !== '') return shownText(heading).slice(0, 100);
    }
  }
  return '';
}
