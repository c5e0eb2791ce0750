/** Errors that say for certain that nothing was written, so that callers may say "not deducted". */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Target } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { statement } from '../../src/store/statement.ts';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { engines } from '../support/postgres.ts';
import {
  action,
  catalog,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
} from '../support/service.ts';

const createDatabase = useDatabases();
const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
  await closeGateways();
});

it.each(engines)('a batch of a closed database on %s is refused', async (engine) => {
  const target: Target =
    engine === 'postgres'
      ? { url: await createDatabase() }
      : { file: join(await temporaryFolder(), 'closed.db') };
  const database = await openDatabase<object>(target, []);
  await database.close();
  const batch = database.batch([statement('create table late (id integer)')]);
  await expect(batch).rejects.toMatchObject({ name: 'StoreError', isRefused: true });
});

it('a service whose file was moved away answers at once that nothing was deducted', async () => {
  const dataDir = await temporaryFolder();
  const shop = catalog({ slug: 'shop', actions: [action({ action_id: 'books', credits_per_call: 3 })] });
  const service = await startTestService({ dataDir, catalogs: sourceOf(shop) });
  services.push(service);
  const file = join(dataDir, 'service.db');
  await rename(file, `${file}.moved`);
  const { status, body } = await service.call('POST', '/task', { action_id: 'books' });
  expect([status, body.error]).toMatchObject([
    500,
    { code: 'EXECUTION_FAILED', message: expect.stringContaining('no credits were deducted') },
  ]);
  await rename(`${file}.moved`, file);
  expect(await readMoney(service)).toMatchObject({ balances: { default: 1000 }, mismatches: 0 });
});
