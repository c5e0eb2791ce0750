/** Errors that say for certain that nothing was written, so that callers may say "not deducted". */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Target } from '../../src/store/database.ts';
import { storeFailure } from '../../src/store/errors.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { statement } from '../../src/store/statement.ts';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { engines, hasPostgres } from '../support/postgres.ts';
import {
  action,
  catalog,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
} from '../support/service.ts';

const createDatabase = useDatabases({ isEmpty: true });
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

it.skipIf(!hasPostgres)('a server that became read-only is a store failure', async () => {
  const url = await createDatabase();
  const { pathname } = new URL(url);
  const database = await openDatabase<object>({ url }, []);
  try {
    await database.batch([statement('create table thing (id integer)')]);
    await database.batch([
      statement(`alter database "${pathname.slice(1)}" set default_transaction_read_only = on`),
    ]);
    // The setting counts for connections from now on.
    const readOnly = await openDatabase<object>({ url }, []);
    const batch = readOnly.batch([statement('insert into thing (id) values (1)')]);
    await expect(batch.finally(() => readOnly.close())).rejects.toMatchObject({
      name: 'StoreError',
      message: expect.stringContaining('read-only'),
    });
  } finally {
    await database.close();
  }
});

it.each([
  ['25006', 'unreachable'],
  ['28P01', 'unreachable'],
  ['3D000', 'unreachable'],
  ['42501', 'unreachable'],
  ['25P03', 'failed'],
  ['53300', 'failed'],
  ['57P03', 'failed'],
])('SQLSTATE %s keeps the store from its work', (code, kind) => {
  const failure = storeFailure(Object.assign(new Error('as the server says'), { code }));
  expect(failure).toMatchObject({ name: 'StoreError', kind });
});

it.each(['23505', '42601', '22P02', '40001', '25P02'])(
  'SQLSTATE %s is a mistake of the statement',
  (code) => {
    expect(storeFailure(Object.assign(new Error('as the server says'), { code })).name).toBe('Error');
  },
);

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
  const keyed = await service.call(
    'POST',
    '/task',
    { action_id: 'books' },
    { 'idempotency-key': 'sent-before' },
  );
  expect(keyed.body.error).toMatchObject({
    code: 'EXECUTION_FAILED',
    message: expect.stringContaining('an earlier request with this Idempotency-Key is not known'),
  });
  await rename(`${file}.moved`, file);
  expect(await readMoney(service)).toMatchObject({ balances: { default: 1000 }, mismatches: 0 });
});
