/** The text of an element as a reader sees it: separate blocks do not run together. */

import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { parseFragment } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { countAmounts } from '../../compare/money.ts';
import {
  areApart,
  centsMark,
  isBadgeBefore,
  isCopy,
  isHeard,
  isNoteMark,
  isNoteOfTime,
  isRaised,
  isStruck,
  maxValue,
  replaces,
  runsOn,
  toRaised,
  toSmall,
} from './inline.ts';

const blocks = new Set(
  'address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table td th tr ul'.split(
    ' ',
  ),
);
/** Who is quoted: a line at the begin or the end of the quote. Elsewhere a `cite` is a title in a sentence. */
export function isCredit({ name, parent, prev, next }: Element): boolean {
  if (name !== 'cite' || parent === null || !isTag(parent)) return false;
  const around = parent.name === 'div' ? parent.parent : parent;
  return around !== null && isTag(around) && around.name === 'blockquote' && (isEnd(prev) || isEnd(next));
}
/** Whether nothing more stands in its direction. */
const isEnd = (node: AnyNode | null): boolean =>
  node === null || (isText(node) && node.data.trim() === '' && (node.prev === null || node.next === null));

const unseen = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'annotation',
  'annotation-xml',
  'mphantom',
]);
/** Words that an icon font draws as symbols: `<i class="material-icons">place</i>`. */
export const isSign = ({ attribs }: Element) =>
  /(?:^|\s)material-(?:icons|symbols)/.test(attribs.class ?? '');

const isFootnote = (text: string) => /^\s*(?:(?:\[[^[\]\n]{1,24}\]\s*)+|[*†‡§¶]+\s*)$/.test(text);
/** Whether links and buttons hold all of its text. */
const isLed = ({ children }: Element) =>
  children.some((child) => isTag(child) && /^(?:a|button)$/.test(child.name)) &&
  children.every((child) =>
    isTag(child) ? /^(?:a|button)$/.test(child.name) : getText(child).trim() === '',
  );

/** Classes of style sheets that many sites share, and those by which some screens or states show it after all. */
const hiddenClass = /(?:^|\s)(?:d-none|hidden)(?:\s|$)/;
const shownClass = /(?:^|\s)d-(?!print)\w{2,3}-(?!none)|:(?:block|flex|inline|grid|table|contents|list-item)/;
/** Most elements are asked: the word is looked for first. */
const hasHiddenClass = ({ attribs: { class: names } }: Element): boolean =>
  names !== undefined &&
  (names.includes('hidden') || names.includes('d-none')) &&
  hiddenClass.test(names) &&
  !shownClass.test(names);

const lookOf = ({ name, attribs }: Element) =>
  `${name} ${(attribs.class ?? '').replace(hiddenClass, ' ').trim()}`;

const waiting = new WeakMap<AnyNode, boolean>();
/** Whether it is of the rest of a list, which a button shows: hidden elements behind some that look like them. */
function isWaiting({ parent }: Element): boolean {
  if (parent === null) return false;
  let isRest = waiting.get(parent);
  if (isRest === undefined) {
    const all = parent.children.filter((one) => isTag(one)).filter(({ name }) => !unseen.has(name));
    const look = all.filter(hasHiddenClass).map(lookOf)[0];
    const alike = all.filter((one) => lookOf(one) === look);
    const start = alike.findIndex(hasHiddenClass);
    isRest =
      alike.length > start + 1 &&
      alike.slice(start).every(hasHiddenClass) &&
      (start > 0 || alike.length === all.length);
    waiting.set(parent, isRest);
  }
  return isRest;
}

/** Whether the element itself hides what is in it. */
export const isHidden = (element: Element): boolean =>
  hidesItself(element) || (hasHiddenClass(element) && !isWaiting(element));
const hidesItself = ({ attribs }: Element) =>
  (attribs.hidden !== undefined && attribs.hidden !== 'until-found') ||
  /display\s*:\s*none/i.test(attribs.style ?? '');

const icon =
  /(?:^|\s)(?:fa|bi|glyphicon|icon|mdi|ti)-(?!(?:solid|regular|light|thin|sharp|duotone|brands|fw|lg)(?:\s|$))(\p{L}[\p{L}\d-]*)/iu;
/** What fonts and sets of icons call one: `<i class="fas fa-check">`, `<use href="#check">`. */
export function iconName(node: Element): string | undefined {
  const written = isSign(node) ? node.children.filter(isText).map(({ data }) => data.trim())[0] : undefined;
  const { class: names = '', href, 'xlink:href': link = href } = node.attribs;
  const drawn = node.name === 'use' ? /#(?:icon-)?(\p{L}[\p{L}\d-]*)$/u.exec(link ?? '') : undefined;
  return written ?? (drawn ?? icon.exec(names))?.[1];
}

/** The icons in an element without text, as "(check)". */
function iconsIn(node: Element): string[] {
  if (isHidden(node)) return [];
  const name = iconName(node);
  return name === undefined ? node.children.filter(isTag).flatMap(iconsIn) : [`(${name})`];
}

/** What says all in a cell without text: a picture, a drawing, what stands in a control, a box that no reader can tick, icons. */
export const spokenName = (node: Element): string => nameIn(node) || iconsIn(node).join(' ');

export function nameIn(node: Element): string {
  const { name, attribs } = node;
  if (unseen.has(name) || name === 'button' || isHidden(node)) return '';
  const written = writtenValue(node)?.trim() ?? '';
  if (written !== '') return written;
  if (name === 'input' && /^(?:checkbox|radio)$/i.test(attribs.type ?? '') && 'disabled' in attribs)
    return 'checked' in attribs ? '[x]' : '[ ]';
  const own = name === 'title' ? joinTexts(node, collapse) : attribs['aria-label'];
  const names = [name === 'img' ? attribs.alt : own, attribs.title].map((text) => text?.trim() ?? '');
  const inside = () => node.children.filter(isTag).map(nameIn).filter(Boolean).join(' ');
  return names.find((text) => text !== '') ?? inside();
}

const optionsIn = ({ children }: Element): Element[] =>
  children.filter(isTag).flatMap((child) => (child.name === 'option' ? child : optionsIn(child)));

/** The options that a control shows: those that are chosen, else the first. */
export function chosenOptions(select: Element): Element[] {
  const options = optionsIn(select);
  const chosen = options.filter(({ attribs }) => 'selected' in attribs);
  return chosen.length > 0 || 'multiple' in select.attribs ? chosen : options.slice(0, 1);
}

const noText = /^(?:hidden|password|submit|button|image|reset|file|checkbox|radio)$/i;
/** What a control holds that readers write into; undefined for others. */
export const writtenValue = ({ name, attribs }: Element): string | undefined =>
  name === 'input' && !noText.test(attribs.type ?? '') ? (attribs.value ?? '') : undefined;

/** Whether the options of a control are what a shop sells: at least two of them have a price. */
export const hasOffers = (select: Element): boolean =>
  optionsIn(select).filter((option) => countAmounts(joinTexts(option, collapse)) > 0).length > 1;

/** Whether readers cannot change a control. */
export const isFixed = ({ attribs }: Element): boolean => 'readonly' in attribs || 'disabled' in attribs;

/**
 * What a control shows: the option that is chosen, what stands in it that readers cannot change, how full a meter is. Undefined
 * for what says it by its text, or nothing.
 */
export function statedValue(control: Element): string | undefined {
  const { name, attribs } = control;
  if (name === 'meter' || name === 'progress') {
    const { value, max = '1', min = '0' } = attribs;
    if (value === undefined || control.children.some((child) => joinTexts(child, collapse).trim() !== ''))
      return undefined;
    return Number(max) === 1 && Number(min) === 0
      ? `${Math.round(Number(value) * 1_000) / 10} %`
      : `${value} of ${max}`;
  }
  if (name === 'select')
    return !isFixed(control) && hasOffers(control)
      ? undefined
      : chosenOptions(control)
          .map((option) => joinTexts(option, collapse).trim())
          .join(', ');
  return isFixed(control) ? writtenValue(control) : undefined;
}

/** The second part of a formula's fraction, power or index: 1 over 2 is not 12. */
function inFormula(name: string, part: string): string {
  if (name === 'mfrac') return `⁄${part.trim()}`;
  if (name !== 'msup' && name !== 'msub') return part;
  return toSmall({ name: name.slice(1) }, part) ?? `${name === 'msup' ? '^' : '_'}${part.trim()}`;
}

/** Invisible characters: soft hyphens, and zero-width characters, which some links have as their only text. */
const unseenSigns = /[\u00ad\u200b\u2060\ufeff]/g;

/** Drawn ratings and scales of all their steps, of which a label says how much they are: `★★★★★`, `1 2 3 4 5`. */
const onlyStars = /^\s*[★☆⭐✩✪✫✬✭✮✯⯨⯩⯪●○◐◑]+\s*$/u;
const allSteps = /^\s*1\s*2\s*3(?:\s*4(?:\s*5(?:\s*6(?:\s*7(?:\s*8(?:\s*9(?:\s*10)?)?)?)?)?)?)?\s*$/;
export const isDrawnScale = (text: string, label: string): boolean =>
  /\d/.test(label) && (onlyStars.test(text) || (allSteps.test(text) && /\d\D+\d/.test(label)));

/** Whether a label says a rating where only the count of those who gave it is seen: `4.5 of 5` and "(128)". */
export const isUnseenScale = (text: string, label: string): boolean => {
  const [, bracket, count = ''] = /^\s*(\(?)(\d[\d.,]*)\)?\s*$/.exec(text) ?? [];
  return bracket !== undefined && /\d\D+\d/.test(label) && (bracket !== '' || !label.includes(count));
};

const arrow = /^\s*[▲▼△▽⯅⯆▴▾🔺🔻↑↓⬆⬇↗↘•●]\ufe0f?\s*$/u;
/** Removes an arrow for the eye alone where the value has its own sign, or is a dash. Of others it may be the only sign. */
function dropArrow(pieces: string[], at: number): void {
  const rest = pieces.toSpliced(at, 1).join('');
  if (arrow.test(pieces[at] ?? '') && /^\s*(?:[-+−–] ?[\p{Sc}\d]|[-–—−]+\s*$)/u.test(rest))
    pieces.splice(at, 1);
}

const isStruckValue = (element: Element, text: string) =>
  text.trim() !== '' && text.length < maxValue && !text.includes('\n') && isStruck(element);
/** Removes what is struck out where what holds now stands beside it: "7" of `<del>7</del> 5`. */
function dropStruck(pieces: string[], struck: ReadonlySet<number>): void {
  if (struck.size === 0) return;
  const rest = pieces.filter((_, at) => !struck.has(at)).join('');
  for (const at of struck) if (replaces(rest, pieces[at] ?? '')) pieces[at] = ' ';
}

/** A sign on a button that shows the rest: where no more is seen, that rest is what the element says. */
const unfolds = /^\s*(?:[+＋▸▾▼▶›»⌄…⋯⊕ⓘℹ]|\.\.\.)\s*$/u;
const hasButton = ({ children }: Element) =>
  children.some((child) => isTag(child) && (child.name === 'button' || child.attribs.role === 'button'));

/** Characters at the end of a text that tell whether cents or the mark of a note follow. */
const tailLength = 8;
/** `pieces`: none of them empty. */
function trimEnd(pieces: string[]): void {
  while (pieces.at(-1)?.trim() === '') pieces.pop();
  const last = pieces.pop();
  if (last !== undefined) pieces.push(last.trimEnd());
}

/** Classes of style sheets that many sites share. */
const onNarrowScreens =
  /(?:^|\s)(?:d-(?:sm|md|lg|xl|xxl)-none|(?:sm|md|lg|xl|2xl):hidden|visible-xs\S*)(?:\s|$)/;
const onWideScreens = /(?:^|\s)(?:d-none|hidden|hidden-xs)(?:\s|$)/;
/** Whether the element is the short form, for small screens, of one beside it: nobody sees both. */
const isShortForm = ({ attribs, parent }: Element) =>
  onNarrowScreens.test(attribs.class ?? '') &&
  parent?.children.some((one) => isTag(one) && onWideScreens.test(one.attribs.class ?? '')) === true;

/** Whether not all readers get it: such a text is none that goes on with what stands before it. */
const isForOthers = (element: Element) =>
  isHeard(element) || onNarrowScreens.test(element.attribs.class ?? '');

/** `read` transforms each piece of text of the markup. */
function joinTexts(node: AnyNode, read: (written: string) => string): string {
  if (isText(node)) return read(node.data.replace(unseenSigns, ''));
  if (!isTag(node) || unseen.has(node.name) || isSign(node)) return '';
  const stated = statedValue(node);
  if (stated !== undefined) return read(stated);
  const pieces: string[] = [];
  const add = (piece: string) => {
    if (piece !== '') pieces.push(piece);
  };
  /** The element right before. */
  let beside: { readonly element: Element; readonly text: string } | undefined;
  let [hasText, wasOther] = [false, false];
  let drawn: number | undefined;
  let folded = '';
  const struck = new Set<number>();
  for (const child of node.children) {
    // The title of a drawing is not visible.
    if (node.name === 'svg' && isTag(child) && /^(?:title|desc)$/.test(child.name)) continue;
    const own = joinTexts(child, read);
    const part: string = isTag(child) && hasText ? inFormula(node.name, own) : own;
    // A key for sorting, or another copy of the value; a longer text waits for a click.
    if (isTag(child) && isHidden(child) && part.length < maxValue) {
      folded ||= part;
      continue;
    }
    if (isTag(child) && part.length < maxValue && (isShortForm(child) || isCopy(child, part, pieces)))
      continue;
    hasText ||= part.trim() !== '';
    const before = () => pieces.slice(-tailLength).join('').slice(-tailLength);
    const isOther = isTag(child) && child.attribs.class !== undefined && isForOthers(child);
    if ((wasOther || isOther) && runsOn(before(), part)) add(' ');
    if (part !== '') wasOther = isOther;
    if (!isTag(child)) {
      add(beside !== undefined && isBadgeBefore(beside.element, beside.text, part) ? ` ${part}` : part);
      beside = undefined;
      continue;
    }
    if (child.attribs['aria-hidden'] === 'true' && arrow.test(part)) drawn = pieces.length;
    const cents = centsMark(child, part, node, before);
    if (cents !== undefined) {
      trimEnd(pieces);
      add(`${cents}${part.trim()}`);
    } else if (child.name === 'sup' && isNoteOfTime(part, before())) add(`^${part.trim()}`);
    else if (isRaised(child)) add(isNoteMark(child, part, before) ? '' : toRaised(child, part, before));
    else {
      add(beside !== undefined && areApart(beside.element, beside.text, child, part) ? ` ${part}` : part);
      if (isStruckValue(child, part)) struck.add(pieces.length - 1);
    }
    // What shows nothing stands between no two values.
    if (part !== '') beside = isRaised(child) ? undefined : { element: child, text: part };
  }
  dropStruck(pieces, struck);
  if (drawn !== undefined) dropArrow(pieces, drawn);
  const seen = pieces.join('');
  const text = folded !== '' && unfolds.test(seen) && hasButton(node) ? folded : seen;
  const label = node.attribs['aria-label'] ?? '';
  if (isDrawnScale(text, label)) return label;
  // A footnote's mark is not part of the value.
  if (node.name === 'sup' && (isFootnote(text) || (isLed(node) && /^\s*\w{1,3}\s*$/.test(text)))) return '';
  const shown = /^(?:td|th|dd)$/.test(node.name) && text.trim() === '' ? spokenName(node) : text;
  return blocks.has(node.name) || isCredit(node) ? `\n${shown}\n` : shown;
}

/** A line for each block, plus the line breaks of the markup; callers that need a single line collapse it. */
export const getText = (node: AnyNode): string => joinTexts(node, (written) => written);

const collapse = (text: string): string => text.replace(/\s+/g, ' ');
/** A line for each block and after each `<br>`. */
export const getLines = (node: AnyNode): string[] =>
  joinTexts(node, collapse)
    .split('\n')
    .map((line) => collapse(line).trim())
    .filter(Boolean);

/** As selectors write it. */
export const toStringLiteral = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`;

/** The selector, to be written behind a tag, of what contains a text and none of the others. */
export const containing = (text: string, others: readonly string[] = []): string =>
  `:contains(${toStringLiteral(text)})${others.map((other) => `:not(${containing(other)})`).join('')}`;

const hasMarkup =
  /<\/?(?:[abiuspq]|abbr|blockquote|br|code|dd|div|dl|dt|em|figure|font|h[1-6]|hr|img|li|ol|pre|section|small|span|strong|su[bp]|t[dhr]|table|tbody|ul)(?:\s[^<>]*)?\/?>|&(?:#\d+|#x[\da-f]+|[a-z]\w+);/i;
export const isMarkup = (text: string) => hasMarkup.test(text);

/** The text of a piece of HTML. */
export const getFragmentText = (markup: string): string =>
  parseFragment(markup, { treeAdapter: adapter }).children.map(getText).join('').trim();

/** The text of a piece of HTML, even if it is escaped twice, as some sites do in their state. */
export function getMarkupText(markup: string): string {
  const once = getFragmentText(markup);
  return isMarkup(once) ? getFragmentText(once) : once;
}

/** The attributes that hold it, lazy-loading ones first. */
const attributes = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy', 'src'];
const sets = ['data-srcset', 'data-lazy-srcset', 'srcset'];

/** Undefined if it has only a placeholder. */
export function imageAddress(attribs: Readonly<Record<string, string>>): string | undefined {
  const addresses = attributes.map((name) => attribs[name]?.trim() ?? '').filter((address) => address !== '');
  const set = sets.map((name) => /^[^\s,]\S*/.exec(attribs[name]?.trim() ?? '')?.[0]?.replace(/,$/, ''));
  const others = Object.keys(attribs).filter((name) => /^data-[\w-]+-src$/.test(name));
  return [...addresses, ...set, ...others.map((name) => attribs[name])].find(
    (address) => address !== undefined && !/^data:/i.test(address),
  );
}
