/** Which process sends a row that waits, and what must fit before it does, on both engines. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { callHash } from '../../../src/gateway/paid/call-identity.ts';
import type { SpendLimits } from '../../../src/gateway/paid/spending-limits.ts';
import type { PaidRow } from '../../../src/gateway/store/schema.ts';
import { useDatabases } from '../../support/databases.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';
import { createCall, createOrder } from '../../support/orders.ts';
import {
  claimRow as claim,
  insertRow,
  openRows,
  paidPrincipal,
  planRow,
  tryInsert,
} from '../../support/paid-rows.ts';
import { engines } from '../../support/postgres.ts';

afterEach(closeGateways);
const createDatabase = useDatabases();

const end = { jobId: 'job', outcome: 'completed', charged: 5, durationMs: 1 } as const;

describe.each(engines)('on %s', (engine) => {
  const newTarget = async () =>
    engine === 'sqlite'
      ? { file: join(await temporaryFolder(), 'gateway.db') }
      : { url: await createDatabase() };
  const open = async () => openRows(await newTarget());

  describe('a claim', () => {
    it.each([
      ['without a limit', {}],
      ['under a limit', { limits: { perDay: 100 } }],
      ['of a run that shows the cost', { limits: { perDay: 100 }, isCostKnown: false }],
    ])('%s is won by one of the processes that make it at once', async (_, terms) => {
      const target = await newTarget();
      const first = await openRows(target);
      const others = await Promise.all([1, 2, 3].map(() => openRows(target)));
      for (const page of [1, 2, 3]) {
        const row = await planRow(first.orders, { call: createCall(page) });
        const claims = await Promise.all([first, ...others].map(({ orders }) => claim(orders, row, terms)));
        expect(claims.map(({ kind }) => kind).toSorted()).toEqual(['claimed', 'gone', 'gone', 'gone']);
        // The next run is not to wait for this one.
        const won = claims.find((one) => one.kind === 'claimed');
        await first.rows.refuse(won?.row ?? expect.fail('Nobody won'), { code: 'X', message: 'x' });
      }
    });

    it('after that of another process finds the row gone, however far it has come', async () => {
      const target = await newTarget();
      const [{ rows, orders }, late] = [await openRows(target), await openRows(target)];
      const row = await planRow(orders);
      await claim(orders, row);
      const find = () =>
        Promise.all([claim(late.orders, row), claim(late.orders, row, { limits: { perDay: 1 } })]);
      const gone = [{ kind: 'gone' }, { kind: 'gone' }];
      expect(await find()).toEqual(gone);
      await rows.accept(row.id, 'job');
      expect(await find()).toEqual(gone);
      await rows.finish(row.id, end);
      await rows.deliver(row.id);
      expect(await find()).toEqual(gone);
    });

    it('of a row that was dropped finds it gone', async () => {
      const { rows, orders } = await open();
      const row = await planRow(orders);
      await rows.drop(row.id, { code: 'X', message: 'x' });
      expect(await claim(orders, row)).toEqual({ kind: 'gone' });
    });

    it.each([
      ['without a limit', {}],
      ['under a limit', { limits: { perDay: 100 } }],
    ])('of a row that nobody wanted for an hour finds it gone, %s', async (_, terms) => {
      const { orders, database } = await open();
      const row = await planRow(orders);
      await database.query
        .updateTable('gateway_intent')
        .set((one) => ({ created_at: one('created_at', '-', 61 * 60_000) }))
        .execute();
      expect(await claim(orders, row, terms)).toEqual({ kind: 'gone' });
    });

    it('counts with its reserve from then on', async () => {
      const { orders } = await open();
      const row = await planRow(orders);
      expect(await orders.readSpent()).toMatchObject({ byPrincipal: 0 });
      await claim(orders, row, { reserve: 9 });
      expect(await orders.readSpent()).toMatchObject({ byPrincipal: 9, byKey: 9 });
    });

    it('is refused where it does not fit into the day, and leaves the row to a later one', async () => {
      const { rows, orders } = await open();
      await insertRow(orders, { call: createCall(2) });
      const row = await planRow(orders);
      const over = { kind: 'over', spent: { byPrincipal: 5, byKey: 5, byGroup: 0, now: expect.any(Number) } };
      expect(await claim(orders, row, { limits: { perDay: 9.999 } })).toEqual(over);
      expect(await rows.get(row.id)).toMatchObject({ state: 'planned', open: 1, charged: 0 });
      expect(await claim(orders, row, { limits: { perDay: 10 } })).toMatchObject({ kind: 'claimed' });
    });

    it('counts what others have spent with the same key against the limit of the key alone', async () => {
      const target = await newTarget();
      const other = await openRows(target, paidPrincipal('somebody else'));
      await insertRow(other.orders);
      const { orders } = await openRows(target);
      const row = await planRow(orders);
      const over = { kind: 'over', spent: { byPrincipal: 0, byKey: 5, byGroup: 0, now: expect.any(Number) } };
      expect(await claim(orders, row, { limits: { perDayPerKey: 9 } })).toEqual(over);
      expect(await claim(orders, row, { limits: { perDay: 9 } })).toMatchObject({ kind: 'claimed' });
    });

    it.each([['perDay'], ['perDayPerKey']] as const)(
      'of many rows at once by several processes never exceeds the limit %s',
      async (limit) => {
        const target = await newTarget();
        const stores = await Promise.all([1, 2].map(() => openRows(target)));
        const planned: PaidRow[] = [];
        for (let page = 0; page < 8; page += 1) {
          const { orders } = stores[0] ?? expect.fail('No store');
          planned.push(await planRow(orders, { call: createCall(page) }));
        }
        const claims = await Promise.all(
          stores.flatMap(({ orders }) =>
            planned.map((row) => claim(orders, row, { limits: { [limit]: 17 } })),
          ),
        );
        expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(3);
        expect(await stores[0]?.orders.readSpent()).toMatchObject({ byPrincipal: 15, byKey: 15 });
      },
    );

    // 0.1 + 0.2 is above 0.3 in binary, and 1000 times 2.007 above 2007.
    it.each([
      [[0.1], 0.2, 0.3],
      [[0.1, 0.2], 0.7, 1],
      [[2.007], 0.03, 2.037],
    ])(
      'after %j of %d more fits into %d exactly, and a thousandth more does not',
      async (costs, reserve, limit) => {
        const { orders } = await open();
        for (const [page, cost] of costs.entries()) {
          await insertRow(orders, { call: createCall(page + 2), reserve: cost });
        }
        const row = await planRow(orders);
        const limits = [{ perDay: limit }, { perDayPerKey: limit }];
        for (const one of limits) {
          const above = await claim(orders, row, { reserve: reserve + 0.001, limits: one });
          expect(above).toMatchObject({ kind: 'over' });
        }
        const both = { ...limits[0], ...limits[1] };
        expect(await claim(orders, row, { reserve, limits: both })).toMatchObject({ kind: 'claimed' });
        expect(await orders.readSpent()).toMatchObject({ byPrincipal: limit, byKey: limit });
      },
    );
  });

  describe('the allowance of a group', () => {
    /** A group of so many calls, each once, the first `cached` of which have an earlier result. */
    async function openGroup(count: number, cached = 0) {
      const store = await open();
      const { rows, orders, groups } = store;
      const calls = Array.from({ length: count }, (_, page) => createCall(page));
      const earlier: PaidRow[] = [];
      for (const call of calls.slice(0, cached)) {
        const row = await insertRow(orders, { call });
        await rows.finish(row.id, end);
        await rows.deliver(row.id);
        earlier.push(row);
      }
      const members = calls.map((call, index) => ({ order: createOrder(call), cached: earlier[index]?.id }));
      const hashes = calls.map((call) => callHash(call));
      const group = await groups.insert(
        { actionId: 'shop-list', hashes, allowance: 10, confirmed: undefined, consent: undefined },
        members,
      );
      if (group === undefined) return expect.fail('No group');
      const of = (await groups.members(group.id)).map(({ row }) => row ?? expect.fail('No row'));
      return { ...store, rowsOf: of, limits: { allowance: { groupId: group.id, credits: 10 } } };
    }

    it('is kept by claims, whatever else was spent', async () => {
      const { orders, rowsOf, limits } = await openGroup(4);
      await insertRow(orders, { call: createCall(99) });
      const claims = await Promise.all(rowsOf.map((row) => claim(orders, row, { limits })));
      expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(2);
      const over = claims.find(({ kind }) => kind === 'over');
      expect(over).toEqual({
        kind: 'over',
        spent: { byPrincipal: 15, byKey: 15, byGroup: 10, now: expect.any(Number) },
      });
    });

    it('gets back what a run did not cost', async () => {
      const { rows, orders, rowsOf, limits } = await openGroup(3);
      const [first, second, third] = rowsOf;
      if (first === undefined || second === undefined || third === undefined) return expect.fail('No rows');
      await claim(orders, first, { limits, reserve: 9 });
      expect(await claim(orders, second, { limits })).toMatchObject({ kind: 'over' });
      await rows.accept(first.id, 'job');
      await rows.finish(first.id, { ...end, charged: 5 });
      expect(await claim(orders, second, { limits })).toMatchObject({ kind: 'claimed' });
      expect(await claim(orders, third, { limits })).toMatchObject({ kind: 'over', spent: { byGroup: 10 } });
    });

    it('does not count earlier results, which the group does not pay', async () => {
      const { orders, rowsOf, limits } = await openGroup(3, 1);
      for (const row of rowsOf.slice(1)) {
        expect(await claim(orders, row, { limits })).toMatchObject({ kind: 'claimed' });
      }
    });
  });

  describe('a resubmit of a doubt', () => {
    async function inDoubt() {
      const { rows, orders } = await open();
      const row = await insertRow(orders);
      const { id } = row;
      const doubt = await rows.doubt(row);
      const resubmit = (limits: SpendLimits) => tryInsert(orders, { replaced: doubt, limits });
      return { rows, orders, id, resubmit };
    }

    it.each([['perDay'], ['perDayPerKey']] as const)(
      'that does not fit the limit %s leaves the doubt, which goes on blocking the call',
      async (limit) => {
        const { rows, orders, id, resubmit } = await inDoubt();
        const spent = { byPrincipal: 5, byKey: 5, byGroup: 0, now: expect.any(Number) };
        expect(await resubmit({ [limit]: 9 })).toEqual({ kind: 'over', spent });
        expect(await rows.findOpen(createCall())).toMatchObject({ id, state: 'unknown', charged: 5 });
        expect(await tryInsert(orders)).toEqual({ kind: 'exists' });
      },
    );

    it('that fits takes its place, and both count', async () => {
      const { rows, orders, id, resubmit } = await inDoubt();
      const inserted = await resubmit({ perDay: 10 });
      expect(inserted).toMatchObject({ kind: 'inserted', row: { state: 'intended' } });
      expect(await rows.get(id)).toMatchObject({ state: 'unknown', open: 0 });
      expect(await orders.readSpent()).toMatchObject({ byPrincipal: 10 });
    });

    it('is sent once, where several people go past it at once', async () => {
      const { resubmit } = await inDoubt();
      const inserted = await Promise.all([1, 2, 3].map(() => resubmit({ perDay: 1000 })));
      expect(inserted.map(({ kind }) => kind).toSorted()).toEqual(['exists', 'exists', 'inserted']);
    });

    it('that comes after the answer to the first submission sends nothing', async () => {
      const { rows, id, resubmit } = await inDoubt();
      await rows.accept(id, 'job');
      expect(await resubmit({})).toEqual({ kind: 'exists' });
      expect(await rows.findOpen(createCall())).toMatchObject({ id, state: 'submitted' });
    });
  });
});
