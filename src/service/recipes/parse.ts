/**
 * Everything that is done with a page's content, as one pure function. It runs in a worker process,
 * because a hostile page, selector or expression can keep it busy for ever.
 */
import { createHash } from 'node:crypto';
import { exceededLimit, maxJsonDepth } from '../../contract/json-limits.ts';
import { ParseError } from '../foundation/errors.ts';
import { Document, type Extracted, type Json, type Page } from './document.ts';
import { extractHtml } from './extract-html.ts';
import { evaluate, extractJson, scriptJson } from './extract-json.ts';
import { extractTable } from './extract-table.ts';
import { type Form, findForm } from './form.ts';
import type { Extract, PageTest, Total } from './schema.ts';
import { toTyped } from './values.ts';

export interface ParseTask {
  readonly page: Page;
  /** Done only where none of the `tests` holds. */
  readonly extract?: Extract | undefined;
  /** Where the address (or cursor) of the next page is. */
  readonly next?:
    | { select?: string | undefined; path?: string | undefined; link_header?: boolean | undefined }
    | undefined;
  /** Where the number of all rows is. */
  readonly total?: Total | undefined;
  /** A form to find, by its selector. */
  readonly form?: string;
  readonly tests?: readonly PageTest[];
}

export interface ParseResult {
  /** For each test of the task whether it holds. */
  readonly tests: readonly boolean[];
  readonly extracted?: Extracted | undefined;
  readonly next?: string | undefined;
  readonly total?: number | undefined;
  readonly form?: Form | undefined;
  /** The page asks for a password in a form other than the one looked for. */
  readonly otherPasswordForm: boolean;
  /** The length in characters and the hash of `extracted` as JSON, so that nobody else has to encode it. */
  readonly content: { readonly length: number; readonly digest: string };
}

/** Characters of JSON that one page may yield; a page can repeat its text in thousands of rows. */
const maxResultLength = 15 * 1024 * 1024;
/** Values that one page may yield; the service copies them out of the worker, which holds up everything else. */
const maxResultValues = 250_000;

/** Throws a `ParseError` for more than one page may yield. */
export function summarizeContent(extracted: Extracted | undefined): ParseResult['content'] {
  const text = extracted === undefined ? '' : JSON.stringify(extracted);
  if (text.length > maxResultLength) throw new ParseError('The page has more than 15 MiB of data');
  if (exceededLimit(text, { depth: maxJsonDepth, elements: maxResultValues }) !== undefined)
    throw new ParseError(
      `The page yields more than ${maxResultValues} values, or nests them more than ${maxJsonDepth} levels deep`,
    );
  return { length: text.length, digest: createHash('sha256').update(text).digest('base64') };
}

/**
 * Rejects with a `ParseError` where the page has no such thing. `maxRows` bounds the rows of HTML and tables for callers who
 * want to see a few.
 */
export async function extract(document: Document, extraction: Extract, maxRows?: number): Promise<Extracted> {
  switch (extraction.kind) {
    case 'html':
      return extractHtml(document, extraction, maxRows);
    case 'json': {
      const base = extraction.script === undefined ? document.page.url : document.base;
      return extractJson(readJson(document, extraction), extraction, base);
    }
    case 'table':
      return extractTable(document, extraction, maxRows);
    case 'article': {
      // It needs a DOM of its own.
      const { extractArticle } = await import('./extract-article.ts');
      return extractArticle(document, extraction);
    }
    case 'feed': {
      // The feed parser is large and few pages are feeds.
      const { extractFeed } = await import('./extract-feed.ts');
      return extractFeed(document.source, extraction, document.page.url);
    }
  }
}

/** What an extraction of kind `json` works on. */
function readJson(document: Document, { response, script }: Extract & { kind: 'json' }): Json {
  if (response !== undefined) return document.fetchedJson(response);
  return script === undefined ? document.json : scriptJson(document, script);
}

function holds(document: Document, test: PageTest): boolean {
  const { page, html } = document;
  if (test.status !== undefined && !test.status.includes(page.status)) return false;
  if (test.url !== undefined && !page.url.includes(test.url)) return false;
  if (test.path !== undefined) {
    // A page that is no JSON has no value anywhere.
    if (!/json/i.test(page.contentType)) return false;
    const raw = evaluate(document.json, test.path);
    if (raw === null || raw === false) return false;
  }
  if (test.select !== undefined && html(test.select).length === 0) return false;
  if (test.text === undefined) return true;
  const text = html.root().text().replace(/\s+/g, ' ').toLowerCase();
  return text.includes(test.text.toLowerCase());
}

/** The target of `rel="next"` in a `Link` header (RFC 8288). */
function nextInHeader(link: string): string | undefined {
  const targets = link
    .split(/,\s*(?=<)/)
    .map((entry) => /^<([^>]*)>.*;\s*rel="?(?:[^"]*\s)?next\b/i.exec(entry)?.[1]);
  return targets.find((target) => target !== undefined);
}

function findNext(document: Document, next: NonNullable<ParseTask['next']>): string | undefined {
  let raw: unknown;
  if (next.link_header === true) raw = nextInHeader(document.page.link);
  else if (next.path !== undefined) raw = evaluate(document.json, next.path);
  else if (next.select !== undefined) raw = document.html(next.select).first().attr('href');
  if (typeof raw === 'number') return String(raw);
  return typeof raw === 'string' && raw !== '' ? raw : undefined;
}

function findTotal(document: Document, { select, path, match }: Total): number | undefined {
  const raw =
    path === undefined
      ? document
          .html(select ?? '')
          .first()
          .text()
      : evaluate(document.json, path);
  const { value } = toTyped(raw, { type: 'number', match }, document.page.url);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Some selectors, such as `.md:w-1/2`, are found to be wrong only when they are used. */
function rejectSelector(error: unknown): never {
  if (
    error instanceof Error &&
    !(error instanceof ParseError) &&
    /pseudo|selector|parenthes/i.test(error.message)
  )
    throw new ParseError('A selector of the recipe is not valid', { cause: error });
  throw error;
}

/** Throws a `ParseError` for what is wrong with the page; anything else thrown is a page or recipe nobody foresaw. */
export async function parse(task: ParseTask): Promise<ParseResult> {
  const document = new Document(task.page);
  const tests = (task.tests ?? []).map((test) => holds(document, test));
  const raw = task.form === undefined ? undefined : findForm(document, task.form);
  const parts: Partial<ParseTask> = tests.includes(true) ? {} : task;
  const extracted =
    parts.extract === undefined ? undefined : await extract(document, parts.extract).catch(rejectSelector);
  return {
    tests,
    extracted,
    content: summarizeContent(extracted),
    next: parts.next === undefined ? undefined : findNext(document, parts.next),
    total: parts.total === undefined ? undefined : findTotal(document, parts.total),
    form: raw?.form,
    otherPasswordForm: raw?.otherPasswordForm ?? false,
  };
}
