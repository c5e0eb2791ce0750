/** The main text of an article, wherever it is in the page. */
import { PageChangedError } from '../foundation/errors.ts';
import { type Article, readArticle } from '../page/content.ts';
import type { Document, Extracted, Row } from '../page/document.ts';
import { articleParts, type Extract } from './recipe-schema.ts';
import { toTyped } from './values.ts';

function toParts(
  { html, base }: Document,
  article: Article,
): Readonly<Record<(typeof articleParts)[number], unknown>> {
  const image = html('meta[property="og:image"]').attr('content') ?? html('article img').attr('src');
  const published =
    article.publishedTime ??
    html('meta[property="article:published_time"]').attr('content') ??
    html('article time[datetime], main time[datetime], time[datetime]').attr('datetime');
  return {
    title: html('h1').first().text().replace(/\s+/g, ' ').trim() || article.title || null,
    author:
      article.byline
        ?.replace(/^\s*by\s+/i, '')
        .replace(/\s+/g, ' ')
        .trim() || null,
    published: toTyped(published, { type: 'date' }, base).value,
    summary: article.excerpt?.trim() || null,
    text: article.text,
    image: toTyped(image, { type: 'image' }, base).value,
    site_name: article.siteName ?? null,
    language: article.lang ?? html('html').attr('lang') ?? null,
  };
}

export function extractArticle(document: Document, extraction: Extract & { kind: 'article' }): Extracted {
  const article = readArticle(document);
  if (article === undefined) throw new PageChangedError('The page has no article; it may have changed');
  const parts = toParts(document, article);
  const fields = extraction.fields ?? Object.fromEntries(articleParts.map((part) => [part, part]));
  const record: Row = Object.fromEntries(Object.entries(fields).map(([name, part]) => [name, parts[part]]));
  return { kind: 'record', record };
}
