/** Users take turns with the places of jobs and with the room of a site: slow jobs of one delay no other's. */
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
const shops = ['a', 'b', 'c'].map((slug) =>
  catalog({ slug, url: `https://${slug}.example/`, actions: [action({ action_id: `${slug}_list` })] }),
);

let service: TestService;
afterEach(() => service.close());

describe.each(engines)('on %s', (engine) => {
  /** `hasBegun` waits until exactly these runs have begun; `end` ends the first one of them that runs. */
  async function start(jobs: { concurrency: number; concurrencyPerSite: number }) {
    const begun: string[] = [];
    const waiting: ReturnType<typeof gate>[] = [];
    service = await startTestService({
      catalogs: sourceOf(...shops),
      databaseUrl: engine === 'postgres' ? await createDatabase() : undefined,
      jobs: { ...jobs, stopGrace: 0 },
      runner: {
        run: async ({ params }, { signal }) => {
          begun.push(String(params.name));
          const slow = gate();
          waiting.push(slow);
          signal.addEventListener('abort', slow.open, { once: true });
          await slow.wait();
          return { data: {} };
        },
      },
    });
    const [ann, bob] = await Promise.all(['ann', 'bob'].map((name) => addTestUser(service, name)));
    if (ann === undefined || bob === undefined) return expect.fail('No users');
    const submit = async (user: { headers: Record<string, string> }, site: string, name: string) => {
      const body = { action_id: `${site}_list`, params: { name } };
      expect((await service.call('POST', '/task', body, user.headers)).status).toBe(202);
    };
    // Jobs that are claimed at once begin in any order.
    const hasBegun = (...names: string[]) =>
      expect.poll(() => begun.toSorted(), { timeout: 10_000 }).toEqual(names.toSorted());
    return { ann, bob, submit, hasBegun, end: () => waiting.shift()?.open() };
  }

  it('a job starts at once although slow ones of another user on two sites wait for all places', async () => {
    const { ann, bob, submit, hasBegun } = await start({ concurrency: 4, concurrencyPerSite: 4 });
    for (let n = 1; n <= 8; n += 1) await submit(ann, n % 2 === 0 ? 'a' : 'b', `ann${n}`);
    await hasBegun('ann1', 'ann2', 'ann3');
    await submit(bob, 'c', 'bob1');
    await hasBegun('ann1', 'ann2', 'ann3', 'bob1');
  });

  it('a place that becomes free is that of the user with fewer running jobs', async () => {
    const { ann, bob, submit, hasBegun, end } = await start({ concurrency: 4, concurrencyPerSite: 4 });
    for (let n = 1; n <= 6; n += 1) await submit(ann, 'a', `ann${n}`);
    await hasBegun('ann1', 'ann2', 'ann3');
    for (let n = 1; n <= 3; n += 1) await submit(bob, 'b', `bob${n}`);
    await hasBegun('ann1', 'ann2', 'ann3', 'bob1');
    end();
    await hasBegun('ann1', 'ann2', 'ann3', 'bob1', 'bob2');
    end();
    await hasBegun('ann1', 'ann2', 'ann3', 'bob1', 'bob2', 'ann4');
  });

  it('the room of one site goes from user to user', async () => {
    const { ann, bob, submit, hasBegun, end } = await start({ concurrency: 8, concurrencyPerSite: 2 });
    for (let n = 1; n <= 6; n += 1) await submit(ann, 'a', `ann${n}`);
    await hasBegun('ann1', 'ann2');
    await submit(bob, 'a', 'bob1');
    end();
    await hasBegun('ann1', 'ann2', 'bob1');
    end();
    await hasBegun('ann1', 'ann2', 'bob1', 'ann3');
  });

  it('a user whose jobs wait for a full site takes no turn of another site', async () => {
    const { ann, bob, submit, hasBegun, end } = await start({ concurrency: 3, concurrencyPerSite: 1 });
    for (let n = 1; n <= 3; n += 1) await submit(ann, 'a', `ann${n}`);
    await hasBegun('ann1');
    for (let n = 1; n <= 2; n += 1) await submit(bob, 'b', `bob${n}`);
    await hasBegun('ann1', 'bob1');
    await submit(ann, 'c', 'ann-c');
    await hasBegun('ann1', 'bob1', 'ann-c');
    end();
    await hasBegun('ann1', 'bob1', 'ann-c', 'ann2');
  });
});
