/** The links of a page, each address once. */
import type { Document } from '../page/document.ts';

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

interface Link {
  readonly text: string;
  readonly url: string;
}

export function readLinks({ html, base }: Document): Link[] {
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
  return [...links].map(([url, text]) => ({ text, url }));
}
