/** Leases that end before anybody could renew them: what a job does at a site is done once all the same. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Libsql from 'libsql';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { JobLoop, type RunOutcome } from '../../src/service/jobs/job-loop.ts';
import { defaultJobLoopSettings } from '../../src/service/jobs/job-loop-settings.ts';
import { leaseJobs, toLease } from '../../src/service/jobs/leases.ts';
import { useDatabases } from '../support/databases.ts';
import { engines } from '../support/postgres.ts';
import {
  action,
  catalog,
  gate,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
  type TestServiceOptions,
  withDatabase,
} from '../support/service.ts';
import { holdWriteLock } from '../support/write-lock.ts';

const shop = catalog({
  slug: 'shop',
  actions: [
    action({ action_id: 'books', credits_per_call: 3 }),
    action({ action_id: 'quick', mode: 'sync', credits_per_call: 2 }),
  ],
});

const createDatabase = useDatabases();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-leases-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const running: TestService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});
async function start(options: TestServiceOptions): Promise<TestService> {
  const service = await startTestService({ catalogs: sourceOf(shop), ...options });
  running.push(service);
  return service;
}

describe('on a file that another process has locked for longer than a lease lasts', () => {
  const lease = 1_000;
  const locked = 1_300;

  it('a job that is leased as it is created has its whole lease, and runs once', async () => {
    const dataDir = join(folder, 'created');
    const remainingMs: unknown[] = [];
    const service = await start({
      dataDir,
      jobs: { leaseDuration: lease },
      runner: {
        run: async () => {
          // At once, before the lease is renewed.
          const connection = new Libsql(join(dataDir, 'service.db'));
          remainingMs.push(
            connection.prepare(`select lease_until - ${Date.now()} as remaining from jobs`).raw().get(),
          );
          connection.close();
          await delay(300);
          return { data: {} };
        },
      },
    });
    const release = holdWriteLock(join(dataDir, 'service.db'));
    const answer = service.call('POST', '/task', { action_id: 'quick' });
    await delay(locked);
    release();
    expect((await answer).body).toMatchObject({ status: 'completed', credits_used: 2 });
    expect(remainingMs).toEqual([[expect.toSatisfy((remaining: number) => remaining > 0)]]);
  });

  it('a job that waited is leased for the whole time from then on', async () => {
    const dataDir = join(folder, 'waiting');
    const service = await start({ dataDir, jobs: { concurrency: 0 } });
    await service.call('POST', '/task', { action_id: 'books' });
    const leaseUntil = await withDatabase({ dataDir }, async (database) => {
      const release = holdWriteLock(join(dataDir, 'service.db'));
      const leasing = leaseJobs(database, 'another', {
        free: 1,
        perSite: 1,
        builds: 1,
        leaseDuration: lease,
      });
      await delay(locked);
      const releasedAt = Date.now();
      release();
      expect(await leasing).toHaveLength(1);
      const row = await database.query.selectFrom('jobs').select('lease_until').executeTakeFirstOrThrow();
      return row.lease_until - releasedAt;
    });
    expect(leaseUntil).toBeGreaterThanOrEqual(lease);
  });
});

describe.each(engines)('on %s', (engine) => {
  it('a job that its own process leases anew goes on, and its end is written with the newer number', async () => {
    const slow = gate();
    let runs = 0;
    const service = await start({
      dataDir: join(folder, `anew-${engine}`),
      databaseUrl: engine === 'postgres' ? await createDatabase() : undefined,
      // Nothing is renewed during the test.
      jobs: { leaseDuration: 600_000 },
      runner: {
        run: async () => {
          runs += 1;
          await slow.wait();
          return { data: { run: runs } };
        },
      },
    });
    const accepted = await service.call('POST', '/task', { action_id: 'books' });
    await slow.reached;
    await withDatabase(service, async ({ query }) => {
      await query.updateTable('jobs').set({ lease_until: 0 }).execute();
      const readFence = async () =>
        (await query.selectFrom('jobs').select('fence').executeTakeFirstOrThrow()).fence;
      await expect.poll(readFence, { timeout: 5_000 }).toBe(2);
    });
    slow.open();
    expect(await service.finished(accepted.body.job_id)).toMatchObject({
      status: 'completed',
      data: { run: 1 },
    });
    expect(runs).toBe(1);
    expect(await readMoney(service)).toMatchObject({ balances: { default: 997 }, mismatches: 0 });
  });
});

it('a process that stood still after it leased a job does not start it when another process has it', async () => {
  const dataDir = join(folder, 'still');
  let runs = 0;
  const service = await start({
    dataDir,
    jobs: { leaseDuration: 200 },
    runner: {
      run: async () => {
        runs += 1;
        return { data: {} };
      },
    },
    crashPoint: (point) => {
      if (point !== 'submit.after-commit') return;
      const other = new Libsql(join(dataDir, 'service.db'));
      other.exec(
        "update jobs set lease_owner = 'another', fence = fence + 1, lease_until = 9007199254740991 where status = 'processing'",
      );
      other.close();
      // Stands still for longer than the lease.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    },
  });
  const { status } = await service.call('POST', '/task', { action_id: 'quick' });
  expect(status).toBe(202);
  expect(runs).toBe(0);
});

it('a job goes on when its process leases it anew while it renews its leases', async () => {
  // Which of the two writes gets the lock first is chance, so five processes try.
  const runs = await Promise.all(
    Array.from({ length: 5 }, async (_, index) => {
      const dataDir = join(folder, `renewed-${index}`);
      const slow = gate();
      let started = 0;
      const service = await start({
        dataDir,
        // Renewed every two seconds, and looked for every second.
        jobs: { leaseDuration: 6_000 },
        runner: {
          run: async () => {
            started += 1;
            await slow.wait();
            return { data: {} };
          },
        },
      });
      const { body } = await service.call('POST', '/task', { action_id: 'books' });
      await slow.reached;
      const file = join(dataDir, 'service.db');
      await withDatabase(service, ({ query }) => query.updateTable('jobs').set({ lease_until: 0 }).execute());
      const release = holdWriteLock(file);
      await delay(2_500);
      release();
      await delay(500);
      slow.open();
      expect(await service.finished(body.job_id)).toMatchObject({ status: 'completed' });
      return started;
    }),
  );
  expect(runs).toEqual([1, 1, 1, 1, 1]);
});

it('two processes on one file that lease jobs as they create them keep to the limit of a site', async () => {
  const dataDir = join(folder, 'limit');
  let now = 0;
  let most = 0;
  const options: TestServiceOptions = {
    dataDir,
    jobs: { concurrencyPerSite: 2 },
    runner: {
      run: async () => {
        now += 1;
        most = Math.max(most, now);
        await delay(200);
        now -= 1;
        return { data: {} };
      },
    },
  };
  const services = [await start(options), await start(options)];
  const jobs = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      const service = services[index % 2] ?? expect.fail('No service');
      const { body } = await service.call('POST', '/task', { action_id: 'books' });
      return service.finished(body.job_id);
    }),
  );
  expect(jobs.map(({ status }) => status)).toEqual(Array(8).fill('completed'));
  expect(most).toBe(2);
});

it('a job that its process has room for is leased by the transaction that creates it', async () => {
  const dataDir = join(folder, 'room');
  const created: unknown[] = [];
  const service = await start({
    dataDir,
    crashPoint: (point) => {
      if (point !== 'submit.after-commit') return;
      const connection = new Libsql(join(dataDir, 'service.db'));
      created.push(
        connection.prepare('select attempts, fence, lease_owner is not null as leased from jobs').raw().get(),
      );
      connection.close();
    },
  });
  const { body } = await service.call('POST', '/task', { action_id: 'books' });
  await service.finished(body.job_id);
  expect(created).toEqual([[1, 1, 1]]);
});

/** The first run of a job ends with `first`; while its lease is given back, the same process leases the job anew. */
async function leaseAnewAtRelease(
  dataDir: string,
  first: (signal: AbortSignal) => Promise<RunOutcome>,
): Promise<{ runs: number; status: unknown }> {
  const service = await start({ dataDir, jobs: { concurrency: 0 } });
  await service.call('POST', '/task', { action_id: 'books' });
  return withDatabase({ dataDir }, async (database) => {
    const readJob = () => database.query.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    const newLease = { ...toLease(await readJob()), fence: 2, attempts: 2 };
    let runs = 0;
    const loop = new JobLoop({
      database,
      settings: { ...defaultJobLoopSettings, leaseDuration: 600 },
      logger: pino({ level: 'silent' }),
      handlers: {
        build: () => expect.fail('No build was requested'),
        task: async (_lease, signal) => {
          runs += 1;
          return runs === 1 ? first(signal) : { status: 'completed', data: '{}', executionMs: 1 };
        },
      },
      crashPoint: (point) => {
        if (point !== 'run.after' || runs > 1) return;
        // The release waits for this write, and finds a newer lease.
        const connection = new Libsql(join(dataDir, 'service.db'));
        connection.exec('begin immediate');
        connection
          .prepare('update jobs set lease_owner = ?, fence = 2, attempts = 2, lease_until = 9007199254740991')
          .run(loop.owner);
        setTimeout(() => {
          connection.exec('commit');
          connection.close();
          void loop.runLeased(newLease, performance.now());
        }, 100);
      },
    });
    loop.start();
    await vi.waitFor(async () => expect((await readJob()).status).toBe('completed'), 5_000).catch(() => {});
    const { status } = await readJob();
    await loop.stop();
    return { runs, status };
  });
}

describe('a job that its process leases anew while it gives the old lease back is started again at once', () => {
  it('after its run was aborted', async () => {
    const dataDir = join(folder, 'aborted');
    const aborted = (signal: AbortSignal) => {
      const connection = new Libsql(join(dataDir, 'service.db'));
      connection.exec("update jobs set lease_owner = 'another'");
      connection.close();
      return new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    };
    expect(await leaseAnewAtRelease(dataDir, aborted)).toEqual({ runs: 2, status: 'completed' });
  });

  it('after a failure that passes', async () => {
    const end = { status: 'failed', code: 'FETCH_FAILED', message: 'Away', executionMs: 1 } as const;
    const transient = async () => ({ status: 'transient', end }) as const;
    expect(await leaseAnewAtRelease(join(folder, 'transient'), transient)).toEqual({
      runs: 2,
      status: 'completed',
    });
  });
});
