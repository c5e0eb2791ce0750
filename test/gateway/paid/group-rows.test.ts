/** Batches that replicas share, whose clocks differ. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { callHash } from '../../../src/gateway/paid/call-identity.ts';
import { useDatabases } from '../../support/databases.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';
import { createCall, createOrder } from '../../support/orders.ts';
import { claimRow, insertRow, openRows } from '../../support/paid-rows.ts';
import { engines, hasPostgres } from '../../support/postgres.ts';
import { withWrongClock } from '../../support/wrong-clock.ts';

const createDatabase = useDatabases();
afterEach(closeGateways);

const hour = 3_600_000;
const end = { jobId: 'job', outcome: 'completed', charged: 5, durationMs: 1 } as const;

describe.skipIf(!hasPostgres)('a batch of another replica', () => {
  it.each([
    [0, hour],
    [-hour, 0],
    [30 * hour, -30 * hour],
  ])('is under way for every replica, with clocks %i and %i ms wrong', async (writer, reader) => {
    const { database, rows, orders, groups } = await openRows({ url: await createDatabase() });
    const hashes = [callHash(createCall())];
    const openSame = () => withWrongClock(reader, () => groups.findOpen(hashes));
    const readRow = async (id: string) => {
      const [first] = await withWrongClock(reader, () => groups.members(id));
      return first?.row ?? expect.fail('No row');
    };
    const group = await withWrongClock(writer, () =>
      groups.insert(
        { actionId: 'shop-list', hashes, allowance: undefined, confirmed: undefined, consent: undefined },
        [{ cached: undefined, order: createOrder() }],
      ),
    );
    if (group === undefined) return expect.fail('Not written');
    expect(await openSame()).toMatchObject({ id: group.id });
    const planned = await readRow(group.id);
    expect(planned).toMatchObject({ state: 'planned', open: 1 });
    expect(await withWrongClock(writer, () => claimRow(orders, planned))).toMatchObject({ kind: 'claimed' });
    // Of another machine: only its deadline tells whether it lives.
    await database.query.updateTable('gateway_intent').set({ owner: 'elsewhere:1:x' }).execute();
    expect(await readRow(group.id)).toMatchObject({ state: 'intended' });
    expect(await openSame()).toMatchObject({ id: group.id });
    await withWrongClock(writer, async () => {
      await rows.accept(planned.id, 'job');
      await rows.finish(planned.id, end);
    });
    expect(await openSame()).toMatchObject({ id: group.id });
    expect(await readRow(group.id)).toMatchObject({ state: 'finished', open: 1 });
    await groups.deliver(group.id);
    expect(await openSame()).toBeUndefined();
  });
});

describe.each(engines)('a new batch on %s', (engine) => {
  async function begin(page: number) {
    const target =
      engine === 'sqlite'
        ? { file: join(await temporaryFolder(), 'gateway.db') }
        : { url: await createDatabase() };
    const store = await openRows(target);
    const call = createCall(page);
    const earlier = await insertRow(store.orders, { call });
    const write = async (cached?: string) => {
      const group = await store.groups.insert(
        {
          actionId: 'shop-list',
          hashes: [callHash(call)],
          allowance: undefined,
          confirmed: undefined,
          consent: undefined,
        },
        [{ cached, order: createOrder(call) }],
      );
      const [member] = await store.groups.members(group?.id ?? expect.fail('Not written'));
      return member;
    };
    return { ...store, earlier, write };
  }

  it('joins a call that is open', async () => {
    const { earlier, write } = await begin(1);
    expect(await write()).toMatchObject({ row: { id: earlier.id, paid_for: null } });
  });

  it('plans a call that was cancelled unsent just before', async () => {
    const { rows, earlier, write } = await begin(2);
    await rows.refuse(earlier, { code: 'CANCELLED', message: 'x' });
    expect(await write()).toMatchObject({ row: { state: 'planned', open: 1 } });
  });

  it('takes an earlier result, and plans nothing', async () => {
    const { rows, earlier, write } = await begin(3);
    await rows.finish(earlier.id, end);
    await rows.deliver(earlier.id);
    expect(await write(earlier.id)).toMatchObject({ row: { id: earlier.id, paid_for: null } });
    expect(await rows.findOpen(createCall(3))).toBeUndefined();
  });
});
