/** Labels and their values in a page about one thing: by their tags, their classes, their look, or a form that repeats. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { stableClasses } from './class-names.ts';
import { classesOf, elementsOf, hasOwnText, quoted, shownText, tagOf } from './elements.ts';
import { formedLabel, labelTextOf } from './labels.ts';
import { parentOf } from './surroundings.ts';

export interface LabelledValue {
  readonly label: string;
  readonly element: Element;
  readonly select: string;
  /** Of a value that is a list: what finds its items. */
  readonly items: string | undefined;
}

const maxPairs = 60;
/** Elements looked at. */
const maxElements = 5_000;
/** Labels for which a selector is sought. */
const maxTries = 150;
/** Siblings looked at to tell the form of one. */
const maxSiblings = 60;
const maxLabel = 40;
/** Characters of a text below a heading; what is longer is a section of its own. */
const maxBelowHeading = 200;
const maxItem = 300;

const elsewhere = 'nav, header, footer, aside, form, [role="navigation"]';

/** Rows of two cells of which at least three begin with a label of their own: data about one thing. */
function isSheet(row: Element): boolean {
  const rows = elementsOf(parentOf(row) ?? row)
    .slice(0, maxSiblings)
    .filter(({ name }) => name === 'tr');
  const firsts = rows.map((each) => {
    const [first, second, third] = elementsOf(each);
    return second === undefined || third !== undefined || first === undefined ? '' : labelOf(first);
  });
  const told = firsts.filter((text) => text !== '');
  return told.length >= 3 && told.length >= rows.length * 0.8 && new Set(told).size === told.length;
}
/** A short text without digits, in bold or not. */
const labelOf = (cell: Element): string => {
  const text = shownText(cell);
  return text.length <= maxLabel && /^\p{L}[^\d]*$/u.test(text) ? text : '';
};

/** A heading of few words names what is below; a longer one is what it is about. */
const isShort = (heading: Element) => {
  const text = shownText(heading);
  return labelOf(heading) !== '' && text.split(' ').length <= 3;
};

/** Nodes in a box of a label and a value, comments and empty texts among them. */
const maxInBox = 20;
/** Boxes beside each other; more of them are a list of its own. */
const maxBoxes = 400;

const boxKey = (box: Element) => {
  const [first, second] = elementsOf(box);
  return `${box.name} ${first?.name}.${classesOf(first ?? box)[0] ?? ''} ${second?.name}`;
};
/** Boxes beside each other, each of a label and a value alone. */
function isBox(box: Element): boolean {
  const around = parentOf(box) ?? box;
  if (around.children.length > maxBoxes) return false;
  const siblings = elementsOf(around).filter(
    (other) => other.name === box.name && elementsOf(other).length === 2 && boxKey(other) === boxKey(box),
  );
  const labels = siblings.map((other) => labelTextOf(elementsOf(other)[0] ?? other) ?? '');
  return (
    labels.length >= 3 && labels.every((label) => label !== '') && new Set(labels).size === labels.length
  );
}

/** What names the element from before it. */
function labelBefore(element: Element): Element | undefined {
  const parent = parentOf(element);
  let before = element.prev;
  while (before !== null && before.type !== 'tag') {
    if (before.type === 'text' && /[\p{L}\p{N}]/u.test(before.data)) return undefined;
    before = before.prev;
  }
  if (parent === null || before === null || before.type !== 'tag') return undefined;
  const formed = formedLabel(element);
  const [first, second, third] = parent.children.length > maxInBox ? [] : elementsOf(parent);
  const isPair = first === before && second === element && third === undefined && !hasOwnText(parent);
  if (formed !== undefined && (isPair || /^(?:dt|th)$/.test(before.name) || /:$/.test(formed.text)))
    return before;
  if (parent.name === 'tr') return isPair && isSheet(parent) ? before : undefined;
  if (/^h[2-6]$/.test(before.name))
    return isShort(before) &&
      /^(?:ul|ol|p|div|address)$/.test(element.name) &&
      (isList(element) || shownText(element).length <= maxBelowHeading)
      ? before
      : undefined;
  return isPair && isBox(parent) ? before : undefined;
}

/** Several elements of one kind and nothing else. */
function isList(element: Element): boolean {
  const children = elementsOf(element);
  const [first] = children;
  return (
    first !== undefined &&
    !hasOwnText(element) &&
    children.length > (first.name === 'li' ? 0 : 1) &&
    /^(?:li|div|span|a|p)$/.test(first.name) &&
    children.every(
      (child) =>
        child.name === first.name &&
        classesOf(child)[0] === classesOf(first)[0] &&
        shownText(child).length <= maxItem,
    )
  );
}

/** The first of each label, where a selector finds it. */
export function labelledValues(html: CheerioAPI): LabelledValue[] {
  const found = new Map<string, LabelledValue>();
  let tries = 0;
  for (const element of html<Element, string>('* + *').toArray().slice(0, maxElements)) {
    if (found.size >= maxPairs || tries >= maxTries) break;
    if (/^(?:script|style|br|hr|meta|link|template|noscript)$/.test(element.name)) continue;
    const before = labelBefore(element);
    if (before === undefined) continue;
    const label = shownText(before);
    const value = shownText(element);
    if (label === '' || label.length > maxLabel || value === '' || found.has(label)) continue;
    const isStated = /^(?:dt|th)$/.test(before.name);
    if (!isStated && html(element).closest(elsewhere).length > 0) continue;
    tries += 1;
    const [own] = stableClasses(classesOf(before));
    const tag = tagOf(before);
    const names = [tag, ...(own === undefined ? [] : [`${tag}.${own}`])];
    const select = names
      .map((name) => `${name}:contains(${quoted(label)}) + ${tagOf(element)}`)
      .find((one) => html(one).get(0) === element);
    if (select === undefined) continue;
    const [item] = elementsOf(element);
    const items = isList(element) && item !== undefined ? `${select} > ${tagOf(item)}` : undefined;
    found.set(label, { label, element, select, items });
  }
  return [...found.values()];
}
