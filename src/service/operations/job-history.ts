/** The tasks that a user submitted, newest first, as the console shows them. */

import { notFound } from '../foundation/request-error.ts';
import type { ServiceSchema } from '../store/schema.ts';
import type { Context } from './context.ts';
import { type Page, rowsFor, toPage } from './list-page.ts';

export interface JobRecord {
  readonly id: string;
  readonly actionId: string;
  readonly status: ServiceSchema['jobs']['status'];
  /** Credits deducted at submission. */
  readonly price: number;
  /** Credits charged in the end; null while it runs. */
  readonly creditsUsed: number | null;
  /** JSON text. */
  readonly params: string;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
}

/** The newest first. */
export async function listJobs(context: Context, userId: string, page: number): Promise<Page<JobRecord>> {
  const rows = await selectTasks(context, userId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(rowsFor(page).limit)
    .offset(rowsFor(page).offset)
    .execute();
  return toPage(rows.map(toRecord), page);
}

/** Refuses with `NOT_FOUND` for an unknown one and for another user's. */
export async function getJobRecord(context: Context, userId: string, jobId: string): Promise<JobRecord> {
  const row = await selectTasks(context, userId).where('id', '=', jobId).executeTakeFirst();
  if (row === undefined) throw notFound('job');
  return toRecord(row);
}

const columns = [
  'id',
  'action_id',
  'status',
  'price',
  'credits_used',
  'params',
  'created_at',
  'finished_at',
] as const;

const selectTasks = ({ database }: Context, userId: string) =>
  database.query.selectFrom('jobs').select(columns).where('user_id', '=', userId).where('kind', '=', 'task');

const toRecord = (row: Pick<ServiceSchema['jobs'], (typeof columns)[number]>): JobRecord => ({
  id: row.id,
  actionId: row.action_id ?? '',
  status: row.status,
  price: row.price,
  creditsUsed: row.credits_used,
  params: row.params ?? '{}',
  createdAt: new Date(row.created_at),
  finishedAt: row.finished_at === null ? undefined : new Date(row.finished_at),
});
