/**
 * `npm run bench:drift -- <folder> [--part first|rest] [--only text] [--verbose]`: builds an action on the older version of each
 * pair of pages in a folder, runs it three times, serves the newer version at the same address, runs it again and has it
 * repaired. `pairs.json` in the folder lists the pairs: `id`, `site`, `address`, `many`, `fields`, and of both versions `file`,
 * `type` and the true rows. Only fields that the older version gives well are built. A repair is tried with the rows of
 * the older version and, where the newer one departs, with its own rows, as if they had been read before its layout changed
 * ("warm"). `--part first` takes a third of the sites, always the same, to be set aside; `rest` the others.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { judge, type Profile } from '../src/compare/drift.ts';
import { shapeOf } from '../src/compare/shape.ts';
import type { BuildChoice } from '../src/contract/endpoints.ts';
import { createBuilder } from '../src/service/builder/builder.ts';
import type { AnalysisPool } from '../src/service/builder/visits/page-visits.ts';
import { Fetcher } from '../src/service/fetch/fetcher.ts';
import { RunError } from '../src/service/foundation/errors.ts';
import { createPageProcesses } from '../src/service/recipes/page-pool.ts';
import { RecipeRunner } from '../src/service/recipes/runner.ts';
import { bestChoice } from '../test/service/builder/best-choice.ts';
import type { PageSet } from '../test/service/builder/page-sets.ts';
import { type Row, scoreRows } from '../test/service/builder/scoring.ts';
import { parsePool } from '../test/support/page-pools.ts';
import { startWebServer } from '../test/support/web-server.ts';
import { print } from './statistics.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    part: { type: 'string' },
    only: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  },
});

const Version = z.object({ file: z.string(), type: z.string() });
const Rows = z.array(z.record(z.string(), z.unknown()));
const Pair = z.object({
  ...{ id: z.string(), site: z.string(), kind: z.string(), address: z.string(), many: z.boolean() },
  fields: z.array(z.object({ name: z.string(), kind: z.string() })),
  ...{ old: Version, new: Version, truth: z.object({ old: Rows, new: Rows }) },
});
type Pair = z.infer<typeof Pair>;

const [folder] = positionals;
if (folder === undefined) throw new Error('npm run bench:drift -- <folder>');
const isFirst = ({ site }: Pair) => (createHash('sha1').update(site).digest()[0] ?? 0) % 3 === 0;
const pairs = z
  .array(Pair)
  .parse(JSON.parse(readFileSync(join(folder, 'pairs.json'), 'utf8')))
  .filter((pair) => options.part === undefined || isFirst(pair) === (options.part === 'first'))
  .filter(({ id }) => id.includes(options.only));

let shown: PageSet | undefined;
const server = await startWebServer(({ path }, response) => {
  if (shown === undefined || path !== shown.address) return response.writeHead(404).end('Not found');
  return response.writeHead(200, { 'content-type': shown.type }).end(shown.body);
});
const fetcher = new Fetcher({ allowOrigins: [server.origin] });
const runner = new RecipeRunner({ fetcher, parsePool });
const limits = { signal: new AbortController().signal, timeoutMs: 120_000 };
const processes = createPageProcesses({ workers: 1, deadlineMs: 60_000 });
const pool: AnalysisPool = processes.for('candidates');

const versionOf = (pair: Pair, which: 'old' | 'new'): PageSet => {
  const content = readFileSync(join(folder, pair[which].file));
  return {
    ...{ ...pair[which], address: pair.address, many: pair.many, fields: pair.fields, goal: '' },
    truth: pair.truth[which],
    body: pair[which].file.endsWith('.gz') ? gunzipSync(content) : content,
  };
};

const wellRead = 0.95;
const drifted = 0.8;
const lostField = 0.2;
const usualRuns = 3;

type Run = { readonly data: Readonly<Record<string, unknown>>; readonly rows: readonly Row[] } | 'failed';

async function run(recipe: unknown): Promise<Run> {
  try {
    const { data } = await runner.run({ recipe, params: {} }, limits);
    const { source_url: _, ...record } = data;
    return { data, rows: Array.isArray(data.items) ? data.items : [record] };
  } catch (error) {
    if (error instanceof RunError) return 'failed';
    throw error;
  }
}

type Repair = 'right' | 'wrong' | 'declined';

interface Result {
  readonly pair: Pair;
  /** Undefined where the old version is not read well, so that nothing can be said. */
  readonly measured?: {
    readonly hasDrifted: boolean;
    readonly isNoticed: boolean;
    readonly repair: Repair;
    readonly warm: Repair | undefined;
  };
  readonly note: string;
}

const f1Of = (rows: readonly Row[], truth: readonly Row[], fields: Pair['fields']) =>
  scoreRows(rows, truth, fields).f1;
const rowsOf = (done: Run) => (done === 'failed' ? [] : done.rows);

async function buildOn(set: PageSet, choose: BuildChoice) {
  shown = set;
  const builder = createBuilder({ fetcher, runner, pool });
  const task = { websiteUrl: server.origin + set.address, domain: 'site.example', catalog: undefined };
  const outcome = await builder.build({ ...task, goal: 'List rows', choose }, limits);
  return outcome.built ? { builder, action: outcome.action } : undefined;
}
type Built = NonNullable<Awaited<ReturnType<typeof buildOn>>>;

/** The choice with only those fields that the page gives well; undefined where they do not name its rows. */
async function readableChoice(set: PageSet): Promise<BuildChoice | undefined> {
  const choose = await bestChoice(set);
  if (choose === undefined) return undefined;
  // One by one: a column that fails the test, or the check of names, must not stop the others.
  const well: Record<string, BuildChoice['fields'][string]> = {};
  const chosen = set.fields.filter(({ name }) => name in choose.fields);
  for (const field of chosen) {
    const column = choose.fields[field.name] ?? '';
    const built = await buildOn(set, { ...choose, fields: { [field.name]: column } });
    const rows = built === undefined ? [] : rowsOf(await run(built.action.recipe));
    if (f1Of(rows, set.truth, [field]) >= wellRead) well[field.name] = column;
  }
  const named = chosen.some(
    ({ name, kind }) => name in well && (kind === 'url' || kind === 'name' || /name|title/.test(name)),
  );
  return Object.keys(well).length < 2 || !named ? undefined : { ...choose, fields: well };
}

/** Repairs the action on what is shown now, by these earlier rows. */
async function repairBy({ builder, action }: Built, data: Readonly<Record<string, unknown>>, pair: Pair) {
  const good = { id: 'good', params: {}, data };
  const outcome = await builder.repair({ action, good }, limits);
  if (!outcome.repaired) return { repair: 'declined', note: outcome.reason } as const;
  const f1 = f1Of(rowsOf(await run(outcome.action.recipe)), pair.truth.new, pair.fields);
  return { repair: f1 >= wellRead ? 'right' : 'wrong', note: f1.toFixed(2) } as const;
}

/** What the action would have returned an hour before the new layout; undefined where the page does not give it. */
async function warmRows(next: PageSet, names: readonly string[]): Promise<readonly Row[] | undefined> {
  const choose = await readableChoice(next);
  const built = choose && (await buildOn(next, choose));
  if (choose === undefined || built === undefined || names.some((name) => !(name in choose.fields)))
    return undefined;
  const rows = rowsOf(await run(built.action.recipe));
  return rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));
}

/** What the gateway says of a run after some that were as usual. */
function doubtAfter(before: unknown, after: Run): string | undefined {
  let profile: Profile = { runs: [], known: {} };
  const look = (data: unknown) => {
    const judged = judge(profile, { at: 0, call: 'same', texts: '' }, shapeOf(data));
    profile = judged.profile;
    return judged.drift?.doubt;
  };
  for (let time = 0; time < usualRuns; time += 1) look(before);
  return after === 'failed' ? 'it failed' : look(after.data);
}

async function measure(whole: Pair): Promise<Result> {
  const choose = await readableChoice(versionOf(whole, 'old'));
  if (choose === undefined) return { pair: whole, note: 'the old version gives too few fields well' };
  const pair = { ...whole, fields: whole.fields.filter(({ name }) => name in choose.fields) };
  const [old, next] = [versionOf(pair, 'old'), versionOf(pair, 'new')];
  const built = await buildOn(old, choose);
  const before = built === undefined ? 'failed' : await run(built.action.recipe);
  const wasRead = f1Of(rowsOf(before), pair.truth.old, pair.fields);
  if (built === undefined || before === 'failed' || wasRead < wellRead)
    return { pair, note: `the old version is read with ${wasRead.toFixed(2)}` };
  shown = next;
  const after = await run(built.action.recipe);
  const f1 = f1Of(rowsOf(after), pair.truth.new, pair.fields);
  const doubt = doubtAfter(before.data, after);
  const said = after === 'failed' ? [] : [after.data.missing ?? []].flat();
  const cold = await repairBy(built, before.data, pair);
  const hasDrifted = f1 < drifted;
  const rows = hasDrifted && pair.many ? await warmRows(next, Object.keys(choose.fields)) : undefined;
  shown = next;
  const warm = rows && (await repairBy(built, { items: rows }, pair));
  // A list that really shrank to less than half is no false alarm.
  const hasShrunk = pair.many && pair.truth.new.length * 2 < pair.truth.old.length;
  // Nor is one that names a field which the newer page has, and the action does not find.
  const isLost = ({ name }: Pair['fields'][number], index: number) =>
    doubt?.startsWith(`${name} is empty`) === true &&
    f1Of(rowsOf(after), pair.truth.new, pair.fields.slice(index, index + 1)) < lostField;
  const isNoticed = doubt !== undefined && (hasDrifted || !(hasShrunk || pair.fields.some(isLost)));
  return {
    pair,
    measured: { hasDrifted, isNoticed, repair: cold.repair, warm: warm?.repair },
    note: `${f1.toFixed(2)}, ${[doubt ?? 'no doubt', ...said].join(' ')}; ${cold.repair}: ${cold.note}${warm === undefined ? '' : `; warm ${warm.repair}: ${warm.note}`}`,
  };
}

const results: Result[] = [];
for (const pair of pairs) {
  const result = await measure(pair);
  results.push(result);
  if (options.verbose) process.stdout.write(`${pair.id} (${pair.kind}): ${result.note}\n`);
}
const measured = results.flatMap(({ measured: one }) => one ?? []);
const count = (isCounted: (one: (typeof measured)[number]) => boolean) => measured.filter(isCounted).length;
const rowOf = (title: string, ofThese: (one: (typeof measured)[number]) => boolean) => {
  const of = (isCounted: (one: (typeof measured)[number]) => boolean) =>
    String(count((one) => ofThese(one) && isCounted(one)));
  return {
    pairs: title,
    measured: of(() => true),
    noticed: of(({ isNoticed }) => isNoticed),
    'repaired right': of(({ repair }) => repair === 'right'),
    declined: of(({ repair }) => repair === 'declined'),
    wrong: of(({ repair }) => repair === 'wrong'),
    'warm right': of(({ warm }) => warm === 'right'),
    'warm declined': of(({ warm }) => warm === 'declined'),
    'warm wrong': of(({ warm }) => warm === 'wrong'),
  };
};
print(`Pages in two versions (${pairs.length} pairs)`, [
  rowOf('departed', ({ hasDrifted }) => hasDrifted),
  rowOf('others', ({ hasDrifted }) => !hasDrifted),
]);
await Promise.all([processes.close(), fetcher.close(), server.close()]);
