/**
 * Paid rows of one principal, for tests of the statements that write them.
 *
 *     const { rows, database } = await openRows(target);
 *     const row = await insertRow(rows);                     // one call that costs 5 credits, about to be sent
 */

import { randomUUID } from 'node:crypto';
import type { PaidCall } from '../../src/gateway/paid/call.ts';
import { GroupRows } from '../../src/gateway/paid/group-rows.ts';
import type { SpendLimits } from '../../src/gateway/paid/limits.ts';
import type { Insertion } from '../../src/gateway/paid/new-row.ts';
import { createOwner } from '../../src/gateway/paid/owner.ts';
import { RowQueries } from '../../src/gateway/paid/row-queries.ts';
import { type ClaimResult, PaidRows } from '../../src/gateway/paid/rows.ts';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import type { GatewaySchema, PaidRow } from '../../src/gateway/store/schema.ts';
import type { Target } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { closeLater } from './gateway.ts';

export const paidPrincipal = (id = 'someone') => ({
  id,
  service: 'http://localhost/v1/svc',
  serviceKey: 'key',
});

export const createCall = (page = 1): PaidCall => ({
  kind: 'run',
  subject: 'shop-list',
  params: { page },
  credentialId: undefined,
});

export const insertion = (more: Partial<Insertion> = {}): Insertion => ({
  id: randomUUID(),
  call: createCall(),
  price: 5,
  reserve: 5,
  limits: {},
  submitWithinMs: 30_000,
  keyed: false,
  account: null,
  paidFor: null,
  consent: undefined,
  ...more,
});

/** Each call opens the database anew, as another process does. */
export async function openRows(target: Target, principal = paidPrincipal()) {
  const database = await openDatabase<GatewaySchema>(target, gatewayMigrations, 'gateway');
  closeLater(() => database.close());
  const rows = new PaidRows(database, principal);
  return {
    database,
    rows,
    queries: new RowQueries(database, principal),
    groups: new GroupRows(database, principal, rows),
  };
}

export async function insertRow(rows: PaidRows, more: Partial<Insertion> = {}): Promise<PaidRow> {
  const inserted = await rows.insert(insertion(more));
  if (inserted.kind !== 'inserted') throw new Error(`It is ${inserted.kind}`);
  return inserted.row;
}

/** A row that waits for a claim. */
export async function planRow(rows: PaidRows, more: Partial<Insertion> = {}): Promise<PaidRow> {
  const planned = await rows.plan(insertion(more));
  if (planned === undefined) throw new Error('It was not planned');
  return planned;
}

export const claimRow = (
  rows: PaidRows,
  row: PaidRow,
  {
    limits = {},
    isCostKnown = true,
    reserve = 5,
    submitWithinMs = 30_000,
    paidFor = limits.allowance?.groupId ?? null,
    consent,
  }: {
    submitWithinMs?: number;
    limits?: SpendLimits;
    isCostKnown?: boolean;
    reserve?: number;
    paidFor?: string | null;
    consent?: string | undefined;
  } = {},
): Promise<ClaimResult> => {
  const terms = {
    owner: createOwner(),
    price: 5,
    reserve,
    submitWithinMs,
    keyed: false,
    paidFor,
    consent,
  };
  return rows.claim(row, terms, { limits, isCostKnown });
};
