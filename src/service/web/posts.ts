/** Measures the posts of a thread: siblings that look alike, each with a date and a text. */
import type { CheerioAPI } from 'cheerio/slim';
import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { collapse, getElements, shownText } from '../page/elements.ts';
import { groupBy } from '../page/grouping.ts';
import type { Weights } from '../page/weights.ts';
import { threadAuthors } from './byline.ts';

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

const lookOf = ({ name, attribs }: Element) => `${name} ${(attribs.class ?? '').split(/\s+/)[0]}`;

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
  yield* groupBy(children, lookOf).values();
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
