/** How pieces of text that stand in one line join: which of them are separate values, the cents of a price, small digits. */
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { saysMoney } from '../../compare/money.ts';

const centsName = /(?:^|[-_])(?:cents?|fraction|decimals?|pence|centimes?|centavos?)(?:[-_]|$)/i;
/** The pieces of a price stand side by side; inspected without their own children, so that the work does not grow with the depth. */
const mostPieces = 3;
/** Characters of a text that may name the currency of a price beside it. */
const nearby = 20;
function isMoney(node: AnyNode, isBefore: boolean): boolean {
  if (isText(node)) return saysMoney(isBefore ? node.data.slice(-nearby) : node.data.slice(0, nearby));
  const [inner, ...others] = isTag(node) ? node.children : [];
  return inner !== undefined && others.length === 0 && isText(inner) && isMoney(inner, isBefore);
}
function isBesideMoney(node: Element): boolean {
  let { prev, next }: { prev: AnyNode | null; next: AnyNode | null } = node;
  for (let piece = 0; piece < mostPieces; piece++) {
    if (prev !== null && isMoney(prev, true)) return true;
    if (next !== null && isMoney(next, false)) return true;
    [prev, next] = [prev?.prev ?? null, next?.next ?? null];
  }
  return false;
}
/** `<span>£12</span><sup>99</sup>`, `12<small>99</small> €`: the cents of a price, set small. */
const areCents = (node: Element, text: string, parent: Element) =>
  /^\s*\d\d\s*$/.test(text) &&
  ((node.attribs.class ?? '').split(/\s+/).some((name) => centsName.test(name)) ||
    (/^(?:sup|small)$/.test(node.name) &&
      (/price|amount/i.test(parent.attribs.class ?? '') || isBesideMoney(node))) ||
    isSmallAsSign(node));

/** Whether digits look like the sign of the currency before the whole amount, which looks otherwise: `$`, a large `4`, `98`. */
function isSmallAsSign({ prev: whole, attribs }: Element): boolean {
  const sign = whole?.prev;
  if (!whole || !sign || !isTag(whole) || !isTag(sign) || (attribs.class ?? '') === '') return false;
  const isAlike = sign.attribs.class === attribs.class && whole.attribs.class !== attribs.class;
  return isAlike && isMoney(sign, true);
}

/** Behind the last signs of a text, the decimal mark that a page draws by making the cents small; undefined for other text. */
export function centsMark(
  node: Element,
  text: string,
  parent: Element,
  before: () => string,
): '.' | ',' | undefined {
  if (!areCents(node, text, parent)) return undefined;
  const tail = before();
  if (!/\d\s{0,4}$/.test(tail)) return undefined;
  return /\.\d{3}\s*$/.test(tail) ? ',' : '.';
}

/** `7`, `1,7`, `a, c1`, `b)`, `(2)`, but no `(R)`. */
const marks = /^(?!\([RC]\)$)\(?(?:\d{1,2}|\p{L}\d?)\)?(?:[,;] ?(?:\d{1,2}|\p{L}\d?)\)?)*$/iu;
const word = /(?:\p{L}{4}\s*|\p{L}{3}\s+)$/u;
/** Before several marks, or one with a bracket, which are no power. */
const shortWord = /\p{L}{2}[)"”’]?\s*$/u;
const lengths = /(?:met(?:re|er)s?|feet|foot|inch(?:es)?|yards?|miles?|seconds?|pixels?)\s*$/iu;

/** Whether it stands behind a word that is no unit, and not before the sign of `Carbon <sup>14</sup>C`; letters also end words. */
const isBehindWord = (next: AnyNode | null, mark: string, tail: string): boolean =>
  (/[,;)]/.test(mark) ? shortWord.test(tail) : word.test(tail) && !lengths.test(tail)) &&
  !(next !== null && isText(next) && /^\p{L}/u.test(next.data)) &&
  (/\s$/.test(tail) || !/^\p{L}$/u.test(mark));

/**
 * Whether a raised sign is the mark of a footnote: `2,755,309<sup>a</sup>`, `Soup<sup>1,7</sup>`. Behind a number later letters
 * may be units or powers, `12<sup>h</sup>`, and behind one or two digits `1<sup>a</sup>` and `18<sup>e</sup>` are ordinals. A
 * digit is a mark where it is no power: behind a word, a currency or `%`, or with a closing bracket.
 */
export function isNoteMark({ name, next }: Element, text: string, before: () => string): boolean {
  const mark = text.trim();
  if (name !== 'sup' || !marks.test(mark)) return false;
  const tail = before();
  const end = tail.trimEnd();
  if (isBehindWord(next, mark, tail)) return true;
  if (mark.endsWith(')')) return /[\p{Nd}%\p{Sc}]$/u.test(end);
  // No power stands behind groups of digits, nor do several.
  if (/^\d(?:, ?\d)*$/.test(mark))
    return (mark.length > 1 ? /\d{3}$|\d\s?(?:\p{Sc}|%)$/u : /\d\s?(?:\p{Sc}|%)$|(?:[.,' ]\d{3}){2}$/u).test(
      end,
    );
  if (!/^[a-g](?:, ?[a-g])*$/.test(mark)) return false;
  return /[\p{Nd}%\p{Sc}]$/u.test(end) && !(/^[ae]$/.test(mark) && /(?:^|[^\d.,])\d{1,2}$/.test(end));
}

/** Whether raised letters mark a note of the time before them: `10:00<sup>A</sup>` is no time "10:00A". */
export const isNoteOfTime = (text: string, before: string): boolean =>
  /^\p{L}{1,2}$/u.test(text.trim()) && !/^(?:[ap]m|h|u)$/i.test(text.trim()) && /\d:\d\d\s*$/.test(before);

/** The longest text of a value; inspecting longer texts at each level of a page would take quadratic time. */
export const maxValue = 200;
const isLink = ({ name }: Element) => name === 'a';
/**
 * Whether two adjacent elements without text between them are separate values: styles draw them apart, and
 * `<b>$900</b><b>30 m²</b>` is not "$90030 m²". Single letters and digits may be pieces of one word, unless the other is a word.
 */
export function areApart(one: Element, before: string, other: Element, after: string): boolean {
  if (before.length > maxValue || after.length > maxValue) return false;
  const [first, second] = [before.trim(), after.trim()];
  if (first.length < 2 || second.length < 2)
    return (
      (/\p{L}{3}$/u.test(first) && /^\p{N}$/u.test(second)) ||
      (/^\p{N}$/u.test(first) && /^(?:\p{L}{4}|\p{Lu}\p{Ll}{2})/u.test(second)) ||
      // A number and a link are two, such as of replies and of those that are new.
      (isLink(one) !== isLink(other) && /^\p{N}+$/u.test(first) && /^\p{N}+$/u.test(second))
    );
  return (
    (isLink(one) && isLink(other)) ||
    (/[\p{L}\p{N}%²³)]$/u.test(first) && /^[\p{N}\p{Sc}\p{Lu}(]/u.test(second)) ||
    (/\p{N}(?: \p{L}{1,3})?$/u.test(first) && /^\p{L}(?:\p{L}{2}|\p{L} )/u.test(second)) ||
    (/[\p{L}\p{N}]$/u.test(first) && /^(?:[+−-]\p{Sc}|[+±]\p{N})/u.test(second)) ||
    // "04.12." and "19:00"; "19." and "99" are one price.
    (/\d[./]\d{1,2}\.$/.test(first) && /^\p{N}/u.test(second)) ||
    (/\p{N}\s?\p{Sc}$/u.test(first) && /^[\p{L}\p{N}]/u.test(second))
  );
}
/** Whether a badge runs into the text behind it: `<span class="x">NEW</span>Lamp`. A capital of two letters may begin a name. */
export const isBadgeBefore = ({ name, attribs }: Element, badge: string, text: string): boolean =>
  name === 'span' &&
  attribs.class !== undefined &&
  /^\s*\p{Lu}{3,12}$/u.test(badge) &&
  /^\p{Lu}\p{Ll}/u.test(text);
/** Whether its text is for those who hear the page. What is shown says the same, unless it is only a sign. */
export const isHeard = ({ attribs }: Element): boolean =>
  /(?:^|\s)(?:\w+-)?(?:sr-only|visually-?hidden|screen-reader-text)(?:\s|$)/i.test(attribs.class ?? '');

/** Whether a text would run into the one before it as one word. */
export const runsOn = (before: string, text: string): boolean =>
  /[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(text);

export const isRaised = ({ name }: Element) => name === 'sup' || name === 'sub';

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ';
const lowered = '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢ';
const plainSigns = '0123456789+-=()ni';
/** The text of a `sup` or `sub` in the small signs of Unicode, `10<sup>23</sup>` is not 1023; undefined if it holds others. */
export function toSmall({ name }: Pick<Element, 'name'>, text: string): string | undefined {
  const signs = name === 'sup' ? raised : lowered;
  const places = [...text.trim().replace(/[−–]/g, '-')].map((sign) => plainSigns.indexOf(sign));
  return places.includes(-1) || places.length > 6 ? undefined : places.map((place) => signs[place]).join('');
}

/** Raised or lowered behind a text: digits that have no small signs are no further digits of it, `10<sup>1,5</sup>`. */
export const toRaised = (element: Element, text: string, before: () => string): string =>
  toSmall(element, text) ?? (/^\s*\d/.test(text) && /\d$/.test(before()) ? `^${text.trim()}` : text);

/** Wrappers around what is struck out. */
const maxWrappers = 2;
/** Whether a line goes through all of its text: what held before. */
export function isStruck({ name, attribs, children }: Element, wrappers = maxWrappers): boolean {
  if (/^(?:s|del|strike)$/.test(name) || /line-through/.test(attribs.style ?? '')) return true;
  if (/(?:^|\s)(?:text-decoration-)?line-through(?:\s|$)/.test(attribs.class ?? '')) return true;
  if (wrappers === 0 || children.length > mostPieces) return false;
  const [only, ...others] = children.filter((child) => !isText(child) || child.data.trim() !== '');
  return others.length === 0 && only !== undefined && isTag(only) && isStruck(only, wrappers - 1);
}

/** Says of what is struck out that it is no more, and is nothing in its place: "Waves cancelled", "Lamp sold out". */
const isNoMore =
  /^\P{L}*(?:cancel|sold|gone|done|closed|full|moved|removed|withdrawn|postponed|abgesagt|entfällt|fällt|ausverkauft|verkauft|vergeben|erledigt|verschoben|annul|complet|épuisé|vendu|report|cancelad|agotad|vendid|aplazad|annullat|esaurit|geannuleerd|uitverkocht)/iu;
/** Whether a text stands in the place of one that is struck out beside it. An amount that is struck out holds in no case. */
export const replaces = (text: string, struck: string): boolean =>
  /[\p{L}\p{N}]/u.test(text) &&
  (saysMoney(struck) || /^\P{L}*\d/u.test(struck) || !(/^\P{L}*\p{Ll}/u.test(text) || isNoMore.test(text)));

/** Pieces of text and blanks before a copy. */
const maxPieces = 4;
const hidingClass = /(?:^|\s)hide(?:\s|$)/;
/** Whether an element repeats all that stands before it, for sorting or other screens: `4:12:45<span class="hide">4:12:45</span>`. */
export function isCopy(
  { attribs: { class: names } }: Element,
  part: string,
  before: readonly string[],
): boolean {
  if (names === undefined || part.trim() === '' || before.length === 0 || before.length > maxPieces)
    return false;
  const all = before.join('');
  const isGluedValue = all === part && /\d/.test(part) && /[^\d\s]/.test(part);
  return isGluedValue || (hidingClass.test(names) && all.trim() === part.trim());
}
