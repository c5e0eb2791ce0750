/**
 * Builds an action for a site: fetch, find candidates, choose by the goal, find parameters, write the recipe, test it
 * live on pages fetched anew. What cannot be tested is not published.
 */
import type { Logger } from 'pino';
import { startDeadline } from '../deadline.ts';
import type { Fetcher } from '../fetching/fetcher.ts';
import type { ActionRunner, Builder, BuildOutcome, BuildTask, RunLimits } from '../ports.ts';
import type { Row } from '../recipes/document.ts';
import { createPagePool } from '../recipes/page-pool.ts';
import { actionOf, catalogOf, type Draft, type Parameters, recipeOf } from './action.ts';
import { type AnalysisPool, type Build, startBuild } from './build.ts';
import { BuildFailure } from './failures.ts';
import { type Found, find } from './find.ts';
import { readGoal } from './goal.ts';
import { shortfall } from './live-test.ts';
import { pagingFor, searchFor, searchPage, slugFor } from './parameters.ts';
import { alternativesOf, failureShowing } from './report.ts';

export type { AnalysisPool } from './build.ts';

export interface BuilderOptions {
  readonly fetcher: Fetcher;
  readonly runner: ActionRunner;
  readonly logger?: Logger | undefined;
  /** Milliseconds for a whole build. */
  readonly timeoutMs?: number | undefined;
  /** For tests: workers with other limits. */
  readonly pool?: AnalysisPool | undefined;
}

/** Rows whose own pages are read in the live test. */
const testedDetails = 3;

export function createBuilder(options: BuilderOptions): Builder & { close(): Promise<void> } {
  const pool: AnalysisPool =
    options.pool ??
    createPagePool('#worker/service/builder/analyze-worker', { workers: 1, deadlineMs: 15_000 });
  const { fetcher, runner, logger } = options;
  const tools = { fetcher, runner, logger, pool };

  async function build(task: BuildTask, limits: RunLimits): Promise<BuildOutcome> {
    const deadline = startDeadline(Math.min(options.timeoutMs ?? 120_000, limits.timeoutMs), limits.signal);
    try {
      return await construct(startBuild(tools, task, readGoal(task.goal), deadline.signal));
    } catch (error) {
      if (deadline.passed())
        return { built: false, errorType: 'TIMEOUT', message: 'The build took too long' };
      limits.signal.throwIfAborted();
      if (error instanceof BuildFailure)
        return {
          built: false,
          errorType: error.errorType,
          message: error.message,
          alternatives: error.alternatives,
        };
      throw error;
    } finally {
      deadline.clear();
    }
  }

  return { build, close: () => pool.close() };
}

async function construct(build: Build): Promise<BuildOutcome> {
  const found = await find(build);
  const searching = found.proposal.many ? await searchPage(found.visit, found.proposal, build) : undefined;
  const { proposal, visit: where } = searching ?? found;
  const details = searching === undefined ? found.details : undefined;
  const parameters: Parameters = searching === undefined ? {} : { search: searching.search };
  const draft: Draft = { url: where.page.url, extract: proposal.extract, parameters };
  build.progress('Testing the recipe');
  const rows = await liveTest(draft, { ...found, proposal, details }, build);
  const paging = proposal.many
    ? await pagingFor(
        draft,
        proposal,
        rows,
        [...where.analysis.paging, ...found.visit.analysis.paging],
        build,
      )
    : undefined;
  const search = parameters.search ?? (await searchFor(where, proposal, rows, build));
  const slug = await slugFor(where, proposal, build);
  const finished: Draft = { ...draft, details: details?.recipe, parameters: { paging, search, slug } };
  const fields = [...proposal.fields, ...(details?.fields ?? [])];
  const others = found.seen.filter((other) => other.extract !== proposal.extract && other.fields.length > 1);
  const missing = [...proposal.missing, ...proposal.absent];
  if (missing.length > 0) build.progress(`Not found on the site: ${missing.join(', ')}`);
  build.progress('Publishing the action');
  return {
    built: true,
    catalog:
      build.task.catalog ?? catalogOf(build.task, where.analysis.title.split(/\s+[|·–—-]\s+/).at(-1) ?? ''),
    action: actionOf(build.task, finished, fields, proposal.many, missing),
    sample: rows.slice(0, 3),
    missing,
    alternatives: alternativesOf(others, proposal),
  };
}

/** The rows that the recipe gives on pages fetched anew; rejects where they lack what was promised. */
async function liveTest(draft: Draft, { proposal, details, seen }: Found, build: Build): Promise<Row[]> {
  const fail = (lack: string) =>
    failureShowing('TEST_FAILED', `The live test ${lack}.`, seen, 'The first look had found');
  const tested = details === undefined ? undefined : { ...details.recipe, most: testedDetails };
  const run = await build.run(recipeOf({ ...draft, details: tested }));
  if ('failure' in run) throw fail(`failed: ${run.failure}`);
  const lack = shortfall(run.rows, proposal.fields, proposal.fills);
  if (lack !== undefined) throw fail(lack);
  if (details !== undefined) {
    const joined = shortfall(run.rows.slice(0, testedDetails), details.fields, []);
    if (joined !== undefined) throw fail(`of the rows' own pages ${joined}`);
  }
  return [...run.rows];
}
