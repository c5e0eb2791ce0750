/** Deaths by SIGKILL at every named point, on both engines: nothing acknowledged is lost, no credit is. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CrashPoint, crashPoints } from '../../src/service/crash-points.ts';
import { killAtRandom } from '../chaos/kills.ts';
import { engines, type PostgresCluster, startPostgres } from '../support/postgres.ts';
import { finished, type Json, readMoney, withDatabase } from '../support/service.ts';
import { type SpawnedService, spawnService, trySpawnService } from '../support/spawned-service.ts';

let cluster: PostgresCluster | undefined;
let folder = '';
beforeAll(async () => {
  cluster = await startPostgres();
  folder = await mkdtemp(join(tmpdir(), 'svc-crash-'));
});
afterAll(async () => {
  await cluster?.stop();
  await rm(folder, { recursive: true });
});

interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

/** What is done until the process dies, and the balance and the ends of jobs that the next start must come to. */
interface Story {
  readonly act: (service: SpawnedService) => Promise<unknown>;
  readonly balance: number;
  readonly jobs: readonly string[];
}

const login = (service: SpawnedService) =>
  service.call('POST', '/login', { catalog_slug: 'members', params: {} });
const submit =
  (params: Json, action_id = 'work') =>
  (service: SpawnedService) =>
    service.call('POST', '/task', { action_id, params });
const build = (service: SpawnedService) =>
  service.call('POST', '/build-request', { website_url: 'https://new.example', goal: 'all' });

const stories: Readonly<
  Record<Exclude<CrashPoint, `login.${string}` | `rotation.${string}`>, readonly Story[]>
> = {
  'submit.before-commit': [{ act: submit({}), balance: 1000, jobs: [] }],
  'submit.after-commit': [
    { act: submit({}), balance: 997, jobs: ['completed'] },
    { act: submit({}, 'quick'), balance: 998, jobs: ['completed'] },
  ],
  'lease.after-commit': [{ act: submit({}), balance: 997, jobs: ['completed'] }],
  'run.after': [
    { act: submit({}), balance: 997, jobs: ['completed'] },
    { act: submit({}, 'quick'), balance: 998, jobs: ['completed'] },
  ],
  'finish.before-commit': [
    { act: submit({}), balance: 997, jobs: ['completed'] },
    { act: submit({ fail: true }), balance: 1000, jobs: ['failed'] },
    { act: submit({ cost: 40 }, 'counted'), balance: 960, jobs: ['completed'] },
  ],
  'finish.after-commit': [
    { act: submit({}), balance: 997, jobs: ['completed'] },
    { act: submit({ fail: true }), balance: 1000, jobs: ['failed'] },
    { act: submit({ cost: 40 }, 'counted'), balance: 960, jobs: ['completed'] },
    { act: build, balance: 975, jobs: ['completed'] },
  ],
  'build.before-commit': [{ act: build, balance: 1000, jobs: [] }],
  'build.after-commit': [{ act: build, balance: 975, jobs: ['completed'] }],
};

const jobsOf = (place: Place) =>
  withDatabase(place, async ({ query }) =>
    query.selectFrom('jobs').select(['id', 'status', 'kind']).execute(),
  );

describe.concurrent.each(engines)('on %s', (engine) => {
  let places = 0;
  async function newPlace(): Promise<Place> {
    const dataDir = join(folder, `${engine}-${places++}`);
    if (engine === 'sqlite') return { dataDir, databaseUrl: undefined };
    if (cluster === undefined) throw new Error('PostgreSQL is not installed');
    return { dataDir, databaseUrl: await cluster.createDatabase() };
  }

  for (const [point, cases] of Object.entries(stories)) {
    test(`killed at ${point}`, { timeout: 60_000 }, async ({ expect }) => {
      for (const { act, balance, jobs } of cases) {
        const place = await newPlace();
        const crashAt = crashPoints.find((name) => name === point);
        const dying = await spawnService({ ...place, crashAt });
        await act(dying).catch(() => undefined);
        expect(await dying.ended).toBe('SIGKILL');
        expect(await readMoney(place)).toMatchObject({ mismatches: 0 });

        const next = await spawnService(place);
        await expect
          .poll(async () => (await jobsOf(place)).map(({ status }) => status), { timeout: 15_000 })
          .toEqual(jobs);
        expect(await readMoney(place)).toEqual({
          balances: { default: balance },
          mismatches: 0,
          doubleRefunds: 0,
        });
        for (const { id, kind } of await jobsOf(place)) {
          if (kind === 'task') expect((await next.call('GET', `/jobs/${id}`)).body.status).toBe(jobs[0]);
        }
        const { body } = await next.call('GET', '/build-requests');
        const builds = Array.isArray(body.build_requests) ? body.build_requests : [];
        expect(builds.map((row) => row.status)).toEqual(act === build && jobs.length > 0 ? ['success'] : []);
        await next.stop();
      }
    });
  }

  test.each(['login.before-cookies', 'login.after-cookies'] as const)('killed at %s', async (crashAt) => {
    const place = await newPlace();
    const dying = await spawnService({ ...place, crashAt });
    await login(dying).catch(() => undefined);
    expect(await dying.ended).toBe('SIGKILL');
    const next = await spawnService(place);
    const before = await next.call('GET', '/identities');
    expect(before.body.identities).toMatchObject([
      { credentials: [{ status: crashAt === 'login.after-cookies' ? 'active' : 'expired' }] },
    ]);
    const again = await login(next);
    expect(again.body.status).toBe('verified');
    const after = await next.call('GET', '/identities');
    expect(after.body.identities).toMatchObject([
      { is_default: true, credentials: [{ id: again.body.credential_id, status: 'active' }] },
    ]);
    await next.stop();
  });

  test.each(['rotation.before-rows', 'rotation.after-rows'] as const)('killed at %s', async (crashAt) => {
    const place = await newPlace();
    const first = await spawnService(place);
    const { credential_id } = (await login(first)).body;
    await first.stop();
    expect(await trySpawnService({ ...place, crashAt, rotate: true })).toBeUndefined();
    for (const rotate of [false, true]) {
      const next = await spawnService({ ...place, rotate });
      const accepted = await next.call('POST', '/task', { action_id: 'inbox', credential_id });
      expect(await finished(next.call, accepted.body.job_id)).toMatchObject({ data: { cookies: 'session' } });
      await next.stop();
    }
    const { keys } = JSON.parse(await readFile(join(place.dataDir, 'credential-keys.json'), 'utf8'));
    expect(keys).toHaveLength(1);
  });

  test('two services share the jobs; what one was running when it was killed ends on the other', {
    timeout: 60_000,
  }, async ({ expect }) => {
    const place = await newPlace();
    const [first, second] = await Promise.all([
      spawnService({ ...place, leaseDuration: 10_000 }),
      // On PostgreSQL as on another machine, but with the same keys.
      spawnService({ ...place, leaseDuration: 10_000 }),
    ]);
    const accepted = await Promise.all(
      Array.from({ length: 24 }, () =>
        first.call('POST', '/task', { action_id: 'work', params: { ms: 2_000 } }),
      ),
    );
    expect(accepted.map(({ status }) => status)).toEqual(Array(24).fill(202));
    const running = () =>
      withDatabase(place, ({ query }) =>
        query.selectFrom('jobs').select(['id', 'lease_owner']).where('lease_owner', 'is not', null).execute(),
      );
    await expect.poll(async () => (await running()).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(8);
    await first.kill();
    const killedAt = performance.now();
    const ends = await Promise.all(accepted.map(({ body }) => finished(second.call, body.job_id)));
    expect(performance.now() - killedAt).toBeLessThan(30_000);
    expect(ends.map(({ status }) => status)).toEqual(Array(24).fill('completed'));
    expect(ends.filter(({ data }) => (data as Json).pid === second.pid).length).toBeGreaterThanOrEqual(8);
    expect(await readMoney(place)).toEqual({
      balances: { default: 1000 - 72 },
      mismatches: 0,
      doubleRefunds: 0,
    });
    await second.stop();
  });
});

test.each(engines)(
  'six kills at random under load lose nothing on %s (npm run chaos:service does 200)',
  { timeout: 120_000 },
  async (engine) => {
    const databaseUrl = engine === 'postgres' ? await cluster?.createDatabase() : undefined;
    const count = await killAtRandom({ dataDir: join(folder, `random-${engine}`), databaseUrl }, 6);
    expect(count.acknowledged).toBeGreaterThan(0);
    expect(count).toMatchObject({ lost: 0, wrongMoney: 0, doubleRefunds: 0, ledgerMismatches: 0 });
  },
);

test('every point has its death', () => {
  const tested = [
    ...Object.keys(stories),
    'login.before-cookies',
    'login.after-cookies',
    'rotation.before-rows',
    'rotation.after-rows',
  ];
  expect([...crashPoints].sort()).toEqual(tested.sort());
});
