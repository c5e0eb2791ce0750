/**
 * Credits. Every change is a ledger row and the same change of the user's balance, in one transaction with what it
 * pays for, so that the balance is always the sum of the rows, also after a death at any point.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { LedgerKind, ServiceTransaction } from '../database/schema.ts';

/**
 * The balance, with the user's row locked until the transaction ends: who spends waits here for its turn.
 */
export async function lockBalance(transaction: ServiceTransaction, userId: string): Promise<number> {
  const row = await transaction
    .updateTable('users')
    .set({ balance: sql<number>`balance` })
    .where('id', '=', userId)
    .returning('balance')
    .executeTakeFirstOrThrow();
  return row.balance;
}

/**
 * Adds `amount` (negative: takes it). False, and nothing is changed, if the job has a row of this kind already.
 * Throws where the balance would fall below zero: callers check it under `lockBalance` first.
 */
export async function post(
  transaction: ServiceTransaction,
  entry: { userId: string; kind: LedgerKind; amount: number; jobId: string | null },
): Promise<boolean> {
  const inserted = await transaction
    .insertInto('ledger')
    .values({
      id: randomUUID(),
      user_id: entry.userId,
      kind: entry.kind,
      amount: entry.amount,
      job_id: entry.jobId,
      created_at: Date.now(),
    })
    .onConflict((conflict) => conflict.columns(['job_id', 'kind']).doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows !== 1n) return false;
  await transaction
    .updateTable('users')
    .set((row) => ({ balance: row('balance', '+', entry.amount) }))
    .where('id', '=', entry.userId)
    .execute();
  return true;
}
