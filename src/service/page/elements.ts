/** Elements of a page: their texts and places, and which of their class names describe them. */
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { getText as readText } from './text.ts';
import { toWords } from './words.ts';

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

/** Whether it is a cell that leaves its first line empty: below the heads "Arrival" and "Departure", the latter alone. */
function leavesFirstLine({ name, children }: Element): boolean {
  const first = children.find((node) => isTag(node) || (isText(node) && node.data.trim() !== ''));
  return /^t[dh]$/.test(name) && first !== undefined && isTag(first) && first.name === 'br';
}

/** The lines that the element shows. Only the first may be empty. */
export const getShownLines = (element: Element): string[] => [
  ...(leavesFirstLine(element) ? [''] : []),
  ...readText(element).split('\n').map(collapse).filter(Boolean),
];

/** The lines of an element with `<br>` in it; empty for other elements. */
export const getBreakLines = (element: Element): string[] =>
  getElements(element).some(({ name }) => name === 'br') ? getShownLines(element) : [];

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

/** The first heading in an element, or itself. */
export const headingIn = (element: Element): Element | undefined =>
  /^h[1-6]$/.test(element.name)
    ? element
    : getElements(element)
        .map(headingIn)
        .find((heading) => heading !== undefined);

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

const utility =
  /[:/[\]]|^-?[mp][trblxy]?-|^(?:[wh]|gap|space|text|font|bg|border|rounded|shadow|flex|grid|col|row|order|justify|items|align|float|d|sm|md|lg|xl|xs|top|left|right|bottom|z|opacity|leading|tracking|inline|max|min|overflow|cursor|transition|pull|push|color|muted|btn|lh|fs|fw|mb|mt|d|f)-[\w.-]+$|^has-[\w-]+-(?:size|color|background|family|align(?:ment)?)$|^(?:clearfix|flex|grid|row|col|hidden|visible|block|inline|relative|absolute|container|wrapper|wrap|inner|outer|clear|cf|odd|even|first|last|active|selected|current|left|right|center|bold|italic|small|large)$/;

/** Mixed letters and digits, or no vowels: generated by a tool. */
function looksGenerated(part: string): boolean {
  if (part.length < 3) return false;
  if (/\d/.test(part) && /\p{L}/u.test(part))
    return /\d\p{L}|\p{L}\d\p{L}|^\p{L}{0,2}\d{3,}|\p{L}\d{2,}$/u.test(part) && part.length >= 4;
  if (/^\d+$/.test(part)) return true;
  const mixed = /\p{Ll}\p{Lu}\p{Lu}|\p{Lu}\p{Ll}\p{Lu}|\p{Ll}\p{Lu}$/u.test(part);
  if (mixed && part.length <= 8) return true;
  return part.length >= 5 && !/[aeiouyäöüéè]/i.test(part);
}

/** `css-1x2y3z`, `sc-bdVaJa`, `Card_title__x8J2k`: the part before the generated one, or nothing. */
function isGenerated(name: string): boolean {
  if (/^(?:css|sc|jsx|jss|emotion|svelte|tw|chakra|styles?|astro|data-v)-/i.test(name)) return true;
  if (/^_/.test(name)) return true;
  return name.split(/[-_]+/).some(looksGenerated);
}

/** `Card_title__x8J2k` → `Card_title__`: the stable part of a CSS module's name. */
function modulePrefix(name: string): string | undefined {
  const [, prefix] = /^([A-Za-z][A-Za-z-]*_[A-Za-z][\w-]*?__)[A-Za-z0-9+_-]{4,}$/.exec(name) ?? [];
  return prefix;
}

/** Whether a class name can stand in a selector as it is. */
export const isSafe = (name: string): boolean => name.length <= 60 && /^-?[_\p{L}][\w\p{L}-]*$/u.test(name);

/** Microformats' names for the parts of an entry: `p-name`, `dt-published`. */
const microformat =
  /^(?:h|p|u|dt|e)-(?=(?:name|author|summary|category|location|rating|content|note|org|role|job-title|tel|email|street-address|locality|region|country-name|postal-code|price|brand|ingredient|yield|instructions|duration|nickname|given-name|family-name|published|updated|start|end|url|photo|entry|event|card|recipe|review|product|item)$)/;

/** Classes of a state that may change: `is-winner`, `has-image`. */
const state = /^(?:is|has|js|was|can|no)-/;

const isUtility = (name: string) => utility.test(name) && !microformat.test(name);

/** Class names that are safe in a selector; names of a state only where there are no others. */
export function stableClasses(names: readonly string[]): string[] {
  const stable = names.filter((name) => isSafe(name) && !isUtility(name) && !isGenerated(name));
  const lasting = stable.filter((name) => !state.test(name));
  return lasting.length > 0 ? lasting : stable;
}

/** A selector of the tag and its first stable class. */
export function tagWithClass(element: Element): string {
  const [name] = stableClasses(getClasses(element));
  return name === undefined ? getTag(element) : `${getTag(element)}.${name}`;
}

/** The words in class names, for naming a value. */
export function classWords(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const prefix = modulePrefix(name);
    if (prefix !== undefined) return toWords(prefix.replace(/^[A-Za-z]+_/, ''));
    if (isUtility(name) || isGenerated(name)) return [];
    if (microformat.test(name)) return toWords(name.replace(microformat, ''));
    // The block of `product-card__price--sale` names the row, so only the element counts; in `rating__value` the block is the name.
    const part = name.slice(name.lastIndexOf('__') + 2);
    return toWords(
      name.includes('__') && !/^(?:val|value|count|number|amount|num|total)s?(?:--|$)/.test(part)
        ? part
        : // `c-` for a component, `u-` for a utility.
          name.replace(/^(?:[a-z]|wp-block)-(?=[a-z])/, ''),
    );
  });
}

/** Attributes with what sites call their elements for tests of their own. */
export const testNames = ['data-testid', 'data-test-id', 'data-test', 'data-qa', 'data-cy'] as const;
