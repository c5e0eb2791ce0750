/** Feeds: RSS, Atom, RDF and JSON feed. */
import type { Document } from '../recipes/document.ts';
import { extract } from '../recipes/parse.ts';
import { type Candidate, type Column, fieldOf } from './candidate.ts';
import { columnsOf } from './json-columns.ts';
import { text, typeOfJson } from './value-type.ts';
import { wordsOf } from './words.ts';

export const looksLikeFeed = (document: Document) =>
  /(?:rss|atom|rdf)\+xml|feed\+json/i.test(document.page.contentType) ||
  (!/html/i.test(document.page.contentType) &&
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)*<(?:rss|feed|rdf:RDF)\b/.test(
      document.source.slice(0, 2_000),
    ));

const commonNames: Readonly<Record<string, readonly string[]>> = {
  title: ['title', 'headline', 'name'],
  url: ['url', 'link'],
  published: ['published', 'date'],
  summary: ['summary', 'description', 'content'],
  authors: ['author'],
  categories: ['category', 'tag'],
  id: ['id', 'guid'],
};

/** What elements are called besides their tags. */
const elementNames: readonly (readonly [pattern: RegExp, names: readonly string[]])[] = [
  [
    /^(?:enclosure|media:content|media:group\/media:content)@url$/,
    ['audio', 'file', 'download', 'media', 'video', 'enclosure', 'url', 'link'],
  ],
  [/@url$|@href$/, ['url', 'link']],
  [/(?:thumbnail|image)(?:@\w+|\/url)?$/, ['image', 'thumbnail']],
  [/^content(?::encoded)?$/, ['content', 'text', 'body']],
  [/^enclosure@length$/, ['size', 'byte']],
  [/^enclosure@type$/, ['format']],
  [/creator$/, ['author']],
  [/(?:^|:)updated$/, ['updated', 'modified', 'date']],
];

/** What the common fields hold already. */
const isCommon =
  /^(?:title|link|guid|id|pubDate|published|description|summary|author|author\/\w+|category)(?:@.*)?$/;
const isRow = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every further element of an entry; `prefix` leads from the entry to it. */
function furtherColumns(rows: readonly Readonly<Record<string, unknown>>[], prefix: string): Column[] {
  const tags = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((tag) => !isCommon.test(tag))
    .slice(0, maxElements);
  return tags.flatMap((tag, order): Column[] => {
    const values = rows.map((row) => row[tag]).filter((value) => value !== undefined);
    const local = tag.replace(/^.*[/:](?=\w)/, '');
    const known = elementNames.filter(([pattern]) => pattern.test(tag)).flatMap(([, names]) => names);
    const texts = values.map(String);
    // A duration is what the feed says: 3:25 and 205 alike.
    const type =
      /duration/i.test(tag) && !texts.every((value) => /^\d+$/.test(value))
        ? text
        : typeOfJson(values, local.replace('@', ' '));
    return [
      {
        source: { in: 'feed', part: 'element', path: `${prefix}${JSON.stringify(tag)}` },
        names: [...new Set([...(tag.includes('@') ? known : []), ...wordsOf(local), ...known])],
        nearNames: wordsOf(tag),
        isTitle: false,
        type,
        fill: values.length / rows.length,
        constant: rows.length > 2 && new Set(texts).size === 1,
        length: texts.reduce((sum, value) => sum + value.length, 0) / texts.length,
        samples: texts.slice(0, 12),
        order: order + 10,
      },
    ];
  });
}
const maxElements = 60;

export async function feedCandidate(document: Document): Promise<Candidate | undefined> {
  const { commonFields, entryElements, feedEntries } = await import('../recipes/extract-feed.ts');
  const extracted = await extract(document, { kind: 'feed' });
  if (extracted.kind !== 'rows' || extracted.rows.length === 0) return undefined;
  const { rows } = extracted;
  const elements = entryElements(document.source);
  const further =
    elements.length === rows.length
      ? furtherColumns(elements, 'elements.')
      : columnsOf(feedEntries(document.source).flatMap((entry) => (isRow(entry) ? [entry] : [])))
          .filter(({ source }) => source.in === 'json' && !commonPaths.test(source.path))
          .map(inFeed);
  const common = Object.entries(commonFields).map(([part, field]): Column => {
    const values = rows
      .map((row) => row[part])
      .filter((value) => value !== null && !(Array.isArray(value) && value.length === 0));
    // One author each is a name, not a list.
    const isSingle =
      field.type === 'json' && values.every((value) => Array.isArray(value) && value.length === 1);
    const isMarkup = part === 'summary' && values.some((value) => /<\/?[a-z][^>]*>/i.test(String(value)));
    const path = isSingle
      ? `(${field.path})[0]`
      : isMarkup && elements.length === rows.length
        ? shownSummary
        : field.path;
    return {
      source: { in: 'feed', part, path },
      names: commonNames[part] ?? [part],
      nearNames: [],
      isTitle: part === 'title',
      type: field.type === 'text' || isSingle ? text : { rules: { type: field.type } },
      fill: values.length / rows.length,
      constant: false,
      length: part === 'summary' ? 200 : 40,
      samples: values.slice(0, 12).map(String),
      order: 0,
    };
  });
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
    columns: [...common, ...further],
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

/** Without the tags that the feed's own text has. */
const shownSummary =
  'elements.description || elements.summary || elements."itunes:summary" || elements.content';
const commonPaths = /^(?:id|title|url|date_published|summary|content_text|authors|tags)\b/;
const inFeed = (column: Column): Column =>
  column.source.in === 'json'
    ? { ...column, source: { in: 'feed', part: 'element', path: column.source.path } }
    : column;
