/**
 * Paid rows of one principal, for tests of the statements that write them.
 *
 *     const { rows, orders, database } = await openRows(target);
 *     const row = await insertRow(orders);                     // one call that costs 5 credits, about to be sent
 */

import { randomUUID } from 'node:crypto';
import { GroupRows } from '../../src/gateway/paid/group-rows.ts';
import type { Order } from '../../src/gateway/paid/order.ts';
import { type ClaimResult, type InsertResult, OrderRows } from '../../src/gateway/paid/order-rows.ts';
import { createOwner } from '../../src/gateway/paid/owner.ts';
import { PaidRows } from '../../src/gateway/paid/paid-rows.ts';
import { RowQueries } from '../../src/gateway/paid/row-queries.ts';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import type { GatewaySchema, PaidRow } from '../../src/gateway/store/schema.ts';
import type { Target } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { closeLater } from './gateway.ts';
import { createOrder, createQuote, type Terms } from './orders.ts';

export const paidPrincipal = (id = 'someone') => ({
  id,
  service: 'http://localhost/v1/svc',
  serviceKey: 'key',
});

const orderOf = ({ call, submitWithinMs = 30_000 }: Terms): Order =>
  createOrder({ ...call, params: Object(call?.params ?? { page: 1 }), submitWithinMs });

/** Each call opens the database anew, as another process does. */
export async function openRows(target: Target, principal = paidPrincipal()) {
  const database = await openDatabase<GatewaySchema>(target, gatewayMigrations, 'gateway');
  closeLater(() => database.close());
  const rows = new PaidRows(database, principal);
  const orders = new OrderRows(database, principal, rows);
  return {
    database,
    rows,
    orders,
    queries: new RowQueries(database, principal),
    groups: new GroupRows(database, principal, rows, orders),
  };
}

export const tryInsert = (orders: OrderRows, terms: Terms = {}): Promise<InsertResult> =>
  orders.insert(orderOf(terms), createQuote(terms), { keyed: false, id: randomUUID(), ...terms });

export async function insertRow(orders: OrderRows, terms: Terms = {}): Promise<PaidRow> {
  const inserted = await tryInsert(orders, terms);
  if (inserted.kind !== 'inserted') throw new Error(`It is ${inserted.kind}`);
  return inserted.row;
}

/** A row that waits for a claim. */
export async function planRow(orders: OrderRows, terms: Terms = {}): Promise<PaidRow> {
  const planned = await orders.plan(orderOf(terms));
  if (planned === undefined) throw new Error('It was not planned');
  return planned;
}

/** `paidFor`: the group that pays; by default that of the allowance. */
export function claimRow(
  orders: OrderRows,
  row: PaidRow,
  terms: Terms & { readonly paidFor?: string | null } = {},
): Promise<ClaimResult> {
  const { paidFor = terms.limits?.allowance?.groupId ?? null, submitWithinMs = 30_000 } = terms;
  const group = paidFor === null ? undefined : { groupId: paidFor, allowance: null, confirmed: null };
  const claim = { owner: createOwner(), keyed: false };
  return orders.claim(row, { submitWithinMs, group }, createQuote(terms), claim);
}
