/** Two replicas on one PostgreSQL, one of which believes to be in another year: times that both compare are the database's. */
import { afterAll, describe, expect, it } from 'vitest';
import { GatewayDatabase } from '../../src/gateway/store/gateway-database.ts';
import { KeptResults } from '../../src/gateway/store/kept-results.ts';
import { SessionRecords } from '../../src/gateway/store/session-records.ts';
import { useDatabases } from '../support/databases.ts';
import { hasPostgres } from '../support/postgres.ts';
import { withWrongClock } from '../support/wrong-clock.ts';

const yearMs = 365 * 24 * 3_600_000;
const idleMs = 60_000;

const createDatabase = useDatabases();
let database: GatewayDatabase | undefined;
const opened = async () => {
  database ??= new GatewayDatabase({ url: await createDatabase() });
  return database;
};
afterAll(() => database?.close());

describe.skipIf(!hasPostgres).each([yearMs, -yearMs])(
  'a replica whose clock is wrong by %i ms',
  (wrongByMs) => {
    const wrongly = <Result>(work: () => Promise<Result>) => withWrongClock(wrongByMs, work);

    it('neither ends the sessions of others nor keeps its own longer', async () => {
      const records = new SessionRecords(await opened());
      await records.use('of the right one');
      expect(await wrongly(() => records.isOpen('of the right one', idleMs))).toBe(true);
      await wrongly(() => records.use('of the wrong one'));
      expect(await records.isOpen('of the wrong one', idleMs)).toBe(true);
      expect(await records.isOpen('of the right one', idleMs)).toBe(true);
      const { query } = await (await opened()).open();
      await query
        .updateTable('gateway_session')
        .set({ used_at: Date.now() - 2 * idleMs })
        .execute();
      expect(await wrongly(() => records.isOpen('of the wrong one', idleMs))).toBe(false);
    });

    it('keeps results from now on', async () => {
      const store = await (await opened()).open();
      await wrongly(() => new KeptResults(store, 'key').keep(`job ${wrongByMs}`, '{"status":"completed"}'));
      const { kept_at: keptAt } = await store.query
        .selectFrom('gateway_result')
        .select('kept_at')
        .where('job_id', '=', `job ${wrongByMs}`)
        .executeTakeFirstOrThrow();
      expect(Math.abs(keptAt - Date.now())).toBeLessThan(60_000);
    });
  },
);
