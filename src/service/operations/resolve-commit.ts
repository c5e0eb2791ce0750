/** What became of a submission whose commit was reported as failed: a connection can break before the answer to it. */
import { setTimeout as delay } from 'node:timers/promises';
import { openErrors } from '../../contract/errors.ts';
import { isRolledBack, StoreError } from '../../store/errors.ts';
import { statement } from '../../store/statement.ts';
import type { ServiceDatabase, ServiceSchema } from '../database/schema.ts';
import { refuse } from '../foundation/request-error.ts';
import { balanceStatement } from '../users/ledger.ts';
import type { Context } from './context.ts';

/** Milliseconds that a database has to come back. */
const recoveryMs = 5_000;
const retryDelayMs = 250;

export interface SubmittedJob {
  readonly id: string;
  readonly kind: ServiceSchema['jobs']['kind'];
  readonly userId: string;
  readonly site: string;
}

/**
 * The job if it was committed although `error` was reported. Undefined: it was not, and never will be. The user's lock
 * waits for the end of a commit that is still under way, and a failed job without a price takes the id, so that a
 * statement that arrives even later writes nothing. Throws 503 `OUTCOME_UNKNOWN` if the database does not answer.
 */
export async function resolveCommit(
  { database, logger }: Context,
  submitted: SubmittedJob,
  error: unknown,
): Promise<ServiceSchema['jobs'] | undefined> {
  if (isRolledBack(error)) return undefined;
  const deadline = performance.now() + recoveryMs;
  for (;;) {
    try {
      return await findOrVoid(database, submitted);
    } catch (failure) {
      if (performance.now() < deadline) {
        await delay(retryDelayMs);
        continue;
      }
      logger.error({ err: failure, job: submitted.id }, 'The outcome of a commit is unknown');
      const isBroken = failure instanceof StoreError && failure.kind === 'broken-disk';
      throw refuse(
        openErrors,
        'OUTCOME_UNKNOWN',
        'The database failed during the commit: the request may have been accepted and charged. ' +
          `Repeat it only with the same Idempotency-Key, or check your jobs first${
            isBroken ? '; the disk of the database is broken and the service needs a restart' : ''
          }`,
      );
    }
  }
}

async function findOrVoid(
  database: ServiceDatabase,
  { id, kind, userId, site }: SubmittedJob,
): Promise<ServiceSchema['jobs'] | undefined> {
  const reserveId = statement(
    `insert into jobs (id, kind, user_id, status, site, price, credits_used, error_code, error_message, execution_ms,
       created_at, finished_at, run_after, attempts, lease_until, fence)
     values ($1, $2, $3, 'failed', $4, 0, 0, $5, $6, 0, $7, $7, 0, 0, 0, 0)
     on conflict do nothing`,
    id,
    kind,
    userId,
    site,
    voidedCode,
    'The request could not be enqueued; no credits were deducted',
    Date.now(),
  );
  const [, jobResult] = await database.batch([
    balanceStatement(database, userId),
    statement<ServiceSchema['jobs']>('select * from jobs where id = $1', id),
    // On SQLite no statement can arrive later.
    ...(database.engine === 'sqlite' ? [] : [reserveId]),
  ]);
  const [job] = jobResult.rows;
  return job?.error_code === voidedCode ? undefined : job;
}

/** The error code of a job that was never enqueued. Its row only keeps the id from being used. */
const voidedCode = 'NOT_ENQUEUED';
