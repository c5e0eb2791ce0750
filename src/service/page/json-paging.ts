/** Ways to the next page of an interface: in its JSON, and in the `Link` header (RFC 8288), read as tolerantly as sites write it. */
import type { PageContent } from './document.ts';
import { isObject, type JsonObject, toPath } from './json.ts';

/** A way to the next pages, in the terms of a recipe's `paging`. */
export type PagingWay = { readonly most: number } & (
  | {
      readonly kind: 'next';
      readonly select?: string;
      readonly path?: string;
      readonly link_header?: boolean;
    }
  | { readonly kind: 'page'; readonly query: string; readonly first: number }
  | { readonly kind: 'path'; readonly path: string; readonly first: number }
  | { readonly kind: 'offset'; readonly query: string; readonly step: number; readonly first: number }
  | { readonly kind: 'cursor'; readonly query: string; readonly path: string }
);

const entry = /<([^<>]*)>((?:\s*;\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^;,"'])*)*)/g;
const parameter = /;\s*([^\s;=,]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;,]*))/g;

/** The target of the first link whose `rel` has the relation among its tokens; `header` holds all values, joined by commas. */
export function findLink(header: string, relation: string): string | undefined {
  for (const [, target = '', written = ''] of header.matchAll(entry)) {
    const parameters = new Map<string, string>();
    for (const [, name = '', ...values] of written.matchAll(parameter)) {
      const key = name.toLowerCase();
      // Of several equal ones, the first counts (RFC 8288, 3.3).
      if (!parameters.has(key)) parameters.set(key, values.find((value) => value !== undefined) ?? '');
    }
    // With an anchor, it is a link of something else than this page.
    const tokens = parameters.get('rel')?.toLowerCase().split(/\s+/) ?? [];
    if (!parameters.has('anchor') && tokens.includes(relation)) return target.trim();
  }
  return undefined;
}

/** Pages that a way found here reads at most. */
export const most = 10;
/** Objects around the rows are looked into as deep as this: `data.boats.pageInfo.endCursor`. */
const maxDepth = 4;

type Entry = readonly [key: string, value: number];

/** Also a number that is written as a text. */
function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' ? number : undefined;
}

/** The first of the keys that has a number. */
function numberAt(row: JsonObject, keys: RegExp): Entry | undefined {
  for (const [key, value] of Object.entries(row)) {
    const number = keys.test(key) ? numberIn(value) : undefined;
    if (number !== undefined) return [key, number];
  }
  return undefined;
}

const pageKeys = /^(?:page|current(?:_?page)?|page_?(?:number|index|no)|p)$/i;
const pagesKeys = /^(?:(?:total|num|number_?of)_?pages|pages|page_?count|last(?:_?page)?)$/i;
const totalKeys =
  /^(?:total|total_?(?:count|results|items|hits|elements|records|rows)|count|num_?found|(?:number_?)?matched|hits)$/i;
const limitKeys = /^(?:limit|per_?page|page_?size|size|items_?per_?page|rows|count|first|take|top)$/i;
const offsetKeys = /^(?:offset|skip|start|from|start_?index)$/i;

/** `offset=0&limit=20`, in an address or beside the rows. */
function offsetIn(row: JsonObject): PagingWay[] {
  const [offset, limit] = [numberAt(row, offsetKeys), numberAt(row, limitKeys)];
  if (offset === undefined || limit === undefined || limit[1] <= 0) return [];
  return [{ kind: 'offset', query: offset[0], step: limit[1], first: offset[1], most }];
}

/** A counter in the query of the address: `?page=1`, `?offset=0&limit=20`. */
function countedInAddress(here: URL): PagingWay[] {
  const query = Object.fromEntries(here.searchParams);
  const page = numberAt(query, pageKeys);
  return page === undefined ? offsetIn(query) : [{ kind: 'page', query: page[0], first: page[1], most }];
}

/** Whether it says that there is more, or, with `false`, that there is none. */
const saysMore = (row: JsonObject, is: boolean) =>
  Object.entries(row).some(
    ([key, value]) =>
      (/^has_?(?:more|next(?:_?page)?)$/i.test(key) && value === is) || (key === 'last' && value === !is),
  );

/** The number of rows up to the last one of this page, as far as it is said. */
function countSeen(row: JsonObject, rows: number): number {
  const at = (keys: RegExp) => numberAt(row, keys)?.[1] ?? 0;
  return Math.max(at(offsetKeys) + rows, at(pageKeys) * at(limitKeys));
}

/** Whether it says by itself, or by its counters, that there is more. */
function impliesMore(row: JsonObject): boolean {
  const at = (keys: RegExp) => numberAt(row, keys)?.[1] ?? Number.NaN;
  return (
    saysMore(row, true) ||
    at(totalKeys) > countSeen(row, at(limitKeys)) ||
    at(pagesKeys) > at(pageKeys) ||
    !Number.isNaN(at(/^next_?page$/i))
  );
}

/** The number of all rows, also as `total: {"value": 57}`; `count` may be that of this page. */
const totalIn = (row: JsonObject): number =>
  Math.max(
    0,
    ...Object.entries(row).flatMap(([key, value]) =>
      totalKeys.test(key) ? (numberIn(isObject(value) ? value.value : value) ?? []) : [],
    ),
  );

/** Says that it is not whole; without it, it may be whole or not. */
const isCut = (row: JsonObject): boolean =>
  Object.entries(row).some(
    ([key, value]) => /^(?:incomplete_?results?|(?:is_?)?truncated)$/i.test(key) && value === true,
  );

/** What is about the rows beside it, at any depth. */
const aboutRows = /meta|pag|info|summary/i;

/**
 * Whether an answer says that its list goes on, if only by a number of all rows beside fewer of them. The way to the others need
 * not be in it.
 */
export function goesOn(value: unknown, rowsAround = 0, depth = 0): boolean {
  if (!isObject(value) || depth > maxDepth || saysMore(value, false)) return false;
  const entries = Object.entries(value);
  const own = Math.max(
    0,
    ...entries.map(([, entry]) => (Array.isArray(entry) ? entry.filter(isObject).length : 0)),
  );
  const rows = own || rowsAround;
  const isCounted = numberAt(value, pagesKeys) !== undefined && numberAt(value, pageKeys) !== undefined;
  return (
    impliesMore(value) ||
    isCut(value) ||
    (!isCounted && rows > 0 && totalIn(value) > countSeen(value, rows)) ||
    entries.some(([key, entry]) => goesOn(entry, aboutRows.test(key) ? rows : own, depth + 1))
  );
}

/** Counters beside the rows: the number of this page and of all pages, or the offset of its first row. */
function countedIn(row: JsonObject, here: URL): PagingWay[] {
  if (!impliesMore(row)) return [];
  const offset = offsetIn(row);
  const page = numberAt(row, pageKeys);
  if (offset.length > 0 || page === undefined) return offset;
  const inAddress = numberAt(Object.fromEntries(here.searchParams), pageKeys);
  // `currentPage` in the answer is `page` in most addresses.
  const guesses: Entry[] = page[0] === 'page' ? [page] : [['page', page[1]], page];
  const counters = inAddress === undefined ? guesses : [inAddress];
  return counters.map(([query, first]) => ({ kind: 'page', query, first, most }));
}

const nextKeys = /^(?:next|next_?(?:page|url|link|href|page_?url)|@odata\.nextLink)$/i;
const cursorKeys =
  /^(?:next_?(?:cursor|page_?token|token|page)|cursor|end_?cursor|after|continuation(?:_?token)?|scroll_?id)$/i;

/** A cursor of the next page, and the query parameters that usually carry it. */
function cursorIn(key: string, path: string, here: URL): PagingWay[] {
  const plain = key.replace(/^(?:next|end)_?(?=\w)/i, (found) => (/^next_?page$/i.test(key) ? found : ''));
  const query = plain.charAt(0).toLowerCase() + plain.slice(1);
  const parameter = [...here.searchParams.keys()].find((name) => /cursor|after|token/i.test(name));
  const names = parameter === undefined ? [/cursor/i.test(key) ? 'cursor' : query, 'after'] : [parameter];
  return [...new Set(names)].map((name) => ({ kind: 'cursor', query: name, path, most }));
}

/** An address, also as `{"href": "…"}`. */
function addressIn(value: unknown, pageUrl: string): 'text' | 'href' | undefined {
  const isAddress = (text: unknown) =>
    typeof text === 'string' && /[/?]/.test(text) && !/\s/.test(text) && URL.canParse(text, pageUrl);
  if (isAddress(value)) return 'text';
  return isObject(value) && isAddress(value.href) ? 'href' : undefined;
}

type Place = Pick<PageContent, 'url' | 'link'>;

/** Ways to the next page, the surest first: its address, its cursor, or counters that tell which page this is. */
export const jsonPaging = (value: unknown, place: Place): PagingWay[] => [
  ...statedPaging(value, place),
  ...countedInAddress(new URL(place.url)),
];

/** The ways by which the answer itself says that there is a next page. */
export function statedPaging(value: unknown, { url, link }: Place): PagingWay[] {
  const here = new URL(url);
  const links: PagingWay[] =
    findLink(link, 'next') === undefined ? [] : [{ kind: 'next', link_header: true, most }];
  const cursors: PagingWay[] = [];
  const counters: PagingWay[] = [];
  // `[{"rel": "next", "href": "…"}]`
  const isNext = (entry: unknown) =>
    isObject(entry) && entry.rel === 'next' && addressIn(entry, url) === 'href';
  const readEntry = (key: string, entry: unknown, at: string): void => {
    const address = nextKeys.test(key) ? addressIn(entry, url) : undefined;
    if (address !== undefined)
      links.push({ kind: 'next', path: address === 'href' ? `${at}.href` : at, most });
    else if (cursorKeys.test(key) && typeof entry === 'string' && entry !== '')
      cursors.push(...cursorIn(key, at, here));
  };
  const walk = (node: unknown, path: string, depth: number): void => {
    if (depth > maxDepth) return;
    if (Array.isArray(node) && path !== '' && node.some(isNext))
      links.push({ kind: 'next', path: `${path}[?rel=='next'].href | [0]`, most });
    if (!isObject(node)) return;
    // The last page has a cursor of its end, too.
    const isLast = saysMore(node, false);
    for (const [key, entry] of Object.entries(node)) {
      const at = toPath(path, key);
      if (!isLast) readEntry(key, entry, at);
      walk(entry, at, depth + 1);
    }
    counters.push(...countedIn(node, here));
  };
  walk(value, '', 0);
  return [...links, ...cursors, ...counters];
}
