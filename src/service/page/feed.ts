/** The entries of a feed, and what all feeds say of an entry, whatever their format. */
import { readDate, readUnixTime, timeOfDay, timeZone } from '../../compare/date.ts';
import { PageUnfitError } from '../foundation/errors.ts';
import { findRoot } from './data-formats.ts';
import { rareFields } from './feed-fields.ts';
import { isObject, type JmespathValue, type JsonObject } from './json.ts';
import { getFragmentText, isMarkup } from './text.ts';

/** Longer texts are cut before they are read as HTML. */
export const maxText = 100_000;

/** The visible text of HTML in one line; entities are decoded once. Other texts stay. */
export const toVisibleLine = (value: string): string =>
  isMarkup(value.slice(0, maxText))
    ? getFragmentText(value.slice(0, maxText)).replace(/\s+/g, ' ').trim()
    : value.trim();

const hasCut = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length > maxText && isMarkup(value.slice(0, maxText))
    : typeof value === 'object' && value !== null && Object.values(value).some(hasCut);

export interface Feed {
  readonly title: string | undefined;
  /** The address of the page of older entries. */
  readonly next: string | undefined;
  /** As feedsmith parses them, with what all feeds have in the member `common`. */
  readonly entries: (JsonObject & { readonly common: JsonObject })[];
  /** Of the common members, those that most feeds lack and no entry of this one has. */
  readonly unused: readonly string[];
  /** A text of HTML is too long to be read whole. */
  readonly isCut: boolean;
  /** What may be wrong in the entries, each as a sentence that begins with the member. */
  readonly doubts: readonly string[];
}

/** A tag that nothing closes is a word of a title: "Use <div> now". */
const isOpen = (text: string) => /<[a-z]/i.test(text) && !/<\/[a-z]|\/>|<(?:br|img|wbr)\b/i.test(text);

/** A title of RSS, which may be HTML, or one of Atom, which says what it is. */
const toTitle = (value: unknown, format: string): string | null =>
  typeof value === 'string' && isOpen(value) ? value.trim() || null : toText(value, format);

/** A text of RSS, which may be HTML, or one of Atom, which says what it is. */
function toText(value: unknown, format: string): string | null {
  const { value: held, type }: JsonObject = isObject(value) ? value : { value };
  if (typeof held !== 'string' || held.trim() === '') return null;
  const isPlain = format === 'json' || (format === 'atom' && !/html/i.test(String(type)));
  return isPlain ? held.trim() : toVisibleLine(held);
}

const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
const isWebAddress = (text: unknown): text is string =>
  typeof text === 'string' && /^https?:\/\//i.test(text);

/** The base of an element's addresses (XML Base). */
function baseOf(holder: JsonObject, base: string): string {
  const { base: own } = objectOf(holder.xml);
  return typeof own === 'string' && URL.canParse(own, base) ? new URL(own, base).href : base;
}

/** Its link, else the address that names it: a guid of RSS is one unless it says that it is not. */
function findUrl(entry: JsonObject, base: string): string | null {
  const links = listOf(entry.links);
  const alternate = links.find(({ rel = 'alternate' }) => rel === 'alternate')?.href;
  const guid = objectOf(entry.guid);
  const named = guid.isPermaLink !== false && isWebAddress(guid.value) ? guid.value : undefined;
  const address =
    entry.link ?? alternate ?? entry.url ?? named ?? objectOf(entry.rdf).about ?? entry.external_url;
  return typeof address === 'string' && URL.canParse(address, base) ? new URL(address, base).href : null;
}

/** The files that belong to an entry, each once. */
function findEnclosures(entry: JsonObject, base: string): JsonObject[] {
  const media = objectOf(entry.media);
  const files: JsonObject[] = [
    ...listOf(entry.enclosures),
    ...listOf(entry.links)
      .filter(({ rel }) => rel === 'enclosure')
      .map(({ href, ...rest }) => ({ ...rest, url: href })),
    ...listOf(entry.attachments).map((file) => ({
      ...file,
      type: file.mime_type,
      length: file.size_in_bytes,
    })),
    ...[media, ...listOf(media.groups)]
      .flatMap(({ contents }) => listOf(contents))
      .map((file) => ({ ...file, type: file.type ?? file.medium, length: file.fileSize })),
  ];
  const found = new Map<string, JsonObject>();
  for (const { url, type, length } of files) {
    if (typeof url !== 'string' || !URL.canParse(url, base)) continue;
    const { href } = new URL(url, base);
    if (!found.has(href))
      found.set(href, { url: href, type: type ?? null, length: typeof length === 'number' ? length : null });
  }
  return [...found.values()];
}

function findImage(entry: JsonObject, base: string): string | null {
  const media = objectOf(entry.media);
  const [thumbnail] = [media, ...listOf(media.groups)].flatMap(({ thumbnails }) => listOf(thumbnails));
  const image =
    thumbnail?.url ??
    entry.image ??
    objectOf(objectOf(entry.itunes).image).href ??
    objectOf(entry.itunes).image;
  return typeof image === 'string' && URL.canParse(image, base) ? new URL(image, base).href : null;
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** The dates of publication, then those of the last change, as they are written. */
function datesOf(entry: JsonObject): string[] {
  const dates = [
    entry.pubDate,
    entry.published,
    entry.date_published,
    objectOf(entry.dc).dates,
    entry.updated,
  ];
  return textsOf(dates.flat());
}

/** The first that can be read; the text of the first, where none can. */
function findDate(entry: JsonObject): string | null {
  const texts = datesOf(entry);
  return texts.flatMap((date) => readDate(date) ?? readUnixTime(date) ?? [])[0] ?? texts[0] ?? null;
}

function findAuthors(entry: JsonObject): string[] {
  const names = listOf(entry.authors).flatMap(({ name }) => (typeof name === 'string' ? name : []));
  return names.length > 0 ? names : textsOf(objectOf(entry.dc).creators);
}

function findCategories(entry: JsonObject): string[] {
  const names = listOf(entry.categories).map(({ name, term }) => name ?? term);
  return names.length > 0 ? textsOf(names) : textsOf(entry.tags);
}

function toCommon(entry: JsonObject, format: string, base: string): JsonObject {
  const content = objectOf(entry.content);
  const text = (value: unknown) => toText(value, format);
  const html = (value: unknown) => (typeof value === 'string' ? toVisibleLine(value) || null : null);
  const full =
    html(content.encoded) ?? html(entry.content_html) ?? text(entry.content_text) ?? text(entry.content);
  const media = [objectOf(entry.media), ...listOf(objectOf(entry.media).groups)];
  const summary =
    text(entry.summary) ??
    text(entry.description) ??
    media.map(({ description }) => text(description)).find((one) => one !== null) ??
    null;
  return {
    id: objectOf(entry.guid).value ?? entry.id ?? null,
    title: toTitle(entry.title, format),
    url: findUrl(entry, base),
    published: findDate(entry),
    summary: summary ?? full,
    content: full === summary || summary === null ? null : full,
    image: findImage(entry, base),
    enclosures: findEnclosures(entry, base),
    authors: findAuthors(entry),
    categories: findCategories(entry),
  };
}

const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);

const localTimes = 'published: times without a zone are given as if they were in UTC.';

/** Rejects with a `PageUnfitError` for what is no feed. */
export async function readFeedText(source: string, url: string): Promise<Feed> {
  // It is large, and few pages are feeds.
  const { parseFeed } = await import('feedsmith');
  const root = findRoot(source);
  // What stands before the root, such as a style sheet, is no matter.
  const text = root === undefined ? source : source.slice(Math.max(source.indexOf(root.tag), 0));
  let parsed: ReturnType<typeof parseFeed>;
  try {
    parsed = parseFeed(text);
  } catch {
    throw new PageUnfitError('The site did not answer with a feed');
  }
  // Through JSON, because JMESPath takes only plain JSON values.
  const feed: JsonObject = JSON.parse(JSON.stringify(parsed.feed));
  const base = baseOf(feed, url);
  const next =
    [...listOf(feed.links), ...listOf(objectOf(feed.atom).links)].find(({ rel }) => rel === 'next')?.href ??
    feed.next_url;
  const entries = listOf(feed.items ?? feed.entries).map((entry) => ({
    ...entry,
    common: toCommon(entry, parsed.format, baseOf(entry, base)),
  }));
  const isLocal = (date: string) =>
    timeOfDay.test(date) && !timeZone.test(date) && readDate(date) !== undefined;
  const areLocal = entries.some((entry) => datesOf(entry).slice(0, 1).some(isLocal));
  return {
    doubts: areLocal ? [localTimes] : [],
    title: toTitle(feed.title, parsed.format) ?? undefined,
    next: typeof next === 'string' && URL.canParse(next, base) ? new URL(next, base).href : undefined,
    entries,
    isCut: hasCut(feed.items ?? feed.entries),
    unused: rareFields.filter((name) => entries.every(({ common }) => isEmpty(common[name]))),
  };
}

/** For JMESPath, whose values are JSON. */
export const toJsonValue = (entry: JsonObject): JmespathValue => JSON.parse(JSON.stringify(entry));
