/** Reads the pages of a list one after another. After a good first page, the end of the list is told from an accident. */
import { canonicalAddress } from '../../compare/addresses.ts';
import { RunError, siteChanged } from '../foundation/errors.ts';
import type { PagesRead } from '../foundation/ports.ts';
import type { Extracted, Row } from '../page/document.ts';
import type { FurtherPage } from '../page/further-page.ts';
import { getMaxPages, hasMore, nextRequest } from './paging.ts';
import type { ParseResult } from './parse.ts';
import type { Paging, Recipe } from './recipe-schema.ts';
import { obstacleFailure, statusFailure, toRunFailure } from './run-failures.ts';
import { type FilledRequest, fillRequest, type Values } from './template.ts';

export interface ListPage {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly result: ParseResult;
}

/** Rejects where the page cannot be fetched or read; any status is a visit. */
type FetchListPage = (request: FilledRequest, isFirst: boolean) => Promise<ListPage>;

export interface Walk {
  readonly data: Row;
  /** Set for a list. */
  readonly pages?: PagesRead;
}

/** What sites answer for a page after the last one, beside a page without rows. */
const endStatuses = new Set([204, 205, 400, 404, 410, 422]);

/** An answer without content (204, 205) is no page. */
export const hasAnswered = (status: number) =>
  status >= 200 && status < 300 && status !== 204 && status !== 205;

export function getExtracted(result: ParseResult): Extracted {
  if (result.extracted === undefined) throw new RunError('The page could not be read');
  return result.extracted;
}

/** A further page: its rows, the end of the list (by this status, if not by a page without rows), or why it could not be read. */
type Further =
  | { readonly visit: ListPage; readonly rows: readonly Row[] }
  | { readonly end: number }
  | { readonly accident: string };

async function readFurther(visitPage: FetchListPage, request: FilledRequest): Promise<Further> {
  try {
    const visit = await visitPage(request, false);
    if (endStatuses.has(visit.status)) return { end: visit.status };
    if (!hasAnswered(visit.status)) throw statusFailure(visit.status);
    if (visit.result.obstacle !== undefined) throw obstacleFailure(visit.result.obstacle, siteChanged);
    const extracted = getExtracted(visit.result);
    return { visit, rows: extracted.kind === 'rows' ? extracted.rows : [] };
  } catch (error) {
    const failure = toRunFailure(error);
    if (failure.code === 'AUTH_EXPIRED') throw failure;
    return { accident: failure.message };
  }
}

async function readFirst(visitPage: FetchListPage, request: FilledRequest): Promise<ListPage> {
  const visit = await visitPage(request, true);
  if (!hasAnswered(visit.status)) throw statusFailure(visit.status);
  const { obstacle } = visit.result;
  if (obstacle?.isCertain === true) throw obstacleFailure(obstacle, siteChanged);
  return visit;
}

interface Limits {
  readonly visitPage: FetchListPage;
  readonly signal: AbortSignal;
}

/** Rejects where the first page cannot be read, and with the signal's reason. */
export async function walkPages(recipe: Recipe, values: Values, limits: Limits): Promise<Walk> {
  const request = fillRequest(recipe.request, values);
  const visit = await readFirst(limits.visitPage, request);
  const extracted = getExtracted(visit.result);
  const { obstacle } = visit.result;
  if (extracted.kind === 'record') {
    const missing = [...(obstacle === undefined ? [] : [obstacle.reason]), ...(extracted.doubts ?? [])];
    return {
      data: { source_url: visit.url, ...extracted.record, ...(missing.length > 0 && { missing }) },
    };
  }
  const walk = new ListWalk(recipe, visit);
  const most = recipe.paging === undefined ? 1 : getMaxPages(values, recipe.paging);
  let next = walk.add(request, visit, extracted.rows);
  while (next !== undefined && walk.read < most) {
    const page = await readFurther(limits.visitPage, next);
    limits.signal.throwIfAborted();
    if ('visit' in page) next = walk.add(next, page.visit, page.rows);
    else if ('accident' in page) walk.fail(page.accident);
    else walk.end(page.end);
    if (!('visit' in page)) break;
  }
  return walk.result(next);
}

const toPage = (url: string) => canonicalAddress(url) ?? url;

/** Whether the page itself names the next one; else its address is only counted up, as far as pages have something new. */
function isTold({ kind }: Paging, next: FilledRequest, further: FurtherPage | undefined): boolean {
  if (kind === 'next' || kind === 'cursor') return true;
  return further?.isCertain === true && further.url !== undefined && toPage(further.url) === toPage(next.url);
}

/** The rows of a list so far. */
class ListWalk {
  readonly #paging: Paging | undefined;
  /** An empty list in data says itself that it is one; a page without rows may be another page. */
  readonly #isData: boolean;
  readonly #first: ListPage;
  readonly #items: Row[] = [];
  readonly #missing: string[] = [];
  /** Of all pages. */
  readonly #doubts = new Set<string>();
  /** The rows of earlier pages, and how many rows of later ones are equal to them. */
  readonly #knownRows = new Set<string>();
  #repeats = 0;
  readonly #knownUrls = new Set<string>();
  readonly #knownContents = new Set<string>();
  #further: FurtherPage | undefined;
  /** By the last page with rows. */
  #stated: ParseResult['stated'];
  /** Whether the last page itself names the next one. */
  #isNextTold = false;
  #hasEnded = false;
  #isCutShort = false;
  #failure: string | undefined;
  /** Pages that were answered. */
  read = 0;

  constructor({ paging, extract }: Pick<Recipe, 'paging' | 'extract'>, first: ListPage) {
    this.#paging = paging;
    this.#isData = extract.kind === 'json' || extract.kind === 'feed';
    this.#first = first;
    const { obstacle } = first.result;
    if (obstacle !== undefined) this.#missing.push(obstacle.reason);
  }

  /** Takes a page; gives the request for the one after it, if there is one. */
  add(request: FilledRequest, { url, result }: ListPage, rows: readonly Row[]): FilledRequest | undefined {
    this.read += 1;
    // After the last page, sites answer without rows, or lead back to an earlier page.
    const isRepeat =
      this.#knownContents.has(result.content.digest) ||
      (url !== request.url && this.#knownUrls.has(toPage(url)));
    this.#hasEnded = rows.length === 0 || isRepeat;
    this.#further = this.#hasEnded ? undefined : result.further;
    if (!this.#hasEnded) {
      const written = rows.map((row) => JSON.stringify(row));
      this.#repeats += written.filter((row) => this.#knownRows.has(row)).length;
      if (this.#paging !== undefined) for (const row of written) this.#knownRows.add(row);
      for (const row of rows) this.#items.push(row);
      this.#stated = result.stated;
    }
    if (!this.#hasEnded || this.read === 1)
      for (const doubt of result.extracted?.doubts ?? []) this.#doubts.add(doubt);
    this.#knownUrls.add(toPage(request.url)).add(toPage(url));
    this.#knownContents.add(result.content.digest);
    if (this.#paging === undefined) return undefined;
    const pointed = nextRequest(request, this.#paging, this.read, { ...result, pageUrl: url });
    const next =
      pointed === undefined || pointed === 'elsewhere' || this.#knownUrls.has(toPage(pointed.url))
        ? undefined
        : pointed;
    const wasTold = this.#isNextTold;
    this.#isNextTold = next !== undefined && isTold(this.#paging, next, result.further);
    if (!this.#hasEnded) {
      if (pointed === 'elsewhere') this.fail('The next page would be on another site, so it was not fetched');
      return next;
    }
    const isDoubted = wasTold && (isRepeat || !this.#isData);
    const claim = this.#isNextTold ? 'it names a next page' : isDoubted ? this.#toldBefore : undefined;
    this.#checkEnd(isRepeat ? 'has only rows of earlier pages' : 'has no rows', claim);
    return undefined;
  }

  /** The next page does not exist. */
  end(status: number): void {
    this.read += 1;
    this.#hasEnded = true;
    this.#checkEnd(`does not exist (HTTP status ${status})`, this.#isNextTold ? this.#toldBefore : undefined);
  }

  get #toldBefore(): string {
    return `page ${this.read - 1} names it as the next one`;
  }

  /** Doubts an end before the total, and one that a page contradicts by this claim. */
  #checkEnd(found: string, claim: string | undefined): void {
    const { total } = this.#first.result;
    const isBelow = total !== undefined && this.#items.length < total;
    const reason = isBelow ? `the site says that there are ${total} rows` : claim;
    if (reason === undefined) return;
    const doubt = `Page ${this.read} ${found}, although ${reason}: rows may be missing.`;
    this.#missing.push(doubt);
    if (isBelow) this.#isCutShort = true;
    else this.#failure = doubt;
  }

  /** The next page could not be read. */
  fail(reason: string): void {
    this.#failure = `Page ${this.read + 1} could not be read, so its rows and later ones are missing: ${reason.replace(/\.$/, '')}.`;
    this.#missing.push(this.#failure);
  }

  /** `next`: the request for a page that was not read. */
  result(next: FilledRequest | undefined): Walk {
    const { url, result } = this.#first;
    const { total } = result;
    const returned = this.#items.length;
    const list = { paging: this.#paging, further: this.#further, returned, total };
    const missing = [...this.#missing, ...this.#doubts];
    if (this.#repeats > 0)
      missing.push(
        `${this.#repeats} ${this.#repeats === 1 ? 'row of a later page is equal to one' : 'rows of later pages are equal to rows'} of an earlier page, and given twice: the pages may overlap.`,
      );
    const isKnown = this.#failure === undefined && !this.#isCutShort;
    const more = isKnown ? hasMore({ ...list, next: this.#hasEnded ? undefined : next }) : null;
    const { text, total: stated = 0, last = returned } = this.#stated ?? {};
    const isBelow = more !== true && last < stated;
    if (isBelow) missing.push(`The page says "${text}", and ${returned} rows were read.`);
    return {
      data: {
        count: returned,
        returned,
        ...(total === undefined ? {} : { total }),
        has_more: isBelow ? null : more,
        source_url: url,
        ...(missing.length > 0 && { missing }),
        items: this.#items,
      },
      pages: {
        read: this.read,
        most: this.#isCutShort ? this.read : (this.#paging?.most ?? 1),
        next: this.#further?.url,
        failure: this.#failure,
      },
    };
  }
}
