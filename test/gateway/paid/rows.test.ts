/** The writes around a payment on both engines: what a slow, stopped or wrong-clocked process may change. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { OrderRows } from '../../../src/gateway/paid/order-rows.ts';
import { thisProcess } from '../../../src/gateway/paid/owner.ts';
import type { GatewaySchema } from '../../../src/gateway/store/schema.ts';
import type { Database } from '../../../src/store/database.ts';
import { useDatabases } from '../../support/databases.ts';
import { closeGateways, temporaryFolder } from '../../support/gateway.ts';
import { createCall, createOrder } from '../../support/orders.ts';
import { claimRow, insertRow, openRows, tryInsert } from '../../support/paid-rows.ts';
import { engines } from '../../support/postgres.ts';
import { holdWriteLock } from '../../support/write-lock.ts';
import { withWrongClock } from '../../support/wrong-clock.ts';

const createDatabase = useDatabases();
afterEach(closeGateways);

const call = createCall();
const end = { jobId: 'job-1', outcome: 'completed', charged: 5, durationMs: 1 } as const;
const spentOf = async (orders: OrderRows) => {
  const { byPrincipal, byKey } = await orders.readSpent();
  return { byPrincipal, byKey };
};

describe.each(engines)('paid rows on %s', (engine) => {
  const newTarget = async () =>
    engine === 'sqlite'
      ? { file: join(await temporaryFolder(), 'gateway.db') }
      : { url: await createDatabase() };
  const open = async () => openRows(await newTarget());
  const age = (database: Database<GatewaySchema>, column: 'answered_at' | 'created_at', ms: number) =>
    database.query
      .updateTable('gateway_intent')
      .set((row) => ({ [column]: row(column, '-', ms) }))
      .execute();

  it('of the same call at once are one', async () => {
    const { rows, orders } = await open();
    const inserted = await Promise.all(Array.from({ length: 20 }, () => tryInsert(orders)));
    expect(inserted.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
    expect(inserted.filter(({ kind }) => kind === 'exists')).toHaveLength(19);
    expect(await rows.findOpen(call)).toMatchObject({ state: 'intended', open: 1 });
  });

  it('of different calls at once never exceed the limit of a day', async () => {
    const { orders } = await open();
    const inserted = await Promise.all(
      Array.from({ length: 20 }, (_, page) =>
        tryInsert(orders, { call: createCall(page), limits: { perDay: 52 } }),
      ),
    );
    expect(inserted.filter(({ kind }) => kind === 'inserted')).toHaveLength(10);
    expect(inserted.filter(({ kind }) => kind === 'over')).toHaveLength(10);
    expect(await spentOf(orders)).toEqual({ byPrincipal: 50, byKey: 50 });
  });

  it('that do not fit a limit are not written, and say what was spent', async () => {
    const { orders, queries } = await open();
    await insertRow(orders);
    const inserted = await tryInsert(orders, { call: createCall(2), limits: { perDay: 9 } });
    expect(inserted).toEqual({
      kind: 'over',
      spent: { byPrincipal: 5, byKey: 5, byGroup: 0, now: expect.any(Number) },
    });
    expect(await queries.newest(5)).toHaveLength(1);
  });

  it('cannot be sent again once another process has called them unknown', async () => {
    const { rows, orders } = await open();
    const row = await insertRow(orders, { submitWithinMs: -10_000 });
    expect(await rows.get(row.id)).toMatchObject({ state: 'unknown' });
    expect(await rows.renew(row, 30_000)).toBe(false);
  });

  it('that wait for a claim are sent once, with their whole time from then on', async () => {
    const { rows, orders, database } = await open();
    const planned = await orders.plan(createOrder());
    if (planned === undefined) return expect.fail('Not planned');
    await age(database, 'created_at', 50 * 60_000);
    const claim = () => claimRow(orders, planned, { submitWithinMs: 60_000 });
    const claimed = await claim();
    if (claimed.kind !== 'claimed') return expect.fail(`It is ${claimed.kind}`);
    expect(claimed.row.deadline).toBe(claimed.row.created_at + 60_000);
    expect(claimed.row.created_at).toBeGreaterThan(planned.created_at - 60_000);
    await rows.accept(planned.id, 'job-1');
    expect(await claim()).toEqual({ kind: 'gone' });
  });

  it('in doubt accept a late answer', async () => {
    const { rows, orders } = await open();
    const row = await insertRow(orders);
    const { id } = row;
    await rows.doubt(row);
    expect(await rows.accept(id, 'job-1')).toMatchObject({ state: 'submitted', open: 1 });
    expect(await rows.findOpen(call)).toMatchObject({ id, state: 'submitted', job_id: 'job-1' });
  });

  it('that were resubmitted show the other submission when their answer comes late', async () => {
    const { rows, orders, queries } = await open();
    const first = await insertRow(orders);
    const doubt = await rows.doubt(first);
    const second = await insertRow(orders, { replaced: doubt });
    const late = await rows.accept(first.id, 'job-1');
    expect(late).toMatchObject({ state: 'submitted', open: 0 });
    if (late === undefined) return expect.fail('Not accepted');
    expect(await queries.other(late)).toMatchObject({ id: second.id });
  });

  it('that the database has lost are put back by their next change, closed where the same call was begun anew', async () => {
    const { rows, orders, queries, database } = await open();
    const lose = () => database.query.deleteFrom('gateway_intent').execute();
    const row = await insertRow(orders);
    await lose();
    const accept = () => rows.changeSent(row, () => rows.accept(row.id, 'job-1'));
    expect(await accept()).toMatchObject({ state: 'submitted', open: 1 });
    expect(await rows.get(row.id)).toMatchObject({
      ...row,
      state: 'submitted',
      job_id: 'job-1',
      submitted_at: expect.any(Number),
    });
    // A row that is there, and may not be changed, stays as it is.
    expect(await accept()).toBeUndefined();
    await lose();
    const anew = await insertRow(orders);
    expect(await accept()).toMatchObject({ state: 'submitted', open: 0 });
    expect(await rows.findOpen(call)).toMatchObject({ id: anew.id, state: 'intended' });
    expect(await queries.newest(5)).toHaveLength(2);
    expect(await spentOf(orders)).toEqual({ byPrincipal: 10, byKey: 10 });
  });

  it('that were delivered stay so, whatever a late process writes', async () => {
    const { rows, orders } = await open();
    const row = await insertRow(orders);
    const { id } = row;
    await rows.accept(id, 'job-1');
    await rows.finish(id, end);
    await rows.deliver(id);
    expect(await rows.doubt(row)).toBeUndefined();
    expect(await rows.refuse(row, { code: 'X', message: 'x' })).toBeUndefined();
    expect(await rows.accept(id, 'job-2')).toBeUndefined();
    expect(await rows.get(id)).toMatchObject({ state: 'delivered', job_id: 'job-1' });
  });

  it('that a client left unread attach for two minutes only', async () => {
    const { rows, orders, database } = await open();
    const { id } = await insertRow(orders);
    await rows.finish(id, end);
    await rows.answered(id);
    await age(database, 'answered_at', 115_000);
    expect(await rows.findOpen(call)).toMatchObject({ id });
    await age(database, 'answered_at', 6_000);
    expect(await rows.findOpen(call)).toBeUndefined();
  });

  it('that were certainly not sent are refused, also where their write lands late', async () => {
    const { rows, orders } = await open();
    const id = randomUUID();
    const reason = { code: 'STORE_UNAVAILABLE', message: 'x' };
    await expect(orders.abandon({ id, owner: thisProcess }, reason, true)).rejects.toThrow(
      'may still be written',
    );
    await insertRow(orders, { id });
    await orders.abandon({ id, owner: thisProcess }, reason, true);
    expect(await rows.get(id)).toMatchObject({ state: 'refused', open: 0, charged: 0 });
  });

  it('in doubt are asked about by one process', async () => {
    const { rows, orders } = await open();
    const row = await insertRow(orders, { keyed: true });
    await rows.doubt(row);
    const asking = await Promise.all([1, 2, 3].map(() => rows.askAgain(row.id, 30_000)));
    expect(asking.filter(Boolean)).toHaveLength(1);
  });

  it('that are asked about by their key are touched by no late write of who had them before', async () => {
    const { rows, orders } = await open();
    const first = await insertRow(orders, { keyed: true });
    await rows.doubt(first);
    const asked = (await rows.askAgain(first.id, 30_000)) ?? expect.fail('Not asked');
    const reason = { code: 'CANCELLED', message: 'x' };
    expect(await rows.refuse(first, reason)).toBeUndefined();
    expect(await rows.doubt(first)).toBeUndefined();
    expect(await rows.get(first.id)).toMatchObject({ state: 'intended', charged: 5 });
    await rows.doubt(asked);
    expect(await rows.refuse(first, reason)).toBeUndefined();
    expect(await rows.refuse(asked, reason)).toMatchObject({ state: 'refused', charged: 0 });
  });

  it('are judged by the clock of the database', async () => {
    const { rows, orders } = await open();
    const { id } = await insertRow(orders);
    await withWrongClock(60_000, async () => {
      expect(await rows.get(id)).toMatchObject({ state: 'intended' });
      expect(await rows.findOpen(call)).toMatchObject({ id, state: 'intended' });
    });
  });

  it('that a process a day behind has finished wait for their call', async () => {
    const { rows, orders } = await open();
    await withWrongClock(-25 * 3_600_000, async () => {
      const { id } = await insertRow(orders);
      await rows.accept(id, 'job-1');
      await rows.finish(id, end);
    });
    expect(await rows.findOpen(call)).toMatchObject({ state: 'finished' });
  });

  it('count in the day of the database, whatever a process calls today', async () => {
    const { orders } = await open();
    await insertRow(orders);
    for (const hours of [-25, 25]) {
      const spent = await withWrongClock(hours * 3_600_000, () => spentOf(orders));
      expect(spent).toEqual({ byPrincipal: 5, byKey: 5 });
    }
  });

  // The insert does nothing then, but the doubt is closed all the same: the same call is paid again unasked.
  it('stay in doubt where the consent to their resubmit was used up', async () => {
    const { rows, orders } = await open();
    const first = await insertRow(orders, { consent: 'of a person' });
    const { id } = first;
    const doubt = await rows.doubt(first);
    const again = await tryInsert(orders, { replaced: doubt, consent: 'of a person' });
    expect(again).toEqual({ kind: 'exists' });
    expect(await rows.findOpen(call)).toMatchObject({ id, state: 'unknown' });
  });

  it.runIf(engine === 'sqlite')('have their whole time from the end of a wait for the file', async () => {
    const file = join(await temporaryFolder(), 'gateway.db');
    const { orders } = await openRows({ file });
    const release = holdWriteLock(file);
    const inserting = insertRow(orders, { submitWithinMs: 5_000 });
    await delay(400);
    const releasedAt = Date.now();
    release();
    const row = await inserting;
    expect(row.created_at).toBeGreaterThanOrEqual(releasedAt);
    expect(row.deadline).toBe(row.created_at + 5_000);
  });

  it.runIf(engine === 'sqlite')(
    'whose time ends during a wait for the file cannot be sent again',
    async () => {
      const file = join(await temporaryFolder(), 'gateway.db');
      const { rows, orders } = await openRows({ file });
      const row = await insertRow(orders, { submitWithinMs: 300 });
      const release = holdWriteLock(file);
      const renewed = rows.renew(row, 30_000);
      await delay(600);
      release();
      expect(await renewed).toBe(false);
    },
  );
});
