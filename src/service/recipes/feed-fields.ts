/** The fields that every feed has. In a file of their own, because the feed parser is large. */
import type { JsonField } from './schema.ts';

/** Of the common fields, those that most feeds lack: left out where no entry has one, unless a recipe asks for it. */
export const rareFields: readonly string[] = ['content', 'image', 'enclosures'];

/** JMESPath over an entry as `readFeedText` gives it; a recipe's own `fields` are added. */
export const commonFields: Readonly<Record<string, JsonField>> = {
  id: { path: 'common.id', type: 'text' },
  title: { path: 'common.title', type: 'text' },
  url: { path: 'common.url', type: 'url' },
  published: { path: 'pubDate || published || date_published || dc.dates[0] || updated', type: 'date' },
  summary: { path: 'common.summary', type: 'text' },
  content: { path: 'common.content', type: 'text' },
  image: { path: 'common.image', type: 'image' },
  enclosures: { path: 'common.enclosures', type: 'json' },
  authors: { path: 'authors[].name || dc.creators || `[]`', type: 'json' },
  categories: { path: 'categories[].[name || term][] || tags || `[]`', type: 'json' },
};
