/** Pages fetched and analyzed. A page stays for the choice that follows a preview of it. */
import type { Logger } from 'pino';
import type { RenderedPage, Renderer } from '../browser/renderer.ts';
import type { FetchedPage, Fetcher } from '../fetching/fetcher.ts';
import { BuildError, FetchError, ParseError } from '../foundation/errors.ts';
import type { PagePool } from '../recipes/page-pool.ts';
import type { Analysis, AnalysisTask } from './analyze.ts';
import { fetchFailure, statusFailure } from './failures.ts';

export type AnalysisPool = PagePool<AnalysisTask, Analysis>;

export interface Visit {
  readonly page: FetchedPage;
  /** The page shows its data in a browser only. */
  readonly render?: true | undefined;
  readonly analysis: Analysis;
}

interface VisitOptions {
  /** A page of the last minutes will do, and this one is kept. */
  readonly keep: boolean;
  /** The address that the caller gave. */
  readonly start: string;
  /** Asked before a browser is used; without it one may be. */
  readonly mayRender?: (() => Promise<boolean>) | undefined;
  readonly signal: AbortSignal;
}

export interface PageVisits {
  /** Rejects with a `BuildError`. */
  visit(url: string, task: Omit<AnalysisTask, 'page'>, options: VisitOptions): Promise<Visit>;
}

/** Milliseconds. */
const keptFor = 15 * 60_000;
const maxKept = 50;
/** Bytes of all pages that are kept. */
const maxBytes = 64 * 1024 * 1024;

type PageVisit = Omit<Visit, 'analysis'>;

/** The pages of the last minutes, by the addresses that were asked for. */
class KeptPages {
  readonly #pages = new Map<string, PageVisit & { readonly until: number }>();

  get(url: string): PageVisit | undefined {
    const kept = this.#pages.get(url);
    return kept !== undefined && kept.until > Date.now() ? kept : undefined;
  }

  set(url: string, { page, render }: PageVisit): void {
    this.#pages.delete(url);
    this.#pages.set(url, { page, render, until: Date.now() + keptFor });
    let bytes = 0;
    for (const [other, { page: one, until }] of [...this.#pages].reverse()) {
      bytes += one.body.byteLength;
      if (bytes > maxBytes || until <= Date.now()) this.#pages.delete(other);
    }
    for (const oldest of this.#pages.keys()) if (this.#pages.size > maxKept) this.#pages.delete(oldest);
  }
}

export function createPageVisits(tools: {
  readonly fetcher: Fetcher;
  readonly pool: AnalysisPool;
  /** Undefined: pages that need scripts are not read. */
  readonly renderer?: Renderer | undefined;
  readonly logger?: Logger | undefined;
}): PageVisits {
  const kept = new KeptPages();

  async function fetchPage(url: string, { start, signal }: VisitOptions): Promise<FetchedPage> {
    let page: FetchedPage;
    try {
      page = await tools.fetcher.fetch({ url, signal, named: [new URL(start).origin] });
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof FetchError ? fetchFailure(error) : error;
    }
    const refused = statusFailure(page.status);
    if (refused !== undefined) throw refused;
    return page;
  }

  async function analyze(
    page: FetchedPage,
    task: Omit<AnalysisTask, 'page'>,
    signal: AbortSignal,
  ): Promise<Analysis> {
    try {
      return await tools.pool.parse({ ...task, page }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ParseError)) throw error;
      tools.logger?.warn({ err: error }, 'A page could not be analyzed');
      const type = /too long/.test(error.message) ? 'TIMEOUT' : 'NO_DATA_FOUND';
      throw new BuildError(type, `The page could not be read: ${error.message}`, { cause: error });
    }
  }

  /** The page as a browser shows it; better still, the data that it fetches, where that needs no browser. */
  async function visitInBrowser(
    url: string,
    task: Omit<AnalysisTask, 'page'>,
    options: VisitOptions,
  ): Promise<Visit | undefined> {
    const { renderer } = tools;
    const { signal, mayRender } = options;
    if (renderer === undefined || (await mayRender?.()) === false) return undefined;
    let page: RenderedPage;
    try {
      page = await renderer.render({ url, responses: ['*'], named: [new URL(options.start).origin], signal });
    } catch (error) {
      signal.throwIfAborted();
      tools.logger?.warn({ err: error }, 'A page could not be shown by a browser');
      return undefined;
    }
    for (const address of dataAddresses(page)) {
      const answer = await fetchPage(address, options).catch(() => undefined);
      if (answer === undefined || !/json/i.test(answer.contentType)) continue;
      const analysis = await analyze(answer, task, signal);
      if (analysis.candidates.some(({ rows }) => rows > 1)) return { page: answer, analysis };
    }
    const { responses: _, ...shown } = page;
    const analysis = await analyze(shown, task, signal);
    return analysis.candidates.length === 0 ? undefined : { page: shown, analysis, render: true };
  }

  /** Without data, or without the browser that it needs, a page may show more the next time. */
  const isWhole = ({ analysis, render }: Visit) =>
    analysis.candidates.length > 0 &&
    (!analysis.needsScript || render === true || tools.renderer === undefined);

  return {
    async visit(url, task, options) {
      const { keep, signal } = options;
      const known = keep ? kept.get(url) : undefined;
      const page = known?.page ?? (await fetchPage(url, options));
      let visit: Visit = { page, render: known?.render, analysis: await analyze(page, task, signal) };
      // A shell of scripts may hold links and a title that look like data.
      if (known === undefined && (visit.analysis.candidates.length === 0 || visit.analysis.needsScript))
        visit = (await visitInBrowser(url, task, options)) ?? visit;
      // A page that is looked at again grows old all the same.
      if (keep && known === undefined && isWhole(visit)) kept.set(url, visit);
      return visit;
    },
  };
}

const maxDataAddresses = 3;

/** Where the page fetched its JSON from, the largest first. */
const dataAddresses = ({ responses }: RenderedPage): string[] =>
  [...responses]
    .filter(({ status, body }) => status === 200 && body.length > 20)
    .sort((one, other) => other.body.length - one.body.length)
    .slice(0, maxDataAddresses)
    .map(({ url }) => url);
