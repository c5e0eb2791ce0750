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

/** Folders of `src/`, and the tests that are to notice a bug in them. The first ones are asked first. */
const areas: Readonly<Record<string, { readonly source: string; readonly tests: readonly string[] }>> = {
  paid: { source: 'gateway/paid', tests: ['test/gateway/paid/', 'test/gateway/usage', 'test/mcp/tasks/'] },
  states: {
    source: 'gateway/store',
    tests: ['test/gateway/paid/', 'test/gateway/upgrade', 'test/gateway/shared-store'],
  },
  results: { source: 'gateway/results', tests: ['test/gateway/results/', 'test/gateway/paid/select'] },
  jobs: {
    source: 'service/jobs',
    tests: ['test/service/tasks', 'test/service/leases', 'test/service/build-places', 'test/service/builds'],
  },
  money: {
    source: 'service/money',
    tests: ['test/service/users', 'test/service/tasks', 'test/service/operations/'],
  },
  fetch: { source: 'service/fetch', tests: ['test/service/fetch/', 'test/service/recipes/runner'] },
  accounts: {
    source: 'service/accounts',
    tests: ['test/service/credentials', 'test/service/accounts/', 'test/service/console/cookie'],
  },
};

/** A run of the tests that takes longer has been stopped by the bug, in milliseconds. */
const timeoutMs = 5 * 60_000;

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
const passesUnchanged: Record<string, boolean> = {};
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
  for (const [area, { source }] of wanted) {
    for (const name of (await readdir(join(root, 'src', source)))
      .filter((file) => file.endsWith('.ts'))
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
  // Tests that fail without a bug would notice every bug.
  passesUnchanged[area] ??= await passes(folder, area);
  if (!passesUnchanged[area]) throw new Error(`The tests of ${area} fail without a bug`);
  await writeFile(join(folder, file), text.slice(0, start) + replacement + text.slice(end));
  try {
    return await passes(folder, area);
  } finally {
    await writeFile(join(folder, file), text);
  }
}

async function passes(folder: string, area: string): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const options = ['run', '--project', 'short', '--bail', '1', '--reporter', 'dot'];
  const run = promisify(execFile)(process.execPath, [vitest, ...options, ...(areas[area]?.tests ?? [])], {
    cwd: folder,
    timeout: timeoutMs,
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
