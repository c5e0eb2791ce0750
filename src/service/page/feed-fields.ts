/** The fields that all feeds have. Apart from what reads a feed: a list of actions names them without reading any. */

type FeedField = {
  readonly path: string;
  readonly type: 'text' | 'url' | 'date' | 'image' | 'json';
};

/** JMESPath over an entry as `readFeedText` gives it; a recipe's own `fields` are added. */
export const commonFields: Readonly<Record<string, FeedField>> = {
  id: { path: 'common.id', type: 'text' },
  title: { path: 'common.title', type: 'text' },
  url: { path: 'common.url', type: 'url' },
  published: { path: 'common.published', type: 'date' },
  summary: { path: 'common.summary', type: 'text' },
  content: { path: 'common.content', type: 'text' },
  image: { path: 'common.image', type: 'image' },
  enclosures: { path: 'common.enclosures', type: 'json' },
  authors: { path: 'common.authors', type: 'json' },
  categories: { path: 'common.categories', type: 'json' },
};

/** Of the common fields, those that most feeds lack. */
export const rareFields: readonly string[] = ['content', 'image', 'enclosures'];
