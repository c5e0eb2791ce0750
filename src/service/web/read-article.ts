/** The article of a page, its text as Markdown. */
import { load } from 'cheerio/slim';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import type { Document, Row } from '../recipes/document.ts';
import { readArticle } from '../recipes/extract-article.ts';

/** Characters; the reader takes any page with a sentence for an article. */
const minText = 200;

const markdown = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
});

/** Addresses that are absolute, and none that a reader cannot open. */
function withAddresses(content: string, base: string): string {
  const html = load(content);
  const address = (value: string) => (URL.canParse(value, base) ? new URL(value, base) : undefined);
  for (const link of html('a[href]').toArray()) {
    const url = address(html(link).attr('href') ?? '');
    if (url !== undefined && /^(?:https?|mailto):$/.test(url.protocol)) html(link).attr('href', url.href);
    else html(link).removeAttr('href');
  }
  for (const image of html('img').toArray()) {
    const url = address(html(image).attr('src') ?? '');
    if (url !== undefined && /^https?:$/.test(url.protocol)) html(image).attr('src', url.href);
    else html(image).remove();
  }
  return html.html();
}

export function readArticleAsMarkdown(document: Document): Row | undefined {
  const article = readArticle(document);
  if (article === undefined) return undefined;
  const { text, ...parts } = article.parts;
  if (String(text).length < minText) return undefined;
  // A DOM of its own: turndown takes the node, so that its HTML parser is never used.
  const { document: dom } = parseHTML(
    `<html><body>${withAddresses(article.content, document.base)}</body></html>`,
  );
  return { ...parts, markdown: markdown.turndown(dom.body) };
}
