/** What the page calls the values at a place, and whether two places say one thing. */
import { type Element, isText } from 'domhandler';
import { classWords, collapse, getClasses, getParent, isWithin, shownText, testNames } from './elements.ts';
import { isStruck } from './inline.ts';
import { contactIn, isDrawing, type Slot, type SlotGroup } from './slots.ts';

const maxAmount = 40;
const isShown = ({ what }: Slot) => what === 'text' || what === 'own' || what === 'line';

/** A number or an amount, such as "10", "$10.00" or "from 10 kg". */
const isAmount = ({ value }: Slot) => /\d/.test(value) && value.length <= maxAmount;

/** Whether one text is part of the other. */
const overlap = ({ element, what }: Slot, other: Slot) =>
  element === other.element || (what !== 'own' && isWithin(other.element, element));

/**
 * Whether two places say one thing, if their values are equal in all rows. Amounts, neighbours and what has other names are
 * two values that are equal today: a list price and a sale price.
 */
export function sayOneThing(one: SlotGroup, other: SlotGroup): boolean {
  const [first, second] = [one.perRow.flat(), other.perRow.flat()];
  const [slot, twin] = [first[0], second[0]];
  if (slot === undefined || twin === undefined) return true;
  if (!isShown(slot) || !isShown(twin) || overlap(slot, twin)) return true;
  if (getParent(slot.element) === getParent(twin.element) || isAmount(slot)) return false;
  const names = [labelOf(first) || getNames(slot.element)[0], labelOf(second) || getNames(twin.element)[0]];
  return names.includes(undefined) || names[0] === names[1];
}

/** The value that most slots share. */
function common(slots: readonly Slot[], read: (slot: Slot) => string): string {
  const counts = new Map<string, number>();
  const some = slots.slice(0, 20);
  for (const slot of some) counts.set(read(slot), (counts.get(read(slot)) ?? 0) + 1);
  const [value = '', count = 0] = [...counts].sort(([, one], [, other]) => other - one)[0] ?? [];
  return count * 2 > some.length ? value : '';
}

const tagNames: Readonly<Record<string, string>> = {
  time: 'date',
  address: 'address',
  cite: 'author',
  'mailto:': 'email',
  'tel:': 'phone',
};

/** What microdata, RDFa, class names and attributes call an element, the most telling first. */
export function getNames(element: Element): string[] {
  const { attribs, name } = element;
  const stated = attribs.itemprop ?? attribs.property?.replace(/^\w+:/, '') ?? '';
  const inWords = (name: string | undefined) => (name === undefined ? '' : classWords([name]).join(' '));
  return [
    stated,
    attribs['data-field'] ?? '',
    attribs['data-label'] ?? '',
    ...[...testNames.map((name) => attribs[name]), ...getClasses(element)].map(inWords),
    attribs.rel ?? '',
    tagNames[contactIn(element)?.scheme ?? name] ?? '',
    isStruck(element) ? 'old' : '',
  ].filter((text) => text !== '' && text.length <= 40);
}

/** The element's own names, and those of ancestors that hold it alone. */
export function namesOf({ element, around: outer }: Slot, root: Element | undefined): string[] {
  const whole = outer?.element ?? element;
  const names = getNames(element);
  let node = element === root ? null : getParent(element);
  const isAlone = (around: Element) =>
    around !== root &&
    (isWithin(around, whole) || shownText(around) === shownText(whole)) &&
    !isDrawing(around);
  for (; node !== null && isAlone(node); node = getParent(node)) names.push(...getNames(node));
  return [...new Set(names)];
}

/** The share of rows by which a text is a name. */
const nearlyAll = 0.9;
/** A link text that is the same in all rows names the link's target: "PDF". */
const linkText = ({ what, element }: Slot) => {
  const text = what === 'url' ? shownText(element) : '';
  return text.length <= 30 ? text : '';
};

/** One that only most rows have is a value of theirs, such as a tag. */
function sameLinkText(slots: readonly Slot[]): string {
  const text = common(slots, linkText);
  return slots.filter((slot) => linkText(slot) === text).length >= slots.length * nearlyAll ? text : '';
}

/** A text before the value that is the same in nearly all rows names the value. */
function labelBefore(slots: readonly Slot[]): string {
  if (slots.length < 3) return '';
  const text = common(slots, ({ before }) => before);
  const isSame = slots.filter(({ before }) => before === text).length >= slots.length * nearlyAll;
  return isSame && /\p{L}/u.test(text) ? text.replace(/\s*:$/, '') : '';
}

/** What the page calls the values at a place; empty if it has no name for them. */
export function labelOf(present: readonly Slot[]): string {
  // Of two texts that never change, neither names the other.
  const isSame = present.every(({ value }) => value === present[0]?.value);
  const before = isSame ? '' : labelBefore(present);
  // Rows that leave a pair out have other labels here: the values are of several kinds.
  if (new Set(present.flatMap(({ label }) => label || [])).size > 1) return '';
  return common(present, ({ label }) => label) || before || sameLinkText(present);
}

/** What divides the values of a line. */
export const inLine = /[·•|;,/()–—]/;

/** The words right before a value in its line, or before a day in its own text: "Posted" of "Posted <time>3 Nov</time>". */
function wordsBefore({ element }: Slot): string {
  const { prev } = element;
  const before = prev !== null && isText(prev) ? prev.data : '';
  const own = element.name === 'time' ? (/^[\p{L} ]+(?=[\s:]+\d)/u.exec(shownText(element))?.[0] ?? '') : '';
  const words = before.split(inLine).at(-1) ?? '';
  return collapse(`${words} ${own}`).replace(/\s*:$/, '');
}

const mostLineLabels = 3;
/** What the line of a value calls it in each row: one label, or a few; none where these are no labels. */
export function lineLabelsOf(present: readonly Slot[]): readonly string[] {
  const labels = present.map(wordsBefore);
  const isLabel = (words: string) => /^\p{L}{3}[\p{L} ]*$/u.test(words) && words.length <= maxAmount;
  const distinct = new Set(labels).size;
  const areFew = distinct === 1 || (distinct <= mostLineLabels && distinct < present.length);
  return present.length > 1 && areFew && labels.every(isLabel) ? labels : [];
}
