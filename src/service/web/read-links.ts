/** The links of a page, each address once. */
import type { Document, Row } from '../recipes/document.ts';

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

const maxLinks = 2_000;

export function readLinks({ html, base }: Document): Row | undefined {
  const links = new Map<string, string>();
  for (const link of html('a[href], area[href]').toArray()) {
    const href = html(link).attr('href') ?? '';
    if (!URL.canParse(href, base)) continue;
    const url = new URL(href, base);
    if (!/^https?:$/.test(url.protocol)) continue;
    url.hash = '';
    const text =
      collapse(html(link).text()) ||
      (html(link).attr('aria-label') ?? html(link).attr('title') ?? html(link).find('img').attr('alt') ?? '');
    links.set(url.href, links.get(url.href) || text.slice(0, 300));
  }
  if (links.size === 0) return undefined;
  const items = [...links].slice(0, maxLinks).map(([url, text]) => ({ text, url }));
  return { count: links.size, returned: items.length, items };
}
