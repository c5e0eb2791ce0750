/** What every step of a build works with: the task, its clock, and pages fetched and analyzed. */
import type { Logger } from 'pino';
import { FetchError } from '../fetching/errors.ts';
import type { FetchedPage, Fetcher } from '../fetching/fetcher.ts';
import type { ActionRunner, BuildTask } from '../ports.ts';
import { ParseError } from '../recipes/document.ts';
import type { PagePool } from '../recipes/page-pool.ts';
import type { Analysis, AnalysisTask } from './analyze.ts';
import { BuildFailure, fetchFailure, statusFailure } from './failures.ts';
import type { Goal } from './goal.ts';
import { type TestRun, tryRecipe } from './live-test.ts';

export type AnalysisPool = PagePool<AnalysisTask, Analysis>;

/** A page and what was read out of it. */
export interface Visit {
  readonly page: FetchedPage;
  readonly analysis: Analysis;
}

export interface Build {
  readonly task: BuildTask;
  readonly goal: Goal;
  readonly progress: (step: string) => void;
  /** Rejects with a `BuildFailure` where the page cannot be had or read. `only`: of the goal's fields these. */
  visit(url: string, only?: readonly string[]): Promise<Visit>;
  /** The same; undefined where the page cannot be had or read. */
  look(url: string, only?: readonly string[]): Promise<Visit | undefined>;
  /** Runs a recipe as any caller would. */
  run(
    recipe: unknown,
    params?: Readonly<Record<string, unknown>>,
  ): Promise<TestRun | { readonly failure: string }>;
}

export interface BuildTools {
  readonly fetcher: Fetcher;
  readonly runner: ActionRunner;
  readonly pool: AnalysisPool;
  readonly logger?: Logger | undefined;
}

const runTimeoutMs = 60_000;

export function startBuild(tools: BuildTools, task: BuildTask, goal: Goal, signal: AbortSignal): Build {
  const { fetcher, runner, pool, logger } = tools;

  async function visit(url: string, only?: readonly string[]): Promise<Visit> {
    let page: FetchedPage;
    try {
      page = await fetcher.fetch({ url, signal, named: [new URL(task.websiteUrl).origin] });
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof FetchError ? fetchFailure(error) : error;
    }
    const refused = statusFailure(page.status);
    if (refused !== undefined) throw refused;
    try {
      return { page, analysis: await pool.parse({ page, goal: task.goal, only }, signal) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ParseError)) throw error;
      logger?.warn({ err: error }, 'A page could not be analyzed');
      const type = /too long/.test(error.message) ? 'TIMEOUT' : 'NO_DATA_FOUND';
      throw new BuildFailure(type, `The page could not be read: ${error.message}`, { cause: error });
    }
  }

  return {
    task,
    goal,
    progress: task.onProgress ?? (() => {}),
    visit,
    async look(url, only) {
      try {
        return await visit(url, only);
      } catch (error) {
        if (error instanceof BuildFailure) return undefined;
        throw error;
      }
    },
    run: (recipe, params = {}) => tryRecipe(runner, { recipe, params }, { signal, timeoutMs: runTimeoutMs }),
  };
}
