/** The pool of worker processes: whatever a task does, this process goes on, and the next task is done. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TooManyTasksError } from '../../src/workers/errors.ts';
import { WorkerPool, type WorkerPoolOptions } from '../../src/workers/worker-pool.ts';
import type { Bomb } from '../support/bomb-worker.ts';

const root = join(import.meta.dirname, '../..');
let folder: string;
let entry: string;
let pool: WorkerPool<Bomb, unknown>;

beforeAll(async () => {
  // Inside the checkout, so that nothing of it has to be bundled.
  folder = await mkdtemp(join(root, 'node_modules/.worker-pool-'));
  entry = join(folder, 'bomb-worker.mjs');
  const entryPoints = [join(root, 'test/support/bomb-worker.ts'), join(root, 'src/workers/worker-pool.ts')];
  const outExtension = { '.js': '.mjs' };
  const outdir = folder;
  await build({
    entryPoints,
    outdir,
    outExtension,
    entryNames: '[name]',
    bundle: true,
    packages: 'external',
    format: 'esm',
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => pool.close());

function open(options: Partial<WorkerPoolOptions> = {}): typeof pool {
  pool = new WorkerPool({ entry, deadlineMs: 20_000, memoryMb: 64, workers: 1, ...options });
  return pool;
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a task that', () => {
  it.each<[Bomb & string, object]>([
    ['loops for ever', { name: 'TaskStoppedError', reason: 'deadline' }],
    ['allocates many small objects', { name: 'TaskStoppedError', reason: 'memory' }],
    ['allocates one large array', { name: 'TaskStoppedError', reason: 'memory' }],
    ['evaluates pad_left of 400 million characters', { name: 'TaskStoppedError', reason: 'memory' }],
    ['concatenates an array with itself', { name: 'TaskStoppedError', reason: 'memory' }],
    ['exits', { name: 'TaskStoppedError', reason: 'exit' }],
    ['throws', { name: 'TaskFailedError', errorName: 'TypeError', message: 'not this' }],
  ])('%s fails alone', async (bomb, failure) => {
    open(bomb === 'loops for ever' ? { deadlineMs: 300 } : {});
    await expect(pool.run(bomb)).rejects.toMatchObject(failure);
    const echo = { bytes: new Uint8Array([1, 2]), text: 'x', none: undefined };
    expect(await pool.run({ echo })).toEqual(echo);
  });
});

it('the pool keeps a process that answered, and ends one that overran its deadline', async () => {
  open({ deadlineMs: 2_000 });
  const first = await pool.run('pid');
  expect(await pool.run('pid')).toBe(first);
  await expect(pool.run('loops for ever')).rejects.toMatchObject({ reason: 'deadline' });
  const second = await pool.run('pid');
  expect(second).not.toBe(first);
  await expect.poll(() => isAlive(Number(first)), { timeout: 10_000 }).toBe(false);
});

it.skipIf(process.platform === 'win32')('Ctrl-C in a terminal does not reach the processes', async () => {
  const pid = await open().run('pid');
  // The terminal signals the group of the program; the process leads another.
  expect(process.kill(-Number(pid), 0)).toBe(true);
});

it('the deadline is processor time: a machine that gives none makes a task late, much later', async () => {
  open({ deadlineMs: 400 });
  expect(await pool.run('gets no time for a second')).toBe('done');
  await expect(pool.run('gets no time for a second', { deadlineMs: 50 })).rejects.toMatchObject({
    reason: process.platform === 'win32' ? 'deadline' : 'late',
  });
});

it('the deadline does not include the wait for a turn', async () => {
  open({ deadlineMs: 500 });
  const stalling = ['loops for ever', 'loops for ever', 'loops for ever'] as const;
  const failures = stalling.map((bomb) =>
    expect(pool.run(bomb)).rejects.toMatchObject({ reason: 'deadline' }),
  );
  expect(await pool.run({ echo: 1 })).toBe(1);
  await Promise.all(failures);
});

it('a task that is cancelled while it waits or works gives its place away', async () => {
  open();
  const leaving = new AbortController();
  const both = [pool.run('loops for ever', leaving), pool.run({ echo: 1 }, leaving)];
  const ends = both.map((task) => expect(task).rejects.toThrow('left'));
  leaving.abort(new Error('left'));
  await Promise.all(ends);
  await expect(pool.run({ echo: 1 }, leaving)).rejects.toThrow('left');
  expect(await pool.run({ echo: 2 })).toBe(2);
});

it('one key with many tasks holds up its own, not those of another key', async () => {
  open({ deadlineMs: 300, workers: 2 });
  const ended: string[] = [];
  const stall = (key: string) =>
    pool.run('loops for ever', { key }).catch(({ reason }) => ended.push(`${key} ${reason}`));
  const alices = Array.from({ length: 6 }, () => stall('alice'));
  const bobs = Array.from({ length: 2 }, () => stall('bob'));
  expect(await pool.run({ echo: 1 }, { key: 'carl' })).toBe(1);
  expect(ended.filter((end) => end === 'alice deadline').length).toBeLessThanOrEqual(3);
  await Promise.all(bobs);
  expect(ended.filter((end) => end === 'alice deadline').length).toBeLessThanOrEqual(4);
  await Promise.all(alices);
});

it('one key alone leaves a place for the first task of another key', async () => {
  open({ deadlineMs: 1_000, workers: 3 });
  let ended = 0;
  const alices = Array.from({ length: 4 }, () =>
    pool.run('loops for ever', { key: 'alice' }).catch(() => {
      ended += 1;
    }),
  );
  expect(await pool.run({ echo: 1 }, { key: 'bob' })).toBe(1);
  expect(ended).toBe(0);
  await Promise.all(alices);
});

it('a key whose tasks wait in too great a number is refused another one, and others are not', async () => {
  open({ deadlineMs: 1_000, maxWaiting: 1 });
  const leaving = new AbortController();
  const [running, waiting] = [
    pool.run('loops for ever', { key: 'alice' }),
    pool.run({ echo: 1 }, { key: 'alice', signal: leaving.signal }),
  ];
  const ends = [
    // By its deadline, or because a busy machine did not start it by then.
    expect(running).rejects.toMatchObject({ name: 'TaskStoppedError' }),
    expect(waiting).rejects.toThrow('left'),
  ];
  await expect(pool.run({ echo: 2 }, { key: 'alice' })).rejects.toThrow(TooManyTasksError);
  const others = pool.run({ echo: 3 }, { key: 'bob' });
  leaving.abort(new Error('left'));
  expect(await pool.run({ echo: 4 }, { key: 'alice' })).toBe(4);
  expect(await others).toBe(3);
  await Promise.all(ends);
});

it('processes end with the one that started them, also in the middle of an endless task', async () => {
  open();
  const program = `import { WorkerPool } from ${JSON.stringify(join(folder, 'worker-pool.mjs'))};
    const pool = new WorkerPool({ entry: ${JSON.stringify(entry)}, deadlineMs: 60_000, workers: 1 });
    process.stdout.write(String(await pool.run('pid')));
    pool.run('loops for ever').catch(() => {});
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300);`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  expect(Number(stdout)).toBeGreaterThan(1);
  await expect.poll(() => isAlive(Number(stdout)), { timeout: 10_000 }).toBe(false);
});

it('an idle process does not keep the one that started it', async () => {
  open();
  const program = `import { WorkerPool } from ${JSON.stringify(join(folder, 'worker-pool.mjs'))};
    const pool = new WorkerPool({ entry: ${JSON.stringify(entry)}, deadlineMs: 60_000 });
    process.stdout.write(String(await pool.run('pid')));`;
  const started = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  // An idle process ends by itself after 10 s.
  expect(performance.now() - started).toBeLessThan(8_000);
  await expect.poll(() => isAlive(Number(stdout)), { timeout: 10_000 }).toBe(false);
});

it('the event loop is free while a task works', async () => {
  open({ deadlineMs: 1_000 });
  await pool.run('pid');
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  await expect(pool.run('loops for ever')).rejects.toMatchObject({ reason: 'deadline' });
  clearInterval(timer);
  await delay(0);
  expect(ticks).toBeGreaterThan(10);
});
