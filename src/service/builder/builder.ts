/** Builds an action for a page: find candidates, take columns, write the recipe, test it live, find params. */
import type { Logger } from 'pino';
import { readGoal } from '../catalog/read-goal.ts';
import type { Fetcher } from '../fetch/fetcher.ts';
import type { Renderer } from '../fetch/renderer.ts';
import { BuildError } from '../foundation/errors.ts';
import type {
  ActionRunner,
  Builder,
  BuildOutcome,
  BuildTask,
  PreviewOutcome,
  PreviewTask,
} from '../foundation/ports.ts';
import type { Row } from '../page/document.ts';
import type { Selection } from './analysis/analyze.ts';
import { createAction, createRecipe, type Draft, type Parameters } from './recipe/action.ts';
import { type Trial, tryPaging, trySearch, trySlug } from './recipe/parameters.ts';
import { type BuildTools, repair } from './repair.ts';
import { shortfall, type TestRun, tryRecipe } from './test/live-test.ts';
import { type AnalysisPool, createPageVisits, type PageVisit } from './visits/page-visits.ts';

export interface BuilderOptions {
  readonly fetcher: Fetcher;
  readonly runner: ActionRunner;
  /** Undefined: pages that need scripts are not read. */
  readonly renderer?: Renderer | undefined;
  readonly logger?: Logger | undefined;
  /** Where pages are read. Whoever made it closes it. */
  readonly pool: AnalysisPool;
}

export function createBuilder(options: BuilderOptions): Required<Builder> {
  const { runner } = options;
  const visitPage = createPageVisits(options);

  return {
    build: (task, limits) =>
      build(task, { visitPage, runner, limits }).catch((error: unknown) => {
        const { errorType, message, candidates, shown, choose } = buildError(error, limits.signal);
        return { built: false, errorType, message, candidates, shown, choose };
      }),
    repair: (task, limits) => repair(task, { visitPage, runner, limits }),
    preview: (task, limits) =>
      preview(task, { visitPage, limits }).catch((error: unknown) => {
        const { errorType, message } = buildError(error, limits.signal);
        return { ok: false, errorType, message };
      }),
  };
}

/** Turns failures that the caller can act on into a `BuildError`; throws everything else. */
function buildError(error: unknown, signal: AbortSignal): BuildError {
  signal.throwIfAborted();
  if (error instanceof BuildError) return error;
  throw error;
}

async function preview(
  task: PreviewTask,
  { visitPage, limits }: Omit<BuildTools, 'runner'>,
): Promise<PreviewOutcome> {
  const { websiteUrl, goal, candidate, choose, kept } = task;
  const { page, analysis } = await visitPage(
    websiteUrl,
    { goal, candidate, choose, kept, withSample: choose !== undefined },
    { keep: true, start: websiteUrl, mayRender: task.mayRender, ...limits },
  );
  const { candidates, shown, paging, search, title, guess, unmatched } = analysis;
  if (candidates.length === 0)
    throw candidate === undefined
      ? withoutData({ page, analysis })
      : new BuildError('NO_DATA_FOUND', `The page has no candidate ${candidate}`);
  if (analysis.problem !== undefined)
    throw new BuildError('CHOICE_NEEDED', `${analysis.problem.replace(/\.$/, '')}.`);
  const chosen = candidates.filter(({ id }) => id === choose?.candidate);
  const unsorted = candidates.some(({ rows }) => rows > 1) ? readGoal(goal ?? '').order : undefined;
  return {
    ok: true,
    page: { title, url: page.url },
    candidates: chosen.length > 0 ? chosen : candidates,
    shown,
    ...(choose === undefined ? {} : { sample: analysis.sample }),
    ...(paging[0] === undefined
      ? {}
      : { paging: paging[0].kind === 'next' ? 'a link to the next page' : `counted by ${paging[0].kind}` }),
    ...(search === undefined ? {} : { search: search.label }),
    ...(goal === undefined || choose !== undefined || guess === undefined ? {} : { guess }),
    ...(goal === undefined || choose !== undefined || unmatched.length === 0 ? {} : { unmatched }),
    ...(unsorted === undefined ? {} : { unsorted }),
  };
}

async function build(task: BuildTask, { visitPage, runner, limits }: BuildTools): Promise<BuildOutcome> {
  const progress = task.onProgress ?? (() => {});
  progress('Fetching the page');
  const { websiteUrl, goal, choose } = task;
  const kept = choose === undefined ? undefined : task.kept;
  // Never a copy: the page may have changed since it was shown, and the action reads the page of now.
  const visit = await visitPage(
    websiteUrl,
    { goal, choose, kept },
    { keep: false, start: websiteUrl, ...limits },
  );
  const { candidates } = visit.analysis;
  progress(`${candidates.length} ${candidates.length === 1 ? 'candidate' : 'candidates'} found`);
  const run: Trial['run'] = (recipe, params = {}) => tryRecipe(runner, { recipe, params }, limits);
  const { selection, rows, missing } = await selectAndTest(visit, task, run);
  const trial: Trial = { visit, selection, rows, run };
  const wanted = (name: string) => choose?.params?.includes(name) ?? true;
  // With a browser each trial would open several pages, which takes too long.
  const parameters = visit.render ? {} : await findParameters(trial, wanted);
  progress('Publishing the action');
  const draft: Draft = { url: visit.page.url, render: visit.render, extract: selection.extract, parameters };
  const action = createAction(task, draft, selection, rows);
  return { built: true, action, sample: sampleOf(rows, selection), missing };
}

/** Rows of a built action that are shown. */
const sampled = 3;

/** The first rows; of equal tables or lists the first of each before further ones. */
function sampleOf(rows: readonly Row[], { section }: Selection): readonly Row[] {
  const seen = new Set<unknown>();
  const isFirst = (row: Row) => section !== undefined && seen.size < seen.add(row[section]).size;
  const firsts = rows.filter(isFirst).slice(0, sampled);
  return [...firsts, ...rows.filter((row) => !firsts.includes(row))].slice(0, sampled);
}

async function selectAndTest(visit: PageVisit, task: BuildTask, run: Trial['run']) {
  const selection = selectionFor(visit, task);
  if (selection.group !== undefined) task.onProgress?.(`Reading ${selection.group.text}`);
  task.onProgress?.('Testing the recipe');
  return { selection, ...(await testLive(visit, selection, run)) };
}

async function findParameters(trial: Trial, wanted: (name: string) => boolean): Promise<Parameters> {
  const { paging, noPaging } = wanted('max_pages') ? await tryPaging(trial) : {};
  const search = wanted('query') ? await trySearch(trial) : undefined;
  const slug = wanted('slug') ? await trySlug(trial) : undefined;
  // Other words may find more than the example did.
  const isOpen = paging === undefined && search !== undefined && wanted('max_pages');
  return { paging: isOpen ? { kind: 'found', most: 10 } : paging, noPaging, search, slug };
}

/** The columns of the choice, or those that the goal names clearly. */
function selectionFor(visit: PageVisit, task: BuildTask): Selection {
  const { analysis } = visit;
  const { selection, candidates, shown, guess, unmatched, problem } = analysis;
  const changed = selection === undefined ? [] : changedKinds(selection, task);
  if (selection !== undefined && changed.length === 0) return selection;
  if (candidates.length === 0) throw withoutData(visit);
  const why =
    problem ??
    (changed.length > 0
      ? `The page is not what it was when the action was built: ${changed.join(', ')} would hold other values.`
      : task.choose === undefined
        ? whyUnclear(task.goal, guess !== undefined, unmatched)
        : 'The choice does not fit the page.');
  throw new BuildError('CHOICE_NEEDED', `${why} Choose a candidate and its columns with "choose".`, {
    candidates,
    shown,
    choose: guess,
  });
}

function whyUnclear(goal: string, hasGuess: boolean, unmatched: readonly string[]): string {
  if (readGoal(goal).fields.length === 0)
    return 'The goal names no fields that are understood, as "all books with title and price" does.';
  return unmatched.length > 0
    ? `The goal does not name one clear column for each field (none for ${unmatched.join(', ')}).`
    : hasGuess
      ? 'None of the columns that the goal clearly names tells the rows apart.'
      : 'The goal does not name one clear column for each field.';
}

/** Fields of the action that is built again from its goal alone, whose columns are of another kind now. */
const changedKinds = ({ fields }: Selection, { choose, kept }: BuildTask): string[] =>
  choose !== undefined || kept === undefined
    ? []
    : fields.filter(({ name, kind }) => (kept.fields[name]?.kind ?? kind) !== kind).map(({ name }) => name);

function withoutData({ page, analysis }: Pick<PageVisit, 'page' | 'analysis'>): BuildError {
  const { login, needsScript } = analysis;
  const [type = ''] = page.contentType.split(';');
  if (login) return new BuildError('LOGIN_REQUIRED', 'The page asks for a sign-in and shows no data.');
  if (needsScript)
    return new BuildError(
      'NEEDS_JAVASCRIPT',
      'The page shows its data only after its scripts have run, which needs a browser. Run svc-mcp doctor to check the browser.',
    );
  return new BuildError(
    'NO_DATA_FOUND',
    /html|xml|json|csv/i.test(type)
      ? 'The page has no list, table, feed or record of data.'
      : `The address gives ${type.trim() || 'no page'}, and builds read HTML, feeds, JSON, XML and CSV.`,
  );
}

/** What the recipe gives on a page that is fetched again; rejects if it fails the test. */
async function testLive(visit: PageVisit, selection: Selection, run: Trial['run']): Promise<TestRun> {
  const { candidates, shown, guess } = visit.analysis;
  const fail = (lack: string) =>
    new BuildError('TEST_FAILED', `The live test ${lack}.`, { candidates, shown, choose: guess });
  const result = await run(
    createRecipe({ url: visit.page.url, render: visit.render, extract: selection.extract, parameters: {} }),
  );
  if ('failure' in result) throw fail(`failed: ${result.failure}`);
  const lack = shortfall(result.rows, selection);
  if (lack !== undefined) throw fail(lack);
  return result;
}
