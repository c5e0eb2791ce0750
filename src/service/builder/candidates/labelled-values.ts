/** Labels and their values in a page about one thing: `<dt>` and `<dd>`, boxes of two, "Label: value" in one element. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { stableClasses } from '../page/class-names.ts';
import {
  classesOf,
  elementsOf,
  literally,
  ownText,
  previousElement,
  quoted,
  shownText,
  tagOf,
} from '../page/elements.ts';
import { parentOf } from '../page/surroundings.ts';
import type { Place } from './candidate.ts';

const maxPairs = 40;
/** Elements looked at. */
const maxElements = 6_000;
/** Labels for which a selector is sought. */
const maxTries = 120;
const maxLabel = 40;
const maxValue = 200;

const elsewhere = 'nav, header, footer, aside, form, [role="navigation"], script, style, noscript';
const labelForm = /^\p{L}[\p{L}\p{M}’' ./()&-]{1,38}:?$/u;

interface Pair {
  readonly label: string;
  readonly select: string;
  readonly match?: string;
}

const isLabel = (text: string) => text.length <= maxLabel && labelForm.test(text);
const hasTextBetween = (element: Element) => {
  for (let before = element.prev; before !== null && !isTag(before); before = before.prev)
    if (before.type === 'text' && /[\p{L}\p{N}]/u.test(before.data)) return true;
  return false;
};

/** The element before this one names it: a `<dt>`, a heading cell, a text with a colon, or the first of a box of two. */
function labelBefore(element: Element): Element | undefined {
  const before = previousElement(element);
  const parent = parentOf(element);
  if (before === undefined || parent === null || hasTextBetween(element)) return undefined;
  const text = shownText(before);
  if (!isLabel(text) || elementsOf(before).length > 2 || /^(?:th|dt)$/.test(element.name)) return undefined;
  if (/^(?:dt|th)$/.test(before.name) || /:$/.test(text)) return before;
  const isPair = elementsOf(parent).length === 2 && ownText(parent) === '';
  return isPair && before.name !== 'a' && !/^h1$/.test(before.name) ? before : undefined;
}

/** Finds the label's element by what it says. */
const labelSelector = (label: Element) => {
  const [own] = stableClasses(classesOf(label));
  const contains = `:contains(${quoted(shownText(label))})`;
  return own === undefined
    ? [`${tagOf(label)}${contains}`]
    : [`${tagOf(label)}.${own}${contains}`, `${tagOf(label)}${contains}`];
};

function pairBefore(element: Element, html: CheerioAPI): Pair | undefined {
  const label = labelBefore(element);
  const value = shownText(element);
  if (label === undefined || value === '' || value.length > maxValue) return undefined;
  const text = shownText(label).replace(/\s*:$/, '');
  const select = labelSelector(label)
    .map((selector) => `${selector} + ${tagOf(element)}`)
    .find((selector) => html(selector).get(0) === element);
  return select === undefined ? undefined : { label: text, select };
}

/** "Label: value" in one element, or a label in bold before a text. */
function pairInside(element: Element, html: CheerioAPI): Pair | undefined {
  const text = shownText(element);
  if (text.length > maxValue || elementsOf(element).some((child) => elementsOf(child).length > 2))
    return undefined;
  const [first] = elementsOf(element);
  const lead = first === undefined || first.name === 'a' ? '' : shownText(first);
  const isLed = lead !== '' && text.startsWith(lead) && text.length > lead.length && ownText(element) !== '';
  const [, stated] = /^(\p{L}[\p{L}\p{M}’' ./&-]{1,30}?)\s*:\s*\S/u.exec(text) ?? [];
  const label = stated ?? (isLed && isLabel(lead) ? lead.replace(/\s*:$/, '') : undefined);
  if (label === undefined) return undefined;
  const [own] = stableClasses(classesOf(element));
  const contains = `:contains(${quoted(label)})`;
  const select = [`${tagOf(element)}${own === undefined ? '' : `.${own}`}${contains}`].find(
    (selector) => html(selector).get(0) === element,
  );
  return select === undefined ? undefined : { label, select, match: `^${literally(label)}\\s*:?\\s*(.+)$` };
}

export interface LabelledPlace extends Place {
  /** The part of the text behind the label. */
  readonly match?: string | undefined;
}

/** The first of each label, where a selector finds it. */
export function findLabelledValues(html: CheerioAPI): LabelledPlace[] {
  const found = new Map<string, Pair>();
  let tries = 0;
  const outside = new Set(html(elsewhere).toArray());
  const isOutside = (element: Element) => {
    for (let node: Element | null = element; node !== null; node = parentOf(node))
      if (outside.has(node)) return true;
    return false;
  };
  for (const element of html<Element, string>('body *').toArray().slice(0, maxElements)) {
    if (found.size >= maxPairs || tries >= maxTries) break;
    if (/^(?:br|hr|meta|link|img|h1|ul|ol|table|tbody)$/.test(element.name)) continue;
    const text = shownText(element);
    if (
      text === '' ||
      text.length > maxValue ||
      (labelBefore(element) === undefined && !/:|^\p{L}/u.test(text))
    )
      continue;
    if (isOutside(element)) continue;
    if (labelBefore(element) !== undefined || /\p{L}\s*:/u.test(text) || elementsOf(element).length > 0)
      tries += 1;
    const pair = pairBefore(element, html) ?? pairInside(element, html);
    if (pair !== undefined && !found.has(pair.label)) found.set(pair.label, pair);
  }
  return [...found.values()].map(({ label, select, match }) => ({
    source: { select },
    label,
    names: [],
    match,
  }));
}
