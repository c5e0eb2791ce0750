/**
 * Credits. Every change is a ledger row and the same change of the user's balance, in one transaction with what it pays
 * for, so that the balance always equals the sum of the rows, even after a crash.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Statement, statement } from '../../store/statement.ts';
import type { LedgerKind, ServiceDatabase, ServiceTransaction } from '../store/schema.ts';

/** Reads the balance and locks the user's row until the transaction ends, so that spenders take turns. */
export async function lockBalance(transaction: ServiceTransaction, userId: string): Promise<number> {
  const row = await transaction
    .updateTable('users')
    .set({ balance: sql<number>`balance` })
    .where('id', '=', userId)
    .returning('balance')
    .executeTakeFirstOrThrow();
  return row.balance;
}

/** The same as the first statement of a batch: other spenders wait until the batch is committed. */
export const balanceStatement = (
  { engine }: ServiceDatabase,
  userId: string,
): Statement<{ balance: number }> =>
  statement(`select balance from users where id = $1 ${engine === 'postgres' ? 'for update' : ''}`, userId);

/**
 * Adds a ledger row in a batch, and its amount to the balance. `rows` selects at most one row of
 * `(id, user_id, kind, amount, job_id, created_at)`; `$1` is its id, and its other parameters begin with `$2`. A job
 * that has a row of this kind gets no second one.
 */
export function postStatements(
  userId: string,
  { rows, parameters }: { rows: string; parameters: readonly unknown[] },
): Statement[] {
  const id = randomUUID();
  return [
    statement(
      `insert into ledger (id, user_id, kind, amount, job_id, created_at) ${rows}
       on conflict (job_id, kind) do nothing`,
      id,
      ...parameters,
    ),
    statement(
      `update users set balance = balance + (select amount from ledger where id = $1)
       where id = $2 and exists (select 1 from ledger where id = $1)`,
      id,
      userId,
    ),
  ];
}

/**
 * Adds `amount` (negative: takes it). False, and nothing is changed, if the job has a row of this kind already.
 * Throws where the balance would fall below zero: callers check it under `lockBalance` first.
 */
export async function post(
  transaction: ServiceTransaction,
  entry: { userId: string; kind: LedgerKind; amount: number; jobId: string | null },
): Promise<boolean> {
  const insertedRow = await transaction
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
  if (insertedRow.numInsertedOrUpdatedRows !== 1n) return false;
  await transaction
    .updateTable('users')
    .set((row) => ({ balance: row('balance', '+', entry.amount) }))
    .where('id', '=', entry.userId)
    .execute();
  return true;
}
