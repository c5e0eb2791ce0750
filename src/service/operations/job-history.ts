/** The tasks that a user submitted, newest first, as the console shows them. */

import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../foundation/request-error.ts';
import type { ServiceSchema } from '../store/schema.ts';
import type { Context } from './context.ts';
import { type Page, rowsFor, toPage } from './list-page.ts';

type JobRow = ServiceSchema['jobs'];

export interface JobRecord {
  readonly id: string;
  readonly actionId: string;
  /** The host that it reads. */
  readonly site: string;
  readonly status: JobRow['status'];
  /** The name of the account that it uses; null without one, or where it is disconnected. */
  readonly account: string | null;
  /** Of that account. */
  readonly credentialId: string | null;
  /** Credits deducted at submission. */
  readonly price: number;
  /** Credits charged in the end; null while it runs. */
  readonly creditsUsed: number | null;
  /** What the final cost exceeded the balance by. */
  readonly creditsExcess: number;
  /** JSON text. */
  readonly params: string;
  /** Why it failed. */
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  /** Of its last attempt; null where that is not known. */
  readonly executionMs: number | null;
  /** How often it was started. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
}

/** Which of a user's tasks; an empty text narrows nothing. */
export interface JobFilter {
  readonly action: string;
  readonly site: string;
  /** The id of an identity: runs with a sign-in of its that is there. */
  readonly account: string;
  readonly state: string;
  /** `YYYY-MM-DD`, UTC. What is no day narrows nothing. */
  readonly day: string;
  /** In the params, the action's id or the reason of a failure, in any case. */
  readonly q: string;
}

const dayMs = 86_400_000;

/** Milliseconds; undefined for what is no day. */
function startOfDay(day: string): number | undefined {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  return Number.isFinite(start) ? start : undefined;
}

/** Of one UTC day, in milliseconds: from, and before. */
export const boundsOf = (day: string): readonly [number, number] | undefined => {
  const start = startOfDay(day);
  return start === undefined ? undefined : [start, start + dayMs];
};

/** The newest first. `named` are ids of actions whose names have the words that `q` looks for. */
export async function listJobs(
  context: Context,
  userId: string,
  filter: JobFilter,
  page: number,
  named: readonly string[] = [],
): Promise<Page<JobRecord>> {
  const { action, site, account, state, q } = filter;
  const bounds = boundsOf(filter.day);
  let query = selectTasks(context, userId);
  if (action !== '') query = query.where('jobs.action_id', '=', action);
  if (site !== '') query = query.where('jobs.site', '=', site);
  if (account !== '') query = query.where('identities.id', '=', account);
  if (isState(state)) query = query.where('jobs.status', '=', state);
  if (bounds !== undefined)
    query = query.where('jobs.created_at', '>=', bounds[0]).where('jobs.created_at', '<', bounds[1]);
  if (q !== '')
    query = query.where((row) =>
      row.or([
        ...(['jobs.params', 'jobs.action_id', 'jobs.error_message'] as const).map((name) => hasText(name, q)),
        ...(named.length === 0 ? [] : [row('jobs.action_id', 'in', named)]),
      ]),
    );
  const rows = await query
    .orderBy('jobs.created_at', 'desc')
    .orderBy('jobs.id')
    .limit(rowsFor(page).limit)
    .offset(rowsFor(page).offset)
    .execute();
  return toPage(rows.map(toRecord), page);
}

const isState = (state: string): state is JobRow['status'] =>
  ['processing', 'completed', 'failed'].includes(state);

/** The engine folds both sides, so that they fold alike: SQLite the case of ASCII alone. */
const hasText = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`lower(coalesce(${sql.ref(column)}, '')) like lower(${`%${text.replace(/[\\%_]/g, '\\$&')}%`}) escape '\\'`;

/** What a user's tasks can be narrowed by. */
export async function listJobKinds({ database }: Context, userId: string) {
  const rows = await database.query
    .selectFrom('jobs')
    .select(['action_id', 'site'])
    .distinct()
    .where('user_id', '=', userId)
    .where('kind', '=', 'task')
    .limit(1_000)
    .execute();
  const accounts = await database.query
    .selectFrom('jobs')
    .innerJoin('credentials', 'credentials.id', 'jobs.credential_id')
    .innerJoin('identities', 'identities.id', 'credentials.identity_id')
    .select(['identities.id', 'identities.name', 'jobs.site'])
    .distinct()
    .where('jobs.user_id', '=', userId)
    .where('jobs.kind', '=', 'task')
    .orderBy('identities.name')
    .limit(1_000)
    .execute();
  const sorted = (values: readonly string[]) => [...new Set(values)].filter((value) => value !== '').sort();
  return {
    actionIds: sorted(rows.map(({ action_id }) => action_id ?? '')),
    sites: sorted(rows.map(({ site }) => site)),
    accounts,
  };
}

/** Of each action that the user has run: when last, and how many of its ended runs completed. */
export async function readSuccessRates(
  { database }: Context,
  userId: string,
): Promise<ReadonlyMap<string, { lastAt: Date; ended: number; completed: number }>> {
  const rows = await database.query
    .selectFrom('jobs')
    .select(({ fn }) => [
      'action_id',
      'status',
      fn.max('created_at').as('last'),
      fn.countAll<number>().as('count'),
    ])
    .where('user_id', '=', userId)
    .where('kind', '=', 'task')
    .groupBy(['action_id', 'status'])
    .execute();
  const byAction = new Map<string, { lastAt: Date; ended: number; completed: number }>();
  for (const { action_id, status, last, count } of rows) {
    const { lastAt, ended, completed } = byAction.get(action_id ?? '') ?? {
      lastAt: new Date(0),
      ended: 0,
      completed: 0,
    };
    byAction.set(action_id ?? '', {
      lastAt: new Date(Math.max(lastAt.getTime(), last)),
      ended: ended + (status === 'processing' ? 0 : count),
      completed: completed + (status === 'completed' ? count : 0),
    });
  }
  return byAction;
}

/** Refuses with `NOT_FOUND` for an unknown one and for another user's. */
export async function getJobRecord(context: Context, userId: string, jobId: string): Promise<JobRecord> {
  const row = await selectTasks(context, userId).where('jobs.id', '=', jobId).executeTakeFirst();
  if (row === undefined) throw notFound('job');
  return toRecord(row);
}

const columns = [
  ...(['jobs.id', 'jobs.action_id', 'jobs.site', 'jobs.status', 'jobs.price', 'jobs.credits_used'] as const),
  ...(['jobs.credits_excess', 'jobs.params', 'jobs.error_code', 'jobs.error_message'] as const),
  ...(['jobs.execution_ms', 'jobs.attempts', 'jobs.created_at', 'jobs.finished_at'] as const),
  ...(['identities.name as account', 'credentials.id as credential'] as const),
] as const;

const selectTasks = ({ database }: Context, userId: string) =>
  database.query
    .selectFrom('jobs')
    .leftJoin('credentials', 'credentials.id', 'jobs.credential_id')
    .leftJoin('identities', 'identities.id', 'credentials.identity_id')
    .select(columns)
    .where('jobs.user_id', '=', userId)
    .where('jobs.kind', '=', 'task');

const toRecord = (
  row: Pick<
    JobRow,
    | ('id' | 'action_id' | 'site' | 'status' | 'price' | 'credits_used' | 'credits_excess' | 'params')
    | ('error_code' | 'error_message' | 'execution_ms' | 'attempts' | 'created_at' | 'finished_at')
  > & { readonly account: string | null; readonly credential: string | null },
): JobRecord => ({
  id: row.id,
  actionId: row.action_id ?? '',
  site: row.site,
  status: row.status,
  account: row.account,
  credentialId: row.credential,
  price: row.price,
  creditsUsed: row.credits_used,
  creditsExcess: row.credits_excess ?? 0,
  params: row.params ?? '{}',
  errorCode: row.error_code,
  errorMessage: row.error_message,
  executionMs: row.execution_ms,
  attempts: row.attempts,
  createdAt: new Date(row.created_at),
  finishedAt: row.finished_at === null ? undefined : new Date(row.finished_at),
});
