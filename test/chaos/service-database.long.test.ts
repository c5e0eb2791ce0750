/** Databases that stand still, that nobody can hear, and that commit later than anybody waits. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { migrations } from '../../src/service/store/migrations.ts';
import type { ServiceSchema } from '../../src/service/store/schema.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { useDatabases } from '../support/databases.ts';
import { hasPostgres } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import {
  action,
  catalog,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
  withDatabase,
} from '../support/service.ts';
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.ts';
import { spawnService } from '../support/spawned-service.ts';
import { stopAtRandom } from './stops.ts';

const shop = catalog({ slug: 'shop', actions: [action({ action_id: 'books', credits_per_call: 3 })] });
const key = { 'idempotency-key': 'intent-1' };
const buildBody = { website_url: 'https://new.example', goal: 'all', force: true };

const createDatabase = useDatabases();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-standstill-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const running: (TestService | SilentProxy)[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close();
});

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  async function start(): Promise<{ service: TestService; proxy: SilentProxy; url: string }> {
    const url = await createDatabase();
    const proxy = await startSilentProxy(url);
    running.push(proxy);
    const service = await startTestService({ catalogs: sourceOf(shop), databaseUrl: proxy.url });
    running.push(service);
    return { service, proxy, url };
  }
  /** Commits of ledger rows take as long as a slow disk. */
  const slowCommits = (databaseUrl: string, seconds: number) =>
    withDatabase({ dataDir: folder, databaseUrl }, async ({ query }) => {
      await sql
        .raw(
          `create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(${seconds}); return null; end $$`,
        )
        .execute(query);
      await sql`create constraint trigger slow after insert on ledger deferrable initially deferred
        for each row execute function slow()`.execute(query);
    });

  it('gives up silent connections within ten seconds, reports them and replaces them', {
    timeout: 120_000,
  }, async () => {
    const { service, proxy, url } = await start();
    await service.call('GET', '/identities');
    proxy.fallSilent();
    const started = performance.now();
    const answers = await Promise.all([
      service.call('GET', '/identities'),
      service.call('POST', '/task', { action_id: 'books' }),
      service.call('POST', '/build-request', buildBody),
      service.call('GET', '!/readyz').then((answer) => ({ ...answer, ms: performance.now() - started })),
    ]);
    const codes = answers.slice(0, 3).map(({ status, body }) => [status, Object(body.error).code]);
    expect(codes).toEqual([
      [503, 'STORE_UNAVAILABLE'],
      [500, 'EXECUTION_FAILED'],
      [500, 'INTERNAL_ERROR'],
    ]);
    expect(answers[3]?.status).toBe(503);
    proxy.heal();
    await expect
      .poll(async () => (await service.call('POST', '/task', { action_id: 'books' })).status, {
        timeout: 20_000,
      })
      .toBe(202);
    expect(await readMoney({ dataDir: service.dataDir, databaseUrl: url })).toMatchObject({
      balances: { default: 997 },
      mismatches: 0,
    });
  });

  it('a commit whose answer was lost is not acknowledged, at once, and its key finds what was charged once', {
    timeout: 60_000,
  }, async () => {
    const { service, proxy, url } = await start();
    await slowCommits(url, 2);
    for (const [path, body, status] of [
      ['/task', { action_id: 'books' }, 202],
      ['/build-request', buildBody, 201],
    ] as const) {
      const keyed = { 'idempotency-key': path };
      const answer = service.call('POST', path, body, keyed);
      await untilCommitting(url);
      proxy.cutClients();
      const lost = await answer;
      expect([lost.status, Object(lost.body.error).code]).toEqual([503, 'OUTCOME_UNKNOWN']);
      expect(lost.text).not.toContain('no credits were deducted');
      const repeat = () => service.call('POST', path, body, keyed);
      await expect.poll(async () => (await repeat()).status, { timeout: 20_000 }).toBe(status);
    }
    expect(await readMoney({ dataDir: service.dataDir, databaseUrl: url })).toMatchObject({
      balances: { default: 1000 - 3 - 25 },
      mismatches: 0,
    });
  });

  it('a commit that is answered with silence is not acknowledged, and its key finds the job later', {
    timeout: 120_000,
  }, async () => {
    const { service, proxy, url } = await start();
    await slowCommits(url, 2);
    const answer = service.call('POST', '/task', { action_id: 'books' }, key);
    await untilCommitting(url);
    proxy.fallSilent();
    const { status, body } = await answer;
    expect([status, Object(body.error).code]).toEqual([503, 'OUTCOME_UNKNOWN']);
    expect(JSON.stringify(body)).not.toContain('no credits were deducted');
    proxy.heal();
    await expect
      .poll(async () => (await service.call('POST', '/task', { action_id: 'books' }, key)).status, {
        timeout: 20_000,
      })
      .toBe(202);
    expect((await readMoney({ dataDir: service.dataDir, databaseUrl: url })).balances).toEqual({
      default: 997,
    });
  });

  async function untilCommitting(url: string): Promise<void> {
    const database = await openDatabase<ServiceSchema>({ url }, migrations);
    try {
      for (;;) {
        const { rows } = await sql<{ one: number }>`select 1 as one from pg_stat_activity
          where wait_event = 'PgSleep' and datname = current_database()`.execute(database.query);
        if (rows.length > 0) return;
      }
    } finally {
      await database.close();
    }
  }
});

it('a process that stands still within a transaction keeps the file: the others read on, and refuse what would write', {
  timeout: 240_000,
}, async () => {
  const dataDir = join(folder, 'held');
  const [stopped, other] = await Promise.all([
    spawnService({ dataDir, quiet: true, stopsInSubmit: true }),
    spawnService({ dataDir, quiet: true }),
  ]);
  try {
    // Its lease is renewed all the time, which takes the lock as well.
    const long = await other.call('POST', '/task', { action_id: 'work', params: { ms: 600_000 } });
    expect(long.status).toBe(202);
    const answerOfStopped = stopped.call('POST', '/task', { action_id: 'work' });
    await expect.poll(() => isStopped(stopped.pid)).toBe(true);
    const submit = () => other.call('POST', '/task', { action_id: 'work' });
    const started = performance.now();
    const refusals = [submit(), submit()];
    await delay(2_000);
    expect((await other.call('GET', '/usage')).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(10_000);
    refusals.push(submit(), submit());
    for (const { status, text } of await Promise.all(refusals)) {
      expect([status, text]).toEqual([500, expect.stringContaining('no credits were deducted')]);
    }
    expect(performance.now() - started).toBeLessThan(40_000);
    process.kill(stopped.pid, 'SIGCONT');
    expect((await answerOfStopped).status).toBe(202);
    expect((await submit()).status).toBe(202);
    expect(await readMoney({ dataDir })).toMatchObject({ balances: { default: 1000 - 9 }, mismatches: 0 });
  } finally {
    process.kill(stopped.pid, 'SIGCONT');
    await Promise.all([stopped.kill(), other.kill()]);
  }
});

it('a request that came on a kept connection while the process stood still is answered', async () => {
  const service = await spawnService({
    dataDir: join(folder, 'kept'),
    quiet: true,
    stopsInSubmit: true,
  });
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect(Number(port), hostname);
  const ask = () => socket.write(`GET /healthz HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  try {
    ask();
    await once(socket, 'data');
    const accepted = service.call('POST', '/task', { action_id: 'work' });
    await expect.poll(() => isStopped(service.pid)).toBe(true);
    ask();
    // Longer than Node keeps idle connections.
    await delay(7_000);
    process.kill(service.pid, 'SIGCONT');
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
    expect((await accepted).status).toBe(202);
  } finally {
    socket.destroy();
    await service.kill();
  }
});

/** Field 3 of `/proc/<pid>/stat`, behind the name in parentheses. */
const isStopped = async (pid: number) =>
  / T /.test((await readFile(`/proc/${pid}/stat`, 'utf8')).slice(0, 40));

// A file's write lock belongs to a process: one that is stopped in the middle of a write keeps it on SQLite.
it.skipIf(!hasPostgres)(
  'one service is paused three times under load, and the other one keeps working (npm run chaos:service: 25)',
  { timeout: 120_000 },
  async () => {
    const databaseUrl = await createDatabase();
    const problems: string[] = [];
    const count = await stopAtRandom(
      {
        place: { dataDir: join(folder, 'stops'), databaseUrl },
        random: new Random(1),
        report: (problem) => problems.push(problem),
      },
      3,
    );
    expect(problems).toEqual([]);
    expect(count).toMatchObject({ submissions: 12, refused: 0, lost: 0, wrongMoney: 0 });
    // The holder of a row's lock would have stood still until it was woken.
    expect(count.slowestMs).toBeLessThan(10_000);
  },
);
