/** The fields that every feed has. Apart from the feed parser, which is large. */
import type { JsonField } from './schema.ts';

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
