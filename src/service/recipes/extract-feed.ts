/** RSS, Atom, RDF and JSON feeds, brought to the same fields. */
import { parseFeed } from 'feedsmith';
import { type Extracted, ParseError } from './document.ts';
import { jsonRows } from './extract-json.ts';
import type { Extract, JsonField } from './schema.ts';

/** Over an entry as feedsmith reads it; a recipe's own `fields` come on top. */
export const commonFields: Readonly<Record<string, JsonField>> = {
  id: { path: 'guid.value || id', type: 'text' },
  title: { path: 'title.value || title', type: 'text' },
  url: { path: "link || (links[?!rel || rel == 'alternate'] | [0].href) || url", type: 'url' },
  published: { path: 'pubDate || published || date_published || dc.dates[0] || updated', type: 'date' },
  summary: { path: 'summary.value || description || summary || content_text', type: 'text' },
  authors: { path: 'authors[].name || dc.creators || `[]`', type: 'json' },
  categories: { path: 'categories[].[name || term][] || tags || `[]`', type: 'json' },
};

export function extractFeed(source: string, how: Extract & { kind: 'feed' }, base: string): Extracted {
  let parsed: ReturnType<typeof parseFeed>;
  try {
    parsed = parseFeed(source);
  } catch {
    throw new ParseError('The site did not answer with a feed');
  }
  // Through JSON: JMESPath knows plain JSON values only.
  const feed = JSON.parse(JSON.stringify(parsed.feed));
  const entries: unknown = feed.items ?? feed.entries ?? [];
  if (!Array.isArray(entries)) throw new ParseError('The feed has no list of entries');
  const common = Object.entries(commonFields).filter(([name]) => how.only?.includes(name) ?? true);
  return { kind: 'rows', rows: jsonRows(entries, { ...Object.fromEntries(common), ...how.fields }, base) };
}
