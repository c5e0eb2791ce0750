/** What is around an element: its parent, navigation, the words that name it. */
import { type AnyNode, type Element, isTag } from 'domhandler';
import { elementsOf, shownText } from './elements.ts';

const navigation =
  /(?:^|[-_ ])(?:nav|navbar|navigation|menu|breadcrumbs?|pagination|pager|footer|header|sidebar|social|share|toolbar|tabs?|cookies?|languages?|filters?|facets?)(?:$|[-_ ])/i;
/** The element around a node; null at the top. */
export const parentOf = ({ parent }: AnyNode): Element | null =>
  parent !== null && isTag(parent) ? parent : null;

/** Characters of text in links. */
const linkedLength = (element: Element): number =>
  element.name === 'a'
    ? shownText(element).length
    : elementsOf(element).reduce((sum, child) => sum + linkedLength(child), 0);

const isCard = (element: Element): boolean => {
  const heading = headingIn(element);
  return heading !== undefined && shownText(element).length >= shownText(heading).length + 12;
};
const headingIn = (element: Element): Element | undefined =>
  /^h[1-6]$/.test(element.name)
    ? element
    : elementsOf(element)
        .map(headingIn)
        .find((heading) => heading !== undefined);

/** In a menu, a sidebar, a footer: what the tags and class names say. */
export function isBesideContent(element: Element): boolean {
  for (let node: Element | null = element; node !== null && node.name !== 'body'; node = parentOf(node)) {
    if (/^(?:nav|footer|aside)$/.test(node.name)) return true;
    if (node.name === 'header' && parentOf(node)?.name === 'body') return true;
    if (node.name === 'main') return false;
    if (navigation.test(`${node.attribs.class ?? ''} ${node.attribs.id ?? ''} ${node.attribs.role ?? ''}`))
      return true;
  }
  return false;
}

/** Menus, breadcrumbs, footers: what the tags say, or the class names where next to all is links. */
export function isNavigation(members: readonly Element[]): boolean {
  const [first = null] = members;
  let isNamed = false;
  for (let node: Element | null = first; node !== null; node = parentOf(node)) {
    if (node.type !== 'tag') break;
    if (node.name === 'nav' || node.name === 'footer') return true;
    if (node.name === 'header' && parentOf(node)?.name === 'body') return true;
    if (node.name === 'body' || node.name === 'main') break;
    const words = `${node.attribs.class ?? ''} ${node.attribs.id ?? ''} ${node.attribs.role ?? ''}`;
    if (navigation.test(words)) isNamed = true;
  }
  if (!isNamed) return false;
  const some = members.slice(0, 10);
  // Cards that are links as a whole: a heading with something below it.
  if (some.filter(isCard).length * 2 > some.length) return false;
  const length = some.reduce((sum, member) => sum + shownText(member).length, 0);
  return length === 0 || some.reduce((sum, member) => sum + linkedLength(member), 0) >= length * 0.8;
}

/** The heading that stands before an element, or before what it is in; empty where there is none near. */
export function headingAbove(element: Element): string {
  let node: Element | null = element;
  for (let level = 0; level < 6 && node !== null && node.name !== 'body'; level++) {
    let steps = 0;
    for (let before = node.prev; before !== null && steps < 12; before = before.prev, steps++) {
      if (!isTag(before)) continue;
      const heading = headingIn(before);
      if (heading !== undefined && shownText(heading) !== '') return shownText(heading).slice(0, 100);
    }
    node = parentOf(node);
  }
  return '';
}
