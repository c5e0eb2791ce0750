/** Labels and their values in a page about one thing: `<dt>` and `<dd>`, boxes of two, "Label: value" in one element. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { isSynonym, toConcepts } from '../../catalog/synonyms.ts';
import { tagWithClass } from '../../page/class-names.ts';
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
} from '../../page/elements.ts';
import { toStringLiteral } from '../../page/text.ts';
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

/** The element before this one, if it is a label: `<dt>`, `<th>`, a text with a colon, or the first of a pair. */
function labelBefore(element: Element): Element | undefined {
  const before = previousElement(element, 'by no text');
  const parent = getParent(element);
  if (before === undefined || parent === null || /^(?:th|dt)$/.test(element.name)) return undefined;
  const text = shownText(before);
  if (!isLabel(text) || getElements(before).length > 2) return undefined;
  if (/^(?:dt|th)$/.test(before.name) || /:$/.test(text)) return before;
  // Looked at from its ends: an element may have 90,000 children, each of which is asked about.
  const isPair = previousElement(before) === undefined && isLast(element) && ownText(parent) === '';
  return isPair && !/^(?:a|h1)$/.test(before.name) ? before : undefined;
}

const containing = (text: string) => `:contains(${toStringLiteral(text)})`;

function placesBefore(label: Element, element: Element, html: CheerioAPI): Place[] {
  const text = shownText(label);
  const select = [tagWithClass(label), getTag(label)]
    .map((start) => `${start}${containing(text)} + ${getTag(element)}`)
    .find((selector) => html(selector).get(0) === element);
  return select === undefined ? [] : [toPlace(select, text)];
}

const stated = /(?<![\p{L}\p{N}])(\p{L}[\p{L}\p{M}’' ./&-]{1,30}?)\s*:\s*(?=\S)/gu;
/** "Serves 4", "Cook time 20 min". */
const counted = /^((?:\p{L}+ ){1,3}?)(?=\d)/u;

type Label = Pick<Place, 'label' | 'match'> & { readonly line?: number };

/** The labels in a text, each with the pattern of the text up to the next label. */
function labelsIn(element: Element, text: string): Label[] {
  const labels = [...text.matchAll(stated)].map(
    ([, label = '']) => label.match(/(?:^|\s)(\p{Lu}.*)$/u)?.[1] ?? label,
  );
  if (labels.length > 0) {
    const end = `[\\s|•·;,]*(?:(?:${labels.map(literally).join('|')})\\s*:|$)`;
    return labels.map((label) => ({ label, match: `(?:^|\\s)${literally(label)}\\s*:\\s*(.+?)${end}` }));
  }
  const [first, ...others] = getElements(element);
  const lead = first === undefined || first.name === 'a' || ownText(element) === '' ? '' : shownText(first);
  const leads = [first, ...others].flatMap((child) =>
    child?.name === first?.name && child !== undefined ? shownText(child) : [],
  );
  if (lead !== '' && leads.length > 1 && leads.every(isLabel)) {
    const end = `(?:\\s(?:${leads.map(literally).join('|')})\\s|$)`;
    return leads.map((label) => ({ label, match: `(?:^|\\s)${literally(label)}\\s+(.+?)${end}` }));
  }
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
  // Elements with pairs of their own are visited themselves, and so are values with a label of their own.
  if (element.name === 'dl' || getElements(element).some(holdsPair)) return [];
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
  return [...placesByLabel.values()];
}
