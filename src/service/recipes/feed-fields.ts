/** The fields that every feed has. In a file of their own, because the feed parser is large. */
import type { JsonField } from './schema.ts';

/** JMESPath over an entry as feedsmith parses it; a recipe's own `fields` are added. */
export const commonFields: Readonly<Record<string, JsonField>> = {
  id: { path: 'guid.value || id', type: 'text' },
  title: { path: 'title.value || title', type: 'text' },
  url: { path: "link || (links[?!rel || rel == 'alternate'] | [0].href) || url", type: 'url' },
  published: { path: 'pubDate || published || date_published || dc.dates[0] || updated', type: 'date' },
  summary: { path: 'summary.value || description || summary || content_text', type: 'text' },
  authors: { path: 'authors[].name || dc.creators || `[]`', type: 'json' },
  categories: { path: 'categories[].[name || term][] || tags || `[]`', type: 'json' },
};
