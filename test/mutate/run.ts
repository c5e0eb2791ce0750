/**
 * Puts small bugs into the code that handles money, jobs, pages and accounts, one at a time, and runs the tests beside that
 * code. A bug that no test notices is printed: it needs a test, or has no effect. It works on copies of this folder.
 *
 *     npm run mutate -- [--seed n] [--count n] [--minutes n] [--lanes n] [--area name]
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { findMutants, type Mutant } from './mutants.ts';

interface Area {
  /** A folder of `src/`. */
  readonly source: string;
  /** Those of its files that belong here; default: all. */
  readonly files?: RegExp;
  /** Beginnings of the names of the tests that are to notice a bug. The first ones are asked first. */
  readonly tests: readonly string[];
}

const ofBrowser = /^(browser-process|guarded-proxy|memory-watch|page-guard|proxy-accounts|renderer)/;

const areas: Readonly<Record<string, Area>> = {
  paid: { source: 'gateway/paid', tests: ['test/gateway/paid/', 'test/gateway/usage', 'test/mcp/tasks/'] },
  states: {
    source: 'gateway/store',
    tests: [
      'test/gateway/paid/rows',
      'test/gateway/paid/runs',
      'test/gateway/paid/states',
      'test/gateway/paid/planned',
      'test/gateway/paid/waits-for-cost',
      'test/gateway/paid/cancel',
      'test/gateway/paid/retention',
      'test/gateway/results/kept',
      'test/gateway/replica-clocks',
      'test/gateway/locked-store',
      'test/gateway/shared-store',
      'test/gateway/subject-keys',
      'test/mcp/http/resumed-sessions',
      'test/mcp/pages/',
      'test/gateway/accounts/sign-in',
      'test/gateway/restored',
    ],
  },
  results: {
    source: 'gateway/results',
    // Without the one that waits for many readers, which is about their processes.
    tests: [...'cfklnps'].map((letter) => `test/gateway/results/${letter}`),
  },
  jobs: {
    source: 'service/jobs',
    tests: ['test/service/tasks', 'test/service/leases', 'test/service/build-places', 'test/service/builds'],
  },
  money: {
    source: 'service/money',
    tests: ['test/service/users', 'test/service/tasks', 'test/service/operations/'],
  },
  fetch: {
    source: 'service/fetch',
    files: new RegExp(`^(?!${ofBrowser.source.slice(1)})`),
    tests: [
      'test/service/fetch/',
      'test/service/console/cookie',
      'test/service/builds',
      'test/service/operations/block-list',
      'test/service/recipes/runner',
    ],
  },
  browser: {
    source: 'service/fetch',
    files: ofBrowser,
    tests: ['test/service/fetch/find-browser', 'test/service/fetch/renderer', 'test/browser/'],
  },
  windows: {
    source: 'service/accounts',
    files: /^sign-in-window/,
    tests: ['test/service/fetch/sign-in', 'test/browser/'],
  },
  accounts: {
    source: 'service/accounts',
    files: /^(?!sign-in-window)/,
    tests: ['test/service/credentials', 'test/service/accounts/', 'test/service/console/cookie'],
  },
};

/** A run without a bug that takes longer, in milliseconds, has failed. */
const longestMs = 5 * 60_000;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '40' },
    lanes: { type: 'string', default: String(Math.max(1, Math.floor(availableParallelism() / 2))) },
    area: { type: 'string' },
  },
});
const root = resolve(import.meta.dirname, '../..');
const endsAt = Date.now() + Number(values.minutes) * 60_000;

interface Target extends Mutant {
  readonly area: string;
  readonly file: string;
  readonly text: string;
}

const queue = shuffled(await readTargets(), Number(values.seed)).slice(0, Number(values.count));
/** Milliseconds of a run without a bug, by area. */
const unchangedMs: Record<string, number> = {};
const tried: { target: Target; survived: boolean }[] = [];
await Promise.all(Array.from({ length: Number(values.lanes) }, work));

const survivors = tried.filter(({ survived }) => survived);
const share = (100 * (tried.length - survivors.length)) / Math.max(1, tried.length);
print(
  `\n${tried.length} bugs tried (seed ${values.seed}): ${tried.length - survivors.length} noticed, ${share.toFixed(0)} %; ${survivors.length} survived`,
);
for (const { target } of survivors) print(describe(target));

async function readTargets(): Promise<Target[]> {
  const wanted = Object.entries(areas).filter(([area]) => values.area === undefined || values.area === area);
  const targets: Target[] = [];
  for (const [area, { source, files = /./ }] of wanted) {
    for (const name of (await readdir(join(root, 'src', source)))
      .filter((file) => file.endsWith('.ts') && files.test(file))
      .sort()) {
      const file = join('src', source, name);
      const text = await readFile(join(root, file), 'utf8');
      targets.push(...findMutants(file, text).map((mutant) => ({ ...mutant, area, file, text })));
    }
  }
  return targets;
}

/** One copy of the folder, in which one bug after the other is tried. */
async function work(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mcp-mutate-'));
  try {
    const copied = [
      'src',
      'test',
      'dist',
      'docs',
      'package.json',
      'tsconfig.json',
      'vitest.config.ts',
      'README.md',
    ];
    for (const name of copied) await cp(join(root, name), join(folder, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (let target = queue.shift(); target !== undefined && Date.now() < endsAt; target = queue.shift()) {
      const survived = await survives(folder, target);
      tried.push({ target, survived });
      print(`${survived ? 'SURVIVED' : 'noticed '} ${describe(target)}`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function survives(
  folder: string,
  { area, file, text, start, end, replacement }: Target,
): Promise<boolean> {
  unchangedMs[area] ??= await measureUnchanged(folder, area);
  await writeFile(join(folder, file), text.slice(0, start) + replacement + text.slice(end));
  try {
    // A run that takes much longer has been stopped by the bug.
    return await passes(folder, area, 2 * unchangedMs[area] + 30_000);
  } finally {
    await writeFile(join(folder, file), text);
  }
}

/** Rejects where the tests fail without a bug: they would notice every bug. */
async function measureUnchanged(folder: string, area: string): Promise<number> {
  const startedAt = performance.now();
  if (!(await passes(folder, area, longestMs))) throw new Error(`The tests of ${area} fail without a bug`);
  return Math.round(performance.now() - startedAt);
}

async function passes(folder: string, area: string, timeout: number): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const projects = [
    '--project',
    'short',
    ...(area === 'browser' || area === 'windows' ? ['--project', 'long'] : []),
  ];
  const options = ['run', ...projects, '--bail', '1', '--reporter', 'dot'];
  const run = promisify(execFile)(process.execPath, [vitest, ...options, ...(areas[area]?.tests ?? [])], {
    cwd: folder,
    timeout,
    maxBuffer: 64 * 1024 * 1024,
  });
  return run.then(
    () => true,
    () => false,
  );
}

function describe({ file, line, text, start, end, replacement }: Target): string {
  const short = (code: string) => code.replace(/\s+/g, ' ').slice(0, 60);
  return `${file}:${line}  ${short(text.slice(start, end))}  =>  ${short(replacement)}`;
}

/** The same order for the same seed. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return items
    .map((item) => ({ item, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
