/** Leases that end before anybody could renew them: what a job does at a site is done once all the same. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { claim } from '../../src/service/jobs/leases.ts';
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

  it('a job of a sync action has its whole lease from its claim on, and runs once', async () => {
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

  it('a job that waited is claimed for the whole time from then on', async () => {
    const dataDir = join(folder, 'waiting');
    const service = await start({ dataDir, jobs: { concurrency: 0 } });
    await service.call('POST', '/task', { action_id: 'books' });
    const leaseUntil = await withDatabase({ dataDir }, async (database) => {
      const release = holdWriteLock(join(dataDir, 'service.db'));
      const limits = {
        free: 1,
        perSite: 1,
        builds: 1,
        perUser: 1,
        leaseDuration: lease,
        held: [],
        placed: [],
      };
      const claiming = claim(database, 'another', limits);
      await delay(locked);
      const releasedAt = Date.now();
      release();
      expect(await claiming).toHaveLength(1);
      const row = await database.query.selectFrom('jobs').select('lease_until').executeTakeFirstOrThrow();
      return row.lease_until - releasedAt;
    });
    expect(leaseUntil).toBeGreaterThanOrEqual(lease);
  });
});

describe.each(engines)('on %s', (engine) => {
  it('a process does not claim a job again that it still runs, although its lease has ended', async () => {
    const slow = gate();
    const runs: unknown[] = [];
    const service = await start({
      dataDir: join(folder, `anew-${engine}`),
      databaseUrl: engine === 'postgres' ? await createDatabase() : undefined,
      // Nothing is renewed during the test.
      jobs: { leaseDuration: 600_000 },
      runner: {
        run: async ({ params }) => {
          runs.push(params.name);
          if (params.name === 'slow') await slow.wait();
          return { data: {} };
        },
      },
    });
    const submit = (name: string) => service.call('POST', '/task', { action_id: 'books', params: { name } });
    const accepted = await submit('slow');
    await slow.reached;
    await withDatabase(service, ({ query }) => query.updateTable('jobs').set({ lease_until: 0 }).execute());
    // The process looks for jobs, and finds this one alone.
    await service.finished((await submit('next')).body.job_id);
    slow.open();
    expect(await service.finished(accepted.body.job_id)).toMatchObject({ status: 'completed' });
    expect(runs).toEqual(['slow', 'next']);
    const fences = await withDatabase(service, ({ query }) =>
      query.selectFrom('jobs').select('fence').execute(),
    );
    expect(fences).toEqual([{ fence: 1 }, { fence: 1 }]);
    expect(await readMoney(service)).toMatchObject({ balances: { default: 994 }, mismatches: 0 });
  });
});

it('a process that stood still after it claimed a job does not start it when another process has it', async () => {
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
    onCommit: (sql) => {
      if (!sql.includes('fence = fence + 1')) return undefined;
      return () => {
        const other = new Libsql(join(dataDir, 'service.db'));
        other.exec(
          "update jobs set lease_owner = 'another', fence = fence + 1, lease_until = 9007199254740991 where status = 'processing'",
        );
        other.close();
        // Stands still for longer than the lease.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      };
    },
  });
  const { status } = await service.call('POST', '/task', { action_id: 'quick' });
  expect(status).toBe(202);
  expect(runs).toBe(0);
});

describe('sync tasks take no place of other jobs', () => {
  async function startSmall(name: string, concurrencyPerSite: number) {
    const slow = gate();
    const service = await start({
      dataDir: join(folder, name),
      jobs: { concurrency: 1, concurrencyPerSite },
      runner: {
        run: async ({ params }) => {
          if (params.slow === true) await slow.wait();
          return { data: {} };
        },
      },
    });
    const submit = (action_id: string, params: object) =>
      service.call('POST', '/task', { action_id, params });
    return { slow, service, submit };
  }

  it('and are answered at once while every place is taken', async () => {
    const { slow, service, submit } = await startSmall('taken', 1);
    const accepted = await submit('books', { slow: true });
    await slow.reached;
    const quick = await Promise.all([1, 2, 3].map(() => submit('quick', {})));
    expect(quick.map(({ status, body }) => [status, body.status])).toEqual(Array(3).fill([200, 'completed']));
    slow.open();
    expect(await service.finished(accepted.body.job_id)).toMatchObject({ status: 'completed' });
  });

  it('and other jobs start while they run', async () => {
    const { slow, service, submit } = await startSmall('free', 9);
    const quick = submit('quick', { slow: true });
    await slow.reached;
    const accepted = await submit('books', {});
    expect(await service.finished(accepted.body.job_id)).toMatchObject({ status: 'completed' });
    slow.open();
    expect((await quick).body).toMatchObject({ status: 'completed' });
  });
});

it('a job of a sync action is left to the process that accepted it for the time of a lease', async () => {
  const dataDir = join(folder, 'reserved');
  const jobs = { leaseDuration: 600_000 };
  const accepting = await start({
    dataDir,
    jobs: { ...jobs, concurrency: 0 },
    onCommit: (sql) => {
      if (sql.includes('fence = fence + 1')) throw new Error('The claim fails');
      return undefined;
    },
  });
  const { body } = await accepting.call('POST', '/task', { action_id: 'quick' });
  const other = await start({ dataDir, jobs });
  // It looks for jobs, and takes this one alone.
  await other.finished((await other.call('POST', '/task', { action_id: 'books' })).body.job_id);
  expect((await other.call('GET', `/jobs/${body.job_id}`)).body).toEqual({ status: 'processing' });
});

it('a job of a sync action whose process ended before it was claimed is run by another one', async () => {
  const dataDir = join(folder, 'orphan');
  const jobs = { leaseDuration: 500 };
  const first = await start({
    dataDir,
    jobs,
    onCommit: (sql) => {
      if (sql.includes('fence = fence + 1')) throw new Error('The process has ended');
      return undefined;
    },
  });
  const { status, body } = await first.call('POST', '/task', { action_id: 'quick' });
  expect(status).toBe(202);
  await first.close();
  const second = await start({ dataDir, jobs });
  expect(await second.finished(body.job_id)).toMatchObject({ status: 'completed', credits_used: 2 });
});

it('two processes on one file keep to the limit of a site', async () => {
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
