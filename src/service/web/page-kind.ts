/** Determines the kind of a page by its own data and its structure. */
import type { CheerioAPI } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { countAmounts } from '../../compare/money.ts';
import { findTeasers } from '../page/beside.ts';
import { getElements } from '../page/elements.ts';
import type { PageFacts } from '../page/stated.ts';
import { getText } from '../page/text.ts';
import { measureEntries, measurePosts } from '../page/threads.ts';
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
  ['service', /^(?:Service|\w*Business|Course|FAQPage|EducationalOccupationalProgram)$/],
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
  /** The share of the text in those that have numbers, by which links lead to each. */
  readonly numbered: number;
  /** The share of the text in those that each name their author. */
  readonly signed: number;
  /** The share of the text in entries of a list. */
  readonly entries: number;
  /** Links to headings of the page itself. */
  readonly contents: number;
  /** Whether it has code, or headings that lead to themselves. */
  readonly isManual: boolean;
  /** Whether the page marks the content as an article. */
  readonly isArticle: boolean;
}

/** Whether it is code, or a sign in a heading that leads to the heading. */
const isOfManual = (element: Element): boolean =>
  element.name === 'pre' || !/[\p{L}\p{N}]/u.test(getText(element));

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
  const { posts, numbered, signed } = measurePosts(html, root, weights);
  return {
    text,
    prose: prose.filter((length) => length > 80).reduce((sum, length) => sum + length, 0),
    prices: countAmounts(html(root).text()),
    teasers: teasers / whole,
    cards: html(root).find('li, article, div, tr').toArray().filter(isLinkedCard).length,
    posts: posts / whole,
    numbered: numbered / whole,
    signed: signed / whole,
    entries: measureEntries(html, root, weights) / whole,
    contents,
    isManual: html(root).find('pre, h2 a[href^="#"], h3 a[href^="#"]').toArray().some(isOfManual),
    isArticle: root.name === 'article',
  };
}

export const countContents = (html: CheerioAPI): number =>
  html('a[href^="#"]').filter((_, { attribs }) => (attribs.href ?? '').length > 2).length;

const contacts =
  'a[href^="tel:"], a[href^="mailto:"], form input[type="email"], form input[type="tel"], form textarea';
const carts = '[class*="cart" i], [href*="cart" i], [action*="cart" i], [href*="basket" i]';
/** Whether readers can call or write, and no cart says that they buy on the site. */
export const isToContact = (html: CheerioAPI): boolean =>
  html(contacts).length > 0 && html(carts).length === 0;

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

/** What the whole page is asked. `isSale`: whether one thing is for sale on it. */
interface Questions {
  readonly isSale: () => boolean;
  readonly isContact: () => boolean;
}

export function findKind(
  facts: PageFacts,
  shape: Shape,
  isDated: boolean,
  { isSale, isContact }: Questions,
): PageKind {
  const said = new Set(
    saidTypes.filter(([, type]) => facts.types.some((one) => type.test(one))).map(([kind]) => kind),
  );
  const { author } = facts;
  const ogType = facts.meta('og:type') ?? '';
  const share = shape.prose / Math.max(shape.text, 1);
  if (said.has('forum')) return 'forum';
  const products = facts.nodes.filter(({ offers }) => offers !== undefined).length;
  const saysProduct = said.has('product') || /product(?![.:]group)/i.test(ogType);
  if (saysProduct && products <= 3 && !said.has('collection')) return 'product';
  const isThread = shape.numbered > 0.8 || (Math.max(shape.posts, shape.signed) > 0.5 && share < 0.6);
  const isList =
    shape.teasers > 0.4 ||
    (shape.entries > 0.5 && !isThread) ||
    (shape.cards >= 6 && shape.text / shape.cards < 400);
  if (!isList && said.size === 0 && shape.prices > 0 && isSale()) return 'product';
  if (shape.prices >= 6 && isList) return 'collection';
  if (said.has('article') && !isList) return 'article';
  // Comments may be longer than the article above them.
  if (isThread) return 'forum';
  const isSigned = isDated || author !== undefined;
  const signs = [shape.contents >= 12, shape.isManual, !isSigned].filter(Boolean).length;
  if (said.has('documentation') || signs >= 2) return 'documentation';
  if (isList) return 'listing';
  if ((isSigned || ogType === 'article') && share > 0.6) return 'article';
  if (isDated && shape.isArticle) return 'article';
  return (shape.prose > 300 && isContact()) || said.has('service') ? 'service' : 'other';
}
