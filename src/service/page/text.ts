/** The text of an element as a reader sees it: separate blocks do not run together. */

import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { parseFragment } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { saysMoney } from '../../compare/money.ts';

const blocks = new Set(
  'address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table td th tr ul'.split(
    ' ',
  ),
);
const unseen = new Set(['script', 'style', 'noscript', 'template']);
/** Words that an icon font draws as symbols: `<i class="material-icons">place</i>`. */
const isSign = ({ attribs }: Element) => /(?:^|\s)material-(?:icons|symbols)/.test(attribs.class ?? '');

const cents = /(?:^|[-_])(?:cents?|fraction|decimals?|pence|centimes?|centavos?)(?:[-_]|$)/i;
/**
 * The most pieces of one price; inspected without their own children, so that the work does not grow with the depth.
 */
const mostPieces = 12;
const isMoney = (node: AnyNode): boolean =>
  isText(node)
    ? saysMoney(node.data.slice(0, 40))
    : isTag(node) &&
      node.children.length === 1 &&
      node.children.some((child) => isText(child) && isMoney(child));
/** `<span>£12</span><sup>99</sup>`: the cents of a price, set small. */
const isCents = (node: AnyNode, text: string, parent: Element) =>
  isTag(node) &&
  /^\s*\d\d\s*$/.test(text) &&
  ((node.attribs.class ?? '').split(/\s+/).some((name) => cents.test(name)) ||
    (node.name === 'sup' &&
      (/price|amount/i.test(parent.attribs.class ?? '') ||
        (parent.children.length <= mostPieces && parent.children.some(isMoney)))));

const isFootnote = (text: string) => /^\s*(?:\[\w{1,6}\]|[*†‡§¶]+)\s*$/.test(text);
/** Whether links and buttons hold all of its text. */
const isLed = ({ children }: Element) =>
  children.some((child) => isTag(child) && /^(?:a|button)$/.test(child.name)) &&
  children.every((child) =>
    isTag(child) ? /^(?:a|button)$/.test(child.name) : getText(child).trim() === '',
  );

/** The longest text of a value; inspecting longer texts at each level of a page would take quadratic time. */
const maxValue = 200;
/**
 * Whether two adjacent elements without text between them are separate values: styles draw them apart, and
 * `<b>$900</b><b>30 m²</b>` is not "$90030 m²". Single letters and digits may be pieces of one word.
 */
function areApart(before: string, after: string): boolean {
  if (before.length > maxValue || after.length > maxValue) return false;
  const [first, second] = [before.trim(), after.trim()];
  if (first.length < 2 || second.length < 2) return false;
  return (
    (/[\p{L}\p{N}%²³)]$/u.test(first) && /^[\p{N}\p{Sc}\p{Lu}(]/u.test(second)) ||
    (/\p{N}$/u.test(first) && /^\p{L}{3}/u.test(second))
  );
}
const isRaised = ({ name }: Element) => name === 'sup' || name === 'sub';

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻';
const lowered = '₀₁₂₃₄₅₆₇₈₉₊₋';
/** Powers and indices in signs of their own: `10<sup>23</sup>` is not 1023. Ordinals, `5<sup>th</sup>`, stay letters. */
function toRaised(name: string, text: string): string {
  const signs = name === 'sup' ? raised : lowered;
  return /^\s*[-+−]?\d{1,4}\s*$/.test(text)
    ? text.replace(
        /[\d+−-]/g,
        (sign) => signs[/\d/.test(sign) ? Number(sign) : sign === '+' ? 10 : 11] ?? sign,
      )
    : text;
}

/** Invisible characters: soft hyphens, and zero-width characters, which some links have as their only text. */
const unseenSigns = /[\u00ad\u200b\u2060\ufeff]/g;

/** `read` transforms each piece of text of the markup. */
function joinTexts(node: AnyNode, read: (written: string) => string): string {
  if (isText(node)) return read(node.data.replace(unseenSigns, ''));
  if (!isTag(node) || unseen.has(node.name) || isSign(node)) return '';
  let text = '';
  /** The text of the element right before. */
  let beside = '';
  for (const child of node.children) {
    // The title of a drawing is not visible.
    if (node.name === 'svg' && isTag(child) && /^(?:title|desc)$/.test(child.name)) continue;
    const part = joinTexts(child, read);
    // Check the tail only if the element can hold cents: slicing a rope copies the whole string.
    if (isCents(child, part, node) && /\d\s{0,4}$/.test(text.slice(-5)))
      text = `${text.trimEnd()}${/\.\d{3}\s*$/.test(text.slice(-8)) ? ',' : '.'}${part.trim()}`;
    else if (isTag(child) && isRaised(child)) text += toRaised(child.name, part);
    else text += isTag(child) && areApart(beside, part) ? ` ${part}` : part;
    beside = isTag(child) && !isRaised(child) ? part : '';
  }
  // A footnote's mark is not part of the value.
  if (node.name === 'sup' && (isFootnote(text) || (isLed(node) && /^\s*\w{1,3}\s*$/.test(text)))) return '';
  return blocks.has(node.name) ? `\n${text}\n` : text;
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

const hasMarkup =
  /<\/?(?:[abiuspq]|abbr|blockquote|br|code|dd|div|dl|dt|em|figure|font|h[1-6]|hr|img|li|ol|pre|section|small|span|strong|su[bp]|t[dhr]|table|tbody|ul)(?:\s[^<>]*)?\/?>|&(?:#\d+|#x[\da-f]+|[a-z]\w+);/i;
export const isMarkup = (text: string) => hasMarkup.test(text);

/** The text of a piece of HTML, even if it is escaped twice, as some sites do in their state. */
export function getMarkupText(markup: string): string {
  const toVisible = (text: string) =>
    parseFragment(text, { treeAdapter: adapter }).children.map(getText).join('').trim();
  const once = toVisible(markup);
  return isMarkup(once) ? toVisible(once) : once;
}

/** The attributes that hold it, lazy-loading ones first. */
const attributes = ['data-src', 'data-original', 'data-lazy-src', 'data-lazy', 'src'];
const sets = ['data-srcset', 'data-lazy-srcset', 'srcset'];

/** Undefined if it has only a placeholder. */
export function imageAddress(attribs: Readonly<Record<string, string>>): string | undefined {
  const addresses = attributes.map((name) => attribs[name]?.trim() ?? '').filter((address) => address !== '');
  const set = sets.map((name) => /^[^\s,]\S*/.exec(attribs[name]?.trim() ?? '')?.[0]?.replace(/,$/, ''));
  return [...addresses, ...set].find((address) => address !== undefined && !/^data:/i.test(address));
}
