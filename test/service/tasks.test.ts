import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pLimit from 'p-limit';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RunError } from '../../src/service/foundation/errors.ts';
import { useDatabases } from '../support/databases.ts';
import { engines, hasPostgres } from '../support/postgres.ts';
import {
  action,
  addTestUser,
  catalog,
  gate,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
  type TestServiceOptions,
  withDatabase,
} from '../support/service.ts';

const shop = catalog({
  slug: 'shop',
  actions: [
    action({
      action_id: 'books',
      credits_per_call: 3,
      parameters: {
        type: 'object',
        properties: { page: { type: 'integer', minimum: 1 }, code: { type: 'string', pattern: '^(a+)+$' } },
        additionalProperties: false,
      },
    }),
    action({ action_id: 'quick', mode: 'sync', credits_per_call: 2 }),
    action({ action_id: 'counted', credits_per_call: 5, credits_expression: 'length(rows)' }),
    action({ action_id: 'miscounted', credits_per_call: 5, credits_expression: 'rows' }),
    action({ action_id: 'dear', credits_per_call: 1_001 }),
  ],
});

const createDatabase = useDatabases();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-tasks-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const running: TestService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

describe.each(engines)('on %s', (engine) => {
  async function start(options: TestServiceOptions = {}): Promise<TestService> {
    const databaseUrl = engine === 'postgres' ? await createDatabase() : undefined;
    const service = await startTestService({ catalogs: sourceOf(shop), databaseUrl, ...options });
    running.push(service);
    return service;
  }
  const balanceOf = async (service: TestService) => (await readMoney(service)).balances.default;

  it('[task.accepted] [job.submitted] [get-job.processing] [task.credits-deducted-at-submission] accepted, charged, processing', async () => {
    const { wait, open, reached } = gate();
    const service = await start({ runner: { run: async () => wait().then(() => ({ data: {} })) } });
    const accepted = await service.call('POST', '/task', { action_id: 'books' });
    expect(accepted.status).toBe(202);
    expect(accepted.body).toEqual({
      status: 'processing',
      job_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      poll_url: `/v1/svc/jobs/${accepted.body.job_id}`,
    });
    await reached;
    const polled = await service.call('GET', `/jobs/${accepted.body.job_id}`);
    expect([polled.status, polled.body]).toEqual([200, { status: 'processing' }]);
    expect(await balanceOf(service)).toBe(997);
    open();
    await service.finished(accepted.body.job_id);
  });

  it('[job.completed] [get-job.completed] [get-job.known-200] completed with data, credits and time', async () => {
    const service = await start();
    const accepted = await service.call('POST', '/task', { action_id: 'books', params: { page: 2 } });
    expect(await service.finished(accepted.body.job_id)).toEqual({
      status: 'completed',
      data: { params: { page: 2 } },
      credits_used: 3,
      execution_ms: expect.any(Number),
    });
    expect(await balanceOf(service)).toBe(997);
  });

  it('GET /usage tells the user what is left and what was spent today, refunds given back', async () => {
    let fail = false;
    const run = async () => {
      if (fail) throw new RunError('The page cannot be read');
      return { data: { rows: [1, 2] } };
    };
    const service = await start({ runner: { run } });
    const other = await addTestUser(service, 'other', 50);
    for (const action_id of ['books', 'counted']) {
      await service.finished((await service.call('POST', '/task', { action_id })).body.job_id);
    }
    fail = true;
    await service.finished((await service.call('POST', '/task', { action_id: 'books' })).body.job_id);
    const usage = async (options = {}) => (await service.call('GET', '/usage', undefined, options)).body;
    expect(await usage()).toEqual({ status: 'ok', balance: 995, spent_today: 5 });
    expect(await usage(other.headers)).toEqual({ status: 'ok', balance: 50, spent_today: 0 });
  });

  it('a result is not parsed again to compute its cost', async () => {
    const data = { rows: ['a long text', 'another one'] };
    const service = await start({ runner: { run: async () => ({ data }) } });
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const { body } = await service.call('POST', '/task', { action_id: 'counted' });
    expect(await service.finished(body.job_id)).toMatchObject({ data, credits_used: 2 });
    expect(parse.mock.calls.map(([text]) => text)).not.toContain(JSON.stringify(data));
  });

  it('[job.completed] a job runs and costs what was published when it was accepted', async () => {
    const priced = (version: string, expression: string) =>
      catalog({
        slug: 'shop',
        actions: [
          action({
            action_id: 'counted',
            recipe: version,
            credits_per_call: 1,
            credits_expression: expression,
            wheel_version: version,
          }),
          action({ action_id: 'first' }),
        ],
      });
    const { wait, open, reached } = gate();
    const recipes: unknown[] = [];
    const run = async ({ recipe }: { recipe: unknown }) => {
      recipes.push(recipe);
      await wait();
      return { data: { rows: [1, 2] } };
    };
    const source = sourceOf(priced('version-1', 'length(rows)'));
    const service = await start({ catalogs: source, runner: { run }, jobs: { concurrency: 1 } });
    const first = await service.call('POST', '/task', { action_id: 'first' });
    await reached;
    const queued = await service.call('POST', '/task', { action_id: 'counted' });
    source.set(priced('version-2', '`30`'));
    open();
    await service.finished(first.body.job_id);
    expect(await service.finished(queued.body.job_id)).toMatchObject({
      status: 'completed',
      credits_used: 2,
    });
    expect(recipes.at(-1)).toBe('version-1');
    const versions = () =>
      withDatabase(service, ({ query }) =>
        query.selectFrom('actions').select('id').where('action_id', '=', 'counted').execute(),
      );
    await expect.poll(versions).toHaveLength(2);
    const next = await service.call('POST', '/task', { action_id: 'counted' });
    expect(await service.finished(next.body.job_id)).toMatchObject({ credits_used: 30 });
  });

  it('[job.failed] [get-job.failed] [task.refunded-on-failure] [task.execution-failed-job] failed and refunded once', async () => {
    const service = await start({
      runner: {
        run: () => Promise.reject(new RunError('The page cannot be read', { reason: 'page_unfit' })),
      },
    });
    const accepted = await service.call('POST', '/task', { action_id: 'books' });
    expect(await service.finished(accepted.body.job_id)).toMatchObject({
      status: 'failed',
      error: { code: 'EXECUTION_FAILED', message: 'The page cannot be read', reason: 'page_unfit' },
      credits_used: 0,
    });
    expect(await readMoney(service)).toEqual({
      balances: { default: 1000 },
      mismatches: 0,
      doubleRefunds: 0,
    });
    const rows = await withDatabase(service, ({ query }) =>
      query.selectFrom('ledger').select(['kind', 'amount', 'job_id']).orderBy('amount').execute(),
    );
    const jobId = accepted.body.job_id;
    expect(rows).toEqual([
      { kind: 'charge', amount: -3, job_id: jobId },
      { kind: 'refund', amount: 3, job_id: jobId },
      { kind: 'grant', amount: 1000, job_id: null },
    ]);
  });

  it('[task.sync] a sync action answers with the body of its completed job, which can be polled too', async () => {
    const { wait, open } = gate();
    const service = await start({
      runner: { run: async ({ params }) => wait().then(() => ({ data: { params } })) },
    });
    const answer = service.call('POST', '/task', { action_id: 'quick', params: { a: [1] } });
    open();
    const { status, body } = await answer;
    expect(status).toBe(200);
    const job = {
      status: 'completed',
      data: { params: { a: [1] } },
      credits_used: 2,
      execution_ms: expect.any(Number),
    };
    expect(body).toEqual({ job_id: expect.stringMatching(/^[0-9a-f-]{36}$/), ...job });
    expect((await service.call('GET', `/jobs/${body.job_id}`)).body).toEqual(job);
    expect(await balanceOf(service)).toBe(998);
  });

  it('an optional member that is null counts as absent', async () => {
    const service = await start();
    const body = { action_id: 'quick', credential_id: null, params: null };
    expect((await service.call('POST', '/task', body)).body).toMatchObject({ data: { params: {} } });
    const unnamed = await service.call('POST', '/task', { action_id: null });
    expect([unnamed.status, unnamed.body.error]).toMatchObject([400, { code: 'INVALID_INPUT' }]);
  });

  it('a sync action that fails is answered with the body of the failed job, and refunded', async () => {
    const service = await start({ runner: { run: () => Promise.reject(new RunError('No')) } });
    const { status, body } = await service.call('POST', '/task', { action_id: 'quick' });
    expect([status, body]).toMatchObject([
      200,
      { status: 'failed', error: { code: 'EXECUTION_FAILED' }, credits_used: 0 },
    ]);
    expect(await balanceOf(service)).toBe(1000);
  });

  it('[task.insufficient-credits] more than the balance is refused with both numbers and costs nothing', async () => {
    const service = await start();
    const { status, body } = await service.call('POST', '/task', { action_id: 'dear' });
    expect(status).toBe(402);
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_CREDITS', balance: 1000, required: 1001 });
    expect(await balanceOf(service)).toBe(1000);
  });

  it.each([
    [3, { credits_used: 3 }, 997],
    [5, { credits_used: 5 }, 995],
    [0, { credits_used: 0 }, 1000],
    [900, { credits_used: 900 }, 100],
    [1_500, { credits_used: 1000, credits_excess: 500 }, 0],
  ])(
    '[action.final-cost] %i rows cost what the expression says, at most the balance',
    async (rows, shown, balance) => {
      const service = await start({ runner: { run: async () => ({ data: { rows: Array(rows).fill(0) } }) } });
      const accepted = await service.call('POST', '/task', { action_id: 'counted' });
      const job = await service.finished(accepted.body.job_id);
      expect(job).toMatchObject({ status: 'completed', ...shown });
      expect('credits_excess' in job).toBe('credits_excess' in shown);
      expect(await readMoney(service)).toEqual({
        balances: { default: balance },
        mismatches: 0,
        doubleRefunds: 0,
      });
    },
  );

  it('an expression that gives no number leaves the listed price', async () => {
    const service = await start({ runner: { run: async () => ({ data: { rows: 'many' } }) } });
    const accepted = await service.call('POST', '/task', { action_id: 'miscounted' });
    expect(await service.finished(accepted.body.job_id)).toMatchObject({
      status: 'completed',
      credits_used: 5,
    });
  });

  it('a failure that passes is tried again, at most three times in all', async () => {
    let runs = 0;
    const service = await start({
      jobs: { retryDelay: 50 },
      runner: {
        run: async () => {
          runs += 1;
          if (runs !== 2) throw new RunError('Busy', { transient: true });
          return { data: { runs } };
        },
      },
    });
    const first = await service.call('POST', '/task', { action_id: 'books' });
    expect(await service.finished(first.body.job_id)).toMatchObject({
      status: 'completed',
      data: { runs: 2 },
    });
    const second = await service.call('POST', '/task', { action_id: 'books' });
    expect(await service.finished(second.body.job_id)).toMatchObject({
      status: 'failed',
      error: { message: 'Busy' },
    });
    expect(runs).toBe(5);
    expect(await readMoney(service)).toEqual({ balances: { default: 997 }, mismatches: 0, doubleRefunds: 0 });
  });

  it('a runner that breaks its promise or never ends fails the job and nothing else', async () => {
    const service = await start({
      jobs: { timeLimit: 200 },
      runner: {
        run: ({ params }) =>
          params.page === 1
            ? Promise.reject(new TypeError('secret internals'))
            : new Promise(() => undefined),
      },
    });
    for (const page of [1, 2]) {
      const accepted = await service.call('POST', '/task', { action_id: 'books', params: { page } });
      const job = await service.finished(accepted.body.job_id);
      expect(job).toMatchObject({ status: 'failed', error: { code: 'EXECUTION_FAILED' } });
      expect(JSON.stringify(job)).not.toContain('secret');
    }
    expect(await balanceOf(service)).toBe(1000);
  });

  it('of 300 competing submissions with a balance for 100 exactly 100 are accepted', async () => {
    const service = await start();
    const rich = await addTestUser(service, 'rich', 302);
    // A loaded machine resets connections that wait too long to be accepted, or that are used again when they end.
    const sending = pLimit(200);
    const headers = { ...rich.headers, connection: 'close' };
    const answers = await Promise.all(
      Array.from({ length: 300 }, () =>
        sending(() => service.call('POST', '/task', { action_id: 'books' }, headers)),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    const odd = answers.filter(({ status }) => status !== 202 && status !== 402).map(({ text }) => text);
    expect(odd).toEqual([]);
    expect([count(202), count(402)]).toEqual([100, 200]);
    expect(await readMoney(service)).toMatchObject({ balances: { rich: 2, default: 1000 }, mismatches: 0 });
  });

  it('limits hold: jobs at a time in all and on one site', async () => {
    const { wait, open } = gate();
    let now = 0;
    let most = 0;
    const other = catalog({ slug: 'other', actions: [action({ action_id: 'other_books' })] });
    const service = await start({
      catalogs: sourceOf(shop, other),
      jobs: { concurrency: 5, concurrencyPerSite: 3 },
      runner: {
        run: async () => {
          now += 1;
          most = Math.max(most, now);
          await wait();
          now -= 1;
          return { data: {} };
        },
      },
    });
    const submit = (action_id: string) => service.call('POST', '/task', { action_id });
    const onShop = await Promise.all(Array.from({ length: 6 }, () => submit('books')));
    await expect.poll(() => now).toBe(3);
    const onOther = await Promise.all(Array.from({ length: 6 }, () => submit('other_books')));
    await expect.poll(() => now).toBe(5);
    open();
    for (const { body } of [...onShop, ...onOther]) await service.finished(body.job_id);
    expect(most).toBe(5);
  });

  it('a job that runs longer than its lease runs once, because the lease is renewed', async () => {
    let runs = 0;
    const options: TestServiceOptions = {
      jobs: { leaseDuration: 500 },
      runner: {
        run: async () => {
          runs += 1;
          await delay(1_500);
          return { data: {} };
        },
      },
    };
    const first = await start(options);
    await start({ ...options, dataDir: first.dataDir, databaseUrl: first.databaseUrl });
    const accepted = await first.call('POST', '/task', { action_id: 'books' });
    expect(await first.finished(accepted.body.job_id)).toMatchObject({ status: 'completed' });
    expect(runs).toBe(1);
  });

  it('a runner whose lease was lost writes nothing: the result is that of the next one', async () => {
    const slow = gate();
    const dataDir = join(folder, `fence-${engine}`);
    const first = await start({
      dataDir,
      // It takes nothing while it runs this one, and renews no lease: the next one is the second's.
      jobs: { concurrency: 1, leaseDuration: 600_000 },
      runner: { run: async () => slow.wait().then(() => ({ data: { by: 'first' } })) },
    });
    const accepted = await first.call('POST', '/task', { action_id: 'counted' });
    await slow.reached;
    // As if the first had been out of reach for longer than its lease.
    await withDatabase(first, ({ query }) => query.updateTable('jobs').set({ lease_until: 0 }).execute());
    const second = await start({
      dataDir,
      databaseUrl: first.databaseUrl,
      runner: { run: async () => ({ data: { by: 'second', rows: [1, 2] } }) },
    });
    expect(await second.finished(accepted.body.job_id)).toMatchObject({
      data: { by: 'second' },
      credits_used: 2,
    });
    slow.open();
    await first.close();
    expect(await second.finished(accepted.body.job_id)).toMatchObject({
      data: { by: 'second' },
      credits_used: 2,
    });
    expect(await readMoney(second)).toEqual({ balances: { default: 998 }, mismatches: 0, doubleRefunds: 0 });
  });

  it('a runner whose lease was lost writes nothing while the next one still runs the job', async () => {
    const [slow, slower] = [gate(), gate()];
    const dataDir = join(folder, `early-${engine}`);
    const first = await start({
      dataDir,
      jobs: { concurrency: 1, leaseDuration: 600_000 },
      runner: { run: async () => slow.wait().then(() => ({ data: { by: 'first', rows: [1, 2, 3] } })) },
    });
    const accepted = await first.call('POST', '/task', { action_id: 'counted' });
    await slow.reached;
    await withDatabase(first, ({ query }) => query.updateTable('jobs').set({ lease_until: 0 }).execute());
    const second = await start({
      dataDir,
      databaseUrl: first.databaseUrl,
      runner: { run: async () => slower.wait().then(() => ({ data: { by: 'second', rows: [1, 2] } })) },
    });
    await slower.reached;
    slow.open();
    // The first one has tried to write its end when it has stopped.
    await first.close();
    const path = `/jobs/${accepted.body.job_id}`;
    expect((await second.call('GET', path)).body).toEqual({ status: 'processing' });
    slower.open();
    expect(await second.finished(accepted.body.job_id)).toMatchObject({
      data: { by: 'second' },
      credits_used: 2,
    });
    expect(await readMoney(second)).toEqual({ balances: { default: 998 }, mismatches: 0, doubleRefunds: 0 });
  });

  it('settlements, refunds and renewals at once: no transaction is ended by the database', async () => {
    const errors: string[] = [];
    const logger = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) });
    const service = await start({
      logger,
      jobs: { concurrency: 20, concurrencyPerSite: 20, leaseDuration: 300 },
      runner: {
        run: async ({ params }) => {
          await delay(Math.random() * 50);
          if (params.fail === true) throw new RunError('As asked');
          return { data: { rows: Array(7).fill(0) } };
        },
      },
    });
    const submit = (index: number) =>
      service.call('POST', '/task', { action_id: 'counted', params: { fail: index % 3 === 0 } });
    const accepted = await Promise.all(Array.from({ length: 120 }, (_, index) => submit(index)));
    for (const { body } of accepted) await service.finished(body.job_id);
    expect(errors).toEqual([]);
    expect(await readMoney(service)).toEqual({
      balances: { default: 1000 - 80 * 7 },
      mismatches: 0,
      doubleRefunds: 0,
    });
  });

  it('[task.not-enqueued] [build-request.internal-error] a database that refuses to write costs nothing, and reading goes on', async () => {
    const service = await start();
    const accepted = await service.call('POST', '/task', { action_id: 'books' });
    await service.finished(accepted.body.job_id);
    await withDatabase(service, async ({ query }) => {
      // Stands for a full disk: every new job row is refused.
      if (engine === 'sqlite') {
        await sql`create trigger full before insert on jobs begin select raise(abort, 'disk full'); end`.execute(
          query,
        );
      } else {
        await sql`alter table jobs add constraint nothing_more check (created_at < 0) not valid`.execute(
          query,
        );
      }
    });
    const refused = await service.call('POST', '/task', { action_id: 'books' });
    expect([refused.status, refused.body.error]).toMatchObject([500, { code: 'EXECUTION_FAILED' }]);
    const build = await service.call('POST', '/build-request', {
      website_url: 'https://new.example',
      goal: 'x',
    });
    expect([build.status, build.body.error]).toMatchObject([500, { code: 'INTERNAL_ERROR' }]);
    expect(await readMoney(service)).toEqual({ balances: { default: 997 }, mismatches: 0, doubleRefunds: 0 });
    expect((await service.call('GET', `/jobs/${accepted.body.job_id}`)).body.status).toBe('completed');
  });
});

it.skipIf(!hasPostgres)(
  'connections that the database cuts, again and again: the service goes on, and every accepted job ends',
  async () => {
    const databaseUrl = await createDatabase();
    const service = await start({ databaseUrl, jobs: { leaseDuration: 1_000 } });
    const accepted: unknown[] = [];
    const statuses = new Set<number>();
    let cutting = true;
    const cuts = withDatabase(service, async ({ query }) => {
      for (let cut = 0; cut < 15; cut += 1) {
        await delay(40);
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`.execute(query);
      }
      cutting = false;
    });
    const load = async () => {
      while (cutting) {
        const { status, body } = await service.call('POST', '/task', { action_id: 'counted' });
        statuses.add(status);
        if (status === 202) accepted.push(body.job_id);
      }
    };
    await Promise.all([cuts, load(), load(), load(), load()]);
    // What was refused was refused honestly.
    for (const status of statuses) expect([202, 402, 500, 503]).toContain(status);
    expect(accepted.length).toBeGreaterThan(0);
    for (const jobId of accepted) expect((await service.finished(jobId)).status).toMatch(/completed|failed/);
    expect(await readMoney(service)).toMatchObject({ mismatches: 0, doubleRefunds: 0 });
  },
);

async function start(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService({ catalogs: sourceOf(shop), ...options });
  running.push(service);
  return service;
}

it.each([
  [{ page: 0 }, 'page'],
  [{ page: 'one' }, 'page'],
  [{ other: 1 }, 'other'],
  [{ code: 'b' }, 'code'],
])(
  '[task.params-checked] params %j are refused with their place, before the charge',
  async (params, path) => {
    const service = await start();
    const { status, body } = await service.call('POST', '/task', { action_id: 'books', params });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMS' });
    expect(JSON.stringify(body)).toContain(`"path":"${path}"`);
    expect((await readMoney(service)).balances.default).toBe(1000);
  },
);

it('[task.params-checked] an address with a password is refused before anything is stored', async () => {
  const parameters = { type: 'object' as const, properties: { pages: { type: 'array' } } };
  const reader = catalog({ slug: 'reader', actions: [action({ action_id: 'read', parameters })] });
  const service = await start({ catalogs: sourceOf(reader) });
  const params = { pages: [{ url: 'https://me:hunter2@a.example/' }] };
  const { status, body } = await service.call('POST', '/task', { action_id: 'read', params });
  expect([status, body.error]).toMatchObject([400, { code: 'INVALID_PARAMS' }]);
  expect(JSON.stringify(body)).not.toContain('hunter2');
  expect((await readMoney(service)).balances.default).toBe(1000);
});

it('[task.params-checked] a pattern that would need for ever ends in a refusal', async () => {
  const service = await start();
  const params = { code: `${'a'.repeat(60)}!` };
  const begun = performance.now();
  const { status, body } = await service.call('POST', '/task', { action_id: 'books', params });
  expect(performance.now() - begun).toBeLessThan(3_000);
  expect([status, body.error]).toMatchObject([400, { code: 'INVALID_PARAMS', issues: [] }]);
  const good = await service.call('POST', '/task', { action_id: 'books', params: { code: 'aaa' } });
  expect(good.status).toBe(202);
});

it("unknown jobs and other users' jobs answer with the same bytes", async () => {
  const service = await start();
  const accepted = await service.call('POST', '/task', { action_id: 'books' });
  await service.finished(accepted.body.job_id);
  const stranger = await addTestUser(service, 'stranger');
  const paths = [
    `/jobs/${accepted.body.job_id}`,
    '/jobs/00000000-0000-4000-8000-000000000000',
    "/jobs/'--",
    '/jobs/%00',
  ];
  const answers = await Promise.all(
    paths.map((path) => service.call('GET', path, undefined, stranger.headers)),
  );
  expect(answers.map((answer) => [answer.status, answer.text])).toEqual(
    paths.map(() => [404, answers[0]?.text]),
  );
  expect(answers[0]?.body).toMatchObject({ error: { code: 'NOT_FOUND' } });
});

it('the key, the jobs and their results survive a restart; running jobs are handed back and end afterwards', async () => {
  const dataDir = join(folder, 'restart');
  const { wait, open, reached } = gate();
  const first = await startTestService({ dataDir, catalogs: sourceOf(shop) });
  const done = await first.call('POST', '/task', { action_id: 'books', params: { page: 7 } });
  await first.finished(done.body.job_id);
  await first.close();

  const second = await startTestService({
    dataDir,
    catalogs: sourceOf(shop),
    jobs: { stopGrace: 0 },
    runner: { run: async () => wait().then(() => ({ data: {} })) },
  });
  expect(second.apiKey).toBe(first.apiKey);
  const interrupted = await second.call('POST', '/task', { action_id: 'books', params: { page: 8 } });
  await reached;
  const sync = second.call('POST', '/task', { action_id: 'quick', params: { page: 9 } });
  await expect
    .poll(() => withDatabase(second, ({ query }) => query.selectFrom('jobs').selectAll().execute()))
    .toHaveLength(3);
  await second.close();
  const handedBack = await sync;
  expect(handedBack.status).toBe(202);
  // It was not their fault, so no attempt is counted.
  const attempts = await withDatabase(second, ({ query }) =>
    query.selectFrom('jobs').select('attempts').where('status', '=', 'processing').execute(),
  );
  expect(attempts).toEqual([{ attempts: 0 }, { attempts: 0 }]);
  open();

  // The file is gone meanwhile: what was accepted runs as it was accepted.
  const third = await startTestService({ dataDir });
  expect(await third.finished(done.body.job_id)).toMatchObject({ data: { params: { page: 7 } } });
  expect(await third.finished(interrupted.body.job_id)).toMatchObject({ data: { params: { page: 8 } } });
  expect(await third.finished(handedBack.body.job_id)).toMatchObject({ data: { params: { page: 9 } } });
  expect(await readMoney(third)).toEqual({ balances: { default: 992 }, mismatches: 0, doubleRefunds: 0 });
  await third.close();
});

it('a database in which no job can be claimed is asked once a second', async () => {
  const failedAt: number[] = [];
  const write = (line: string) => {
    if (line.includes('Jobs cannot be claimed')) failedAt.push(performance.now());
  };
  const service = await startTestService({
    dataDir: join(folder, 'no-claims'),
    logger: pino({ level: 'error' }, { write }),
  });
  onTestFinished(() => service.close());
  await withDatabase(service, ({ query }) => sql`alter table jobs rename to others`.execute(query));
  await expect.poll(() => failedAt.length).toBeGreaterThanOrEqual(3);
  const [first = 0, , third = 0] = failedAt;
  // Timers may fire up to a millisecond early.
  expect(third - first).toBeGreaterThanOrEqual(1_990);
});

it('a stop lets a running job end within its time', async () => {
  const { wait, open, reached } = gate();
  const stopping = await startTestService({
    dataDir: join(folder, 'stop'),
    catalogs: sourceOf(shop),
    jobs: { stopGrace: 60_000 },
    runner: { run: async (_task, { signal }) => wait().then(() => ({ data: { aborted: signal.aborted } })) },
  });
  const accepted = await stopping.call('POST', '/task', { action_id: 'books' });
  await reached;
  const closed = stopping.close();
  await expect
    .poll(() =>
      stopping.call('GET', '/search').then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed');
  open();
  await closed;
  const after = await startTestService({ dataDir: stopping.dataDir });
  onTestFinished(() => after.close());
  expect((await after.call('GET', `/jobs/${accepted.body.job_id}`)).body).toMatchObject({
    status: 'completed',
    data: { aborted: false },
  });
});

it('a result of 5 MB comes back as it was, also with characters that databases dislike', async () => {
  const data = {
    text: '\u0000 \ud800 ä 🚲 \u2028'.repeat(10),
    rows: Array(100_000).fill('fifty characters of result, or very nearly so.'),
  };
  const service = await start({ runner: { run: async () => ({ data }) } });
  const accepted = await service.call('POST', '/task', { action_id: 'books' });
  const job = await service.finished(accepted.body.job_id);
  expect(job.data).toEqual(JSON.parse(JSON.stringify(data)));
});
