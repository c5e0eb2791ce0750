/**
 * Charges a user and creates the job that the charge pays for, in one round trip: the user's row is locked only while
 * the database itself works. Tasks and builds go through here.
 */

import { randomUUID } from 'node:crypto';
import { openErrors } from '../../contract/errors.ts';
import { maxPendingBuilds } from '../../contract/limits.ts';
import { nowText } from '../../store/database-time.ts';
import { isRolledBack, StoreError } from '../../store/errors.ts';
import { type Statement, statement } from '../../store/statement.ts';
import { currentTrace } from '../../tracing/tracing.ts';
import { refuse } from '../foundation/request-error.ts';
import { balanceStatement, postStatements } from '../money/ledger.ts';
import type { ServiceSchema } from '../store/schema.ts';
import type { Context } from './context.ts';
import { findEarlierJob, type IdempotencyKey } from './idempotency.ts';

type Job = ServiceSchema['jobs'];
type BuildRequest = ServiceSchema['build_requests'];

export interface NewJob {
  readonly id: string;
  readonly userId: string;
  readonly price: number;
  readonly site: string;
  readonly idempotency: IdempotencyKey | undefined;
  readonly task?: {
    readonly actionId: string;
    readonly wheelVersion: string;
    readonly params: string;
    readonly credentialId: string | null;
    /** Other processes leave the job to this one for the length of a lease: its caller waits for the answer. */
    readonly isReserved: boolean;
  };
  readonly build?: Pick<
    BuildRequest,
    | 'website_url'
    | 'domain'
    | 'goal'
    | 'catalog_id'
    | 'visibility'
    | 'replaces'
    | 'choose'
    | 'name'
    | 'repair_by'
  >;
}

export type EnqueueOutcome =
  | { readonly kind: 'created'; readonly job: Job }
  /** Made by an earlier request with the same idempotency key. */
  | { readonly kind: 'earlier'; readonly job: Job }
  | { readonly kind: 'too-many-builds' }
  | { readonly kind: 'too-expensive'; readonly balance: number }
  /** Not written, and it never will be: nothing was deducted. */
  | { readonly kind: 'failed' };

/** Wakes the workers of the other processes. */
export const jobsChannel = 'svc_jobs';

/** Throws 503 `OUTCOME_UNKNOWN`, and 422 where the idempotency key belongs to another request. */
export async function enqueue(context: Context, job: NewJob): Promise<EnqueueOutcome> {
  const { database, logger } = context;
  const kind = job.build === undefined ? 'task' : 'build';
  const batch = database.batch([
    balanceStatement(database, job.userId),
    statement<{ count: number }>(pendingBuilds, job.userId),
    createJob(context, job),
    ...chargeAndRecord(context, job),
  ]);
  const results = await batch.catch((error: unknown) => {
    logger.error({ err: error }, `A ${kind} could not be enqueued`);
    if (!isRolledBack(error)) throw outcomeUnknown(error);
    if (error instanceof StoreError) throw error;
    return undefined;
  });
  if (results === undefined) return { kind: 'failed' };
  const [balance, pending, created] = results;
  const [row] = created.rows;
  if (row !== undefined) return { kind: 'created', job: row };
  const earlierJob = await findEarlierJob(database.query, job.userId, job.idempotency);
  if (earlierJob !== undefined) return { kind: 'earlier', job: earlierJob };
  const exceedsPendingBuilds = kind === 'build' && (pending.rows[0]?.count ?? 0) >= maxPendingBuilds;
  if (exceedsPendingBuilds) return { kind: 'too-many-builds' };
  return { kind: 'too-expensive', balance: balance.rows[0]?.balance ?? 0 };
}

/** The connection broke during the commit. A repeat with the idempotency key shows the outcome. */
const outcomeUnknown = (error: unknown) =>
  refuse(
    openErrors,
    'OUTCOME_UNKNOWN',
    'The database failed during the commit: the request may have been accepted and charged. ' +
      `Repeat it only with the same Idempotency-Key, or check your jobs first${
        error instanceof StoreError && error.kind === 'broken-disk'
          ? '; the disk of the database is broken and the service needs a restart'
          : ''
      }`,
  );

const pendingBuilds =
  "select count(*) as count from build_requests where user_id = $1 and status = 'pending'";

/** Inserts the job if the balance covers it, the user has not too many builds, and its key is free. */
function createJob({ database, jobs }: Context, { task, build, idempotency, ...job }: NewJob) {
  const notBefore = task?.isReserved ? `${nowText(database.engine)} + ${jobs.settings.leaseDuration}` : '0';
  return statement<Job>(
    `insert into jobs (id, kind, user_id, status, action_id, wheel_version, params, credential_id, site, price,
       created_at, not_before, attempts, lease_until, fence, idempotency_key, request_hash, traceparent)
     select $1, $2, $3, 'processing', $4, $5, $6, $7, $8, $9, $10, ${notBefore}, 0, 0, 0, $11, $12, $14
     from users
     where id = $3 and balance >= $9 and ($2 = 'task' or (${pendingBuilds.replace('$1', '$3')}) < $13)
     on conflict do nothing
     returning *`,
    job.id,
    build === undefined ? 'task' : 'build',
    job.userId,
    task?.actionId,
    task?.wheelVersion,
    task?.params,
    task?.credentialId,
    job.site,
    job.price,
    Date.now(),
    idempotency?.key,
    idempotency?.requestHash,
    maxPendingBuilds,
    currentTrace().traceparent,
  );
}

/** Condition of the statements that belong to the job: they follow its insert. */
const isCreated = 'exists (select 1 from jobs where id = $1)';

function chargeAndRecord({ database }: Context, { task, build, ...job }: NewJob): Statement[] {
  const now = Date.now();
  const statements: Statement[] = [
    ...postStatements(job.userId, {
      rows: `select $1, user_id, 'charge', -price, id, $2 from jobs
        where id = $3 and price > 0`,
      parameters: [now, job.id],
    }),
  ];
  if (task?.credentialId != null) {
    statements.push(
      statement(
        `update credentials set last_used_at = $2 where id = $3 and ${isCreated}`,
        job.id,
        now,
        task.credentialId,
      ),
    );
  }
  if (build !== undefined) {
    statements.push(
      statement(
        `insert into build_requests (id, user_id, job_id, website_url, domain, goal, catalog_id, visibility, status,
           created_at, updated_at, replaces, choose, name, repair_by)
         select $2, $3, $1, $4, $5, $6, $7, $8, 'pending', $9, $9, $10, $11, $12, $13 from jobs where id = $1`,
        job.id,
        randomUUID(),
        job.userId,
        build.website_url,
        build.domain,
        build.goal,
        build.catalog_id,
        build.visibility,
        now,
        build.replaces,
        build.choose,
        build.name,
        build.repair_by,
      ),
    );
  }
  if (!task?.isReserved) statements.push(database.notifyStatement(jobsChannel));
  return statements;
}
