/** Feeds: RSS, Atom, RDF and JSON feed. */
import type { Document } from '../recipes/document.ts';
import { extract } from '../recipes/parse.ts';
import { type Candidate, fieldOf } from './candidate.ts';
import { text } from './value-type.ts';
import { wordsOf } from './words.ts';

export const looksLikeFeed = (document: Document) =>
  /(?:rss|atom|rdf)\+xml|feed\+json/i.test(document.page.contentType) ||
  (!/html/i.test(document.page.contentType) &&
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:rss|feed|rdf:RDF)\b/.test(
      document.source.slice(0, 2_000),
    ));

export async function feedCandidate(document: Document): Promise<Candidate | undefined> {
  const { commonFields } = await import('../recipes/extract-feed.ts');
  const extracted = await extract(document, { kind: 'feed' });
  if (extracted.kind !== 'rows' || extracted.rows.length === 0) return undefined;
  const { rows } = extracted;
  const names: Readonly<Record<string, string[]>> = {
    title: ['title', 'headline', 'name'],
    url: ['url', 'link'],
    published: ['published', 'date'],
    summary: ['summary', 'description', 'content'],
    authors: ['author'],
    categories: ['category', 'tag'],
    id: ['id', 'guid'],
  };
  return {
    kind: 'feed',
    many: true,
    rows: rows.length,
    about: [
      'feed',
      'article',
      'post',
      'news',
      'story',
      'item',
      'episode',
      ...wordsOf(document.source.slice(0, 3_000).match(/<title[^>]*>([^<]*)/)?.[1] ?? ''),
    ],
    columns: Object.entries(commonFields).map(([part, field]) => {
      const values = rows
        .map((row) => row[part])
        .filter((value) => value !== null && !(Array.isArray(value) && value.length === 0));
      return {
        source: { in: 'feed' as const, part, path: field.path },
        names: names[part] ?? [part],
        nearNames: [],
        isTitle: part === 'title',
        type: field.type === 'text' ? text : { rules: { type: field.type } },
        fill: values.length / rows.length,
        constant: false,
        length: part === 'summary' ? 200 : 40,
        samples: values.slice(0, 12).map(String),
        order: 0,
      };
    }),
    extract: (fields) => ({
      kind: 'feed',
      only: [],
      fields: Object.fromEntries(
        fields.map((field) => {
          const path = field.column.source.in === 'feed' ? field.column.source.path : '@';
          const { part: _, ...rules } = { part: '', ...fieldOf(field, false) };
          return [field.name, { ...rules, path }];
        }),
      ),
    }),
  };
}
