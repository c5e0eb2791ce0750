/** While a limit applies and nothing says what an action costs, one run goes first and shows it, on both engines. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { EndRecord, PaidRows } from '../../../src/gateway/paid/paid-rows.ts';
import type { PaidRow } from '../../../src/gateway/store/schema.ts';
import { useDatabases } from '../../support/databases.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';
import { createCall } from '../../support/orders.ts';
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

const finish = (rows: PaidRows, { id }: PaidRow, more: Partial<EndRecord> = {}) =>
  rows.finish(id, { ...end, ...more });
const end = { jobId: 'job', outcome: 'completed', charged: 5, durationMs: 1 } as const;

describe.each(engines)('a claim of a run whose cost nobody knows, on %s,', (engine) => {
  const newTarget = async () =>
    engine === 'sqlite'
      ? { file: join(await temporaryFolder(), 'gateway.db') }
      : { url: await createDatabase() };

  const unknownCost = { limits: { perDay: 100 }, isCostKnown: false };
  async function beside(more: Parameters<typeof insertRow>[1] = {}) {
    const store = await openRows(await newTarget());
    const { orders, database } = store;
    const other = await insertRow(orders, { call: createCall(2), ...more });
    const row = await planRow(orders);
    const age = (ms: number) =>
      database.query
        .updateTable('gateway_intent')
        .set((one) => ({ created_at: one('created_at', '-', ms) }))
        .where('id', '=', other.id)
        .execute();
    return { ...store, other, row, age, claimed: () => claim(orders, row, unknownCost) };
  }
  const waits = { kind: 'probe' };

  it('waits while another one is sent and runs, and is made once that has ended', async () => {
    const { rows, other, claimed } = await beside();
    expect(await claimed()).toMatchObject(waits);
    await rows.accept(other.id, 'job');
    expect(await claimed()).toMatchObject(waits);
    await finish(rows, other);
    expect(await claimed()).toMatchObject({ kind: 'claimed' });
  });

  it('is made once the other one has taken longer than ten minutes', async () => {
    const { rows, other, claimed, age } = await beside();
    await rows.accept(other.id, 'job');
    await age(9.5 * 60_000);
    expect(await claimed()).toMatchObject(waits);
    await age(60_000);
    expect(await claimed()).toMatchObject({ kind: 'claimed' });
  });

  it('is made where the other one is in doubt', async () => {
    const { rows, other, claimed } = await beside();
    await rows.doubt(other);
    expect(await claimed()).toMatchObject({ kind: 'claimed' });
  });

  it('waits for the run that is sent in the place of one in doubt', async () => {
    const { rows, orders, other, claimed } = await beside();
    const doubt = await rows.doubt(other);
    await insertRow(orders, { call: createCall(2), replaced: doubt });
    expect(await claimed()).toMatchObject(waits);
  });

  it('does not wait for a run that failed, was refused or got lost', async () => {
    const { rows, orders, other, claimed } = await beside();
    await rows.accept(other.id, 'job');
    await finish(rows, other, { outcome: 'failed', charged: 0 });
    const refused = await insertRow(orders, { call: createCall(3) });
    await rows.refuse(refused, { code: 'X', message: 'x' });
    const lost = await insertRow(orders, { call: createCall(4) });
    await rows.accept(lost.id, 'lost job');
    await rows.lose(lost.id);
    expect(await claimed()).toMatchObject({ kind: 'claimed' });
  });

  it.each([
    ['of another action', { call: { ...createCall(2), subject: 'shop-other' } }],
    ['at another base price', { price: 4 }],
  ])('does not wait for a run %s', async (_, more) => {
    const { claimed } = await beside(more);
    expect(await claimed()).toMatchObject({ kind: 'claimed' });
  });

  it('waits for a run of another principal that acts with the same key', async () => {
    const target = await newTarget();
    const other = await openRows(target, paidPrincipal('somebody else'));
    await insertRow(other.orders);
    const { orders } = await openRows(target);
    expect(await claim(orders, await planRow(orders), unknownCost)).toMatchObject(waits);
  });

  it('is made by one of several at once, and the others wait', async () => {
    const target = await newTarget();
    const stores = await Promise.all([1, 2, 3].map(() => openRows(target)));
    const claims = await Promise.all(
      stores.map(async ({ orders }, page) =>
        claim(orders, await planRow(orders, { call: createCall(page) }), unknownCost),
      ),
    );
    expect(claims.map(({ kind }) => kind).toSorted()).toEqual(['claimed', 'probe', 'probe']);
  });
});

describe.each(engines)('a single call whose cost nobody knows, on %s,', (engine) => {
  const unknownCost = { limits: { perDay: 100 }, isCostKnown: false };
  async function open() {
    const target =
      engine === 'sqlite'
        ? { file: join(await temporaryFolder(), 'gateway.db') }
        : { url: await createDatabase() };
    return openRows(target);
  }

  it('is not written while another one is under way, and is once that has ended', async () => {
    const { rows, orders } = await open();
    const other = await insertRow(orders, { call: createCall(2) });
    expect(await tryInsert(orders, unknownCost)).toMatchObject({ kind: 'probe', probes: [{ id: other.id }] });
    expect(await rows.findOpen(createCall())).toBeUndefined();
    await finish(rows, other);
    expect(await tryInsert(orders, unknownCost)).toMatchObject({ kind: 'inserted' });
  });

  it('is written by one of several at once', async () => {
    const { orders } = await open();
    const inserted = await Promise.all(
      [1, 2, 3].map((page) => tryInsert(orders, { ...unknownCost, call: createCall(page) })),
    );
    expect(inserted.map(({ kind }) => kind).toSorted()).toEqual(['inserted', 'probe', 'probe']);
  });

  it('does not wait where it takes the place of its own doubt', async () => {
    const { rows, orders } = await open();
    const doubt = await rows.doubt(await insertRow(orders));
    await insertRow(orders, { call: createCall(2) });
    expect(await tryInsert(orders, { ...unknownCost, replaced: doubt })).toMatchObject({ kind: 'inserted' });
  });
});
