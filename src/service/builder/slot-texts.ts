/** Which text of an element is a value: all of it, its own part, or what stands after labels in it. */
import { type Element, isText } from 'domhandler';
import { textOf } from '../recipes/text.ts';
import { classWords, isGenerated } from './class-names.ts';
import { classesOf, collapse, elementsOf, hasOwnText, literally, ownText, shownText } from './elements.ts';

/** Parts of the text around them, unless they have a name of their own. */
const formatting = new Set(
  'b i em strong u mark small sub sup br wbr abbr font s del ins kbd code q bdi bdo'.split(' '),
);
/** A currency sign or a unit belongs to the number beside it. */
const symbol = /^[^\p{L}\p{N}]{0,3}$|^[$€£¥₹₽₩%°]$|^(?:usd|eur|gbp|chf|kr|zł|kg|km|m²|°c|°f)$/iu;
const byLabel = /^(?:\p{L}[\p{L} ]*:|by|von|par|por|from|in|at|on|posted by|written by|published)$/iu;

/** What is measured in, after the number. */
const unit =
  /^(?:%|°[cf]?|[µmckMG]?[mgWlLB]²?|ha|ml|cl|dl|kg|kcal|kj|km\/h|mph|kWh?|hp|ps|[kmgt]i?b|mins?|h|hrs?|sec|s|pts?|in|ft|mi|lbs?|oz)\.?$/i;

/** What "(2011)" in a heading is: beside the text, not of it. */
const isAside = (element: Element) => element.name === 'small' || /^\(.{1,20}\)$/.test(shownText(element));

/** Names made by a tool may stand for any. */
const isHashed = (element: Element) => classesOf(element).some(isGenerated);

/** A price or a number of its own, set in a tag without a name. */
const isValue = (element: Element) =>
  /^(?:span|b|strong|em|i)$/.test(element.name) &&
  /^(?:[$€£¥]\s?)?\d[\d.,\s]*(?:\s?(?:[$€£¥]|eur|usd|chf))?$/i.test(shownText(element));

/** "<b>Wet cut</b> from £36.00": a name, and after it an amount alone. */
const isPriced = (element: Element) => {
  const { next, prev } = element;
  const isFirst = prev === null || (isText(prev) && collapse(prev.data) === '' && prev.prev === null);
  return (
    isFirst &&
    /^(?:b|strong|em|i|u)$/.test(element.name) &&
    next !== null &&
    isText(next) &&
    priceAfter.test(collapse(next.data)) &&
    /\p{L}{2}/u.test(shownText(element))
  );
};
const priceAfter =
  /^[\s:–—-]*(?:\p{L}{2,6}\.?\s)?(?:[$€£¥₹]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[$€£¥₹]|eur|chf|kr|zł|kč|[.,]-))/iu;

const isApart = (element: Element) =>
  (element.name === 'time' ||
    isPriced(element) ||
    element.name === 'a' ||
    element.attribs.itemprop !== undefined ||
    classWords(classesOf(element)).length > 0 ||
    isHashed(element) ||
    isValue(element) ||
    isAside(element)) &&
  !symbol.test(shownText(element));

/** Formatting of the text that it stands in; `apart` where that text goes without what has a place of its own. */
export const isPlain = (element: Element, apart: boolean) =>
  (formatting.has(element.name) &&
    classesOf(element).length === 0 &&
    element.attribs.itemprop === undefined &&
    !(
      apart &&
      (isAside(element) || isValue(element) || isPriced(element) || isTerm(element, shownText(element)))
    )) ||
  (symbol.test(shownText(element)) && !/[★☆⭐]/.test(shownText(element)));

/** Part of a heading's text, with no name of its own. */
export const isInline = (element: Element) =>
  /^(?:span|b|i|em|strong|font|mark)$/.test(element.name) && !isApart(element);

/** "<b>Luff</b> – the forward edge": a term and what is said of it. */
const isTerm = (element: Element, whole: string) =>
  /^(?:b|strong|dfn|em)$/.test(element.name) &&
  element.next !== null &&
  isText(element.next) &&
  /^\s*[–—:-]\s/.test(element.next.data) &&
  whole.startsWith(shownText(element));

const trimmed = (value: string) => value.replace(/^[\s|·•,:–—-]+|[\s|·•,–—-]+$/g, '');

interface ReadText {
  readonly value: string | undefined;
  /** Without the text of the elements inside. */
  readonly own: boolean;
  /** The text is a label of the one element inside. */
  readonly label?: string;
  /** Elements inside that a text right before them names: "by <a>Ann</a>, 3 May". */
  readonly labels?: ReadonlyMap<Element, string>;
  /** The elements inside are pieces of the value. */
  readonly whole?: boolean;
  /** It says what the term before it means. */
  readonly defines?: boolean;
}

/** `<span>£</span><span>12</span><sup>99</sup>`: one amount, set in pieces. */
const isAmountInPieces = (children: readonly Element[], whole: string) =>
  children.length >= 2 &&
  amount.test(whole) &&
  children.every(
    (child) =>
      elementsOf(child).length <= 1 && /^(?:[^\p{L}\p{N}]*|\d[\d.,]*|\p{L}{1,3})$/u.test(shownText(child)),
  );
const amount = /^(?:[$€£¥₹₽₩]|[A-Z]{3})?\s?\d[\d.,' ]*[.,]\d\d\s?(?:[$€£¥₹₽₩]|[A-Z]{3}|kr|zł|Kč)?$/u;

/** `lead`: what stands first in it and names the rest. */
export function readText(element: Element, whole: string, lead?: Element): ReadText {
  const children = elementsOf(element);
  const others = children.filter((child) => child !== lead && child.name !== 'br' && shownText(child) !== '');
  if (lead !== undefined && others.length === 0)
    return { value: trimmed(ownText(element)), own: shownText(lead) !== '' };
  const isText =
    hasOwnText(element) ||
    isAmountInPieces(children, whole) ||
    (whole !== '' &&
      children.length <= 1 &&
      children.every((child) => formatting.has(child.name) && classesOf(child).length === 0));
  if (!isText) return { value: undefined, own: false };
  const [only] = children;
  // "<p>by <a>Ann</a></p>": the text around is the label of what is inside.
  const around = ownText(element);
  const isLabel =
    children.length === 1 &&
    only !== undefined &&
    around.length <= 24 &&
    !(formatting.has(only.name) && hasOwnText(element) && !/:$|^by$/i.test(around)) &&
    byLabel.test(around) &&
    element.children.find((child) => collapse(textOf(child)) !== '') !== only;
  if (isLabel) return { value: undefined, own: false, label: around };
  // "Name <span class=price>12</span>": in a short text, what has a name of its own is not part of it.
  const isDefined = only !== undefined && children.length === 1 && isTerm(only, whole);
  // "<b>145</b> cm": what stands beside the number is its unit.
  const isMeasured = only !== undefined && children.length === 1 && isValue(only) && unit.test(around);
  if (isMeasured || isAmountInPieces(children, whole)) return { value: whole, own: false, whole: true };
  const apart = children.some((child) => isApart(child) && shownText(child) !== '');
  if (isDefined || (apart && around.length <= 80 && whole.length <= 160))
    return {
      value: trimmed(around),
      own: true,
      labels: isDefined ? new Map([[only, 'term']]) : labelsBefore(children),
      defines: isDefined,
    };
  return { value: whole, own: false };
}

function labelsBefore(children: readonly Element[]): Map<Element, string> {
  const labels = new Map<Element, string>();
  for (const child of children) {
    const text = child.prev !== null && isText(child.prev) ? collapse(child.prev.data) : '';
    const [label] = /(?:\b(?:by|von|par|por)|(?:^|[,;|·•»]\s*)\p{L}[\p{L} ]{1,20}:)$/iu.exec(text) ?? [];
    if (label !== undefined) labels.set(child, label.replace(/^[^\p{L}]+/u, ''));
  }
  return labels;
}

const labelPattern = /^(\p{L}[\p{L}\p{N} /()#.-]{1,28}?)\s*:\s*(.+)$/u;
/** Lines of one element; a bound on the work. */
const maxLines = 12;

interface Line {
  readonly value: string;
  readonly label: string;
  readonly match: string;
}

/** "Ann Lee<br>Warden<br>tel: 123": what stands in each line, up to the first one with a label. */
export function plainLines(element: Element, whole: string): string[] {
  if (whole.length > 300 || !elementsOf(element).some(({ name }) => name === 'br')) return [];
  const lines = textOf(element)
    .split('\n')
    .map(collapse)
    .filter((line) => line !== '');
  if (lines.length < 2 || lines.length > maxLines) return [];
  const labelled = lines.findIndex((line) => labelPattern.test(line));
  return labelled < 0 ? lines : lines.slice(0, labelled);
}

/** A label that ends its line names what stands in the next one. */
const joined = (lines: readonly string[]): string[] => {
  const found: string[] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last?.endsWith(':') === true && !line.endsWith(':')) found[found.length - 1] = `${last} ${line}`;
    else found.push(line);
  }
  return found;
};

/** "Ref: 12 | Received: 3 May": each label with its value, where every piece of the line has one. */
const atSeparators = (line: string): string[] => {
  const pieces = line.split(/\s[|·•]\s/u);
  return pieces.every((piece) => labelPattern.test(piece)) ? pieces : [line];
};

/** "Author: Ann<br>Year: 1990" in one element: a value for each label. */
export function labelledLines(element: Element, whole: string): Line[] {
  if (whole.length > 600 || !whole.includes(':') || elementsOf(element).length === 0) return [];
  const lines = joined(
    textOf(element)
      .split('\n')
      .map(collapse)
      .filter((line) => line !== '' && !/^[|·•,;]+$/.test(line)),
  ).flatMap(atSeparators);
  if (lines.length < 2 || lines.length > maxLines) return [];
  const found = lines.flatMap((line) => {
    const [, label, value] = labelPattern.exec(line) ?? [];
    return label === undefined || value === undefined
      ? []
      : [{ label, value: value.replace(/\s*[|·•]+$/u, '') }];
  });
  if (found.length < 2) return [];
  const after = found.map(({ label }) => `${literally(label)}\\s*:`).join('|');
  return found.map(({ label, value }) => ({
    label,
    value,
    match: `(?:^|\\s)${literally(label)}\\s*:\\s*(.*?)\\s*(?:[|·•]+\\s*)?(?=${after}|$)`,
  }));
}
