/** Pages fetched and analyzed. A page stays for the choice that follows a preview of it. */
import type { Logger } from 'pino';
import { FetchError } from '../fetching/errors.ts';
import type { FetchedPage, Fetcher } from '../fetching/fetcher.ts';
import { ParseError } from '../recipes/document.ts';
import type { PagePool } from '../recipes/page-pool.ts';
import type { Analysis, AnalysisTask } from './analyze.ts';
import { BuildFailure, fetchFailure, statusFailure } from './failures.ts';

export type AnalysisPool = PagePool<AnalysisTask, Analysis>;

export interface Visit {
  readonly page: FetchedPage;
  readonly analysis: Analysis;
}

export interface VisitOptions {
  /** A page of the last minutes will do, and this one is kept. */
  readonly keep: boolean;
  /** The address that the caller gave. */
  readonly start: string;
  readonly signal: AbortSignal;
}

export interface PageVisits {
  /** Rejects with a `BuildFailure`. */
  visit(url: string, task: Omit<AnalysisTask, 'page'>, options: VisitOptions): Promise<Visit>;
}

/** Milliseconds. */
const keptFor = 15 * 60_000;
const maxKept = 50;
/** Bytes of all pages that are kept. */
const maxBytes = 64 * 1024 * 1024;

/** The pages of the last minutes, by their addresses. */
class KeptPages {
  readonly #pages = new Map<string, { readonly page: FetchedPage; readonly until: number }>();

  get(url: string): FetchedPage | undefined {
    const kept = this.#pages.get(url);
    return kept !== undefined && kept.until > Date.now() ? kept.page : undefined;
  }

  set(url: string, page: FetchedPage): void {
    this.#pages.delete(url);
    this.#pages.set(url, { page, until: Date.now() + keptFor });
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

  return {
    async visit(url, task, options) {
      const { keep, signal } = options;
      const page = (keep ? kept.get(url) : undefined) ?? (await fetchPage(url, options));
      if (keep) kept.set(url, page);
      try {
        return { page, analysis: await tools.pool.parse({ ...task, page }, signal) };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ParseError)) throw error;
        tools.logger?.warn({ err: error }, 'A page could not be analyzed');
        const type = /too long/.test(error.message) ? 'TIMEOUT' : 'NO_DATA_FOUND';
        throw new BuildFailure(type, `The page could not be read: ${error.message}`, { cause: error });
      }
    },
  };
}
