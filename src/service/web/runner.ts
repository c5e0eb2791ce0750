/** Runs the actions of the catalog `web`: fetches the page of any public website and reads it. */

import type { FetchedPage, Fetcher } from '../fetch/fetcher.ts';
import type { Renderer } from '../fetch/renderer.ts';
import { BrowserError, FetchError, RunError } from '../foundation/errors.ts';
import type { ActionRunner, RunLimits } from '../foundation/ports.ts';
import type { PagePool } from '../recipes/page-pool.ts';
import { obstacleFailure, statusFailure, toRunFailure } from '../recipes/run-failures.ts';
import {
  type ReadingRequest,
  type ReadingResult,
  type ReadingTask,
  toReading,
  WebRecipe,
} from './readings.ts';

export type ReadingPool = PagePool<ReadingTask, ReadingResult>;

export interface WebRunnerOptions {
  readonly fetcher: Fetcher;
  /** Absent if no browser can be used. */
  readonly renderer?: Pick<Renderer, 'render'> | undefined;
  readonly pool: ReadingPool;
  /** Runs every other recipe. */
  readonly recipes: ActionRunner;
  /** Rejects with a `FetchError` for forbidden addresses; asked at every redirect, too. */
  readonly check: (url: URL) => Promise<void>;
  /** Origins of this program's own that may be read although they are not public. */
  readonly ownOrigins: readonly string[];
}

type Data = Readonly<Record<string, unknown>>;

/** How a page is fetched, and its deadline. */
interface Way {
  readonly named: readonly string[];
  readonly signal: AbortSignal;
  readonly user: string | undefined;
}

export function createWebRunner(options: WebRunnerOptions): ActionRunner {
  const { fetcher, renderer, pool, recipes, check } = options;

  async function fetchPage(url: string, { named, signal }: Way): Promise<FetchedPage> {
    const page = await fetcher.fetch({ url, signal, named, check });
    if (page.status < 200 || page.status >= 300) throw statusFailure(page.status, page.retryAfter);
    return page;
  }

  /** The page as a browser shows it; if that fails, the page without a browser. */
  async function readInBrowser(
    request: ReadingRequest,
    page: FetchedPage,
    data: Data,
    way: Way,
  ): Promise<Data> {
    if (renderer === undefined) return data;
    try {
      const rendered = await renderer.render({ url: page.url, named: way.named, signal: way.signal });
      await check(new URL(rendered.url));
      const task = { ...request, page: rendered, browser: 'used' as const };
      const result = await pool.parse(task, way.signal, way.user);
      if ('obstacle' in result) throw obstacleFailure(result.obstacle, 'EXECUTION_FAILED');
      return 'data' in result ? result.data : data;
    } catch (error) {
      if (!(error instanceof BrowserError)) throw error;
      const missing = Array.isArray(data.missing) ? data.missing : [];
      return { ...data, missing: [...missing, `The browser could not show the page: ${error.message}`] };
    }
  }

  async function read(request: ReadingRequest & { url: string }, { signal, user }: RunLimits): Promise<Data> {
    const { url, ...reading } = request;
    if (!URL.canParse(url)) throw new FetchError('forbidden', 'The param "url" is not a valid address');
    // An address on the web never leads to this program's own sites.
    const { origin } = new URL(url);
    const way = { named: options.ownOrigins.includes(origin) ? [origin] : [], signal, user };
    const browser = renderer === undefined ? ('absent' as const) : ('available' as const);
    const page = await fetchPage(url, way);
    const first = await pool.parse({ ...reading, page, browser }, signal, user);
    if ('needsBrowser' in first) return readInBrowser(reading, page, first.data, way);
    if ('data' in first) return first.data;
    if ('obstacle' in first) throw obstacleFailure(first.obstacle, 'EXECUTION_FAILED');
    const feed = await pool.parse(
      { ...reading, page: await fetchPage(first.feed, way), browser },
      signal,
      user,
    );
    if ('data' in feed) return feed.data;
    throw new RunError('The page links to a feed, but its address returns none', { reason: 'page_unfit' });
  }

  return {
    findProblem: (recipe) =>
      WebRecipe.safeParse(recipe).success ? undefined : recipes.findProblem?.(recipe),
    async run(task, limits) {
      const recipe = WebRecipe.safeParse(task.recipe);
      if (!recipe.success) return recipes.run(task, limits);
      try {
        const request = toReading(recipe.data, task.params);
        if (request === undefined) throw new RunError('The params of this action are not valid');
        return { data: await read(request, limits) };
      } catch (error) {
        throw toRunFailure(error);
      }
    },
  };
}
