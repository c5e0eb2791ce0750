/** What a user's credits went to. */
import type { JobKind, LedgerKind } from '../database/schema.ts';
import type { Context } from './context.ts';
import { type Page, rowsFor, toPage } from './page.ts';

export interface LedgerEntry {
  readonly id: string;
  readonly kind: LedgerKind;
  /** Credits; negative where they were taken. */
  readonly amount: number;
  /** What it was for; undefined for a grant. */
  readonly job: { readonly id: string; readonly kind: JobKind; readonly actionId: string | null } | undefined;
  readonly createdAt: Date;
}

/** The newest first. */
export async function readLedger(
  { database }: Context,
  userId: string,
  page: number,
): Promise<Page<LedgerEntry>> {
  const rows = await database.query
    .selectFrom('ledger')
    .leftJoin('jobs', 'jobs.id', 'ledger.job_id')
    .select([
      'ledger.id',
      'ledger.kind',
      'ledger.amount',
      'ledger.created_at',
      'jobs.id as job_id',
      'jobs.kind as job_kind',
      'jobs.action_id',
    ])
    .where('ledger.user_id', '=', userId)
    .orderBy('ledger.created_at', 'desc')
    .orderBy('ledger.id')
    .limit(rowsFor(page).limit)
    .offset(rowsFor(page).offset)
    .execute();
  return toPage(
    rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      amount: row.amount,
      job:
        row.job_id === null || row.job_kind === null
          ? undefined
          : { id: row.job_id, kind: row.job_kind, actionId: row.action_id },
      createdAt: new Date(row.created_at),
    })),
    page,
  );
}
