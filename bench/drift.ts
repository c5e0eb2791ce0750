/**
 * `npm run bench:drift -- <folder> [--part first|rest] [--only text] [--verbose]`: builds an action on the older version of each
 * pair of pages in a folder, runs it three times, serves the newer version at the same address, runs it again and has it
 * repaired. `pairs.json` in the folder lists the pairs: `id`, `site`, `address`, `many`, `fields`, and of both versions `file`,
 * `type` and the true rows. `--part first` takes a third of the sites, always the same, to be set aside; `rest` the others.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { judge, type Profile } from '../src/compare/drift.ts';
import { shapeOf } from '../src/compare/shape.ts';
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

interface Result {
  readonly pair: Pair;
  /** Undefined where the old version is not read well, so that nothing can be said. */
  readonly measured?: {
    readonly hasDrifted: boolean;
    readonly isNoticed: boolean;
    readonly repair: 'right' | 'wrong' | 'declined';
  };
  readonly note: string;
}

async function measure(pair: Pair): Promise<Result> {
  const [old, next] = [versionOf(pair, 'old'), versionOf(pair, 'new')];
  const choose = await bestChoice(old);
  if (choose === undefined) return { pair, note: 'no columns of the old version fit' };
  shown = old;
  const builder = createBuilder({ fetcher, runner, pool });
  const task = { websiteUrl: server.origin + pair.address, domain: 'site.example', catalog: undefined };
  const built = await builder.build({ ...task, goal: 'List rows', choose }, limits);
  if (!built.built) return { pair, note: `${built.errorType}: ${built.message}` };
  const { recipe } = built.action;
  const before = await run(recipe);
  const wasRead = before === 'failed' ? 0 : scoreRows(before.rows, pair.truth.old, pair.fields).f1;
  if (before === 'failed' || wasRead < wellRead || Object.keys(choose.fields).length < 2)
    return { pair, note: `the old version is read with ${wasRead.toFixed(2)}` };
  let profile: Profile = { runs: [], known: {} };
  const look = (data: unknown) => {
    const judged = judge(profile, { at: 0, call: 'same', texts: '' }, shapeOf(data));
    profile = judged.profile;
    return judged.drift;
  };
  for (let time = 0; time < usualRuns; time += 1) look(before.data);
  shown = next;
  const after = await run(recipe);
  const f1 = after === 'failed' ? 0 : scoreRows(after.rows, pair.truth.new, pair.fields).f1;
  const doubt = after === 'failed' ? 'it failed' : look(after.data)?.doubt;
  const good = { id: 'good', params: {}, data: before.data };
  const outcome = await builder.repair?.({ action: built.action, good }, limits);
  const mended = outcome?.repaired === true ? await run(outcome.action.recipe) : undefined;
  const mendedF1 =
    mended === undefined || mended === 'failed' ? 0 : scoreRows(mended.rows, pair.truth.new, pair.fields).f1;
  const repair = mended === undefined ? 'declined' : mendedF1 >= wellRead ? 'right' : 'wrong';
  const reason = outcome?.repaired === false ? outcome.reason : mendedF1.toFixed(2);
  return {
    pair,
    measured: { hasDrifted: f1 < drifted, isNoticed: doubt !== undefined, repair },
    note: `${f1.toFixed(2)}, ${doubt ?? 'no doubt'}; ${repair}: ${reason}`,
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
  };
};
print(`Pages in two versions (${pairs.length} pairs)`, [
  rowOf('departed', ({ hasDrifted }) => hasDrifted),
  rowOf('others', ({ hasDrifted }) => !hasDrifted),
]);
await Promise.all([processes.close(), fetcher.close(), server.close()]);
