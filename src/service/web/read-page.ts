/** Reads one thing from a page, as a pure function. It runs in a worker process, because a page can be hostile. */
import {
  collapse,
  createDateContext,
  findCandidates,
  findTables,
  looksLikeFeed,
  looksLikeJson,
} from '../builder/structures.ts';
import { ParseError } from '../foundation/errors.ts';
import { Document, type Row } from '../recipes/document.ts';
import { extract, summarizeContent } from '../recipes/parse.ts';
import { readLinks } from './read-links.ts';
import { readRows } from './read-rows.ts';
import { readStructuredData } from './read-structured-data.ts';
import type { ReadingResult, ReadingTask, WebReading } from './readings.ts';

/** Lists of records that are given, the best first. */
const maxLists = 5;

const absent: Readonly<Record<WebReading, string>> = {
  article: 'no article',
  tables: 'no table with headers',
  records: 'no list of repeated records',
  structured_data: 'no structured data',
  feed: 'no feed and no link to one',
  links: 'no links',
};

async function readTables(document: Document): Promise<Row | undefined> {
  const tables: Row[] = [];
  for (const structure of looksLikeJson(document.page) ? [] : findTables(document.html)) {
    const read = await readRows(document, structure, structure.places);
    if (read !== undefined) tables.push({ about: structure.about || null, ...read });
  }
  return tables.length === 0 ? undefined : { count: tables.length, tables };
}

async function readRecords(document: Document): Promise<Row | undefined> {
  const { page } = document;
  const language = looksLikeJson(page) ? '' : (document.html('html').attr('lang') ?? '');
  const candidates = await findCandidates(document, createDateContext(document, language));
  const lists: Row[] = [];
  for (const candidate of candidates) {
    const isList = candidate.kind === 'repeated records' || candidate.kind === 'json';
    if (!isList || !candidate.many || lists.length >= maxLists) continue;
    const wholes = candidate.columns.filter(({ partOf }) => partOf === undefined);
    const read = await readRows(document, candidate, wholes);
    if (read !== undefined) lists.push({ about: candidate.about || null, ...read });
  }
  return lists.length === 0 ? undefined : { count: lists.length, lists };
}

async function readFeed(document: Document): Promise<ReadingResult | undefined> {
  const { page } = document;
  // Feeds are often served as text/html or text/xml, and JSON feeds as application/json.
  const isFeed =
    looksLikeFeed(document, { evenHtml: true }) ||
    (looksLikeJson(page) && /"version"\s*:\s*"https?:..jsonfeed/.test(document.source.slice(0, 2_000)));
  if (!isFeed) {
    if (looksLikeJson(page)) return undefined;
    const { html, base } = document;
    const href = html('link[rel~="alternate"][href]')
      .toArray()
      .find(({ attribs }) => /^application\/(?:(?:rss|atom|rdf)\+xml|feed\+json)/i.test(attribs.type ?? ''))
      ?.attribs.href;
    return href !== undefined && URL.canParse(href, base) ? { feed: new URL(href, base).href } : undefined;
  }
  const extracted = await extract(document, { kind: 'feed' });
  if (extracted.kind !== 'rows') return undefined;
  const title = /<title[^>]*>(?:<!\[CDATA\[)?([^<\]]*)/.exec(document.source.slice(0, 5_000))?.[1]?.trim();
  return { data: { title: title || null, count: extracted.rows.length, items: extracted.rows } };
}

async function read(document: Document, reading: WebReading): Promise<Row | undefined> {
  switch (reading) {
    case 'article': {
      // It needs a DOM of its own.
      const { readArticleAsMarkdown } = await import('./read-article.ts');
      return readArticleAsMarkdown(document);
    }
    case 'tables':
      return readTables(document);
    case 'records':
      return readRecords(document);
    case 'structured_data':
      return readStructuredData(document);
    case 'links':
      return readLinks(document);
    case 'feed':
      return undefined;
  }
}

/** Rejects with a `ParseError` where the page has no such thing. */
export async function readPage({ page, reading }: ReadingTask): Promise<ReadingResult> {
  const document = new Document(page);
  const isPage = !looksLikeJson(page) && !/^(?:image|audio|video|font)\//i.test(page.contentType);
  if (reading === 'feed') {
    const result = await readFeed(document);
    if (result !== undefined && 'feed' in result) return result;
    if (result !== undefined) return within({ source_url: page.url, ...result.data });
  } else {
    const data = isPage || reading === 'records' ? await read(document, reading) : undefined;
    if (data !== undefined) {
      const title = isPage ? collapse(document.html('title').first().text()).slice(0, 300) || null : null;
      return within({ source_url: page.url, title, ...data });
    }
  }
  throw new ParseError(
    `The page has ${absent[reading]}. It was read without a browser, so data that its scripts load is missing.`,
  );
}

function within(data: Row): ReadingResult {
  summarizeContent({ kind: 'record', record: data });
  return { data };
}
