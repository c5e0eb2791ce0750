/** Parts of the posts of a thread: boxes about their authors, and quotes of other posts. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag } from 'domhandler';
import { shownText } from './elements.ts';
import { addTo } from './grouping.ts';
import { getText } from './text.ts';
import { keepParts } from './tree.ts';
import { Weights } from './weights.ts';
import { Phrases } from './words.ts';

const boxes = ['aside', '[class*="sidebar" i]:not(article, li)']
  .flatMap((box) => [`article ${box}`, `li ${box}`])
  .join(', ');
const authorMarks = '[itemprop="author"], [class*="author" i], [class*="username" i]';
/** The most that a box about an author says, in characters, and links: a name, a rank, counts and a place. */
const mostOfAuthor = { text: 300, links: 4 };
/** The least number of posts by which their parts are told from boxes of the page. */
const fewPosts = 3;

/** Finds boxes about authors below an element: each of several articles or items has one that looks like it. */
export function findAuthorBoxes(html: CheerioAPI, root: Element): Set<Element> {
  const weights = new Weights();
  const byLook = new Map<string, Element[]>();
  for (const box of html(root).find(boxes).toArray()) {
    const { text, links } = weights.of(box);
    const isSmall = text <= mostOfAuthor.text && links <= mostOfAuthor.links;
    const isMarked = isSmall && (html(box).is(authorMarks) || html(box).find(authorMarks).length > 0);
    if (isMarked && html(box).find('article').length === 0) addTo(byLook, box.attribs.class ?? '', box);
  }
  const postsOf = (some: readonly Element[]) =>
    new Set(some.map((box) => html(box).parent().closest('article, li').get(0))).size;
  return new Set([...byLook.values()].filter((some) => postsOf(some) >= fewPosts).flat());
}

const quotes = 'blockquote, [class*="quote" i]:not(body):not(a)';
/** The share of the phrases of a quote that its post has; people shorten what they quote. */
const quotedShare = 0.6;

/** Removes the quotes of posts that stand on the page themselves. Returns whether it removed any. */
export function removeQuotes(html: CheerioAPI, root: Element): boolean {
  const isOutermost = (quote: Element) => html(quote).parents(quotes).length === 0;
  const found = html(root).find(quotes).toArray().filter(isOutermost);
  if (found.length === 0) return false;
  const own = html(root).clone();
  own.find(quotes).remove();
  const posts = new Phrases(own.toArray().map(getText).join(' '));
  const repeated = found.filter((quote) => posts.hold(getText(quote), quotedShare));
  html(repeated).remove();
  return repeated.length > 0;
}

const lookOf = ({ name, attribs }: Element) => `${name}.${attribs.class ?? ''}`;

/** Removes from the box of an author all but the name. Returns whether anything went. */
function keepName(html: CheerioAPI, box: Element): boolean {
  const whole = shownText(box);
  const marks = html(box).find(authorMarks).toArray();
  const name = marks.find((mark) => shownText(mark) !== '');
  if (name === undefined || shownText(name) === whole) return false;
  return keepParts(html, box, new Set([name]));
}

/**
 * Removes the facts about authors of posts, such as "Joined: 2020": a label and a short value, three times or more, and what
 * boxes about them say beside the name.
 */
export function removeAuthorFacts(html: CheerioAPI, root: Element): boolean {
  const weights = new Weights();
  const facts = new Map<string, Element[]>();
  for (const label of html(root).find('dt, strong, b, span, em').toArray()) {
    const text = html(label).text().trim();
    const { parent } = label;
    if (!/^[^:]{2,30}:$/.test(text) || parent === null || !isTag(parent)) continue;
    if (parent.name === 'p' || weights.of(parent).text > 100) continue;
    addTo(facts, `${lookOf(label)} ${text}`, parent);
  }
  const repeated = [...facts.values()].filter((group) => group.length >= 3).flat();
  html(repeated).remove();
  const cut = [...findAuthorBoxes(html, root)].filter((box) => keepName(html, box));
  return repeated.length > 0 || cut.length > 0;
}
