/**
 * Builds an action for a site: fetch, find candidates, choose by the goal, find parameters, write the recipe, test it
 * live on pages fetched anew. What cannot be tested is not published.
 */
import type { Logger } from 'pino';
import { startDeadline } from '../deadline.ts';
import { FetchError } from '../fetching/errors.ts';
import type { FetchedPage, Fetcher } from '../fetching/fetcher.ts';
import type { ActionRunner, Builder, BuildOutcome, BuildTask, RunLimits } from '../ports.ts';
import { ParseError } from '../recipes/document.ts';
import type { Paging } from '../recipes/schema.ts';
import { createThreadPool, type ThreadPool } from '../recipes/thread-pool.ts';
import { actionOf, catalogOf, type Draft, type Parameters, recipeOf } from './action.ts';
import { type Analysis, type AnalysisTask, covers, type Proposal } from './analyze.ts';
import { BuildFailure, fetchFailure, statusFailure } from './failures.ts';
import { type Goal, readGoal } from './goal.ts';
import { shortfall, tryRecipe } from './live-test.ts';
import { alternativesOf, failureShowing } from './report.ts';

export type AnalysisPool = ThreadPool<AnalysisTask, Analysis>;

export interface BuilderOptions {
  readonly fetcher: Fetcher;
  readonly runner: ActionRunner;
  readonly logger?: Logger | undefined;
  /** Milliseconds for a whole build. */
  readonly timeoutMs?: number | undefined;
  /** For tests: threads with other limits. */
  readonly pool?: AnalysisPool | undefined;
}

/** Pages looked at besides the one that was asked for, where that one does not hold what the goal asks. */
const maxLeads = 3;
const runTimeoutMs = 60_000;

/** A page and what was read out of it. */
interface Visit {
  readonly page: FetchedPage;
  readonly analysis: Analysis;
}

interface Build {
  readonly task: BuildTask;
  readonly goal: Goal;
  readonly signal: AbortSignal;
  readonly progress: (step: string) => void;
}

export function createBuilder(options: BuilderOptions): Builder & { close(): Promise<void> } {
  const { fetcher, runner, logger } = options;
  const pool: AnalysisPool =
    options.pool ??
    createThreadPool('#worker/service/builder/analyze-worker', { threads: 1, deadlineMs: 15_000 });

  async function visit(url: string, build: Build): Promise<Visit> {
    let page: FetchedPage;
    try {
      page = await fetcher.fetch({ url, signal: build.signal });
    } catch (error) {
      build.signal.throwIfAborted();
      throw error instanceof FetchError ? fetchFailure(error) : error;
    }
    const refused = statusFailure(page.status);
    if (refused !== undefined) throw refused;
    try {
      return { page, analysis: await pool.parse({ page, goal: build.task.goal }, build.signal) };
    } catch (error) {
      build.signal.throwIfAborted();
      if (!(error instanceof ParseError)) throw error;
      logger?.warn({ err: error }, 'A page could not be analyzed');
      const type = /too long/.test(error.message) ? 'TIMEOUT' : 'NO_DATA_FOUND';
      throw new BuildFailure(type, `The page could not be read: ${error.message}`, { cause: error });
    }
  }

  /** The first page, from the one asked for along its most promising links, that holds what the goal asks for. */
  async function find(build: Build): Promise<{ visit: Visit; proposal: Proposal; seen: Proposal[] }> {
    build.progress('Fetching the page');
    const start = await visit(build.task.websiteUrl, build);
    const seen = [...start.analysis.proposals];
    const own = start.analysis.proposals.find((proposal) => covers(proposal));
    const { length } = start.analysis.proposals;
    build.progress(`${length} ${length === 1 ? 'candidate' : 'candidates'} found`);
    if (own !== undefined) return { visit: start, proposal: own, seen };
    const { feeds, leads } = start.analysis;
    const further = [...feeds.slice(0, 1), ...leads.map(({ url }) => url)].slice(0, maxLeads);
    for (const url of further) {
      build.progress('Looking at a further page of the site');
      const next = await visit(url, build).catch((error: unknown) => {
        if (error instanceof BuildFailure) return undefined;
        throw error;
      });
      const found = next?.analysis.proposals.find((proposal) => covers(proposal));
      if (next !== undefined && found !== undefined)
        return { visit: next, proposal: found, seen: [...next.analysis.proposals, ...seen] };
    }
    throw notFound(start, build.goal);
  }

  /** The first paging whose second page has rows that the recipe reads as well. */
  async function pagingFor(
    draft: Draft,
    proposal: Proposal,
    first: readonly unknown[],
    ways: readonly Paging[],
    build: Build,
  ): Promise<Paging | undefined> {
    for (const paging of ways.slice(0, 3)) {
      const recipe = recipeOf({ ...draft, parameters: { ...draft.parameters, paging } });
      const run = await tryRecipe(
        runner,
        { recipe, params: { max_pages: 2 } },
        { signal: build.signal, timeoutMs: runTimeoutMs },
      );
      if ('failure' in run) continue;
      const second = run.rows.slice(first.length);
      // A link that leads to no further rows was no paging.
      if (second.length === 0 || JSON.stringify(second) === JSON.stringify(first)) continue;
      const lack = shortfall(second, proposal.fields, proposal.fills);
      if (lack !== undefined) throw new BuildFailure('TEST_FAILED', `The test on the second page ${lack}`);
      return paging;
    }
    return undefined;
  }

  /** The search of the site as a param, where it gives rows of the same form and does search. */
  async function searchFor(
    { page, analysis }: Visit,
    proposal: Proposal,
    all: readonly unknown[],
    build: Build,
  ): Promise<Parameters['search']> {
    const { search: form } = analysis;
    if (form === undefined || !proposal.many) return undefined;
    const here = new URL(page.url);
    const there = new URL(form.url);
    if (there.origin !== here.origin || there.pathname !== here.pathname) return undefined;
    const example = exampleWord(proposal, build.goal);
    if (example === undefined) return undefined;
    const search = { form, example, fallback: false };
    const recipe = recipeOf({ url: page.url, extract: proposal.extract, parameters: { search } });
    const run = await tryRecipe(
      runner,
      { recipe, params: { query: example } },
      { signal: build.signal, timeoutMs: runTimeoutMs },
    );
    if ('failure' in run || run.rows.length === 0 || JSON.stringify(run.rows) === JSON.stringify(all))
      return undefined;
    return shortfall(run.rows, proposal.fields, proposal.fills) === undefined ? search : undefined;
  }

  /** Where the goal is to search: the page of results, for a word that the site has. */
  async function searchPage(
    start: Visit,
    proposal: Proposal,
    build: Build,
  ): Promise<{ visit: Visit; proposal: Proposal; search: NonNullable<Parameters['search']> } | undefined> {
    if (!build.goal.searches) return undefined;
    let form = start.analysis.search;
    const lead = start.analysis.leads.find(({ url, text }) =>
      /search|suche|find/i.test(`${new URL(url).pathname} ${text}`),
    );
    if (form === undefined && lead !== undefined) {
      const page = await visit(lead.url, build).catch(() => undefined);
      build.signal.throwIfAborted();
      form = page?.analysis.search;
    }
    const example = exampleWord(proposal, build.goal);
    if (
      form === undefined ||
      example === undefined ||
      new URL(form.url).origin !== new URL(start.page.url).origin
    )
      return undefined;
    const url = new URL(form.url);
    for (const [name, value] of Object.entries({ ...form.constants, [form.query]: example }))
      url.searchParams.set(name, value);
    build.progress('Trying the search of the site');
    const results = await visit(url.href, build).catch(() => undefined);
    build.signal.throwIfAborted();
    if (results === undefined) return undefined;
    const search = { form, example, fallback: true };
    // A page of one result shows no repetition, so what read the listing is tried first.
    const listings = [
      proposal,
      ...results.analysis.proposals.filter((candidate) => candidate.many && covers(candidate)),
    ];
    for (const listing of listings) {
      const recipe = recipeOf({ url: results.page.url, extract: listing.extract, parameters: { search } });
      const run = await tryRecipe(
        runner,
        { recipe, params: {} },
        { signal: build.signal, timeoutMs: runTimeoutMs },
      );
      if (!('failure' in run) && shortfall(run.rows, listing.fields, listing.fills) === undefined)
        return { visit: results, proposal: listing, search };
    }
    return undefined;
  }

  /** Other pages of the same form make a record's address a param. */
  async function slugFor(
    { page, analysis }: Visit,
    proposal: Proposal,
    build: Build,
  ): Promise<Parameters['slug']> {
    if (proposal.many) return undefined;
    const here = new URL(page.url);
    const parts = /^(.*\/)([^/]+?)(\/|\.html?)?$/.exec(here.pathname);
    const [, prefix, value, suffix = ''] = parts ?? [];
    if (prefix === undefined || value === undefined || here.search !== '') return undefined;
    const siblings = analysis.siblings.filter((other) => other !== value);
    for (const other of siblings.slice(0, 2)) {
      const slug = { prefix: `${here.origin}${prefix}`, suffix, value, others: siblings.slice(0, 2) };
      const recipe = recipeOf({ url: page.url, extract: proposal.extract, parameters: { slug } });
      const run = await tryRecipe(
        runner,
        { recipe, params: { slug: other } },
        { signal: build.signal, timeoutMs: runTimeoutMs },
      );
      if (!('failure' in run) && shortfall(run.rows, proposal.fields, proposal.fills) === undefined)
        return slug;
    }
    return undefined;
  }

  async function construct(build: Build): Promise<BuildOutcome> {
    const found = await find(build);
    const searching = found.proposal.many ? await searchPage(found.visit, found.proposal, build) : undefined;
    const { proposal, visit: where } = searching ?? found;
    const parameters: Parameters = searching === undefined ? {} : { search: searching.search };
    const { url } = where.page;
    build.progress('Testing the recipe');
    const run = await tryRecipe(
      runner,
      { recipe: recipeOf({ url, extract: proposal.extract, parameters }), params: {} },
      { signal: build.signal, timeoutMs: runTimeoutMs },
    );
    const lack =
      'failure' in run ? `failed: ${run.failure}` : shortfall(run.rows, proposal.fields, proposal.fills);
    if (lack !== undefined || 'failure' in run)
      throw failureShowing('TEST_FAILED', `The live test ${lack}.`, found.seen, 'The first look had found');
    const draft = { url, extract: proposal.extract, parameters };
    const paging = proposal.many
      ? await pagingFor(
          draft,
          proposal,
          run.rows,
          [...where.analysis.paging, ...found.visit.analysis.paging],
          build,
        )
      : undefined;
    const search = parameters.search ?? (await searchFor(where, proposal, run.rows, build));
    const slug = await slugFor(where, proposal, build);
    const finished: Draft = { ...draft, parameters: { paging, search, slug } };
    const others = found.seen.filter((other) => other !== proposal && other.fields.length > 1);
    build.progress('Publishing the action');
    return {
      built: true,
      catalog:
        build.task.catalog ?? catalogOf(build.task, where.analysis.title.split(/\s+[|·–—-]\s+/).at(-1) ?? ''),
      action: actionOf(build.task, finished, proposal.fields, proposal.many),
      sample: run.rows.slice(0, 3),
      alternatives: alternativesOf(others),
    };
  }

  async function build(task: BuildTask, limits: RunLimits): Promise<BuildOutcome> {
    const deadline = startDeadline(Math.min(options.timeoutMs ?? 120_000, limits.timeoutMs), limits.signal);
    try {
      const goal = readGoal(task.goal);
      return await construct({
        task,
        goal,
        signal: deadline.signal,
        progress: task.onProgress ?? (() => {}),
      });
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

/** Why the site has nothing for the goal, and what it has. */
function notFound({ page, analysis }: Visit, goal: Goal): BuildFailure {
  const { proposals } = analysis;
  // With all its fields, so that who asks again can name them. A single field is mostly a list of links.
  const offers = analysis.offers.filter(({ fields }) => fields.length > 1);
  const shown = offers.length > 0 ? offers : proposals;
  const isLoginAddress = /(?:^|[/_-])(?:log-?in|sign-?in|auth|sso|anmelden)(?:[/_.-]|$)/i.test(
    new URL(page.url).pathname,
  );
  if (analysis.login && (isLoginAddress || !proposals.some(({ many, rows }) => many && rows >= 5)))
    return failureShowing('LOGIN_REQUIRED', 'The page asks for a sign-in and shows none of the data.', shown);
  if (analysis.needsScript)
    return failureShowing(
      'NEEDS_JAVASCRIPT',
      'The page shows its data only after its scripts ran, which are not run here.',
      shown,
    );
  const lists = [...proposals, ...offers].filter(
    ({ many, kind }) =>
      many || kind === 'structured data' || kind === 'article' || kind === 'definition list',
  );
  if (lists.length === 0)
    return failureShowing('NO_DATA_FOUND', 'The page has no list, table, feed or record of data.', shown);
  const [best] = proposals;
  const asked = goal.fields.filter(({ optional }) => optional !== true).map(({ name }) => name);
  const reason =
    asked.length > 0 && best?.missing.length !== 0
      ? `The site has no data with all of ${asked.join(', ')}${best === undefined || best.missing.length === 0 ? '' : ` (missing: ${best.missing.join(', ')})`}.`
      : `Nothing on the site has to do with ${goal.subject.join(' ') || 'the goal'}.`;
  return failureShowing('GOAL_NOT_COVERED', reason, shown);
}

/** A word of the first rows, the longest of their names: what a search finds at least once. */
function exampleWord(proposal: Proposal, goal: Goal): string | undefined {
  const asked = new Set(goal.subject);
  const texts = proposal.sample.slice(0, 1).flatMap((row) => proposal.fields.map((name) => row[name]));
  for (const value of texts) {
    if (typeof value !== 'string' || /^https?:/.test(value)) continue;
    const words = value.match(/\p{L}{4,}/gu) ?? [];
    const [longest] = words
      .filter((word) => !asked.has(word.toLowerCase()))
      .sort((one, other) => other.length - one.length);
    if (longest !== undefined) return longest;
  }
  return undefined;
}
