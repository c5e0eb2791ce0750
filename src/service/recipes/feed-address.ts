/** The feed that a page names as another form of itself. */
import type { Document } from './document.ts';

const isFeedType = (type = '') => /^application\/(?:(?:rss|atom|rdf)\+xml|feed\+json)/i.test(type);

export function findFeedAddress({ html, base }: Document): string | undefined {
  const links = html('link[rel~="alternate"][href]').toArray();
  const href = links.find(({ attribs }) => isFeedType(attribs.type))?.attribs.href;
  return href !== undefined && URL.canParse(href, base) ? new URL(href, base).href : undefined;
}
