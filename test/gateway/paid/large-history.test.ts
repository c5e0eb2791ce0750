/** What is read beside a paid call must not grow with the history of paid calls. */
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { RowQueries } from '../../../src/gateway/paid/row-queries.ts';
import { gatewayMigrations } from '../../../src/gateway/store/migrations.ts';
import type { GatewaySchema } from '../../../src/gateway/store/schema.ts';
import type { Database } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { type Statement, statement } from '../../../src/store/statement.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';

afterEach(closeGateways);

const principal = { id: 'someone', service: 'http://localhost/v1/svc', serviceKey: 'key' };

const ofAction = 'gateway_intent_completed (principal=? AND subject=?)';

it.each<[string, (queries: RowQueries) => Promise<unknown>, string]>([
  ['durations of an action', (queries) => queries.durations('shop-list', 10), ofAction],
  ['costs of an action', (queries) => queries.costs('shop-list', 10), ofAction],
  ['costs of an action at its price', (queries) => queries.costs('shop-list', 10, 2), ofAction],
])('%s are read from an index that has them in order', async (_, read, index) => {
  const steps = await explain((database) => firstRead(database, read));
  expect(steps).toContain(`SEARCH gateway_intent USING INDEX ${index}`);
  expect(steps).not.toMatch(/SCAN gateway_intent|TEMP B-TREE/);
});

it('what runs is found without the other calls of the day', async () => {
  const steps = await explain((database) => firstRead(database, (queries) => queries.runningToday()));
  expect(steps).toContain('SEARCH gateway_intent USING INDEX gateway_intent_pending (service_key=?)');
});

it.each([
  ['the calls of a principal', "principal = 'someone' and job_id = $1"],
  ['the calls of all', 'job_id = $1'],
])('a job is found by its id among %s', async (_, condition) => {
  const steps = await explain(async () =>
    statement(`select * from gateway_intent where ${condition}`, 'job1'),
  );
  expect(steps).toContain('SEARCH gateway_intent USING INDEX gateway_intent_job (job_id=?)');
});

async function firstRead(
  database: Database<GatewaySchema>,
  read: (queries: RowQueries) => Promise<unknown>,
): Promise<Statement> {
  const reads = vi.spyOn(database, 'read');
  await read(new RowQueries(database, principal));
  return reads.mock.calls[0]?.[0] ?? expect.fail('Nothing was read');
}

/** How a new database finds what the statement reads. */
async function explain(findStatement: (database: Database<GatewaySchema>) => Promise<Statement>) {
  const file = join(await temporaryFolder(), 'gateway.db');
  const database = await openDatabase<GatewaySchema>({ file }, gatewayMigrations, 'gateway');
  try {
    const { sql, parameters } = await findStatement(database);
    const plan = await database.read(
      statement<{ detail: string }>(`explain query plan ${sql}`, ...parameters),
    );
    return plan.map(({ detail }) => detail).join('\n');
  } finally {
    await database.close();
  }
}
