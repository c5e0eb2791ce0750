/** What credits went to: the ledger with a job's rows as one entry, and what was spent by day, action and user. */
import { sql } from 'kysely';
import type { JobKind, LedgerKind } from '../store/schema.ts';
import type { Context } from './context.ts';
import { boundsOf } from './job-history.ts';
import { type Page, rowsFor, toPage } from './list-page.ts';

/** A grant, or all rows of one job. Amounts are credits, negative where they were taken. */
export interface LedgerEntry {
  readonly id: string;
  readonly grant: number;
  readonly charge: number;
  readonly refund: number;
  /** Of the final cost: taken beyond the charge, or given back. */
  readonly settlement: number;
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

/** The newest first; of one UTC day where `day` is one. */
export async function listLedger(
  context: Context,
  userId: string,
  day: string,
  page: number,
): Promise<Page<LedgerEntry>> {
  const { limit, offset } = rowsFor(page);
  const rows = await selectEntries(context, userId, day).limit(limit).offset(offset).execute();
  return toPage(rows.map(toEntry), page);
}

/** As `listLedger`, all at once; undefined where there are more than `atMost`. */
export async function readLedger(
  context: Context,
  userId: string,
  day: string,
  atMost: number,
): Promise<readonly LedgerEntry[] | undefined> {
  const rows = await selectEntries(context, userId, day)
    .limit(atMost + 1)
    .execute();
  return rows.length > atMost ? undefined : rows.map(toEntry);
}

/** One row for each grant and each job: its charge, with its refund and settlement. A job of price 0 has no charge. */
function selectEntries({ database: { query } }: Context, userId: string, day: string) {
  const [from, before] = boundsOf(day) ?? [0, Number.MAX_SAFE_INTEGER];
  return query
    .selectFrom('ledger as entry')
    .leftJoin('ledger as refund', (join) =>
      join.onRef('refund.job_id', '=', 'entry.job_id').on('refund.kind', '=', 'refund'),
    )
    .leftJoin('ledger as settlement', (join) =>
      join.onRef('settlement.job_id', '=', 'entry.job_id').on('settlement.kind', '=', 'settlement'),
    )
    .leftJoin('jobs', 'jobs.id', 'entry.job_id')
    .leftJoin('build_requests as build', 'build.job_id', 'entry.job_id')
    .select(['entry.id', 'entry.kind', 'entry.amount', 'entry.created_at'])
    .select(['refund.amount as refund', 'settlement.amount as settlement', 'jobs.id as job_id'])
    .select(['jobs.kind as job_kind', 'jobs.action_id', 'build.id as build_id', 'build.goal'])
    .where('entry.user_id', '=', userId)
    .where('entry.created_at', '>=', from)
    .where('entry.created_at', '<', before)
    .where((row) =>
      row.or([
        row('entry.kind', 'in', ['grant', 'charge']),
        row.and([row('entry.kind', '=', 'settlement'), row('jobs.price', '=', 0)]),
      ]),
    )
    .orderBy('entry.created_at', 'desc')
    .orderBy('entry.id');
}

type EntryRow = Awaited<ReturnType<ReturnType<typeof selectEntries>['execute']>>[number];

function toEntry(row: EntryRow): LedgerEntry {
  const amountOf = (kind: LedgerKind) => (row.kind === kind ? row.amount : 0);
  const { job_id: id, job_kind: kind, action_id: actionId, build_id: buildId } = row;
  return {
    id: row.id,
    grant: amountOf('grant'),
    charge: amountOf('charge'),
    refund: row.refund ?? 0,
    settlement: row.settlement ?? 0,
    job:
      id === null || kind === null
        ? undefined
        : { id, kind, actionId, build: buildId === null ? null : { id: buildId, goal: row.goal ?? '' } },
    createdAt: new Date(row.created_at),
  };
}

/** Charges minus refunds of one day, user and purpose. */
export interface SpentCredits {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly user: string;
  /** Undefined for builds. */
  readonly actionId: string | undefined;
  readonly runs: number;
  readonly credits: number;
}

const spendingDays = 30;
const dayMs = 86_400_000;

/** Today and the days before it, the oldest first. */
function listDays(): string[] {
  const today = Math.floor(Date.now() / dayMs);
  return Array.from({ length: spendingDays }, (_, index) =>
    new Date((today - spendingDays + 1 + index) * dayMs).toISOString().slice(0, 10),
  );
}

/** Of the last 30 days; of all users where `userId` is undefined. */
export async function readSpending(
  { database }: Context,
  userId: string | undefined,
): Promise<readonly SpentCredits[]> {
  const from = Date.parse(listDays()[0] ?? '');
  // Both engines divide whole numbers to a whole number.
  const day = sql<number>`ledger.created_at / 86400000`;
  let query = database.query
    .selectFrom('ledger')
    .innerJoin('users', 'users.id', 'ledger.user_id')
    .leftJoin('jobs', 'jobs.id', 'ledger.job_id')
    .select(['users.name as user', 'jobs.kind', 'jobs.action_id', day.as('day')])
    .select(({ fn }) => [
      fn.sum<number>('ledger.amount').as('amount'),
      // Each run once: by its charge, or by the final cost of one that had none.
      sql<number>`sum(case when ledger.kind = 'charge' or (ledger.kind = 'settlement' and jobs.price = 0)
        then 1 else 0 end)`.as('runs'),
    ])
    .where('ledger.created_at', '>=', from)
    .where('ledger.kind', '!=', 'grant');
  if (userId !== undefined) query = query.where('ledger.user_id', '=', userId);
  const rows = await query.groupBy(['users.name', 'jobs.kind', 'jobs.action_id', day]).execute();
  return rows.map((row) => ({
    day: new Date(row.day * dayMs).toISOString().slice(0, 10),
    user: row.user,
    actionId: row.kind === 'build' ? undefined : (row.action_id ?? ''),
    runs: row.runs,
    credits: 0 - row.amount,
  }));
}

/** Each of the last 30 days, the oldest first. */
export const spendingByDay = (spending: readonly SpentCredits[]): { day: string; credits: number }[] =>
  listDays().map((day) => ({ day, credits: sumCredits(spending.filter((one) => one.day === day)) }));

export const sumCredits = (spending: readonly Pick<SpentCredits, 'credits'>[]): number =>
  spending.reduce((total, { credits }) => total + credits, 0);
