/** The places of builds: slow ones leave room for tasks, and the users share them. */
import { afterEach, describe, expect, it } from 'vitest';
import { useDatabases } from '../support/databases.ts';
import { engines } from '../support/postgres.ts';
import {
  action,
  addTestUser,
  catalog,
  gate,
  sourceOf,
  startTestService,
  type TestService,
} from '../support/service.ts';

const createDatabase = useDatabases();
const shop = catalog({ slug: 'shop', actions: [action({ action_id: 'books' })] });

let service: TestService;
afterEach(() => service.close());

describe.each(engines)('on %s', (engine) => {
  /** `hasBegun` waits until these builds have begun, in this order; `end` ends the first one of them that runs. */
  async function start() {
    const begun: string[] = [];
    const waiting: ReturnType<typeof gate>[] = [];
    service = await startTestService({
      catalogs: sourceOf(shop),
      databaseUrl: engine === 'postgres' ? await createDatabase() : undefined,
      jobs: { stopGrace: 0 },
      builder: {
        preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
        build: async ({ goal }, { signal }) => {
          begun.push(goal);
          const slow = gate();
          waiting.push(slow);
          signal.addEventListener('abort', slow.open, { once: true });
          await slow.wait();
          return { built: false, errorType: 'NO_DATA_FOUND', message: 'No' };
        },
      },
    });
    const [ann, bob, eve] = await Promise.all(
      ['ann', 'bob', 'eve'].map((name) => addTestUser(service, name)),
    );
    if (ann === undefined || bob === undefined || eve === undefined) return expect.fail('No users');
    const build = async (user: { headers: Record<string, string> }, goal: string) => {
      const body = { website_url: `https://${goal}.example/`, goal: `List ${goal}` };
      expect((await service.call('POST', '/build-request', body, user.headers)).status).toBe(201);
    };
    const hasBegun = (...goals: string[]) =>
      expect.poll(() => begun, { timeout: 10_000 }).toEqual(goals.map((goal) => `List ${goal}`));
    return { users: { ann, bob, eve }, build, hasBegun, end: () => waiting.shift()?.open() };
  }

  it('a task starts at once while nine slow builds of three users wait', async () => {
    const { users, build, hasBegun } = await start();
    await build(users.ann, 'ann1');
    await hasBegun('ann1');
    await build(users.ann, 'ann2');
    await hasBegun('ann1', 'ann2');
    for (const goal of ['bob1', 'bob2', 'bob3']) await build(users.bob, goal);
    for (const goal of ['eve1', 'eve2', 'eve3']) await build(users.eve, goal);
    await build(users.ann, 'ann3');
    const tasks = await Promise.all(
      [1, 2, 3].map(() => service.call('POST', '/task', { action_id: 'books' })),
    );
    for (const { body } of tasks)
      expect(await service.finished(body.job_id)).toMatchObject({ status: 'completed' });
    await hasBegun('ann1', 'ann2');
  });

  it('one user has both places of builds only while no other user waits', async () => {
    const { users, build, hasBegun, end } = await start();
    const { ann, bob, eve } = users;
    await build(ann, 'ann1');
    await hasBegun('ann1');
    await build(ann, 'ann2');
    await hasBegun('ann1', 'ann2');
    await build(ann, 'ann3');
    await build(bob, 'bob1');
    await build(eve, 'eve1');
    await build(bob, 'bob2');
    // Ann has one place; her third build is the oldest, and waits for the second user's first one.
    end();
    await hasBegun('ann1', 'ann2', 'bob1');
    end();
    await hasBegun('ann1', 'ann2', 'bob1', 'ann3');
    end();
    await hasBegun('ann1', 'ann2', 'bob1', 'ann3', 'eve1');
    end();
    await hasBegun('ann1', 'ann2', 'bob1', 'ann3', 'eve1', 'bob2');
  });
});
