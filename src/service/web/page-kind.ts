/** Determines the kind of a page by its own data and its structure. */
import type { CheerioAPI } from 'cheerio/slim';
import { type Element, isTag, isText } from 'domhandler';
import { countAmounts } from '../../compare/money.ts';
import { findTeasers } from '../page/beside.ts';
import { getElements } from '../page/elements.ts';
import type { PageFacts } from '../page/stated.ts';
import { Weights } from '../page/weights.ts';

export type PageKind =
  | 'article'
  | 'documentation'
  | 'listing'
  | 'collection'
  | 'product'
  | 'forum'
  | 'service'
  | 'other';

const saidTypes: readonly (readonly [PageKind, RegExp])[] = [
  ['forum', /^(?:DiscussionForumPosting|QAPage)$/],
  ['product', /^(?:Product|ProductGroup|ProductModel|IndividualProduct|Vehicle|Car)$/],
  ['article', /^(?:\w*Article|BlogPosting|Report|Recipe|LiveBlogPosting)$/],
  ['documentation', /^(?:TechArticle|APIReference|HowTo|SoftwareSourceCode)$/],
  ['collection', /^(?:ItemList|OfferCatalog)$/],
  ['listing', /^(?:CollectionPage|SearchResultsPage|Blog)$/],
  ['service', /^(?:Service|\w*Business|Course|FAQPage|Organization|EducationalOccupationalProgram)$/],
];

export interface Shape {
  readonly text: number;
  /** Characters in paragraphs of sentences. */
  readonly prose: number;
  readonly prices: number;
  /** The share of the text in groups of links to other pages. */
  readonly teasers: number;
  readonly cards: number;
  /** The share of the text in dated contributions. */
  readonly posts: number;
  /** Links to headings of the page itself. */
  readonly contents: number;
  /** Whether the page marks the content as an article. */
  readonly isArticle: boolean;
}

const moment = /\b(?:19|20)\d\d\b|\b\d{1,2}:\d\d\b/;

/** Characters of a text from which on it may be a sentence. */
const sentence = 40;

/** Whether a text outside of links is long enough: rows of a list of topics have names, counts and dates only. */
const holdsSentence = (element: Element): boolean =>
  element.children.some((child) =>
    isText(child)
      ? child.data.trim().length >= sentence
      : isTag(child) && child.name !== 'a' && holdsSentence(child),
  );

/** The largest group of siblings that look alike, hold sentences and each show a date. */
function measurePosts(html: CheerioAPI, root: Element, weights: Weights): number {
  let most = 0;
  const walk = (parent: Element) => {
    const groups = new Map<string, Element[]>();
    for (const child of getElements(parent)) {
      const look = `${child.name} ${(child.attribs.class ?? '').split(/\s+/)[0]}`;
      const group = groups.get(look) ?? [];
      groups.set(look, group);
      group.push(child);
    }
    for (const group of groups.values()) {
      const posts = group.filter((element) => {
        const { text, linked } = weights.of(element);
        if (text < 100 || linked > text * 0.5) return false;
        return html(element).find('time, [datetime]').length > 0 || moment.test(html(element).text());
      });
      if (
        posts.length >= 2 &&
        posts.length >= group.length * 0.6 &&
        posts.filter(holdsSentence).length * 2 > posts.length
      )
        most = Math.max(
          most,
          posts.reduce((sum, post) => sum + weights.of(post).text, 0),
        );
    }
    for (const child of getElements(parent)) if (weights.of(child).text > 300) walk(child);
  };
  walk(root);
  return most;
}

/** Measures the content. `contents` is counted before the surroundings are removed. */
export function measure(html: CheerioAPI, root: Element, contents: number): Shape {
  const weights = new Weights();
  const { text } = weights.of(root);
  const whole = Math.max(text, 1);
  const teasers = findTeasers(root).reduce((sum, element) => sum + weights.of(element).text, 0);
  const prose = html(root)
    .find('p')
    .toArray()
    .map((element) => weights.of(element).text);
  return {
    text,
    prose: prose.filter((length) => length > 80).reduce((sum, length) => sum + length, 0),
    prices: countAmounts(html(root).text()),
    teasers: teasers / whole,
    cards: html(root).find('li, article, div, tr').toArray().filter(isLinkedCard).length,
    posts: measurePosts(html, root, weights) / whole,
    contents,
    isArticle: root.name === 'article',
  };
}

export const countContents = (html: CheerioAPI): number =>
  html('a[href^="#"]').filter((_, { attribs }) => (attribs.href ?? '').length > 2).length;

/** A small block with one linked picture or heading. */
function isLinkedCard(card: Element): boolean {
  let [links, headings, isLinked] = [0, 0, false];
  // Each element of a page is asked, so that a query would take most of the time.
  const walk = (element: Element, inLink: boolean, inHeading: boolean): void => {
    for (const child of getElements(element)) {
      if (links > 8) return;
      const isLink = child.name === 'a' && 'href' in child.attribs;
      const isHeading = /^(?:h[2-5]|img)$/.test(child.name);
      links += Number(isLink);
      headings += Number(isHeading);
      isLinked ||= (isLink && inHeading) || (isHeading && inLink);
      walk(child, inLink || child.name === 'a', inHeading || (isHeading && child.name !== 'img'));
    }
  };
  walk(card, false, false);
  return links > 0 && links <= 8 && headings > 0 && headings <= 4 && isLinked;
}

/** `isSale`: whether one thing is for sale on the page. */
export function findKind(facts: PageFacts, shape: Shape, isDated: boolean, isSale: () => boolean): PageKind {
  const said = new Set(
    saidTypes.filter(([, type]) => facts.types.some((one) => type.test(one))).map(([kind]) => kind),
  );
  const { author } = facts;
  const ogType = facts.meta('og:type');
  const share = shape.prose / Math.max(shape.text, 1);
  if (said.has('forum')) return 'forum';
  const products = facts.nodes.filter(({ offers }) => offers !== undefined).length;
  const saysProduct = said.has('product') || /product/i.test(ogType ?? '');
  if (saysProduct && products <= 3 && !said.has('collection')) return 'product';
  const isList = shape.teasers > 0.4 || (shape.cards >= 6 && shape.text / shape.cards < 400);
  if (!isList && said.size === 0 && shape.prices > 0 && isSale()) return 'product';
  if (shape.prices >= 6 && isList) return 'collection';
  if (said.has('article') && !isList) return 'article';
  if (shape.posts > 0.5 && share < 0.6) return 'forum';
  if (said.has('documentation') || shape.contents >= 12) return 'documentation';
  if (isList) return 'listing';
  if ((isDated || author !== undefined || ogType === 'article') && share > 0.6) return 'article';
  if (isDated && shape.isArticle) return 'article';
  return shape.prose > 300 || said.has('service') ? 'service' : 'other';
}
