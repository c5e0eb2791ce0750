/** Deaths by SIGKILL before and after every commit, on both engines: nothing acknowledged is lost, no credit is. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, type ExpectStatic, expect, it } from 'vitest';
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

/** What is asked of the process until it dies, and what an accepted request comes to in the end. */
interface Story {
  readonly act: (service: { readonly call: Call }) => Promise<Reply>;
  /** After the end of the job; 1000 where the request was not accepted. */
  readonly balance: number;
  readonly status: 'completed' | 'failed';
  /** That the story has at the least. */
  readonly commits: number;
}

const login = (service: { readonly call: Call }) =>
  service.call('POST', '/login', { catalog_slug: 'members', params: {} });
const submit =
  (params: Json, action_id = 'work'): Story['act'] =>
  (service) =>
    service.call('POST', '/task', { action_id, params });
const request =
  (goal: string): Story['act'] =>
  (service) =>
    service.call('POST', '/build-request', { website_url: 'https://new.example', goal });
const build = request('all');
const badBuild = request('fail');
const built: Story = { act: build, balance: 975, status: 'completed', commits: 4 };
const notBuilt: Story = { act: badBuild, balance: 1000, status: 'failed', commits: 4 };

const stories: Readonly<Record<string, Story>> = {
  'a task': { act: submit({}), balance: 997, status: 'completed', commits: 3 },
  'a task that outlasts its lease': {
    act: submit({ ms: 500 }),
    ...{ balance: 997, status: 'completed', commits: 4 },
  },
  'a task of a sync action': {
    act: submit({}, 'quick'),
    ...{ balance: 998, status: 'completed', commits: 3 },
  },
  'a task that fails and is refunded': {
    act: submit({ fail: true }),
    ...{ balance: 1000, status: 'failed', commits: 3 },
  },
  'a task that costs more than its price': {
    act: submit({ cost: 40 }, 'counted'),
    ...{ balance: 960, status: 'completed', commits: 3 },
  },
  'a build': built,
  'a build that fails and is refunded': notBuilt,
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

  /** True if the process died; false if it outlived what was asked of it, and was stopped. */
  async function dies(place: Place, dying: SpawnedService): Promise<boolean> {
    const isBusy = async () => (await jobsOf(place)).some(({ status }) => status === 'processing');
    const ended = dying.ended.then(() => false);
    while (await Promise.race([ended, isBusy()])) await delay(50);
    await dying.stop();
    return (await dying.ended) === 'SIGKILL';
  }

  /** The next start finds nothing of the request, or ends it; nothing that was acknowledged is lost. */
  async function expectEnd(
    place: Place,
    story: Story,
    reply: Reply | undefined,
    expect: ExpectStatic,
  ): Promise<void> {
    const accepted = (await jobsOf(place)).length;
    if (reply !== undefined) expect([reply.status < 300, accepted]).toEqual([true, 1]);
    expect(await readMoney(place)).toMatchObject({ mismatches: 0 });
    const next = await restart(place);
    const statuses = accepted === 0 ? [] : [story.status];
    await expect
      .poll(async () => (await jobsOf(place)).map(({ status }) => status), { timeout: 15_000 })
      .toEqual(statuses);
    expect(await readMoney(place)).toEqual({
      balances: { default: accepted === 0 ? 1000 : story.balance },
      ...{ mismatches: 0, doubleRefunds: 0 },
    });
    for (const { id, kind } of await jobsOf(place)) {
      if (kind === 'task') expect((await next.call('GET', `/jobs/${id}`)).body.status).toBe(story.status);
    }
    await expectBuilds(next, accepted === 0 ? undefined : story.act);
    await next.stop();
  }

  it.for(Object.entries(stories))(
    '%s survives a death before and after each of its commits',
    {
      timeout: 240_000,
    },
    async ([, story], { expect }) => {
      for (let commit = 1, died = true; died; commit += 1) {
        for (const when of ['before', 'after'] as const) {
          const place = await newPlace();
          const dying = await spawnService({ ...place, killAt: { when, commit } });
          const reply = await story.act(dying).catch(() => undefined);
          died = await dies(place, dying);
          await expectEnd(place, story, reply, expect);
        }
        if (!died) expect(commit).toBeGreaterThan(story.commits);
      }
    },
  );

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
    const first = await spawnService({ ...place, buildKills: true });
    await build(first).catch(() => undefined);
    expect(await first.ended).toBe('SIGKILL');
    const starts = 5;
    for (let start = 1; start < starts; start += 1) {
      // The build may be taken up, and so kill, before the service listens.
      const died = spawnService({ ...place, buildKills: true }).then(
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

  it.for(['before', 'after'] as const)(
    'a death %s the commit of a login leaves one account or none',
    async (when, { expect }) => {
      const place = await newPlace();
      // The first commit notes the use of the key.
      const dying = await spawnService({ ...place, killAt: { when, commit: 2 } });
      await login(dying).catch(() => undefined);
      expect(await dying.ended).toBe('SIGKILL');
      const next = await restart(place);
      const before = await next.call('GET', '/identities');
      expect(before.body.identities).toMatchObject(
        when === 'before' ? [] : [{ credentials: [{ status: 'active' }] }],
      );
      const again = await login(next);
      expect(again.body.status).toBe('verified');
      const after = await next.call('GET', '/identities');
      expect(after.body.identities).toMatchObject([
        { is_default: true, credentials: [{ id: again.body.credential_id, status: 'active' }] },
      ]);
      await next.stop();
    },
  );

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
