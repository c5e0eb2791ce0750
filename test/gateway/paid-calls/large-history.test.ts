/** What is read before and while a job is polled must not grow with the history of paid calls. */
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { Intents } from '../../../src/gateway/store/intents.ts';
import { gatewayMigrations } from '../../../src/gateway/store/migrations.ts';
import type { GatewaySchema } from '../../../src/gateway/store/schema.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { statement } from '../../../src/store/statement.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';

afterEach(closeGateways);

it('durations of an action are read from an index that has them in order', async () => {
  const file = join(await temporaryFolder(), 'gateway.db');
  const database = await openDatabase<GatewaySchema>({ file }, gatewayMigrations, 'gateway');
  try {
    const read = vi.spyOn(database, 'read');
    const principal = { id: 'someone', origin: 'http://localhost', serviceKey: 'key' };
    await new Intents(database, principal).durations('shop-list');
    const [asked] = read.mock.calls[0] ?? expect.fail('Nothing was read');
    const plan = await database.read(
      statement<{ detail: string }>(`explain query plan ${asked.sql}`, ...asked.parameters),
    );
    const steps = plan.map(({ detail }) => detail).join('\n');
    expect(steps).toContain(
      'SEARCH gateway_intent USING INDEX gateway_intent_durations (principal=? AND subject=?)',
    );
    expect(steps).not.toMatch(/SCAN gateway_intent|TEMP B-TREE/);
  } finally {
    await database.close();
  }
});
