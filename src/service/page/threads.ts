/** The posts of a thread: how much of a page they are, boxes about their authors, and quotes of other posts. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { collapse, getClasses, getElements, shownText } from './elements.ts';
import { addTo, groupBy } from './grouping.ts';
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
    if (isMarked) addTo(byLook, box.attribs.class ?? '', box);
  }
  const postsOf = (some: readonly Element[]) =>
    new Set(some.map((box) => html(box).parent().closest('article, li').get(0))).size;
  return new Set([...byLook.values()].filter((some) => postsOf(some) >= fewPosts).flat());
}

/** Where threads show the names of authors; the first name is the author of the first post. Links to profiles are tried last. */
export const threadAuthors = [
  '[data-author], [itemprop="author"] [itemprop="name"], [itemprop="author"], [class*="username" i], [class*="user-name" i], [class*="author" i] a, [class*="author" i], [class*="creator" i] a',
  'a[href*="/user" i], a[href*="/member" i], a[href*="/profile" i], a[href*="u="]',
];

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
  const marks = html(box).find(authorMarks).toArray();
  const name = marks.find((mark) => shownText(mark) !== '');
  return name !== undefined && keepParts(html, box, new Set([name]));
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

const moment = /\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b/;
const dates = 'time, [datetime]';

/** Characters of a text from which on it may be a sentence. */
const sentence = 40;

/** Whether a text outside of links is long enough: rows of a list of topics have names, counts and dates only. */
const holdsSentence = (element: Element): boolean =>
  element.children.some((child) =>
    isText(child)
      ? child.data.trim().length >= sentence
      : isTag(child) && child.name !== 'a' && holdsSentence(child),
  );

const isNumbered = ({ attribs }: Element) => /\d/.test(attribs.id ?? '');
/** `text`: what it says. */
const isDated = (html: CheerioAPI, element: Element, text: string) =>
  html(element).find(dates).length > 0 || moment.test(text);
const saysWhen = (html: CheerioAPI, element: Element) =>
  isDated(html, element, shownText(element)) ||
  html(element)
    .find('[title]')
    .toArray()
    .some(({ attribs }) => moment.test(attribs.title ?? ''));

/** Texts of a signed post are often short: "Thanks, that works." */
const leastOwn = 12;
const leastSigned = 3;
const authors = [...threadAuthors, 'a[class*="user" i]'].join(', ');
/** The words of a title, where a name or a button has fewer. */
const wordsOfTitle = 3;

/**
 * What a post says itself: its first text outside of links. Undefined where a link with a title of another page stands before
 * it, as in a list of topics, or where it says only who wrote it, and when.
 */
function ownTextOf(
  html: CheerioAPI,
  post: Element,
  isRepeated: (text: string) => boolean,
): string | undefined {
  let found: string | undefined;
  /** Whether the search is over. */
  const visit = (node: AnyNode): boolean => {
    if (isText(node)) {
      const text = collapse(node.data);
      if (text.length < leastOwn || moment.test(text) || isRepeated(text)) return false;
      found = text;
      return true;
    }
    if (!isTag(node)) return false;
    if (node.name === 'a') {
      const text = shownText(node);
      const leadsAway = node.attribs.href !== undefined && !node.attribs.href.includes('#');
      const isTitle = leadsAway && text.split(' ').length >= wordsOfTitle && !moment.test(text);
      return isTitle && !html(node).is(authors);
    }
    return node.children.some(visit);
  };
  visit(post);
  return found;
}

/** Whether these are posts that each name their author, however short they are. */
function areSigned(html: CheerioAPI, group: readonly Element[]): boolean {
  if (group.length < leastSigned) return false;
  const isSigned = (post: Element) =>
    (html(post).is('[data-author]') || html(post).find(authors).length > 0) && saysWhen(html, post);
  if (!group.every(isSigned)) return false;
  const counts = new Map<string, number>();
  for (const post of group)
    for (const text of new Set(textsIn(post))) counts.set(text, (counts.get(text) ?? 0) + 1);
  const isRepeated = (text: string) => (counts.get(text) ?? 0) * 2 > group.length;
  const own = group.filter((post) => ownTextOf(html, post, isRepeated) !== undefined);
  return own.length * 2 >= group.length;
}

const textsIn = (node: AnyNode): string[] =>
  isText(node) ? [collapse(node.data)] : 'children' in node ? node.children.flatMap(textsIn) : [];

/** A box of what somebody else said: "bbcode_quote", "quote_container". */
const isCalledQuote = (element: Element) =>
  getClasses(element).some((name) => /(?:^|[-_])quote(?:$|[-_])/i.test(name));

/** Makes such boxes quotes. What is marked as a quote around one, and says more, is the post, of which the answer is no quote. */
export function markQuotes(html: CheerioAPI, root: Element): void {
  for (const box of html(root).find('div[class*="quote" i]').toArray().filter(isCalledQuote)) {
    const [around] = html(box).closest('blockquote').toArray().filter(isTag);
    const isInPost = around !== undefined && !isCalledQuote(around) && shownText(around) !== shownText(box);
    if (isInPost) around.name = 'div';
    if ((around === undefined || isInPost) && html(box).find('form, input, button').length === 0)
      box.name = 'blockquote';
  }
}

const shapeOf = (element: Element) => `${element.name} ${getClasses(element)[0]}`;

const leastEntries = 3;
/** Whether it has a heading that leads to another page. */
const isEntry = (html: CheerioAPI, element: Element): boolean =>
  html(element)
    .find('h2 a[href], h3 a[href], h4 a[href], a[href]:has(h2, h3, h4)')
    .toArray()
    .some(({ attribs }) => !attribs.href?.startsWith('#'));

/** Siblings that look alike, below an element and those below it that have more than half of its text: fewer make no list, and no thread. */
function* alikeIn(
  root: Element,
  weights: Weights,
  least = weights.of(root).text * 0.5,
): Generator<Element[]> {
  const children = getElements(root);
  yield* groupBy(children, shapeOf).values();
  for (const child of children) if (weights.of(child).text > least) yield* alikeIn(child, weights, least);
}

const textOf = (some: readonly Element[], weights: Weights) =>
  some.reduce((sum, one) => sum + weights.of(one).text, 0);

/** The characters in the largest group of entries: siblings that look alike and each lead to a page of their own. */
export function measureEntries(html: CheerioAPI, root: Element, weights: Weights): number {
  let most = 0;
  for (const group of alikeIn(root, weights)) {
    const entries = group.length < leastEntries ? [] : group.filter((one) => isEntry(html, one));
    if (entries.length < leastEntries || entries.length < group.length * 0.8) continue;
    most = Math.max(most, textOf(entries, weights));
  }
  return most;
}

/** The characters in the largest groups of posts: of all, of those with numbers, and of those that each name their author. */
export function measurePosts(html: CheerioAPI, root: Element, weights: Weights) {
  let [posts, numbered, signed] = [0, 0, 0];
  const isPost = (element: Element) => {
    const { text, linked } = weights.of(element);
    return text >= 100 && linked <= text * 0.5 && isDated(html, element, html(element).text());
  };
  for (const group of alikeIn(root, weights)) {
    const length = textOf(group, weights);
    if (length > signed && areSigned(html, group)) signed = length;
    const found = group.filter(isPost);
    const isUsual = found.length >= 2 && found.length >= group.length * 0.6;
    if (!isUsual || found.filter(holdsSentence).length * 2 <= found.length) continue;
    posts = Math.max(posts, textOf(found, weights));
    if (found.every(isNumbered)) numbered = Math.max(numbered, textOf(found, weights));
  }
  return { posts, numbered, signed };
}
