/** What a user's credits went to. */
import type { JobKind, LedgerKind } from '../store/schema.ts';
import type { Context } from './context.ts';
import { type Page, rowsFor, toPage } from './list-page.ts';

export interface LedgerEntry {
  readonly id: string;
  readonly kind: LedgerKind;
  /** Credits; negative where they were taken. */
  readonly amount: number;
  /** What it was for; undefined for a grant. */
  readonly job: LedgerJob | undefined;
  readonly createdAt: Date;
}

interface LedgerJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly actionId: string | null;
  /** Null for what is no build. */
  readonly build: { readonly id: string; readonly goal: string } | null;
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
    .leftJoin('build_requests as build', 'build.job_id', 'ledger.job_id')
    .select([
      'ledger.id',
      'ledger.kind',
      'ledger.amount',
      'ledger.created_at',
      'jobs.id as job_id',
      'jobs.kind as job_kind',
      'jobs.action_id',
      'build.id as build_id',
      'build.goal',
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
          : {
              id: row.job_id,
              kind: row.job_kind,
              actionId: row.action_id,
              build: row.build_id === null ? null : { id: row.build_id, goal: row.goal ?? '' },
            },
      createdAt: new Date(row.created_at),
    })),
    page,
  );
}
