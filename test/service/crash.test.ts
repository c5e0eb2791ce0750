/** Deaths by SIGKILL at every named point, on both engines: nothing acknowledged is lost, no credit is. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CrashPoint, crashPoints } from '../../src/service/foundation/crash-points.ts';
import { killAtRandom } from '../chaos/kills.ts';
import { useDatabases } from '../support/databases.ts';
import { startMembersService } from '../support/members-service.ts';
import { engines } from '../support/postgres.ts';
import { Random } from '../support/random.ts';
import {
  type Call,
  callerOf,
  finished,
  type Json,
  type Reply,
  readMoney,
  withDatabase,
} from '../support/service.ts';
import { type SpawnedService, spawnService } from '../support/spawned-service.ts';

const createDatabase = useDatabases();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-crash-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const running = new Set<() => Promise<void>>();
afterAll(async () => {
  for (const stop of running) await stop();
});

/** The next service at the place of one that died: this process runs it, since nobody kills it. */
async function restart(place: Place): Promise<{ readonly call: Call; stop(): Promise<void> }> {
  const service = await startMembersService(place);
  const stop = async () => {
    running.delete(stop);
    await service.close();
  };
  running.add(stop);
  return { call: callerOf(service), stop };
}

interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

/** What is done until the process dies, and the balance and the ends of jobs that the next start must come to. */
interface Story {
  readonly act: (service: SpawnedService) => Promise<Reply>;
  readonly balance: number;
  readonly jobs: readonly string[];
}

const login = (service: { readonly call: Call }) =>
  service.call('POST', '/login', { catalog_slug: 'members', params: {} });
const submit =
  (params: Json, action_id = 'work') =>
  (service: SpawnedService) =>
    service.call('POST', '/task', { action_id, params });
const request = (goal: string) => (service: SpawnedService) =>
  service.call('POST', '/build-request', { website_url: 'https://new.example', goal });
const build = request('all');
const badBuild = request('fail');
const built: Story = { act: build, balance: 975, jobs: ['completed'] };
const notBuilt: Story = { act: badBuild, balance: 1000, jobs: ['failed'] };

const stories: Readonly<Record<Exclude<CrashPoint, `login.${string}`>, readonly Story[]>> = {
  'submit.before-commit': [{ act: submit({}), balance: 1000, jobs: [] }],
  'submit.after-commit': [
    { act: submit({}), balance: 997, jobs: ['completed'] },
    { act: submit({}, 'quick'), balance: 998, jobs: ['completed'] },
  ],
  'lease.after-commit': [{ act: submit({}), balance: 997, jobs: ['completed'] }, built, notBuilt],
  'run.after': [
    { act: submit({}), balance: 997, jobs: ['completed'] },
    { act: submit({}, 'quick'), balance: 998, jobs: ['completed'] },
    built,
    notBuilt,
  ],
  'finish.before-commit': [
    { act: submit({}), balance: 997, jobs: ['completed'] },
    { act: submit({ fail: true }), balance: 1000, jobs: ['failed'] },
    { act: submit({ cost: 40 }, 'counted'), balance: 960, jobs: ['completed'] },
    built,
    notBuilt,
  ],
  'finish.after-commit': [
    { act: submit({}), balance: 997, jobs: ['completed'] },
    { act: submit({ fail: true }), balance: 1000, jobs: ['failed'] },
    { act: submit({ cost: 40 }, 'counted'), balance: 960, jobs: ['completed'] },
    built,
    notBuilt,
  ],
  'build.before-commit': [{ act: build, balance: 1000, jobs: [] }],
  'build.after-commit': [built, notBuilt],
};

const jobsOf = (place: Place) =>
  withDatabase(place, async ({ query }) =>
    query.selectFrom('jobs').select(['id', 'status', 'kind']).execute(),
  );

/** The build that `act` asked for has one end, and one action or none. */
async function expectBuilds(service: { readonly call: Call }, act: Story['act'] | undefined): Promise<void> {
  const { body } = await service.call('GET', '/build-requests');
  const expected =
    act === build
      ? [{ status: 'success', action_id: 'built', credits_charged: 25 }]
      : act === badBuild
        ? [{ status: 'failed', error_type: 'NO_DATA_FOUND', credits_charged: 0 }]
        : [];
  expect(body.build_requests).toMatchObject(expected);
  const { body: found } = await service.call('GET', '/search?q=built');
  const actions = Array.isArray(found.results) ? found.results : [];
  expect(actions.map(({ action_id }) => action_id)).toEqual(act === build ? ['built'] : []);
}

describe.concurrent.each(engines)('on %s', (engine) => {
  let places = 0;
  async function newPlace(): Promise<Place> {
    const dataDir = join(folder, `${engine}-${places++}`);
    if (engine === 'sqlite') return { dataDir, databaseUrl: undefined };
    return { dataDir, databaseUrl: await createDatabase() };
  }

  const cases = Object.entries(stories).flatMap(([point, told]) =>
    told.map((story, index) => ({ point, story, name: `${point} (${index + 1} of ${told.length})` })),
  );
  for (const { point, name, story } of cases) {
    it(`killed at ${name}`, { timeout: 180_000 }, async ({ expect }) => {
      const { act, balance, jobs } = story;
      const place = await newPlace();
      const crashAt = crashPoints.find((known) => known === point);
      const dying = await spawnService({ ...place, crashAt });
      await act(dying).catch(() => undefined);
      expect(await dying.ended).toBe('SIGKILL');
      expect(await readMoney(place)).toMatchObject({ mismatches: 0 });

      const next = await restart(place);
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
      await expectBuilds(next, jobs.length === 0 ? undefined : act);
      await next.stop();
    });
  }

  it.for([
    ['that will succeed', built],
    ['that will fail', notBuilt],
  ] as const)('killed in the middle of a build %s', { timeout: 180_000 }, async ([, story], { expect }) => {
    const { act, balance } = story;
    const place = await newPlace();
    const dying = await spawnService({ ...place, buildMs: 600_000 });
    expect((await act(dying)).status).toBe(201);
    await expect
      .poll(async () => (await dying.call('GET', '/build-requests')).body.build_requests, { timeout: 10_000 })
      .toMatchObject([{ status: 'pending', steps: ['Fetching the page'], credits_charged: 25 }]);
    await dying.kill();
    expect(await readMoney(place)).toMatchObject({ balances: { default: 975 }, mismatches: 0 });
    const next = await restart(place);
    await expect
      .poll(async () => (await jobsOf(place)).map(({ status }) => status), { timeout: 15_000 })
      .not.toContain('processing');
    await expectBuilds(next, act);
    expect(await readMoney(place)).toEqual({
      balances: { default: balance },
      mismatches: 0,
      doubleRefunds: 0,
    });
    await next.stop();
  });

  it('a build that takes its process down every time is given up and refunded once', {
    timeout: 180_000,
  }, async ({ expect }) => {
    const place = await newPlace();
    const first = await spawnService({ ...place, crashAt: 'run.after' });
    await build(first).catch(() => undefined);
    expect(await first.ended).toBe('SIGKILL');
    const starts = 5;
    for (let start = 1; start < starts; start += 1) {
      // The build may be taken up, and so kill, before the service listens.
      const died = spawnService({ ...place, crashAt: 'run.after' }).then(
        ({ ended }) => ended,
        (error: Error) => error.message,
      );
      expect(await died).toMatch(/SIGKILL$/);
    }
    const last = await restart(place);
    await expect
      .poll(async () => (await last.call('GET', '/build-requests')).body.build_requests, { timeout: 15_000 })
      .toMatchObject([{ status: 'failed', error_type: 'BUILD_FAILED', credits_charged: 0 }]);
    expect(await readMoney(place)).toEqual({ balances: { default: 1000 }, mismatches: 0, doubleRefunds: 0 });
    await last.stop();
  });

  it('killed at login.after-cookies', async () => {
    const place = await newPlace();
    const dying = await spawnService({ ...place, crashAt: 'login.after-cookies' });
    await login(dying).catch(() => undefined);
    expect(await dying.ended).toBe('SIGKILL');
    const next = await restart(place);
    const before = await next.call('GET', '/identities');
    expect(before.body.identities).toMatchObject([{ credentials: [{ status: 'active' }] }]);
    const again = await login(next);
    expect(again.body.status).toBe('verified');
    const after = await next.call('GET', '/identities');
    expect(after.body.identities).toMatchObject([
      { is_default: true, credentials: [{ id: again.body.credential_id, status: 'active' }] },
    ]);
    await next.stop();
  });

  it('two services share the jobs; what one was running when it was killed ends on the other', {
    timeout: 180_000,
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

it.each(engines)(
  'six kills at random under load lose nothing on %s (npm run chaos:service does 200)',
  { timeout: 120_000 },
  async (engine) => {
    const databaseUrl = engine === 'postgres' ? await createDatabase() : undefined;
    const problems: string[] = [];
    const count = await killAtRandom(
      {
        place: { dataDir: join(folder, `random-${engine}`), databaseUrl },
        random: new Random(1),
        report: (problem) => problems.push(problem),
      },
      6,
    );
    expect(problems).toEqual([]);
    expect(count.acknowledged).toBeGreaterThan(0);
    expect(count.builds).toBeGreaterThan(0);
    expect(count).toMatchObject({
      ...{ lost: 0, wrongMoney: 0, doubleRefunds: 0, ledgerMismatches: 0, wrongBuilds: 0 },
    });
  },
);

it('every point has its death', () => {
  const tested = [...Object.keys(stories), 'login.after-cookies'];
  expect([...crashPoints].sort()).toEqual(tested.sort());
});
