/**
 * The content of a page by its structure: leaves out what stands around it, then looks for the element with the text. Beside that, the
 * article as the reader view of a browser finds it, and what it says of the blocks of the content.
 */

import { Readability } from '@mozilla/readability';
import { type CheerioAPI, load } from 'cheerio/slim';
import { type Element, isDocument, isTag } from 'domhandler';
import { parseHTML } from 'linkedom';
import { countAmounts } from '../../compare/money.ts';
import { PageTooLargeError } from '../foundation/errors.ts';
import { findBesides } from './beside.ts';
import type { LeftOut } from './choices.ts';
import type { Document } from './document.ts';
import { getClasses, getElements, getParent, isWithin, shownText } from './elements.ts';
import { leastNamed, nameParts, removeMenus, removeSurroundings } from './surroundings.ts';
import { getText } from './text.ts';
import { keepParts, queryWithRemovals, Removals } from './tree.ts';
import { areLinks, Prose, Weights } from './weights.ts';
import { Phrases } from './words.ts';

/** Whether a text, too short to be named when it is left out, has an amount. */
const isShortAmount = (element: Element) =>
  shownText(element).length < leastNamed && countAmounts(shownText(element)) > 0;

/** Whether an article stands beside others of its classes, as a long post of a thread does beside short ones. */
const isAmongArticles = (element: Element): boolean => {
  const isAlike = (other: Element) =>
    other.name === 'article' && other.attribs.class === element.attribs.class && shownText(other) !== '';
  const around = getParent(element);
  return element.name === 'article' && around !== null && getElements(around).filter(isAlike).length > 1;
};

/** Finds the element with the content: starts at a marked one or the body, and goes down while one child holds nearly all. */
function findRoot(html: CheerioAPI, body: Element): Element {
  const prose = new Prose();
  const score = (element: Element) => prose.of(element);
  const whole = score(body);
  const named = html('main, [role="main"], [itemprop="articleBody"], #content, #main, #main-content')
    .toArray()
    .filter((element) => {
      const isMain = (element.attribs.role ?? element.name) === 'main';
      return score(element) >= whole * (isMain ? 0.2 : 0.4);
    });
  const [heading] = html(body).find('h1').toArray();
  let root = named.sort((one, other) => score(other) - score(one))[0] ?? body;
  const articles = html(root).find('article').toArray();
  const [largest] = articles.sort((one, other) => score(other) - score(one));
  if (largest !== undefined && !isAmongArticles(largest) && score(largest) > score(root) * 0.6)
    root = largest;
  for (;;) {
    const next = getElements(root).find((child) => score(child) > score(root) * 0.9);
    if (next === undefined || isAmongArticles(next) || /^(?:p|table|ul|ol|dl|pre|tbody)$/.test(next.name))
      return root;
    // The text of a product is its description: the price and the name stand beside it.
    const isBeside = heading !== undefined && isWithin(heading, root) && !isWithin(heading, next);
    if (isBeside && getElements(root).some((child) => child !== next && isShortAmount(child))) return root;
    root = next;
  }
}

/** Finds introductions before the root, in the order of the page: blocks of sentences, and a heading that the title does not say. */
function findIntroduction(html: CheerioAPI, root: Element, body: Element): Element[] {
  const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  const title = letters(html('title').text());
  const weights = new Weights();
  const isIntroduction = (element: Element) => {
    if (element.name === 'h1') return !title.includes(letters(html(element).text()));
    const { text, linked, links } = weights.of(element);
    const sentences = text - linked;
    return sentences > 120 && linked < text * 0.3 && sentences / (links + 1) > 60;
  };
  const found: Element[] = [];
  for (
    let node: Element = root;
    node !== body && node.parent !== null && isTag(node.parent);
    node = node.parent
  ) {
    const siblings = getElements(node.parent);
    found.unshift(...siblings.slice(0, siblings.indexOf(node)).filter(isIntroduction));
  }
  return found;
}

/** Words in the classes of a block that is there for one size of screen: `hidden-md-down`, `d-none d-lg-block`, `mobile`. */
const screens = /^(?:mobile|desktop|tablet|phone|xs|sm|md|lg|xl|xxl)$/;
function areForScreens(one: Element, other: Element): boolean {
  const first = new Set(getClasses(one));
  const second = new Set(getClasses(other));
  const differing = [...first, ...second].filter((name) => first.has(name) !== second.has(name));
  return differing.some((name) => nameParts({ class: name }).some((part) => screens.test(part)));
}

/** Whether two elements stand at the same place of rows or paragraphs that are built alike. */
function areParallel(first: Element, second: Element): boolean {
  let [one, other]: [Element, Element] = [first, second];
  while (one.parent !== other.parent) {
    if (one.name !== other.name || one.parent === null || other.parent === null) return false;
    if (!isTag(one.parent) || !isTag(other.parent)) return false;
    [one, other] = [one.parent, other.parent];
  }
  if (one.name !== other.name || one.parent === null) return false;
  if (areForScreens(one, other)) return false;
  const alike = getElements(one.parent).filter(({ name }) => name === one.name);
  return alike.length > 2 || (one.attribs.class ?? '') === (other.attribs.class ?? '');
}

/** What is compared: longer elements by their parts. */
const parts = 'p, li, h1, h2, h3, h4, div, section, dd';
const leastCopy = 40;
const mostCopy = 2_000;
/** A single part may be a sentence that is said twice, unless it is as long as this, in characters. */
const long = 400;
/** Levels up to the block in which a copy stands. */
const mostLevels = 6;

/** Elements with the text of one before them that is built in another way, each with the blocks around it that do not hold the first. */
function findCopies(html: CheerioAPI, root: Element, weights: Weights): Map<Element, readonly Element[]> {
  const firsts = new Map<string, Element>();
  const copies = new Map<Element, readonly Element[]>();
  for (const element of html(root).find(parts).toArray()) {
    const { text: length } = weights.of(element);
    if (length < leastCopy || length > mostCopy) continue;
    const text = html(element).text().replace(/\s+/g, ' ').trim();
    const first = firsts.get(text);
    if (first === undefined) firsts.set(text, element);
    else if (!isWithin(element, first) && !areParallel(first, element)) {
      const around = html(element).parents().toArray().slice(0, mostLevels);
      const shared = around.findIndex((block) => block === root || isWithin(first, block));
      copies.set(element, around.slice(0, Math.max(shared, 0)));
    }
  }
  return copies;
}

/**
 * Removes the second copy of a block, which pages have for another size of screen. One sentence that is said again, and rows
 * and paragraphs that stand side by side, stay.
 */
function removeCopies(html: CheerioAPI, root: Element): void {
  const weights = new Weights();
  const copies = findCopies(html, root, weights);
  const held = new Map<Element, { count: number; text: number }>();
  for (const [copy, around] of copies) {
    if (around.some((block) => copies.has(block))) continue;
    for (const block of around) {
      const { count, text } = held.get(block) ?? { count: 0, text: 0 };
      held.set(block, { count: count + 1, text: text + weights.of(copy).text });
    }
  }
  const isCopied = (block: Element) => {
    const { count, text } = held.get(block) ?? { count: 0, text: 0 };
    return count > 1 && text > weights.of(block).text * 0.5;
  };
  for (const [copy, around] of copies) {
    const isBlock = weights.of(copy).text > long || html(copy).find('p, li, h1, h2, h3, h4, dd').length > 1;
    if (isBlock || around.some(isCopied)) html(copy).remove();
  }
}

export interface Content {
  /** The page without what stands around the content; what is removed by it is missing as long as the content is read. */
  readonly html: CheerioAPI;
  /** Introductions first, the element with most of the text last. */
  readonly roots: readonly Element[];
  /** Parts beside the content that say more than links do. */
  readonly besides: readonly Element[];
  /** Blocks of links that were in the content, also those of its surroundings that stood in it. */
  readonly menus: readonly Element[];
  /** What its controls offered. */
  readonly choices: readonly LeftOut[];
  /** Puts the parts beside the content and the menus back. Returns the roots and those parts that are in no root, in the order of the page. */
  readonly withBesides: () => Element[];
  /** Runs a reader to which nothing of the page is missing. */
  readonly whole: <Result>(read: () => Result) => Result;
}

/** Those of the elements that are in none of the others, in the order of the page. */
function findOutermost(html: CheerioAPI, body: Element, elements: ReadonlySet<Element>): Element[] {
  const isInside = (element: Element) =>
    html(element)
      .parents()
      .toArray()
      .some((parent) => elements.has(parent));
  return [body, ...html(body).find('*').toArray()].filter((one) => elements.has(one) && !isInside(one));
}

function topOf(element: Element): Element {
  let top = element;
  while (top.parent !== null && isTag(top.parent)) top = top.parent;
  return top;
}

/** Runs a reader of the content, which is undefined for a page without a body. The page is as before in the end. */
export function readContent<Result>(
  page: CheerioAPI,
  read: (content: Content | undefined) => Result,
): Result {
  const [tree] = page.root().toArray();
  const body = page('body').get(0);
  if (tree === undefined || !isDocument(tree) || body === undefined) return read(undefined);
  const removals = new Removals();
  const html = queryWithRemovals(tree, removals);
  try {
    const { removed, choices } = removeSurroundings(html, body);
    const root = findRoot(html, body);
    const unmarked = removeMenus(html, root, root.name === 'body' ? 1 : 0.5);
    const roots = [...findIntroduction(html, root, body), root];
    for (const one of roots) removeCopies(html, one);
    // What stands in no smaller part of the page than its body may as well be around the content.
    const places = new Set(roots.filter((one) => one !== body));
    const articles = new Set(roots.flatMap((one) => html(one).closest('article').toArray().filter(isTag)));
    const weights = new Weights();
    const menus = [
      ...removed.filter((one) => areLinks(weights.of(one)) && removals.wasWithin(one, places)),
      ...unmarked,
    ];
    const besides = findBesides(html, roots, body, removed, {
      isWithin: (one) => removals.wasWithin(one, places),
      isOfArticle: (one) => removals.wasWithin(one, articles),
    });
    const withBesides = () => {
      const parts = new Set(besides);
      for (const site of removed) keepParts(html, site, parts);
      removals.putBack([...besides, ...menus].map(topOf));
      return findOutermost(html, body, new Set([...roots, ...besides]));
    };
    return read({
      html,
      roots,
      besides,
      menus,
      choices: choices.filter(({ place }) =>
        roots.some((one) => isWithin(place, one) || (place !== body && isWithin(one, place))),
      ),
      withBesides,
      whole: (reader) => removals.whole(reader),
    });
  } finally {
    removals.restore();
  }
}

/** More than any article needs; the work grows faster than the page. */
const maxElements = 20_000;

/** Its `text` has a line for each block. */
export type Article = Omit<NonNullable<ReturnType<Readability['parse']>>, 'content' | 'textContent'> & {
  readonly text: string;
};

/** Undefined where the page has no article; throws a `PageTooLargeError` for a page that is too large. */
export function readArticle({ html }: Document): Article | undefined {
  // Counted before the page is written and read once more, which takes as much memory again.
  if (html('*').length > maxElements)
    throw new PageTooLargeError('The page is too large to be read as an article');
  const { document } = parseHTML(html.html());
  const article = new Readability(document).parse();
  if (article === null) return undefined;
  const text = load(article.content ?? '')
    .root()
    .children()
    .toArray()
    .map(getText)
    .join('')
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
  return text === '' ? undefined : { ...article, text };
}

/** Whether an element says how much something is, such as "Prep time" and "15 min": a short label, and behind it a number. */
function isFact(element: Element): boolean {
  const [label, value] = getElements(element).map((part) => getText(part).trim());
  return /^\p{L}\P{N}{0,40}$/u.test(label ?? '') && /^\P{L}{0,3}\d.{0,40}$/u.test(value ?? '');
}

const blocks = 'p, li, h2, h3, h4, h5, h6, blockquote, figure, dd, dt, div, section, form';
const isHeading = ({ name }: Element) => /^h[2-6]$/.test(name);
/** The share of its phrases that a block of the article has at least. */
const leastShare = 0.3;
/** The article is not found where more of the content than this would go. */
const mostRemoved = 0.3;

/**
 * Removes the blocks of the content that are not in the article: what stands around and between its paragraphs. Returns
 * whether it removed any.
 */
export function removeBesideArticle(html: CheerioAPI, root: Element, article: Article): boolean {
  const phrases = new Phrases(article.text);
  const weights = new Weights();
  const texts = html(root)
    .find(blocks)
    .toArray()
    .filter((element) => html(element).find(blocks).length === 0 && weights.of(element).text > 0);
  const isBeside = (element: Element) =>
    html(element).closest('pre, table').length === 0 &&
    !phrases.hold(getText(element), leastShare) &&
    !isFact(element);
  // A heading goes with what it stands above: without it, that would read as a part of what is before.
  const others = texts.filter((element, at) => {
    const below = isHeading(element) ? texts[at + 1] : undefined;
    return isBeside(element) && (below === undefined || isHeading(below) || isBeside(below));
  });
  const sum = others.reduce((total, other) => total + weights.of(other).text, 0);
  if (sum === 0 || sum > weights.of(root).text * mostRemoved) return false;
  html(others).remove();
  return true;
}
