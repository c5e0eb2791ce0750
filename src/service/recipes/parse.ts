/**
 * All work on a page's content, as one pure function. It runs in a worker process, because a hostile page, selector or
 * expression can keep it busy forever.
 */
import { PageChangedError, PageUnfitError, ParseError } from '../foundation/errors.ts';
import { Document, type Extracted, type PageContent, summarizeContent } from '../page/document.ts';
import { type FurtherPage, findFurtherPage } from '../page/further-page.ts';
import { evaluatePath, type JmespathValue } from '../page/json.ts';
import { findLink } from '../page/json-paging.ts';
import { findObstacle, type Obstacle } from '../page/obstacles.ts';
import { findLargerCount, type StatedCount } from '../page/stated-count.ts';
import { explainBareRows } from './bare-rows.ts';
import { departures } from './built-layout.ts';
import { extractFeed } from './extract-feed.ts';
import { extractHtml } from './extract-html.ts';
import { extractJson, scriptJson } from './extract-json.ts';
import { extractTable } from './extract-table.ts';
import type { Extract, PageTest, Total } from './recipe-schema.ts';
import { checkPlaces, explainNearRows, findPlaces } from './row-places.ts';
import { explainAmounts } from './stated-amounts.ts';
import { explainTablesBeside } from './tables-beside.ts';
import { toTyped } from './values.ts';

export interface ParseTask {
  readonly page: PageContent;
  /** Done only if none of the `tests` holds. */
  readonly extract?: Extract | undefined;
  /** Where to find the address or cursor of the next page. */
  readonly next?:
    | { select?: string | undefined; path?: string | undefined; link_header?: boolean | undefined }
    | undefined;
  /** A page after the first one of a list: it may have nothing of what the first one has. */
  readonly isFurther?: boolean;
  /** Where to find the total number of rows. */
  readonly total?: Total | undefined;
  /** The selector of a form to find. */
  readonly form?: string;
  readonly tests?: readonly PageTest[];
  /** The selector of an element whose text to read. */
  readonly text?: string | undefined;
}

export interface ParseResult {
  /** For each test of the task, whether it holds. */
  readonly tests: readonly boolean[];
  readonly extracted?: Extracted | undefined;
  readonly next?: string | undefined;
  readonly total?: number | undefined;
  /** Of rows: what the page says about a page after it. */
  readonly further?: FurtherPage | undefined;
  /** Of rows: what the page says of their number, where the recipe does not say where to find it. */
  readonly stated?: StatedCount | undefined;
  readonly form?: Form | undefined;
  readonly text?: string | undefined;
  /** What the page is instead of the one that the recipe was written for; where nothing was found, also what it may be. */
  readonly obstacle?: Obstacle | undefined;
  /** The page has a password field in another form than the wanted one. */
  readonly otherPasswordForm: boolean;
  /** The length and the hash of `extracted` as JSON, so that the service need not encode it. */
  readonly content: { readonly length: number; readonly digest: string };
}

/**
 * Rejects with a `ParseError` if the page has no such data. `maxRows` bounds the rows of HTML and tables, for callers
 * that show only a few.
 */
export async function extract(document: Document, extraction: Extract, maxRows?: number): Promise<Extracted> {
  switch (extraction.kind) {
    case 'html':
      return extractHtml(document, extraction, maxRows);
    case 'json': {
      const base = extraction.script === undefined ? document.page.url : document.base;
      return extractJson(document, readJson(document, extraction), extraction, base);
    }
    case 'table':
      return extractTable(document, extraction, maxRows);
    case 'article': {
      // It needs a DOM of its own.
      const { extractArticle } = await import('./extract-article.ts');
      return extractArticle(document, extraction);
    }
    case 'feed':
      return extractFeed(document.source, extraction, document.page.url);
  }
}

/** What an extraction of kind `json` works on. */
function readJson(document: Document, { response, script }: Extract & { kind: 'json' }): JmespathValue {
  if (response !== undefined) return document.fetchedJson(response);
  return script === undefined ? document.json : scriptJson(document, script);
}

function holds(document: Document, test: PageTest): boolean {
  const { page, html } = document;
  if (test.status !== undefined && !test.status.includes(page.status)) return false;
  if (test.url !== undefined && !page.url.includes(test.url)) return false;
  if (test.path !== undefined) {
    // A page that is not JSON has no value at any path.
    if (!/json/i.test(page.contentType)) return false;
    const raw = evaluatePath(document.json, test.path);
    if (raw === null || raw === false) return false;
  }
  if (test.select !== undefined && html(test.select).length === 0) return false;
  if (test.text === undefined) return true;
  const text = html.root().text().replace(/\s+/g, ' ').toLowerCase();
  return text.includes(test.text.toLowerCase());
}

function findNext(document: Document, next: NonNullable<ParseTask['next']>): string | undefined {
  let raw: unknown;
  if (next.link_header === true) raw = findLink(document.page.link, 'next');
  else if (next.path !== undefined) raw = evaluatePath(document.json, next.path);
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
      : evaluatePath(document.json, path);
  const { value } = toTyped(raw, { type: 'number', match }, document.page.url);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Some invalid selectors, such as `.md:w-1/2`, fail only when they are used. */
function rejectSelector(error: unknown): never {
  if (
    error instanceof Error &&
    !(error instanceof ParseError) &&
    /pseudo|selector|parenthes/i.test(error.message)
  )
    throw new ParseError('A selector of the recipe is not valid', { cause: error });
  throw error;
}

/** Throws a `ParseError` for faults of the page; any other error is unexpected. */
export async function parse(task: ParseTask): Promise<ParseResult> {
  const document = new Document(task.page);
  const tests = (task.tests ?? []).map((test) => holds(document, test));
  const raw = task.form === undefined ? undefined : findForm(document, task.form);
  const parts: Partial<ParseTask> = tests.includes(true) ? {} : task;
  const { extracted, obstacle, stated } =
    parts.extract === undefined
      ? {}
      : hasNoTable(document, parts)
        ? { extracted: { kind: 'rows' as const, rows: [] } }
        : await extractOrExplain(document, parts.extract);
  const hasRows = extracted?.kind === 'rows' && extracted.rows.length > 0;
  return {
    tests,
    extracted,
    obstacle,
    content: summarizeContent(extracted),
    next: parts.next === undefined ? undefined : findNext(document, parts.next),
    total: parts.total === undefined ? undefined : findTotal(document, parts.total),
    further: hasRows ? findFurtherPage(document) : undefined,
    stated: hasRows && parts.total === undefined ? stated : undefined,
    form: raw?.form,
    text: task.text === undefined ? undefined : document.html(task.text).first().text().trim(),
    otherPasswordForm: raw?.otherPasswordForm ?? false,
  };
}

/** After the last page, many sites show their page without a table. */
const hasNoTable = ({ html }: Document, { extract: extraction, isFurther }: Partial<ParseTask>) =>
  isFurther === true && extraction?.kind === 'table' && html(extraction.table).length === 0;

const isNothing = (extracted: Extracted) =>
  extracted.kind === 'rows'
    ? extracted.rows.length === 0
    : Object.values(extracted.record).every((value) => value === null || value === undefined || value === '');

/** The page may be an obstacle and not the page that the recipe was written for. */
async function extractOrExplain(
  document: Document,
  extraction: Extract,
): Promise<Pick<ParseResult, 'extracted' | 'obstacle' | 'stated'>> {
  const findCause = () => (/html/i.test(document.page.contentType) ? findObstacle(document.html) : undefined);
  try {
    const read = await extract(document, extraction).catch(rejectSelector);
    const rows = read.kind === 'rows' ? read.rows.length : 0;
    const places = findPlaces(document, extraction);
    const plain = checkPlaces(extraction, read, places);
    const doubts = [
      ...(plain.doubts ?? []),
      ...departures(document, extraction, places),
      ...explainNearRows(document, extraction, places),
      ...explainTablesBeside(document, extraction, places),
      ...explainAmounts(document, extraction, plain),
      ...explainBareRows(extraction, plain),
    ];
    const extracted = { ...plain, doubts: doubts.length > 0 ? doubts : undefined };
    const obstacle = findCause();
    // A search that finds nothing says so in the words of an error.
    if (isNothing(extracted)) return { extracted, obstacle: isNothing(read) ? obstacle : undefined };
    // The menu of an error page looks like the rows of a list; data beside a form to sign in is data.
    const isInstead = obstacle?.isCertain === true && obstacle.kind !== 'sign-in';
    if (isInstead) return { obstacle };
    const stated = rows > 0 ? (places.count ?? findLargerCount(places.elements, rows)) : undefined;
    return { extracted, stated };
  } catch (error) {
    const isMisfit = error instanceof PageChangedError || error instanceof PageUnfitError;
    const obstacle = isMisfit ? findCause() : undefined;
    if (obstacle?.isCertain === true) return { obstacle };
    // A recipe was written for a page that it fitted.
    throw error instanceof PageUnfitError ? new PageChangedError(error.message, { cause: error }) : error;
  }
}

interface Form {
  /** The absolute address it is sent to. */
  readonly action: string;
  /** The values that a browser sends without typing. */
  readonly values: readonly (readonly [name: string, value: string])[];
  /** The names of all fields, including those that send nothing by themselves. */
  readonly names: readonly string[];
}

function findForm(document: Document, selector: string): { form?: Form; otherPasswordForm: boolean } {
  const { html, base } = document;
  const form = html(selector).filter('form').first();
  const passwords = html('input[type=password]');
  const otherPasswordForm = passwords.toArray().some((input) => !html(input).closest('form').is(form));
  if (form.length === 0) return { otherPasswordForm };
  const action = form.attr('action') || document.page.url;
  if (!URL.canParse(action, base)) return { otherPasswordForm };
  const fields = form.find('input[name], select[name], textarea[name], button[name]');
  return {
    form: {
      action: new URL(action, base).href,
      values: form.serializeArray().map(({ name, value }) => [name, value]),
      names: fields.toArray().map((field) => html(field).attr('name') ?? ''),
    },
    otherPasswordForm,
  };
}
