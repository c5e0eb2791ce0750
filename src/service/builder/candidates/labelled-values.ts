/** Labels and their values in a page about one thing: `<dt>` and `<dd>`, boxes of two, "Label: value" in one element. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { isSynonym, toConcepts } from '../../catalog/synonyms.ts';
import {
  getBreakLines,
  getElements,
  getParent,
  getTag,
  isWithin,
  literally,
  ownText,
  previousElement,
  shownText,
  tagWithClass,
} from '../../page/elements.ts';
import { containing } from '../../page/text.ts';
import { toWords } from '../../page/words.ts';
import type { Place } from '../columns/place.ts';

const maxPairs = 40;
/** Elements looked at. */
const maxElements = 6_000;
/** Labels for which a selector is sought. */
const maxTries = 200;
const maxLabel = 40;
const maxValue = 200;
/** Labels that occur more often belong to the rows of a list. */
const maxSame = 2;

const elsewhere = 'nav, body > header, footer, [role="navigation"], script, style, noscript';
const labelForm = /^\p{L}[\p{L}\p{M}’' ./()&-]{1,38}:?$/u;
const isLabel = (text: string) => text.length <= maxLabel && labelForm.test(text);

const toPlace = (select: string, label: string, more: Pick<Place, 'match'> = {}, line?: number): Place => ({
  source: { select, ...(line === undefined ? {} : { line }) },
  label: label.replace(/\s*:$/, ''),
  names: [],
  ...more,
});

const isLast = (element: Element): boolean => {
  let { next } = element;
  while (next !== null && !isTag(next)) next = next.next;
  return next === null;
};

/** Whether each begins with a label: two lines of "Label: value", of which the first has no value. */
const areAlike = (one: Element, other: Element) =>
  one.name === other.name &&
  [one, other].every((line) => /^\p{L}[\p{L}\p{M}’' ./()&-]{1,38}:/u.test(shownText(line)));

/** The element before this one, if it is a label: `<dt>`, `<th>`, a text with a colon, or the first of a pair. */
function labelBefore(element: Element): Element | undefined {
  const before = previousElement(element, 'by no text');
  const parent = getParent(element);
  if (before === undefined || parent === null || /^(?:th|dt)$/.test(element.name)) return undefined;
  const text = shownText(before);
  if (!isLabel(text) || getElements(before).length > 2 || areAlike(before, element)) return undefined;
  if (/^(?:dt|th)$/.test(before.name) || /:$/.test(text)) return before;
  // Looked at from its ends: an element may have 90,000 children, each of which is asked about.
  const isPair = previousElement(before) === undefined && isLast(element) && ownText(parent) === '';
  return isPair && !/^(?:a|h1)$/.test(before.name) ? before : undefined;
}

/** The elements of one label: the first, and those of its tag right behind it, up to the next label. */
function valuesOf(label: Element, first: Element): { readonly values: Element[]; readonly end?: Element } {
  const values = [first];
  // Siblings of one tag tell values from labels only where the label has another.
  if (label.name === first.name) return { values };
  for (let { next } = first; next !== null; next = next.next) {
    if (isText(next) && /[\p{L}\p{N}]/u.test(next.data)) return { values };
    if (!isTag(next)) continue;
    if (next.name !== first.name || /:$/.test(shownText(next))) return { values, end: next };
    values.push(next);
  }
  return { values };
}

function placesBefore(label: Element, element: Element, html: CheerioAPI): Place[] {
  const text = shownText(label);
  const { values, end } = valuesOf(label, element);
  const tag = getTag(element);
  const starts = [tagWithClass(label), getTag(label)].map((start) => `${start}${containing(text)}`);
  const isFound = (selector: string) => {
    const found = html(selector).toArray();
    return values.every((value, index) => value === found[index]) && found.length === values.length;
  };
  if (values.length === 1) {
    const select = starts.map((start) => `${start} + ${tag}`).find((one) => html(one).get(0) === element);
    return select === undefined ? [] : [toPlace(select, text)];
  }
  const stop = end === undefined ? undefined : getTag(end);
  const select = starts
    .map((start) => `${start} ~ ${tag}${stop === undefined ? '' : `:not(${start} ~ ${stop} ~ ${tag})`}`)
    .find(isFound);
  if (select === undefined) return [];
  const place = toPlace(select, text);
  return [{ ...place, source: { ...place.source, all: true } }];
}

const stated = /(?<![\p{L}\p{N}])(\p{L}[\p{L}\p{M}’' ./&-]{1,30}?)\s*:\s*(?=\S)/gu;
/** "Serves 4", "Cook time 20 min". */
const counted = /^((?:\p{L}+ ){1,3}?)(?=\d)/u;

type Label = Pick<Place, 'label' | 'match'> & { readonly line?: number };

/** Labels and values by turns, as in `<b>Length</b> 7 m <b>Built</b> 1998`: the labels are elements that look alike, or texts. */
function labelsByTurns({ children }: Element): string[] {
  const parts = children.filter((child) => shownText(child) !== '');
  const [first] = parts;
  if (first === undefined) return [];
  const isAlike = (part: AnyNode) =>
    isTag(first) && isTag(part) ? tagWithClass(part) === tagWithClass(first) : isTag(first) === isTag(part);
  const labels = parts.filter(isAlike);
  const haveValues = parts.every((part, index) => !isAlike(part) || !isAlike(parts[index + 1] ?? part));
  return haveValues && labels.map(shownText).every(isLabel) ? labels.map(shownText) : [];
}

/** The labels in a text, each with the pattern of the text up to the next label. */
function labelsIn(element: Element, text: string): Label[] {
  const marked = getElements(element)
    .map(shownText)
    .filter((one) => /:$/.test(one) && isLabel(one) && text.includes(one) && !text.endsWith(one));
  const labels =
    marked.length > 0
      ? marked.map((label) => label.replace(/\s*:$/, ''))
      : [...text.matchAll(stated)].map(([, label = '']) => label.match(/(?:^|\s)(\p{Lu}.*)$/u)?.[1] ?? label);
  if (labels.length > 0) {
    const end = `[\\s|•·;,]*(?:(?:${labels.map(literally).join('|')})\\s*:|$)`;
    // Right behind the label another one says that its value is empty.
    return labels.map((label) => ({ label, match: `(?:^|\\s)${literally(label)}\\s*:\\s*(.*?)${end}` }));
  }
  const turns = labelsByTurns(element)
    .filter((label) => text.includes(label))
    .map((label) => label.replace(/\s*:$/, ''));
  if (turns.length > 1) {
    const end = `[\\s|•·;,]*(?:\\s(?:${turns.map(literally).join('|')})\\s|$)`;
    return turns.map((label) => ({ label, match: `(?:^|\\s)${literally(label)}\\s+(.+?)${end}` }));
  }
  const [first] = getElements(element);
  // Several pairs in one element, whose texts do not tell labels from values.
  if (getElements(element).length > 2) return [];
  const lead = first === undefined || first.name === 'a' || ownText(element) === '' ? '' : shownText(first);
  const count = (counted.exec(text)?.[1] ?? '').trim();
  const isCount = toConcepts(count).length > 0 && toWords(count).some(isSynonym);
  const label = isLabel(lead) && text.startsWith(lead) && text !== lead ? lead : isCount ? count : '';
  return label === '' ? [] : [{ label, match: `^${literally(label)}\\s*(.+)$` }];
}

/** "Label: value" in one element, several of them in one text, or a label in bold before a text. */
function placesInside(element: Element, html: CheerioAPI): Place[] {
  const text = shownText(element);
  const holdsPair = (child: Element) =>
    getElements(child).length > 2 ||
    counted.test(shownText(child)) ||
    /\p{L}\s*:\s*\S/u.test(shownText(child));
  // Elements with pairs of their own are visited themselves.
  if (getElements(element).some((child) => /^(?:dt|th)$/.test(child.name) || holdsPair(child))) return [];
  const whole = labelsIn(element, text);
  const inLines = getBreakLines(element).flatMap((line, index) =>
    labelsIn(element, line).map((found) => ({ ...found, line: index + 1 })),
  );
  // A value ends with its line, unless the label has the line to itself.
  const labels: readonly Label[] = inLines.length >= whole.length ? inLines : whole;
  return labels.flatMap(({ label, match, line }) => {
    const plain = `${tagWithClass(element)}${containing(label)}`;
    const same = html(plain).toArray();
    if (same.filter((one) => shownText(one).length <= maxValue).length > maxSame) return [];
    const options = [plain];
    for (let node = getParent(element); node !== null && options.length < 4; node = getParent(node))
      options.push(`${tagWithClass(node)} ${plain}`);
    const select = options.find((selector) => html(selector).get(0) === element);
    return select === undefined ? [] : [toPlace(select, label, { match }, line)];
  });
}

const noValue = /^(?:br|hr|meta|link|img|h1|ul|ol|table|tbody)$/;

/** Labels before which other values stand too, as in the rows of a list: the first of them is not that of the page. */
function findRepeated(elements: readonly Element[]): ReadonlySet<string> {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  for (const element of elements) {
    const before = labelBefore(element);
    if (before === undefined) continue;
    const label = toPlace('', shownText(before)).label;
    const known = values.get(label);
    if (known === undefined) values.set(label, shownText(element));
    else if (known !== shownText(element)) repeated.add(label);
  }
  return repeated;
}

/** The first value of each label in the main part of the page that a selector can find. */
export function findLabelledValues(html: CheerioAPI): Place[] {
  const outside = html(elsewhere).toArray();
  const mayHoldValue = (element: Element) => {
    const text = shownText(element);
    if (noValue.test(element.name) || text === '' || text.length > maxValue) return false;
    const mayHave =
      getElements(element).length > 0 ||
      /\p{L}\s*:/u.test(text) ||
      counted.test(text) ||
      labelBefore(element) !== undefined;
    return mayHave && !outside.some((other) => isWithin(element, other));
  };
  const some = html<Element, string>('body *').toArray().slice(0, maxElements).filter(mayHoldValue);
  const placesByLabel = new Map<string, Place>();
  for (const element of some.slice(0, maxTries)) {
    if (placesByLabel.size >= maxPairs) break;
    const label = labelBefore(element);
    const places = label === undefined ? placesInside(element, html) : placesBefore(label, element, html);
    for (const place of places) if (!placesByLabel.has(place.label)) placesByLabel.set(place.label, place);
  }
  const repeated = findRepeated(some);
  return [...placesByLabel.values()].map((place) =>
    repeated.has(place.label) ? { ...place, isUncertain: true } : place,
  );
}
