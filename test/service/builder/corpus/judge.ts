/** Builds for a page set as the service does, runs the new action and compares each value with the truth. */
import { createBuilder } from '../../../../src/service/builder/builder.ts';
import { stem } from '../../../../src/service/builder/stem.ts';
import { createFetcher } from '../../../../src/service/fetching/fetcher.ts';
import type { BuildOutcome } from '../../../../src/service/ports.ts';
import { createRunner } from '../../../../src/service/recipes/runner.ts';
import { startWebServer } from '../../../support/web-server.ts';
import type { PageSet } from './page-set.ts';

export interface Judgement {
  readonly set: PageSet;
  readonly outcome: BuildOutcome;
  /** Values that are right, that were given, and that are true. */
  readonly right: number;
  readonly given: number;
  readonly wanted: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly wrong: readonly string[];
  readonly buildMs: number;
}

/** Fields that hold the unit of another one; the truths speak of values alone. */
const isUnit = (name: string) => /_(?:currency|unit)$/.test(name);

/** The field that a truth speaks of: `cost|price` for either, in the singular or the plural. */
function keyNamed(name: string, keys: readonly string[]): string | undefined {
  const plain = (text: string) => text.normalize('NFKD').replace(/[^\w]/g, '').split('_').map(stem).join('_');
  for (const option of name.split('|')) {
    const key =
      keys.find((other) => other === option) ?? keys.find((other) => plain(other) === plain(option));
    if (key !== undefined) return key;
  }
  return undefined;
}

const same = (given: unknown, truth: unknown): boolean => {
  if (Array.isArray(truth)) return Array.isArray(given) && JSON.stringify(given) === JSON.stringify(truth);
  if (typeof truth === 'string' && typeof given === 'string' && truth.length > 200)
    return given.replace(/\s+/g, ' ').includes(truth.replace(/\s+/g, ' '));
  return given === truth;
};

const present = (value: unknown) =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

export interface Judge {
  judge(set: PageSet): Promise<Judgement>;
  close(): Promise<void>;
}

/** One site and one builder for all page sets, one after the other. */
export async function startJudge(): Promise<Judge> {
  let current: PageSet | undefined;
  const server = await startWebServer(({ path }, response) => {
    const body = current?.pages[path];
    if (body === undefined)
      return response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
    const type =
      body.startsWith('{') || body.startsWith('[')
        ? 'application/json'
        : body.startsWith('<?xml')
          ? 'application/rss+xml'
          : 'text/html';
    return response.writeHead(200, { 'content-type': type }).end(body.replaceAll('{origin}', server.origin));
  });
  const { origin } = server;
  const fetcher = createFetcher({ allowOrigins: [origin] });
  const runner = createRunner({ fetcher });
  const builder = createBuilder({ fetcher, runner });
  const signal = new AbortController().signal;

  async function judge(set: PageSet): Promise<Judgement> {
    current = set;
    const [path = '/'] = Object.keys(set.pages);
    const started = performance.now();
    const task = {
      websiteUrl: `${origin}${path}`,
      domain: 'site.example',
      goal: set.goal,
      catalog: undefined,
    };
    const outcome = await builder.build(task, { signal, timeoutMs: 60_000 });
    const buildMs = performance.now() - started;
    const empty = { set, outcome, right: 0, given: 0, buildMs, rows: [], wrong: [] };
    const truth = [...(set.truth ?? []), ...(set.second ?? [])];
    const wanted = truth.flatMap((row) => Object.values(row)).filter(present).length;
    if (!outcome.built) return { ...empty, wanted };
    const params = set.second === undefined ? {} : { max_pages: 2 };
    const { data } = await runner.run(
      { recipe: outcome.action.recipe, params },
      { signal, timeoutMs: 60_000 },
    );
    const { source_url: _, ...record } = data;
    const rows: Record<string, unknown>[] = Array.isArray(data.items) ? data.items : [record];
    const names = [...new Set(truth.flatMap((row) => Object.keys(row)))];
    const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const keyFor = new Map(names.map((name) => [name, keyNamed(name, keys)]));
    const wrong: string[] = [];
    let right = 0;
    truth.forEach((expected, index) => {
      for (const name of names) {
        const value = expected[name] ?? null;
        const resolved = typeof value === 'string' ? value.replaceAll('{origin}', origin) : value;
        const given = rows[index]?.[keyFor.get(name) ?? ''] ?? null;
        if (present(resolved) && same(given, resolved)) right += 1;
        else if (present(resolved) || present(given))
          wrong.push(`${name}[${index}]: ${JSON.stringify(given)} for ${JSON.stringify(resolved)}`);
      }
    });
    const given = rows
      .flatMap((row) => Object.entries(row))
      .filter(([name, value]) => present(value) && !isUnit(name)).length;
    const extra = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
      (name) => ![...keyFor.values()].includes(name) && !isUnit(name),
    );
    if (extra.length > 0) wrong.push(`not asked for: ${extra.join(', ')}`);
    if (rows.length !== truth.length) wrong.push(`${rows.length} rows for ${truth.length}`);
    return { set, outcome, right, given, wanted, rows, wrong, buildMs };
  }

  return {
    judge,
    async close() {
      await builder.close();
      await runner.close();
      await fetcher.close();
      await server.close();
    },
  };
}

export const precisionOf = (all: readonly Judgement[]) => ratio(sum(all, 'right'), sum(all, 'given'));
export const recallOf = (all: readonly Judgement[]) => ratio(sum(all, 'right'), sum(all, 'wanted'));
export const f1Of = (all: readonly Judgement[]) => {
  const [precision, recall] = [precisionOf(all), recallOf(all)];
  return precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
};
const ratio = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
const sum = (all: readonly Judgement[], key: 'right' | 'given' | 'wanted') =>
  all.reduce((total, one) => total + one[key], 0);
