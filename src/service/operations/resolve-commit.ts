/** What became of a submission whose commit was reported as failed: a connection can break before the answer to it. */
import { setTimeout as delay } from 'node:timers/promises';
import { openErrors } from '../../contract/errors.ts';
import { isRolledBack } from '../../store/errors.ts';
import type { ServiceDatabase, ServiceSchema, ServiceTransaction } from '../database/schema.ts';
import { refuse } from '../request-error.ts';
import { lockBalance } from '../users/ledger.ts';
import type { Context } from './context.ts';

/** Milliseconds that a database has to come back. */
const patience = 5_000;
const pause = 250;

export interface Submitted {
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
  submitted: Submitted,
  error: unknown,
): Promise<ServiceSchema['jobs'] | undefined> {
  if (isRolledBack(error)) return undefined;
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      return await database.transaction((transaction) => findOrVoid(database, transaction, submitted));
    } catch (failure) {
      if (performance.now() < deadline) {
        await delay(pause);
        continue;
      }
      logger.error({ err: failure, job: submitted.id }, 'It is not known whether a submission was committed');
      throw refuse(
        openErrors,
        'OUTCOME_UNKNOWN',
        'The database failed during the commit and does not answer: the request may have been accepted and charged. ' +
          'Repeat it only with the same Idempotency-Key, or look at your jobs first',
      );
    }
  }
}

async function findOrVoid(
  { engine }: ServiceDatabase,
  transaction: ServiceTransaction,
  { id, kind, userId, site }: Submitted,
): Promise<ServiceSchema['jobs'] | undefined> {
  await lockBalance(transaction, userId);
  const job = await transaction.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
  if (job !== undefined) return job.error_code === voided ? undefined : job;
  // A file has no statements on their way.
  if (engine === 'sqlite') return undefined;
  const now = Date.now();
  await transaction
    .insertInto('jobs')
    .values({
      id,
      kind,
      user_id: userId,
      status: 'failed',
      site,
      price: 0,
      credits_used: 0,
      error_code: voided,
      error_message: 'The request could not be enqueued; no credits were deducted',
      execution_ms: 0,
      created_at: now,
      finished_at: now,
      run_after: 0,
      attempts: 0,
      lease_until: 0,
      fence: 0,
    })
    .execute();
  return undefined;
}

/** Of a job that was never enqueued; its row only keeps the id taken. */
const voided = 'NOT_ENQUEUED';
