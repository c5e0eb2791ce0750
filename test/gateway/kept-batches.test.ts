/** Batches that replicas share, whose clocks differ. */
import { describe, expect, it } from 'vitest';
import { createPrincipal } from '../../src/gateway/interface/principal.ts';
import { Intents } from '../../src/gateway/store/intents.ts';
import { KeptBatches } from '../../src/gateway/store/kept-batches.ts';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import type { GatewaySchema } from '../../src/gateway/store/schema.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { useDatabases } from '../support/databases.ts';
import { hasPostgres } from '../support/postgres.ts';
import { withWrongClock } from '../support/wrong-clock.ts';

const createDatabase = useDatabases();

describe.skipIf(!hasPostgres)('a batch of another replica', () => {
  it('is under way for every replica, whatever its clock says', async () => {
    const url = await createDatabase();
    const database = await openDatabase<GatewaySchema>({ url }, gatewayMigrations, 'gateway');
    const principal = createPrincipal('http://service.example', 'key');
    const batches = new KeptBatches(database, principal, new Intents(database, principal));
    const inputs = [{ params: {}, hash: 'one' }];
    const hour = 3_600_000;
    for (const [writer, reader] of [
      [0, hour],
      [-hour, 0],
      [30 * hour, -30 * hour],
    ] as const) {
      const batch = await withWrongClock(writer, () => batches.add('quick', inputs));
      if (batch === undefined) return expect.fail('Not written');
      // Of another machine: only its lease tells whether it lives.
      await database.query.updateTable('gateway_batch').set({ owner: 'elsewhere:1:x' }).execute();
      const openSame = () => withWrongClock(reader, () => batches.openSame(inputs));
      const same = await openSame();
      expect(same).toMatchObject({ id: batch.id });
      expect(same && batches.hasEnded(same)).toBe(false);
      await withWrongClock(writer, () => batches.finish(batch.id, undefined));
      expect(await openSame()).toMatchObject({ id: batch.id });
      await batches.delivered(batch.id);
      expect(await openSame()).toBeUndefined();
    }
    await database.close();
  });
});
