/**
 * Charges a user and creates the job that the charge pays for, in one round trip: the user's row is locked only while
 * the database itself works. Tasks and builds go through here.
 */

import { randomUUID } from 'node:crypto';
import { maxPendingBuilds } from '../../contract/limits.ts';
import { nowText } from '../../store/database-time.ts';
import { StoreError } from '../../store/errors.ts';
import { type Statement, statement } from '../../store/statement.ts';
import { currentTrace } from '../../tracing/tracing.ts';
import type { ServiceSchema } from '../database/schema.ts';
import type { CrashPoint } from '../foundation/crash-points.ts';
import { balanceStatement, postStatements } from '../users/ledger.ts';
import type { Context } from './context.ts';
import { findEarlierJob, type IdempotencyKey } from './idempotency.ts';
import { resolveCommit } from './resolve-commit.ts';

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
    /**
     * Whether this process leases the job as it creates it, which spares a transaction: `always`, because whoever waits for
     * the answer runs it, or where it has the file for itself and the site has room.
     */
    readonly runHere: 'always' | 'with-room' | 'no';
  };
  readonly build?: Pick<
    BuildRequest,
    'website_url' | 'domain' | 'goal' | 'catalog_id' | 'visibility' | 'replaces' | 'choose'
  >;
}

export type Enqueued =
  | { readonly kind: 'created'; readonly job: Job }
  /** An earlier request with the same idempotency key made it. */
  | { readonly kind: 'earlier'; readonly job: Job }
  | { readonly kind: 'too-many-builds' }
  | { readonly kind: 'too-expensive'; readonly balance: number }
  /** Not written, and it never will be: nothing was deducted. */
  | { readonly kind: 'failed' };

/** Wakes the job loops of the other processes. */
export const jobsChannel = 'svc_jobs';

/** Throws 503 `OUTCOME_UNKNOWN`, and 422 where the idempotency key belongs to another request. */
export async function enqueue(
  context: Context,
  job: NewJob,
  crashPoint: Extract<CrashPoint, `${string}.before-commit`>,
): Promise<Enqueued> {
  const { database, logger } = context;
  const kind = job.build === undefined ? 'task' : 'build';
  const batch = database.batch(
    [
      balanceStatement(database, job.userId),
      statement<{ count: number }>(pendingBuilds, job.userId),
      createJob(context, job),
      ...chargeAndRecord(context, job),
    ],
    { beforeCommit: () => context.crashPoint(crashPoint) },
  );
  const results = await batch.catch((error: unknown) => {
    logger.error({ err: error }, `A ${kind} could not be enqueued`);
    return { error };
  });
  if ('error' in results) {
    if (results.error instanceof StoreError && results.error.isRefused) throw results.error;
    const { id, userId, site } = job;
    const committed = await resolveCommit(context, { id, kind, userId, site }, results.error);
    return committed === undefined ? { kind: 'failed' } : { kind: 'created', job: committed };
  }
  const [balance, pending, created] = results;
  const [row] = created.rows;
  if (row !== undefined) return { kind: 'created', job: row };
  const earlierJob = await findEarlierJob(database.query, job.userId, job.idempotency);
  if (earlierJob !== undefined) return { kind: 'earlier', job: earlierJob };
  const exceedsPendingBuilds = kind === 'build' && (pending.rows[0]?.count ?? 0) >= maxPendingBuilds;
  if (exceedsPendingBuilds) return { kind: 'too-many-builds' };
  return { kind: 'too-expensive', balance: balance.rows[0]?.balance ?? 0 };
}

const pendingBuilds =
  "select count(*) as count from build_requests where user_id = $1 and status = 'pending'";

/** The job, if the balance covers it, the user has not too many builds, and neither its id nor its key is taken. */
function createJob({ database, jobs }: Context, { task, build, idempotency, ...job }: NewJob) {
  const runHere = task?.runHere ?? 'no';
  const now = nowText(database.engine);
  const { concurrencyPerSite } = jobs.settings;
  // Jobs of the site that wait come first, so they count. At most as many are read as can matter.
  const isLeased = {
    always: '1 = 1',
    'with-room': `(select count(*) from (select 1 from jobs where status = 'processing' and site = $8
       limit ${concurrencyPerSite}) as site_jobs) < ${concurrencyPerSite}`,
    no: '1 = 0',
  }[runHere];
  return statement<Job>(
    `insert into jobs (id, kind, user_id, status, action_id, wheel_version, params, credential_id, site, price,
       created_at, run_after, attempts, lease_owner, lease_until, fence, idempotency_key, request_hash, traceparent)
     select $1, $2, $3, 'processing', $4, $5, $6, $7, $8, $9,
       $10, 0, leased, case leased when 1 then $11 end, case leased when 1 then ${now} + ${jobs.settings.leaseDuration} else 0 end,
       leased, $12, $13, $15
     from users, (select case when ${isLeased} then 1 else 0 end as leased) as lease
     where id = $3 and balance >= $9 and ($2 = 'task' or (${pendingBuilds.replace('$1', '$3')}) < $14)
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
    runHere === 'no' ? null : jobs.owner,
    idempotency?.key,
    idempotency?.requestHash,
    maxPendingBuilds,
    currentTrace().traceparent,
  );
}

/** What belongs to the job, if it was created. A failed job that only keeps its id taken gets nothing. */
const isCreated = "exists (select 1 from jobs where id = $1 and status = 'processing')";

function chargeAndRecord({ database }: Context, { task, build, ...job }: NewJob): Statement[] {
  const now = Date.now();
  const statements: Statement[] = [
    ...postStatements(job.userId, {
      rows: `select $1, user_id, 'charge', -price, id, $2 from jobs
        where id = $3 and status = 'processing' and price > 0`,
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
           created_at, updated_at, replaces, choose)
         select $2, $3, $1, $4, $5, $6, $7, $8, 'pending', $9, $9, $10, $11 from jobs where id = $1 and status = 'processing'`,
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
      ),
    );
  }
  if (task?.runHere !== 'always') statements.push(database.notifyStatement(jobsChannel));
  return statements;
}
