/**
 * Repairs an action whose page has changed: the same fields from other columns, proved by rows of an earlier run. What is
 * not proved is not repaired.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { namesOfParams, noTexts } from '../../compare/drift.ts';
import { shortRow } from '../catalog/short-row.ts';
import { BuildError } from '../foundation/errors.ts';
import type {
  ActionDefinition,
  ActionRunner,
  KeptChoice,
  RepairOutcome,
  RepairTask,
  RunLimits,
} from '../foundation/ports.ts';
import type { Row } from '../page/document.ts';
import { Recipe } from '../recipes/recipe-schema.ts';
import { fillRequest } from '../recipes/template.ts';
import type { Selection } from './analysis/analyze.ts';
import { toComparable } from './matching/prove-repair.ts';
import { createRecipe, usualOf } from './recipe/action.ts';
import { type Trial, tryPaging, trySearch, trySlug } from './recipe/parameters.ts';
import { shortfall, tryRecipe } from './test/live-test.ts';
import type { PageVisit, VisitPage } from './visits/page-visits.ts';

/** What a build works with. */
export interface BuildTools {
  readonly visitPage: VisitPage;
  readonly runner: ActionRunner;
  readonly limits: RunLimits;
}

const Listed = z.looseObject({ items: z.array(z.record(z.string(), z.unknown())) });
/** Rows of a longer list than before, of those before: another list may have taken the place of the first one. */
const mostRows = 1.5;
const leastRows = 0.5;
const enoughEqual = 0.9;
const shownRows = 5;

/** Why there is no proof; with the page's candidates where it was read. */
const notProved = (reason: string, visit?: PageVisit): BuildError => {
  const { candidates = [], shown, guess } = visit?.analysis ?? {};
  return new BuildError('TEST_FAILED', reason, { candidates, shown, choose: guess });
};

export async function repair(task: RepairTask, tools: BuildTools): Promise<RepairOutcome> {
  try {
    return await tryRepair(task, tools);
  } catch (error) {
    tools.limits.signal.throwIfAborted();
    if (!(error instanceof BuildError)) throw error;
    const { message, candidates, shown, choose } = error;
    return { repaired: false, reason: message, candidates, shown, choose };
  }
}

async function tryRepair(
  { action, good, onProgress = () => {}, mayRender }: RepairTask,
  { visitPage, runner, limits }: BuildTools,
): Promise<RepairOutcome> {
  const { columns: kept } = action;
  if (kept === undefined) throw notProved('it is not known what the columns of this action were');
  const listed = Listed.safeParse(good?.data);
  if (good === undefined || !listed.success)
    throw notProved(
      good === undefined
        ? 'no earlier result of this action is kept that could prove a repair'
        : 'the action returns one record, and one result of one page proves nothing',
    );
  const rows = listed.data.items;
  const run: Trial['run'] = (recipe, params = {}) => tryRecipe(runner, { recipe, params }, limits);
  onProgress('Running the action as it is');
  const now = await run(action.recipe, good.params);
  if (!('failure' in now) && isSame(rows, now.rows))
    throw notProved('the action still returns what the last run without a doubt returned');
  onProgress('Reading the page');
  const { url } = fillRequest(Recipe.parse(action.recipe).request, good.params);
  const visit = await visitPage(
    url,
    { repair: { kept, rows } },
    { keep: false, start: url, mayRender, ...limits },
  );
  const { selection, proof, problem } = visit.analysis;
  if (selection === undefined || proof === undefined) throw notProved(problem ?? 'nothing fits', visit);
  onProgress('Testing the repaired action');
  const recipe = await repairedRecipe(action, visit, selection, run);
  const after = await run(recipe, good.params);
  if ('failure' in after) throw notProved(`the test failed: ${after.failure}`, visit);
  const lack = whyNot(rows, after.rows, selection);
  if (lack !== undefined) throw notProved(lack, visit);
  return {
    repaired: true,
    action: {
      ...withRecipe(action, recipe, selection.columns),
      usual: hasNoTexts(good.params) ? usualOf(after.rows, selection.many) : undefined,
    },
    proof,
    before: rows.slice(0, shownRows).map(shortRow),
    after: after.rows.slice(0, shownRows).map(shortRow),
    fields: pairFields(kept, selection.columns),
  };
}

/** Words among the params lead to other rows than a run without params has. */
const hasNoTexts = (params: Readonly<Record<string, unknown>>) =>
  namesOfParams(JSON.stringify(params), '').texts === noTexts;

const namesIn = (rows: readonly Row[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))];

/** The rows of an earlier run that a later one has with each of the fields equal. */
const countEqual = (before: readonly Row[], after: readonly Row[], names = namesIn(before)): number => {
  const toText = (row: Row) => JSON.stringify(names.map((name) => toComparable(row[name])));
  const texts = new Set(after.map(toText));
  return before.filter((row) => texts.has(toText(row))).length;
};

const isSame = (before: readonly Row[], after: readonly Row[]) =>
  after.length > 0 && countEqual(before, after) >= before.length * enoughEqual;

/** Why the repaired action is not what it was, by the rows that it gives; undefined where it is. */
function whyNot(before: readonly Row[], after: readonly Row[], selection: Selection): string | undefined {
  const lack = shortfall(after, selection);
  if (lack !== undefined) return `the repaired action ${lack}`;
  const names = namesIn(before);
  const missing = names.filter((name) => after.every((row) => !(name in row)));
  if (missing.length > 0) return `no column holds ${missing.join(', ')}`;
  if (after.length < before.length * leastRows || after.length > before.length * mostRows + 2)
    return `it would return ${after.length} rows where there were ${before.length}`;
  const least = Math.min(5, before.length);
  const equal = countEqual(before, after);
  const found = countEqual(
    before,
    after,
    selection.fields.map(({ name }) => name),
  );
  // Units and currencies are no columns of their own.
  if (equal < found * enoughEqual) return `only ${equal} of ${found} earlier rows have the same units`;
  return equal < Math.max(3, least * enoughEqual) ? `only ${equal} earlier rows are the same` : undefined;
}

/** With the params that the action has, which jobs and watches go on using. */
async function repairedRecipe(
  action: ActionDefinition,
  visit: PageVisit,
  selection: Selection,
  run: Trial['run'],
): Promise<Readonly<Record<string, unknown>>> {
  const { properties } = z.looseObject({ properties: z.looseObject({}) }).parse(action.parameters);
  const has = (name: string) => Object.hasOwn(properties, name);
  const plain = { url: visit.page.url, render: visit.render, extract: selection.extract };
  const tested = await run(createRecipe({ ...plain, parameters: {} }));
  if ('failure' in tested) throw notProved(`the test failed: ${tested.failure}`, visit);
  const trial: Trial = { visit, selection, rows: tested.rows, run };
  const parameters = {
    paging: has('max_pages') ? (await tryPaging(trial)).paging : undefined,
    search: has('query') ? await trySearch(trial) : undefined,
    slug: has('slug') ? await trySlug(trial) : undefined,
  };
  const lost = Object.entries({
    max_pages: parameters.paging,
    query: parameters.search,
    slug: parameters.slug,
  })
    .filter(([name, found]) => has(name) && found === undefined)
    .map(([name]) => name);
  if (lost.length > 0)
    throw notProved(`the page has nothing for the param ${lost.join(', ')} any more`, visit);
  return createRecipe({ ...plain, parameters });
}

const withRecipe = (action: ActionDefinition, recipe: unknown, columns: KeptChoice): ActionDefinition => ({
  ...action,
  recipe,
  columns,
  wheel_version: createHash('sha256')
    .update(JSON.stringify({ recipe, schema: action.parameters }))
    .digest('hex')
    .slice(0, 12),
});

function pairFields(before: KeptChoice, after: KeptChoice) {
  return Object.fromEntries(
    Object.entries(before.fields).flatMap(([name, column]) => {
      const now = after.fields[name];
      return now === undefined ? [] : [[name, { before: column, after: now }]];
    }),
  );
}
