/**
 * `npm run bench:builder -- [--pages <folder>] [--choices <folder>] [--previews <folder>] [--verbose]`: builds for every page
 * of a folder without a choice and compares the rows with the true ones; then what the best choice among the first three
 * candidates reaches. test/service/builder/page-sets.ts describes the form of the folder.
 *
 * `--previews` only writes what the previews of each page show, for somebody to choose from: `<file>.json` with its url, the
 * goal, the names of the fields, the overview and the details of each candidate in it. `--choices` builds with what was
 * chosen: `<file>.json` with a `choose`, such as `{"candidate": "t1", "fields": {"title": "c1"}}`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BuildChoice } from '../src/contract/endpoints.ts';
import { createDetail, createOverview } from '../src/service/builder/analysis/preview.ts';
import { createBuilder } from '../src/service/builder/builder.ts';
import { matchGoal } from '../src/service/builder/matching/match.ts';
import type { AnalysisPool } from '../src/service/builder/visits/page-visits.ts';
import { readGoal } from '../src/service/catalog/read-goal.ts';
import { Fetcher } from '../src/service/fetch/fetcher.ts';
import { createPageProcesses } from '../src/service/recipes/page-pool.ts';
import { RecipeRunner } from '../src/service/recipes/runner.ts';
import { candidatesOf, documentOf, type Reach, reachOf } from '../test/service/builder/best-choice.ts';
import { ownPages, type PageSet, readPageSets } from '../test/service/builder/page-sets.ts';
import { isPresent, type Row, scoreRows, wrongKinds } from '../test/service/builder/scoring.ts';
import { parsePool } from '../test/support/page-pools.ts';
import { startWebServer } from '../test/support/web-server.ts';
import { print } from './statistics.ts';

const { values: options } = parseArgs({
  options: {
    pages: { type: 'string', default: ownPages },
    choices: { type: 'string' },
    previews: { type: 'string' },
    only: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  },
});
const sets = readPageSets(options.pages).filter(({ file }) => file.includes(options.only));

let current: PageSet | undefined;
const server = await startWebServer(({ path }, response) => {
  if (current === undefined || path !== current.address) return response.writeHead(404).end('Not found');
  return response.writeHead(200, { 'content-type': current.type }).end(bodyOf(current));
});
const fetcher = new Fetcher({ allowOrigins: [server.origin] });
const runner = new RecipeRunner({ fetcher, parsePool });
const limits = { signal: new AbortController().signal, timeoutMs: 120_000 };

/** One for each page: pages have the same address, and a builder keeps what it saw there. */
const processes = createPageProcesses({ workers: 1, deadlineMs: 60_000 });
const pool: AnalysisPool = processes.for('candidates');
const newBuilder = () => createBuilder({ fetcher, runner, pool });

/** Links to the page's own host lead to where it is served. */
function bodyOf({ body, site }: PageSet): string {
  if (site === undefined) return body.toString('utf8');
  const host = site.replaceAll('.', '\\.');
  const own = new RegExp(`https?://(?:www\\.)?${host}(?=[/"'\\s])`, 'g');
  return body.toString('utf8').replace(own, server.origin);
}

async function rowsOf(recipe: unknown): Promise<Row[]> {
  const { data } = await runner.run({ recipe, params: {} }, limits);
  if (Array.isArray(data.items)) return data.items;
  const { source_url: _, ...record } = data;
  return [record];
}

interface Built {
  readonly published: boolean;
  readonly f1: number;
  /** Fields whose values are of another kind. */
  readonly wrong: readonly string[];
  readonly fields: number;
  readonly note: string;
}

async function build(set: PageSet, choose?: BuildChoice): Promise<Built> {
  const outcome = await newBuilder().build(
    {
      websiteUrl: `${server.origin}${set.address}`,
      domain: set.site ?? 'site.example',
      goal: set.goal,
      catalog: undefined,
      choose,
    },
    limits,
  );
  if (!outcome.built)
    return {
      published: false,
      f1: 0,
      wrong: [],
      fields: 0,
      note: `${outcome.errorType}: ${outcome.message}`,
    };
  const rows = await rowsOf(outcome.action.recipe);
  const given = set.fields.filter(({ name }) => rows.some((row) => isPresent(row[name])));
  return {
    published: true,
    f1: scoreRows(rows, set.truth, set.fields).f1,
    wrong: wrongKinds(rows, given),
    fields: given.length,
    note: JSON.stringify(rows[0]),
  };
}

interface Result {
  readonly set: PageSet;
  readonly plain: Built;
  readonly reach: Reach;
  readonly chosen: Built | undefined;
}

function recorded(file: string): BuildChoice | undefined {
  const path = options.choices === undefined ? undefined : join(options.choices, `${file}.json`);
  return path === undefined || !existsSync(path)
    ? undefined
    : BuildChoice.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Writes what `request_build` shows of a page before it is paid for: the overview, and each of its candidates. */
async function writePreview(set: PageSet, folder: string): Promise<void> {
  const document = documentOf(set);
  const { url } = document.page;
  const found = await candidatesOf(document);
  const overview = createOverview(matchGoal(found, readGoal(set.goal)), url);
  const details = overview.flatMap(({ id }) => {
    const candidate = found.find((one) => one.id === id);
    return candidate === undefined ? [] : [[id, createDetail(candidate)] as const];
  });
  const fields = set.fields.map(({ name }) => name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${set.file}.json`),
    JSON.stringify({ url, goal: set.goal, fields, overview, details: Object.fromEntries(details) }, null, 1),
  );
}

async function measure(set: PageSet): Promise<Result> {
  current = set;
  const choose = recorded(set.file);
  return {
    set,
    plain: await build(set),
    reach: await reachOf(set),
    chosen: choose === undefined ? undefined : await build(set, choose),
  };
}

/** The least share of the true values with which structured data count as carrying what was asked for. */
const enoughStructured = 0.5;

/**
 * The kind of page, for the table. Structured data count only if they carry the rows, not if they describe something
 * else, such as the site or an article.
 */
function kindOf({ set: { type, many }, reach: { structured } }: Result): string {
  const rows = many ? 'list' : 'record';
  if (!type.includes('html')) return `${rows}, JSON or feed`;
  if (structured === undefined) return `${rows}, HTML alone`;
  return `${rows}, structured data ${structured >= enoughStructured ? 'have it' : 'lack it'}`;
}

const mean = (values: readonly number[]) =>
  values.length === 0 ? '–' : (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(3);

function summary(kind: string, some: readonly Result[]): Record<string, string> {
  const published = some.filter(({ plain }) => plain.published);
  const fields = published.reduce((sum, { plain }) => sum + plain.fields, 0);
  const wrong = published.reduce((sum, { plain }) => sum + plain.wrong.length, 0);
  const isWrong = ({ set, plain }: Result) => set.truth.length === 0 || plain.f1 < 0.3;
  const chosen = some.flatMap((one) => one.chosen ?? []);
  return {
    'kind of page': kind,
    pages: String(some.length),
    published: String(published.length),
    'F1 of those': mean(published.map(({ plain }) => plain.f1)),
    'wrong kinds': `${wrong} of ${fields} fields`,
    'wrongly published': String(published.filter(isWrong).length),
    'best of three': mean(some.map(({ reach }) => reach.best)),
    ...(chosen.length === 0
      ? {}
      : { 'recorded choices': `${mean(chosen.map(({ f1 }) => f1))} of ${chosen.length}` }),
  };
}

async function measureAll(): Promise<void> {
  const results: Result[] = [];
  for (const set of sets) {
    const result = await measure(set);
    results.push(result);
    if (!options.verbose) continue;
    const { plain, reach } = result;
    const wrong = plain.wrong.length === 0 ? '' : ` wrong kinds: ${plain.wrong.join(', ')}`;
    process.stdout.write(
      `${plain.published ? plain.f1.toFixed(2) : 'none'} ${reach.best.toFixed(2)} ${set.file}${wrong} ${plain.note.slice(0, 300)}\n`,
    );
  }
  const kinds = [...new Set(results.map(kindOf))];
  print('Pages with known answers', [
    ...kinds.map((kind) =>
      summary(
        kind,
        results.filter((result) => kindOf(result) === kind),
      ),
    ),
    summary('all', results),
  ]);
}

if (options.previews === undefined) await measureAll();
else for (const set of sets) await writePreview(set, options.previews);

await processes.close();
await fetcher.close();
await server.close();
