/** The entries of a feed, or the address of the feed that a page links to. */
import { looksLikeFeed } from '../builder/structures.ts';
import { type Document, findFeedAddress } from '../page/document.ts';
import { readFeedText } from '../recipes/feed-entries.ts';
import { extract } from '../recipes/parse.ts';
import type { ReadingResult } from './readings.ts';

/** Feeds are often served as text/html or text/xml, and JSON feeds as application/json. */
export const isFeed = (document: Document): boolean =>
  looksLikeFeed(document, { evenHtml: true }) ||
  (document.isData && /"version"\s*:\s*"https?:..jsonfeed/.test(document.source.slice(0, 2_000)));

export async function readFeed(document: Document): Promise<ReadingResult | undefined> {
  const { page } = document;
  if (!isFeed(document)) {
    if (document.isData) return undefined;
    const feed = findFeedAddress(document);
    return feed === undefined ? undefined : { feed };
  }
  const extracted = await extract(document, { kind: 'feed' });
  if (extracted.kind !== 'rows') return undefined;
  const { title, next } = readFeedText(document.source, page.url);
  return {
    data: {
      source_url: page.url,
      title: title ?? null,
      count: extracted.rows.length,
      ...(next !== undefined && {
        missing: ['The feed has older entries: their address is in `next`.'],
        next,
      }),
      items: extracted.rows,
    },
  };
}
