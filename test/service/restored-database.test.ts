/** A service whose PostgreSQL is restored from a backup while it runs: what it had committed since is gone. */
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { useDatabases } from '../support/databases.ts';
import { hasPostgres } from '../support/postgres.ts';
import { backUp } from '../support/restored-database.ts';
import {
  action,
  catalog,
  gate,
  publish,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
  withDatabase,
} from '../support/service.ts';

const shop = catalog({
  slug: 'shop',
  actions: [
    action({ action_id: 'books', credits_per_call: 3 }),
    action({ action_id: 'quick', mode: 'sync', credits_per_call: 2 }),
  ],
});
const later = catalog({ slug: 'later', actions: [action({ action_id: 'later-list' })] });

const createDatabase = useDatabases();
const running: TestService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});

describe.skipIf(!hasPostgres)('after its database was restored, a service', () => {
  let begun = 0;

  async function start() {
    const databaseUrl = await createDatabase();
    const leave = gate();
    onTestFinished(leave.open);
    begun = 0;
    const source = sourceOf(shop);
    const service = await startTestService({
      databaseUrl,
      catalogs: source,
      runner: {
        run: async ({ params }) => {
          begun += 1;
          if (Object(params).waits === true) await leave.wait();
          return { data: {} };
        },
      },
    });
    running.push(service);
    const restoreRows = await backUp(databaseUrl);
    const restore = async () => {
      await restoreRows();
      // The first queries may meet connections that the restore has cut.
      await expect.poll(async () => (await service.call('GET', '/search?q=')).status).toBe(200);
    };
    const list = async () => JSON.stringify((await service.call('GET', '/search?q=')).body);
    return { service, source, leave, restore, list };
  }
  const submit = (service: TestService, action_id: string, params: object = {}) =>
    service.call('POST', '/task', { action_id, params });

  it('knows no job of the time that is gone, has the credits of then, and charges anew as usual', async () => {
    const { service, leave, restore } = await start();
    const before = await readMoney(service);
    const ended = await submit(service, 'books');
    await service.finished(ended.body.job_id);
    const under = await submit(service, 'books', { waits: true });
    const sync = submit(service, 'quick', { waits: true });
    await expect.poll(() => begun).toBe(3);
    await restore();
    leave.open();
    // Its end is written nowhere; the client is told where it would have been.
    expect((await sync).status).toBe(202);
    for (const { body } of [ended, under, await sync])
      expect((await service.call('GET', `/jobs/${body.job_id}`)).status).toBe(404);
    expect(await readMoney(service)).toEqual(before);
    const anew = await submit(service, 'books');
    expect(await service.finished(anew.body.job_id)).toMatchObject({ status: 'completed', credits_used: 3 });
    const { balances, mismatches, doubleRefunds } = await readMoney(service);
    const [[name = '', credits = 0] = []] = Object.entries(before.balances);
    expect({ balances, mismatches, doubleRefunds }).toEqual({
      balances: { ...before.balances, [name]: credits - 3 },
      mismatches: 0,
      doubleRefunds: 0,
    });
  });

  it('lists what is published in it, and imports again the files that it has lost', async () => {
    const { service, source, restore, list } = await start();
    source.set(shop, later);
    await withDatabase(service, (database) =>
      database.transaction((transaction) =>
        publish(transaction, {
          catalog: catalog({ slug: 'built', actions: [] }),
          action: action({ action_id: 'built-list' }),
          ownerUserId: null,
        }),
      ),
    );
    await expect.poll(list).toContain('built-list');
    await expect.poll(list).toContain('later-list');
    await restore();
    await expect.poll(list).not.toContain('built-list');
    await expect.poll(list).toContain('later-list');
    expect((await submit(service, 'built-list')).status).toBe(404);
    const { body } = await submit(service, 'later-list');
    expect(await service.finished(body.job_id)).toMatchObject({ status: 'completed' });
  });
});
