/** Feeds: RSS, Atom, RDF and JSON feed. */
import type { Document } from '../../page/document.ts';
import { commonFields } from '../../page/feed-fields.ts';
import { entryElements } from '../../recipes/extract-feed.ts';
import { extract } from '../../recipes/parse.ts';
import type { Place } from '../columns/place.ts';
import { type Structure, toExtract, toFields } from './candidate.ts';

const names: Readonly<Record<string, readonly string[]>> = {
  title: ['title', 'headline', 'name'],
  url: ['url', 'link'],
  published: ['date published', 'date'],
  summary: ['summary', 'description'],
  content: ['content', 'full text'],
  image: ['image', 'picture'],
  authors: ['author'],
  categories: ['category', 'tag'],
};
/** Fields that every feed has already. */
const isCommon =
  /^(?:title|link|guid|id|pubDate|published|description|summary|author|author\/\w+|category)(?:@.*)?$/;
const maxElements = 40;

export async function findFeed(document: Document): Promise<Structure[]> {
  const extracted = await extract(document, { kind: 'feed' });
  if (extracted.kind !== 'rows' || extracted.rows.length === 0) return [];
  const elements = entryElements(document.source);
  const hasElements = elements.length === extracted.rows.length;
  const tags = hasElements ? [...new Set(elements.flatMap((entry) => Object.keys(entry)))] : [];
  const common = Object.entries(commonFields).map(([part, field]): Place => {
    const { path } = field;
    const single = extracted.rows.every((row) => Array.isArray(row[part]) && row[part].length === 1);
    return {
      source: { path: single ? `(${path})[0]` : path },
      label: part,
      names: names[part] ?? [part],
      hint: part === 'url' ? 'url' : undefined,
      ...(part === 'title' ? { isTitle: true } : {}),
    };
  });
  const further = tags
    .filter((tag) => !isCommon.test(tag))
    .slice(0, maxElements)
    .map(
      (tag): Place => ({
        source: { path: `elements.${JSON.stringify(tag)}` },
        label: tag,
        names: [tag.replace(/^.*[/:](?=\w)/, '').replace('@', ' ')],
        hint: /(?:thumbnail|image)(?:@\w+|\/url)?$/.test(tag) ? 'image' : undefined,
      }),
    );
  return [
    {
      kind: 'feed',
      many: true,
      rows: extracted.rows.length,
      about: /<title[^>]*>([^<]*)/.exec(document.source.slice(0, 3_000))?.[1]?.trim() ?? 'feed',
      places: [...common, ...further],
      toExtract: toExtract((fields) => ({ kind: 'feed', only: [], fields: toFields(fields) })),
    },
  ];
}
