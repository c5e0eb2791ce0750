/** Runs the actions of the catalog `web`: fetches the page of any public website and reads one thing from it. */
import type { FetchedPage, Fetcher } from '../fetching/fetcher.ts';
import { FetchError, RunError } from '../foundation/errors.ts';
import type { ActionRunner } from '../foundation/ports.ts';
import type { PagePool } from '../recipes/page-pool.ts';
import { statusFailure, toRunFailure } from '../recipes/run-failures.ts';
import { type ReadingResult, type ReadingTask, WebRecipe } from './readings.ts';

export type ReadingPool = PagePool<ReadingTask, ReadingResult>;

export interface WebRunnerOptions {
  readonly fetcher: Fetcher;
  readonly pool: ReadingPool;
  /** Runs every other recipe. */
  readonly recipes: ActionRunner;
  /** Rejects with a `FetchError` for addresses that are not read; asked at every redirect, too. */
  readonly check: (url: URL) => Promise<void>;
  /** Origins of this program's own that may be read although they are not public. */
  readonly ownOrigins: readonly string[];
}

export function createWebRunner(options: WebRunnerOptions): ActionRunner {
  const { fetcher, pool, recipes, check } = options;

  async function fetchPage(url: string, named: readonly string[], signal: AbortSignal): Promise<FetchedPage> {
    const page = await fetcher.fetch({ url, signal, named, check });
    if (page.status < 200 || page.status >= 300) throw statusFailure(page.status);
    return page;
  }

  async function read(
    reading: ReadingTask['reading'],
    { url }: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (typeof url !== 'string' || !URL.canParse(url))
      throw new FetchError('forbidden', 'The param "url" is not a valid address');
    // A page of the web never leads to this program's own sites.
    const { origin } = new URL(url);
    const named = options.ownOrigins.includes(origin) ? [origin] : [];
    const first = await pool.parse({ page: await fetchPage(url, named, signal), reading }, signal);
    if ('data' in first) return first.data;
    const feed = await pool.parse({ page: await fetchPage(first.feed, named, signal), reading }, signal);
    if ('data' in feed) return feed.data;
    throw new RunError('The page links to a feed, but its address returns none');
  }

  return {
    findProblem: (recipe) =>
      WebRecipe.safeParse(recipe).success ? undefined : recipes.findProblem?.(recipe),
    async run(task, limits) {
      const recipe = WebRecipe.safeParse(task.recipe);
      if (!recipe.success) return recipes.run(task, limits);
      try {
        return { data: await read(recipe.data.web, task.params, limits.signal) };
      } catch (error) {
        throw toRunFailure(error);
      }
    },
  };
}
