/** Labels and their values in a page about one thing: `<dt>` and `<dd>`, boxes of two, "Label: value" in one element. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { isSynonym, toConcepts } from '../../goals/synonyms.ts';
import { toWords } from '../../goals/words.ts';
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
const maxTries = 200;
const maxLabel = 40;
const maxValue = 200;

const elsewhere = 'nav, body > header, footer, [role="navigation"], script, style, noscript';
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

const stated = /(?<![\p{L}\p{N}])(\p{L}[\p{L}\p{M}’' ./&-]{1,30}?)\s*:\s*(?=\S)/gu;
/** "Serves 4", "Cook time 20 min". */
const counted = /^((?:\p{L}+ ){1,3}?)(?=\d)/u;

/** The labels in a text, each with the pattern of what stands up to the next one. */
function labelsIn(element: Element, text: string): { readonly label: string; readonly match: string }[] {
  const labels = [...text.matchAll(stated)].flatMap(
    ([, label = '']) => label.match(/(?:^|\s)(\p{Lu}.*)$/u)?.[1] ?? label,
  );
  if (labels.length > 0) {
    const end = `[\\s|•·;,]*(?:(?:${labels.map(literally).join('|')})\\s*:|$)`;
    return labels.map((label) => ({ label, match: `(?:^|\\s)${literally(label)}\\s*:\\s*(.+?)${end}` }));
  }
  const [first] = elementsOf(element);
  const lead = first === undefined || first.name === 'a' ? '' : shownText(first);
  const isLed = lead !== '' && text.startsWith(lead) && text.length > lead.length && ownText(element) !== '';
  const count = (counted.exec(text)?.[1] ?? '').trim();
  const label =
    isLed && isLabel(lead)
      ? lead
      : toConcepts(count).length > 0 && toWords(count).some(isSynonym)
        ? count
        : '';
  return label === '' ? [] : [{ label, match: `^${literally(label)}\\s*(.+)$` }];
}

/** More of them are the labels of rows of a list. */
const maxSame = 2;

/** Ways to say "the element with this text", the plainest first. */
function selectorsWith(element: Element, text: string): string[] {
  const contains = `:contains(${quoted(text)})`;
  const [own] = stableClasses(classesOf(element));
  const plain = `${tagOf(element)}${own === undefined ? '' : `.${own}`}${contains}`;
  const found = [plain];
  let node = parentOf(element);
  for (let level = 0; level < 3 && node !== null; level++) {
    const [name] = stableClasses(classesOf(node));
    if (name !== undefined) found.push(`${tagOf(node)}.${name} ${plain}`);
    node = parentOf(node);
  }
  return found;
}

/** "Label: value" in one element, several of them in one text, or a label in bold before a text. */
function pairsInside(element: Element, html: CheerioAPI): Pair[] {
  const text = shownText(element);
  const holdsPair = (child: Element) =>
    counted.test(shownText(child)) || /\p{L}\s*:\s*\S/u.test(shownText(child));
  // Pairs that stand in elements of their own are read there.
  if (
    text.length > maxValue ||
    elementsOf(element).some((child) => elementsOf(child).length > 2 || holdsPair(child))
  )
    return [];
  return labelsIn(element, text).flatMap(({ label, match }): Pair[] => {
    const [plain = '', ...others] = selectorsWith(element, label);
    const same = html(plain)
      .toArray()
      .filter((one) => shownText(one).length <= maxValue);
    if (same.length > maxSame) return [];
    const select = [plain, ...others].find((selector) => html(selector).get(0) === element);
    return select === undefined ? [] : [{ label: label.replace(/\s*:$/, ''), select, match }];
  });
}

export interface LabelledPlace extends Place {
  /** The part of the text behind the label. */
  readonly match?: string | undefined;
}

const noValue = /^(?:br|hr|meta|link|img|h1|ul|ol|table|tbody)$/;

/** The elements that may hold a value and its label, in the main part of the page. */
function elementsWithValues(html: CheerioAPI): Element[] {
  const outside = new Set(html(elsewhere).toArray());
  const isOutside = (element: Element) => {
    for (let node: Element | null = element; node !== null; node = parentOf(node))
      if (outside.has(node)) return true;
    return false;
  };
  const some = html<Element, string>('body *').toArray().slice(0, maxElements);
  return some.filter((element) => {
    const text = shownText(element);
    if (noValue.test(element.name) || text === '' || text.length > maxValue) return false;
    const mayHave = labelBefore(element) !== undefined || /\p{L}\s*:/u.test(text);
    return (mayHave || elementsOf(element).length > 0 || counted.test(text)) && !isOutside(element);
  });
}

/** The first of each label, where a selector finds it. */
export function findLabelledValues(html: CheerioAPI): LabelledPlace[] {
  const found = new Map<string, Pair>();
  for (const element of elementsWithValues(html).slice(0, maxTries)) {
    if (found.size >= maxPairs) break;
    const before = pairBefore(element, html);
    for (const pair of before === undefined ? pairsInside(element, html) : [before])
      if (!found.has(pair.label)) found.set(pair.label, pair);
  }
  return [...found.values()].map(({ label, select, match }) => ({
    source: { select },
    label,
    names: [],
    match,
  }));
}
