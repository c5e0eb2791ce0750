/** The article of a page, as the reader view of a browser finds it, and what it says of the blocks of the content. */
import { Readability } from '@mozilla/readability';
import { type CheerioAPI, load } from 'cheerio/slim';
import type { Element } from 'domhandler';
import { parseHTML } from 'linkedom';
import { PageTooLargeError } from '../foundation/errors.ts';
import type { Document } from './document.ts';
import { getElements } from './elements.ts';
import { getText } from './text.ts';
import { Weights } from './weights.ts';
import { Phrases } from './words.ts';

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
