/** The main text of an article, wherever it is in the page. */
import { Readability } from '@mozilla/readability';
import { load } from 'cheerio/slim';
import { parseHTML } from 'linkedom';
import { PageChangedError, PageTooLargeError } from '../foundation/errors.ts';
import type { Document, Extracted, Row } from '../page/document.ts';
import { getText } from '../page/text.ts';
import { articleParts, type Extract } from './schema.ts';
import { toTyped } from './values.ts';

/** More than any article needs; the work grows faster than the page. */
const maxElements = 20_000;

interface Article {
  readonly parts: Readonly<Record<(typeof articleParts)[number], unknown>>;
  /** Its text as HTML, without the rest of the page. */
  readonly content: string;
}

/** Undefined where the page has no article; throws a `PageTooLargeError` for a page that is too large. */
function readArticle(document: Document): Article | undefined {
  const { html, base } = document;
  const { document: dom } = parseHTML(html.html());
  let article: ReturnType<Readability['parse']>;
  try {
    article = new Readability(dom, { maxElemsToParse: maxElements }).parse();
  } catch (error) {
    throw new PageTooLargeError('The page is too large to be read as an article', { cause: error });
  }
  const content = article?.content ?? '';
  const text = load(content)
    .root()
    .children()
    .toArray()
    .map(getText)
    .join('')
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
  if (article == null || !text) return undefined;
  const image = html('meta[property="og:image"]').attr('content') ?? html('article img').attr('src');
  const published =
    article.publishedTime ??
    html('meta[property="article:published_time"]').attr('content') ??
    html('article time[datetime], main time[datetime], time[datetime]').attr('datetime');
  const address = toTyped(image, { type: 'image' }, base).value;
  const parts = {
    title: html('h1').first().text().replace(/\s+/g, ' ').trim() || article.title || null,
    author:
      article.byline
        ?.replace(/^\s*by\s+/i, '')
        .replace(/\s+/g, ' ')
        .trim() || null,
    published: toTyped(published, { type: 'date' }, base).value,
    summary: article.excerpt?.trim() || null,
    text,
    image: address,
    site_name: article.siteName ?? null,
    language: article.lang ?? html('html').attr('lang') ?? null,
  };
  return { parts, content };
}

export function extractArticle(document: Document, extraction: Extract & { kind: 'article' }): Extracted {
  const article = readArticle(document);
  if (article === undefined) throw new PageChangedError('The page has no article; it may have changed');
  const { parts } = article;
  const fields = extraction.fields ?? Object.fromEntries(articleParts.map((part) => [part, part]));
  const record: Row = Object.fromEntries(Object.entries(fields).map(([name, part]) => [name, parts[part]]));
  return { kind: 'record', record };
}
