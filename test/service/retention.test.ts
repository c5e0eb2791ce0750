import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import { retentionSteps as gatewaySteps } from '../../src/gateway/store/retention.ts';
import type { GatewaySchema } from '../../src/gateway/store/schema.ts';
import { retentionSteps } from '../../src/service/store/retention.ts';
import type { Database, Target } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { dayMs, defaultRetention, Sweeper } from '../../src/store/retention.ts';
import { statement } from '../../src/store/statement.ts';
import { bundleProgram } from '../support/bundled-program.ts';
import { useDatabases } from '../support/databases.ts';
import { engines } from '../support/postgres.ts';
import {
  action,
  catalog,
  readMoney,
  request,
  sourceOf,
  startTestService,
  withDatabase,
} from '../support/service.ts';
import type { SweepOptions } from '../support/sweep-process.ts';

const shop = catalog({ slug: 'shop', actions: [action({ action_id: 'books', credits_per_call: 3 })] });

const createDatabase = useDatabases();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-retention-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const logger = () => ({ info() {}, warn() {} });

/** Kills a process that deletes old data between its second batch and the third one. */
async function killBetweenBatches(options: SweepOptions): Promise<void> {
  const program = await bundleProgram(new URL('../support/sweep-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, SVC_TEST_OPTIONS: JSON.stringify(options) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line = await Promise.race([once(child.stdout, 'data'), exited]);
  child.kill('SIGKILL');
  await exited;
  expect(String(line)).toBe('between two batches\n');
}
/** When the next look is due, after one that was killed. */
const nextLook = () => Date.now() + 61 * 60_000;

describe.each(engines)('on %s', (engine) => {
  const newUrl = async () => (engine === 'postgres' ? await createDatabase() : undefined);

  it('versions of built actions go after 30 days, but for the last one', async () => {
    const service = await startTestService({ databaseUrl: await newUrl() });
    await withDatabase(service, async (database) => {
      const now = Date.now();
      await database.batch([
        statement(
          `insert into catalogs values ('c', 'site', 'built', null, 'site.example', '{}', null, 0, 0)`,
        ),
        ...(
          [
            ['changed', '1', 40],
            ['changed', '2', 20],
            ['changed', '3', null],
            ['removed', '1', 50],
            ['removed', '2', 40],
          ] as const
        ).map(([id, version, days]) =>
          statement(
            `insert into actions values ($1, $2, $3, 'c', null, 'active', 'built', '{}', $4, 0, 0)`,
            id,
            version,
            id + version,
            days === null ? null : now - days * dayMs,
          ),
        ),
      ]);
      const sweeper = new Sweeper(database, 'retention', retentionSteps(30), logger());
      expect(await sweeper.sweep(now)).toBe(2);
      const left = await database.query
        .selectFrom('actions')
        .select(['action_id', 'version'])
        .where('catalog_id', '=', 'c')
        .orderBy('action_id')
        .orderBy('version')
        .execute();
      expect(left.map(({ action_id, version }) => action_id + version)).toEqual([
        'changed2',
        'changed3',
        'removed2',
      ]);
    });
    await service.close();
  });

  it('data of old jobs goes in batches, the jobs and the ledger stay, and reading one says so', async () => {
    const service = await startTestService({ catalogs: sourceOf(shop), databaseUrl: await newUrl() });
    const submit = async () =>
      String((await service.call('POST', '/task', { action_id: 'books' })).body.job_id);
    const ids = await Promise.all(Array.from({ length: 50 }, submit));
    for (const id of ids) await service.finished(id);
    await withDatabase(service, async (database) => {
      const sweeper = new Sweeper(database, 'retention', retentionSteps(30), logger());
      await database.query
        .updateTable('jobs')
        .set({ finished_at: Date.now() - 25 * dayMs })
        .execute();
      await database.batch([statement('update jobs set finished_at = $1 where id = $2', Date.now(), ids[0])]);
      expect(await sweeper.sweep(Date.now() + 4 * dayMs)).toBe(0);
      expect(await sweeper.sweep(Date.now() + 8 * dayMs)).toBe(49);
      // Another process finds that somebody looked.
      expect(await sweeper.sweep(Date.now() + 8 * dayMs)).toBe(0);
    });
    expect((await service.call('GET', `/jobs/${ids[0]}`)).body).toMatchObject({ data: { params: {} } });
    const { status, body } = await service.call('GET', `/jobs/${ids[1]}`);
    expect([status, body]).toMatchObject([410, { error: { code: 'RESULT_EXPIRED', credits_used: 3 } }]);
    expect(await readMoney(service)).toEqual({ balances: { default: 850 }, mismatches: 0, doubleRefunds: 0 });
    const metrics = await request(`${service.baseUrl}/metrics`, {});
    expect(metrics.text).toContain('svc_jobs{state="completed"} 50\n');
    expect(metrics.text).toContain('svc_credits_moved{kind="charge"} -150\n');
    await service.close();
  });

  it.skipIf(engine === 'sqlite')(
    'a job ends by the clock that deletes results, not by its process’s own',
    async () => {
      const service = await startTestService({ catalogs: sourceOf(shop), databaseUrl: await newUrl() });
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 365 * dayMs });
      try {
        const { body } = await service.call('POST', '/task', { action_id: 'books' });
        await service.finished(body.job_id);
      } finally {
        vi.useRealTimers();
      }
      const { finished_at: finishedAt } = await withDatabase(service, (database) =>
        database.query.selectFrom('jobs').select('finished_at').executeTakeFirstOrThrow(),
      );
      expect(Math.abs((finishedAt ?? 0) - Date.now())).toBeLessThan(3_600_000);
      await service.close();
    },
  );

  it('a process killed between two batches leaves all that must stay, and the next one finishes', async () => {
    const options = {
      catalogs: sourceOf(shop),
      dataDir: await mkdtemp(join(folder, 'killed-')),
      databaseUrl: await newUrl(),
    };
    const service = await startTestService(options);
    const submit = async () =>
      String((await service.call('POST', '/task', { action_id: 'books' })).body.job_id);
    const ids = await Promise.all(Array.from({ length: 50 }, submit));
    for (const id of ids) await service.finished(id);
    const fresh = ids.slice(0, 5);
    await withDatabase(options, async (database) => {
      const { query } = database;
      await query
        .updateTable('jobs')
        .set({ finished_at: Date.now() - 40 * dayMs })
        .where('id', 'not in', fresh)
        .execute();
      await database.batch([statement('update retention set looked_at = 0')]);
    });
    await service.close();
    await killBetweenBatches({ part: 'service', ...options });

    const next = await startTestService(options);
    const statuses = async () => {
      const answers = ids.map(async (id) => (await next.call('GET', `/jobs/${id}`)).status);
      return Promise.all(answers);
    };
    const expired = (all: readonly number[]) => all.filter((status) => status === 410).length;
    const between = await statuses();
    expect(between.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(expired(between)).toBe(40);
    await withDatabase(options, async (database) => {
      const sweeper = new Sweeper(database, 'retention', retentionSteps(30), logger());
      expect(await sweeper.sweep(nextLook())).toBe(5);
    });
    const after = await statuses();
    expect(after.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(expired(after)).toBe(45);
    expect(await readMoney(options)).toEqual({ balances: { default: 850 }, mismatches: 0, doubleRefunds: 0 });
    await next.close();
  }, 90_000);

  const newTarget = async (): Promise<Target> => {
    const url = await newUrl();
    return url === undefined ? { file: join(folder, `${Math.random()}.db`) } : { url };
  };
  const openGateway = async (target?: Target): Promise<Database<GatewaySchema>> =>
    openDatabase(target ?? (await newTarget()), gatewayMigrations, 'gateway');
  async function addRun(
    { query }: Database<GatewaySchema>,
    run: { principal: string; id: string; open?: number; daysAgo: number; size: number },
  ) {
    const at = Date.now() - run.daysAgo * dayMs;
    const open = run.open ?? 0;
    // Nobody has read an open one yet, and it still waits for its call at the next look.
    const finishedAt = open === 1 ? Date.now() + 30 * 60_000 : at;
    await query
      .insertInto('gateway_intent')
      .values({
        ...{ id: run.id, principal: run.principal, kind: 'run', subject: 'books', call_hash: run.id, open },
        ...{
          state: open === 1 ? 'finished' : 'delivered',
          price: 1,
          charged: 1,
          service_key: '',
          owner: 'x:1:1',
          deadline: at,
        },
        ...{ job_id: `job-${run.id}`, outcome: 'completed', created_at: at, finished_at: finishedAt },
      })
      .execute();
    const body = Buffer.alloc(run.size, '1');
    await query
      .insertInto('gateway_result')
      .values({ principal: run.principal, job_id: run.id, kept_at: at, size: run.size, body })
      .execute();
  }
  const due = (database: Database<GatewaySchema>) =>
    database.batch([statement('update gateway_retention set looked_at = 0')]);
  const left = async ({ query }: Database<GatewaySchema>) => {
    const results = await query.selectFrom('gateway_result').select('job_id').orderBy('job_id').execute();
    const intents = await query.selectFrom('gateway_intent').select('id').orderBy('id').execute();
    return { results: results.map(({ job_id }) => job_id), intents: intents.map(({ id }) => id) };
  };

  it('results beyond the quota of a key go, the oldest first; neither those of others nor an unread one', async () => {
    const database = await openGateway();
    for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) {
      await addRun(database, {
        principal: 'one',
        id,
        open: index === 0 ? 1 : 0,
        daysAgo: 4 - index,
        size: 1_000,
      });
    }
    await addRun(database, { principal: 'two', id: 'e', daysAgo: 9, size: 1_500 });
    await due(database);
    const sweeper = new Sweeper(
      database,
      'gateway_retention',
      gatewaySteps({ resultsDays: 30, intentsDays: 90 }, 2_000),
      logger(),
    );
    expect(await sweeper.sweep(Date.now())).toBe(1);
    expect((await left(database)).results).toEqual(['a', 'c', 'd', 'e']);
    await database.close();
  });

  it('results and closed intents go after their days, open ones never', async () => {
    const database = await openGateway();
    await addRun(database, { principal: 'one', id: 'a', daysAgo: 100, size: 10 });
    await addRun(database, { principal: 'one', id: 'b', open: 1, daysAgo: 100, size: 10 });
    await addRun(database, { principal: 'one', id: 'c', daysAgo: 40, size: 10 });
    await addRun(database, { principal: 'one', id: 'd', daysAgo: 20, size: 10 });
    await due(database);
    const steps = gatewaySteps({ resultsDays: 30, intentsDays: 90 });
    expect(await new Sweeper(database, 'gateway_retention', steps, logger()).sweep(Date.now())).toBe(3);
    expect(await left(database)).toEqual({ results: ['b', 'd'], intents: ['b', 'c', 'd'] });
    await database.close();
  });

  it('open paid calls are closed when their time is over: those that nobody claimed are not sent', async () => {
    const database = await openGateway();
    const hour = 3_600_000;
    const now = Date.now();
    const rows = [
      { state: 'planned', ms: hour },
      { state: 'finished', ms: hour },
      { state: 'lost', ms: 30 * 24 * hour },
      { state: 'submitted', ms: 24 * hour },
      { state: 'unknown', ms: 24 * hour },
    ] as const;
    const marginMs = 60_000;
    for (const { state, ms } of rows) {
      for (const [age, at] of [
        ['young', now - ms + marginMs],
        ['old', now - ms - marginMs],
      ] as const) {
        const id = `${state} ${age}`;
        const isEnd = state === 'finished' || state === 'lost';
        await database.query
          .insertInto('gateway_intent')
          .values({
            ...{ id, principal: 'one', kind: 'run', subject: 'books', call_hash: id, open: 1, state },
            ...{ price: 1, charged: 1, service_key: '', owner: 'x:1:1', deadline: at, input: '{}' },
            ...{ created_at: at, submitted_at: at, finished_at: isEnd ? at : null },
          })
          .execute();
      }
    }
    await due(database);
    const steps = gatewaySteps(defaultRetention);
    await new Sweeper(database, 'gateway_retention', steps, logger()).sweep(now);
    const left = await database.query
      .selectFrom('gateway_intent')
      .select(['id', 'state', 'open', 'refusal', 'input'])
      .orderBy('id')
      .execute();
    const expected = rows.flatMap(({ state }) => [
      {
        id: `${state} old`,
        state: state === 'planned' ? 'refused' : state,
        open: 0,
        refusal: state === 'planned' ? expect.stringContaining('NOT_SENT') : null,
        // What was planned keeps a mark of it.
        input: state === 'planned' ? '{}' : null,
      },
      { id: `${state} young`, state, open: 1, refusal: null, input: '{}' },
    ]);
    expect(left).toEqual(expected.toSorted((one, other) => (one.id < other.id ? -1 : 1)));
    await database.close();
  });

  it('a result that was not delivered goes at its age, and its paid call too', async () => {
    const database = await openGateway();
    await addRun(database, { principal: 'one', id: 'a', daysAgo: 100, size: 10 });
    await addRun(database, { principal: 'one', id: 'b', daysAgo: 40, size: 10 });
    await addRun(database, { principal: 'one', id: 'c', daysAgo: 20, size: 10 });
    await database.query.updateTable('gateway_intent').set({ open: 1, state: 'finished' }).execute();
    await due(database);
    const steps = gatewaySteps({ resultsDays: 30, intentsDays: 90 });
    await new Sweeper(database, 'gateway_retention', steps, logger()).sweep(Date.now());
    expect(await left(database)).toEqual({ results: ['c'], intents: ['b', 'c'] });
    await database.close();
  });

  it('batches and their inputs go with their runs; one with an unread run stays', async () => {
    const database = await openGateway();
    const add = async (id: string, daysAgo: number, open: number) => {
      await addRun(database, { principal: 'one', id: `run-${id}`, open, daysAgo, size: 10 });
      const of = { principal: 'one', action_id: 'books', call_hash: id, open: 0 };
      const group = {
        allowance: null,
        confirmed: null,
        stopped: null,
        created_at: Date.now() - daysAgo * dayMs,
      };
      await database.query
        .insertInto('gateway_group')
        .values({ id, ...of, ...group })
        .execute();
      const member = { group_id: id, params: '{}', error: null };
      const members = [
        { ...member, position: 0, row_id: `run-${id}` },
        { ...member, position: 1, row_id: null },
      ];
      await database.query.insertInto('gateway_member').values(members).execute();
    };
    await add('batch-fresh', 80, 0);
    await add('batch-unread', 100, 1);
    for (let index = 0; index < 12; index += 1) await add(`batch-old-${index}`, 100, 0);
    const steps = gatewaySteps({ resultsDays: 1_000, intentsDays: 90 });
    const sweeper = new Sweeper(database, 'gateway_retention', steps, logger());
    expect(await sweeper.sweep(Date.now())).toBe(24 + 12 + 12);
    const ids = await database.query.selectFrom('gateway_group').select('id').orderBy('id').execute();
    expect(ids).toEqual([{ id: 'batch-fresh' }, { id: 'batch-unread' }]);
    const members = await database.query.selectFrom('gateway_member').select('group_id').execute();
    expect(members).toHaveLength(4);
    expect((await left(database)).intents).toEqual(['run-batch-fresh', 'run-batch-unread']);
    await database.close();
  });

  it('results are deleted on after a process was killed between two batches; what must stay does', async () => {
    const target = await newTarget();
    const first = await openGateway(target);
    for (let index = 0; index < 45; index += 1) {
      await addRun(first, { principal: 'one', id: `old-${index}`, daysAgo: 40, size: 10 });
    }
    for (let index = 0; index < 3; index += 1) {
      await addRun(first, { principal: 'one', id: `unread-${index}`, open: 1, daysAgo: 41, size: 10 });
      await addRun(first, { principal: 'two', id: `fresh-${index}`, daysAgo: 29, size: 10 });
    }
    await due(first);
    const before = await left(first);
    await first.close();
    await killBetweenBatches({ part: 'gateway', target });

    const database = await openGateway(target);
    const stays = before.results.filter((id) => !id.startsWith('old-'));
    const between = await left(database);
    expect(between.results).toHaveLength(stays.length + 5);
    expect(between.results).toEqual(expect.arrayContaining(stays));
    expect(between.intents).toEqual(before.intents);
    const steps = gatewaySteps(defaultRetention);
    const sweeper = new Sweeper(database, 'gateway_retention', steps, logger());
    expect(await sweeper.sweep(nextLook())).toBe(5);
    expect(await left(database)).toEqual({ results: stays, intents: before.intents });
    await database.close();
  }, 90_000);
});
