/** What names a value in a row: a text or a sign before it, below it or in it. */
import { type Element, isTag, isText } from 'domhandler';
import { classesOf, elementsOf, hasOwnText, previousElement, quoted, shownText, tagOf } from './elements.ts';
import { isState } from './flags.ts';
import { iconNames, isIcon } from './icons.ts';
import { wordsOf } from './words.ts';

/** How often a class or a text stands in the rows. */
export type Counts = ReadonlyMap<string, Count>;
export interface Count {
  readonly rows: number;
  readonly times: number;
  /** In a good part of the rows. */
  readonly steady: boolean;
  /** In next to all rows. */
  readonly constant: boolean;
}

export interface Label {
  readonly text: string;
  readonly element: Element;
  /** What it says is drawn: it may mean several things. */
  readonly sign?: true;
  /** Finds the element that is named by what names it. */
  readonly anchor: string;
}

const hiddenClass =
  /^(?:sr-only|visually-?hidden|visuallyhidden|screen-reader-text|screen-reader-only|screenreader|u-hidden-?visually|u-visually-hidden|element-invisible|assistive-text|a11y-hidden|hidden-visually|is-sr-only|show-for-sr|a-offscreen|offscreen)$/i;
/** Shown to those alone who hear the page. */
const isHeard = (element: Element) => classesOf(element).some((name) => hiddenClass.test(name));

const labelTags = /^(?:span|abbr|b|strong|em|i|label|div|p|small|td|dt|dfn)$/;
const plainTags = /^(?:span|abbr|b|strong|em|i|label|div|p|small|dfn)$/;
const labelText = /^\p{L}[\p{L}\p{M}’' ./()&-]{0,28}:?$/u;

/** Characters of what a link that is the same in many rows says: "PDF", "View on map". */
const maxLinkText = 24;
/** What a link says, where it may say what it leads to. */
export function linkTextOf(element: Element): string | undefined {
  if (element.name !== 'a' || element.attribs.href === undefined) return undefined;
  const text = shownText(element);
  return text.length <= maxLinkText && /^\p{L}[\p{L} /.-]*$/u.test(text) ? text : undefined;
}

export const labelKey = (label: string) => `label ${wordsOf(label).join(' ')}`;
const pairKey = (first: Element) =>
  `pair ${first.parent !== null && isTag(first.parent) ? `${first.parent.name}.${classesOf(first.parent)[0] ?? ''}` : ''} ${first.name}.${classesOf(first)[0] ?? ''}`;

/** A text that may be a label: short, without digits, in an element of its own. */
export function labelTextOf(element: Element): string | undefined {
  if (!labelTags.test(element.name) || elementsOf(element).length > 0) return undefined;
  const text = shownText(element);
  return labelText.test(text) ? text : undefined;
}

const siblingOf = (element: Element, to: 'prev' | 'next'): Element | undefined => {
  let other = element[to];
  while (other !== null && !isTag(other)) {
    // What stands after a text belongs to that.
    if (isText(other) && /[\p{L}\p{N}]/u.test(other.data)) return undefined;
    other = other[to];
  }
  return other ?? undefined;
};

const tagBeside = (element: Element, to: 'prev' | 'next'): Element | undefined => {
  let other = element[to];
  while (other !== null && !isTag(other)) other = other[to];
  return other ?? undefined;
};

/** The first of two elements that make up the one around them: a label and its value, as far as their texts tell. */
export function pairOf(element: Element): string | undefined {
  const { parent } = element;
  if (parent === null || !isTag(parent) || tagBeside(element, 'prev') !== undefined) return undefined;
  const second = tagBeside(element, 'next');
  if (second === undefined || tagBeside(second, 'next') !== undefined || hasOwnText(parent)) return undefined;
  return plainTags.test(second.name) || (element.name === 'td' && second.name === 'td')
    ? pairKey(element)
    : undefined;
}

const anchorFor = (label: Element) => {
  // Of other vocabularies than HTML's.
  if (!/^[a-z][a-z\d-]*$/.test(label.name)) return '*';
  if (!isIcon(label)) return `${tagOf(label)}:contains(${quoted(shownText(label))})`;
  const use = elementsOf(label).find(({ name }) => name === 'use');
  const link = use?.attribs.href ?? use?.attribs['xlink:href'];
  const [own] = classesOf(label)
    .filter((name) => /^[A-Za-z][\w-]*$/.test(name))
    .sort((one, other) => other.length - one.length);
  if (own !== undefined && link === undefined) return `.${own}`;
  // "4 out of 5 stars", `/stars-4.svg`: another in the next row.
  for (const key of ['aria-label', 'data-icon', 'data-lucide', 'title', 'src'])
    if (label.attribs[key] !== undefined && !/\d/.test(label.attribs[key]))
      return `${tagOf(label)}[${key}=${quoted(label.attribs[key])}]`;
  return link === undefined
    ? label.name
    : `${tagOf(label)}:has(use[href$=${quoted(link.replace(/^.*#/, '#'))}])`;
};

/** A text before it that by its form is a label, in whatever rows. */
function isFormed(element: Element, before: Element, text: string): boolean {
  return (
    (element.name === 'dd' && before.name === 'dt') ||
    (element.name === 'td' && before.name === 'th') ||
    (/:$/.test(text) && labelTags.test(before.name)) ||
    // `field--label-hidden` is how a label is shown, not one.
    (labelText.test(text) &&
      classesOf(before).some((name) =>
        /label(?!-?(?:hidden|above|inline|visually))|caption|key$/i.test(name),
      ))
  );
}

/** What stands before it and by its form is a label. */
export function formedLabel(element: Element): { element: Element; text: string } | undefined {
  const before = previousElement(element);
  if (before === undefined) return undefined;
  const text = shownText(before);
  if (text === '' || text.length > 40) return undefined;
  return isFormed(element, before, text) ? { element: before, text } : undefined;
}

export const iconKey = (icon: Element) => `icon ${iconNames(icon).join(' ')}`;
/** What the same sign in many rows says of a short text beside it; signs that differ are values themselves. */
function signText(icon: Element, named: Element, counts: Counts): string | undefined {
  const text = iconNames(icon).join(' ');
  const isSteady = counts.get(iconKey(icon))?.steady === true;
  const isName =
    /^h[1-6]$/.test(named.name) || isState(wordsOf(classesOf(icon).join(' ').replace(/\bis-/g, '')));
  return text === '' || !isSteady || isName || shownText(named).length > 60 ? undefined : text;
}

const isSet = ({ name }: Element) => /^(?:b|strong|small|label|dfn|dt)$/.test(name);
const isFixed = (element: Element, text: string, counts: Counts) => {
  const count = counts.get(labelKey(text));
  return isHeard(element) || isSet(element) ? count?.steady === true : count?.constant === true;
};
/** It says something else in the other rows. */
const varies = (element: Element, counts: Counts) => {
  const text = labelTextOf(element);
  return shownText(element) !== '' && (text === undefined || counts.get(labelKey(text))?.steady !== true);
};

/** What names an element from beside it: before it, or below a value. */
export function labelBeside(element: Element, counts: Counts): Label | undefined {
  const formed = formedLabel(element);
  if (formed !== undefined && counts.get(labelKey(formed.text))?.steady === true)
    return { ...formed, anchor: `${anchorFor(formed.element)} + ${tagOf(element)}` };
  const before = siblingOf(element, 'prev');
  const anchor = () => (before === undefined ? '' : `${anchorFor(before)} + ${tagOf(element)}`);
  if (before !== undefined && isIcon(before)) {
    // A word of few is a value beside a sign: "Easy".
    const own = labelTextOf(element);
    if (shownText(element) !== '' && (own === undefined || counts.get(labelKey(own))?.constant !== true)) {
      // What is written below says more than what is drawn before.
      const below = labelBelow(element, counts);
      if (below !== undefined) return below;
      const text = signText(before, element, counts);
      return text === undefined ? undefined : { text, element: before, sign: true, anchor: anchor() };
    }
  } else if (before !== undefined && varies(element, counts)) {
    const text = labelTextOf(before);
    const pair = text === undefined ? undefined : pairOf(before);
    const pairs = pair === undefined ? undefined : counts.get(pair);
    const isPaired = pairs?.steady === true && counts.get(labelKey(text ?? ''))?.steady === true;
    // In a table within each record; where the record is the table's row itself, its first cell is a value.
    const isInTable = before.name === 'td' && isPaired && pairs.times >= pairs.rows * 2;
    const isBeside = plainTags.test(before.name) && (isPaired || isFixed(before, text ?? '', counts));
    if (text !== undefined && (isBeside || isInTable))
      if (!/^h[1-6]$/.test(element.name)) return { text, element: before, anchor: anchor() };
  }
  return labelBelow(element, counts);
}

/** A number with hardly more than a sign: no price, which is over many things that do not name it. */
const quantity = /^[-+−~]?\d[\d.,' ]*\s?(?:[%°+]|[kKmM]|\p{L}{1,3}[²³]?)?$/u;

/** "12" over "votes": a short value and the word below it, with nothing else in the box. */
function labelBelow(element: Element, counts: Counts): Label | undefined {
  const after = siblingOf(element, 'next');
  const text = after === undefined ? undefined : labelTextOf(after);
  if (after === undefined || text === undefined || !plainTags.test(after.name)) return undefined;
  const value = shownText(element);
  const before = siblingOf(element, 'prev');
  const isAlone =
    (before === undefined || isIcon(before)) &&
    siblingOf(after, 'next') === undefined &&
    element.parent !== null;
  if (!isAlone || !quantity.test(value) || /^h[1-6]$/.test(element.name)) return undefined;
  if (counts.get(labelKey(text))?.steady !== true || isState(wordsOf(text))) return undefined;
  // "1 vote" and "12 votes"
  const word = quoted(text.replace(/(?<=\p{L}{3})s$/u, ''));
  return { text, element: after, anchor: `${tagOf(element)}:has(+ ${tagOf(after)}:contains(${word}))` };
}

/** What names the text of an element from its start: `<li><b>Phone</b> 123</li>`, `<p><i class="icon-pin"></i> Leeds</p>`. */
export function labelInside(element: Element, counts: Counts): Label | undefined {
  const [first] = elementsOf(element);
  if (first === undefined || !hasOwnText(element)) return undefined;
  for (let before = first.prev; before !== null; before = before.prev)
    if (isText(before) && /[\p{L}\p{N}]/u.test(before.data)) return undefined;
  const anchor = () => `${tagOf(element)}:has(> ${anchorFor(first)})`;
  if (isIcon(first)) {
    const text = signText(first, element, counts);
    return text === undefined ? undefined : { text, element: first, sign: true, anchor: anchor() };
  }
  const text = labelTextOf(first);
  if (text === undefined || !isFixed(first, text, counts)) return undefined;
  // The text is what follows, not a sentence that begins with this word.
  if (first.next === null || !isText(first.next) || !/^[\s:–—]*\S/.test(first.next.data)) return undefined;
  return { text, element: first, anchor: anchor() };
}
