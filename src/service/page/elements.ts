/** Elements of a page: their classes, texts and places. */
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { getText as readText } from './text.ts';

export const getClasses = (element: Element): string[] =>
  (element.attribs.class ?? '').split(/\s+/).filter((name) => name !== '');

export const collapse = (value: string) => value.replace(/\s+/g, ' ').trim();

const texts = new WeakMap<AnyNode, string>();
/** The text as a reader sees it, in one line. Kept for each element, because many steps ask for it. */
export function shownText(node: AnyNode): string {
  const cached = texts.get(node);
  if (cached !== undefined) return cached;
  const text = collapse(readText(node));
  texts.set(node, text);
  return text;
}

/** The lines of an element with `<br>` in it; empty for other elements. */
export const getBreakLines = (element: Element): string[] =>
  getElements(element).some(({ name }) => name === 'br')
    ? readText(element).split('\n').map(collapse).filter(Boolean)
    : [];

export const getElements = ({ children }: Pick<Element, 'children'>): Element[] => children.filter(isTag);

/** The element's own text, without that of child elements. */
export const ownText = (element: Element) =>
  collapse(element.children.map((child) => (isText(child) ? child.data : ' ')).join(' '));

/** Among the siblings of its tag, from 1. */
export const getPosition = (element: Element): number => {
  let position = 1;
  for (let before = element.prev; before !== null; before = before.prev)
    if (isTag(before) && before.name === element.name) position += 1;
  return position;
};

/** The element around a node; null at the top. */
export const getParent = ({ parent }: AnyNode): Element | null =>
  parent !== null && isTag(parent) ? parent : null;

/** All that these stand in. Each is visited once, however deep they are. */
export function elementsAround(elements: Iterable<Element>): Set<Element> {
  const around = new Set<Element>();
  for (const element of elements)
    for (let node = getParent(element); node !== null && !around.has(node); node = getParent(node))
      around.add(node);
  return around;
}

/** The sibling element right before it; with `by no text`, undefined where a text stands between them. */
export function previousElement(element: Element, apart?: 'by no text'): Element | undefined {
  let { prev } = element;
  for (; prev !== null && !isTag(prev); prev = prev.prev)
    if (apart !== undefined && isText(prev) && /[\p{L}\p{N}]/u.test(prev.data)) return undefined;
  return prev ?? undefined;
}

/** The sibling element right after it. */
export function nextElement({ next }: Element): Element | undefined {
  let after = next;
  while (after !== null && !isTag(after)) after = after.next;
  return after ?? undefined;
}

/** Whether the element is inside `around` or the same. */
export function isWithin(element: Element, around: AnyNode): boolean {
  for (let node: Element | null = element; node !== null; node = getParent(node))
    if (node === around) return true;
  return false;
}

/** Whether there is a value: a text, a number, a list with something in it. */
export const isPresent = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

/** A tag as selectors write it. The colon in `o:p`, which word processors leave in pages, is escaped. */
export const getTag = ({ name }: Element): string => name.replace(/[^\w-]/g, '\\$&');

/** A regular expression that matches the text as it is. */
export const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
