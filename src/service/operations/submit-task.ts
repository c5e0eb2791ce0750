/** POST /task: charges and enqueues in one transaction; a `sync` action is also waited for. */
import { randomUUID } from 'node:crypto';
import type { TaskBody } from '../../contract/endpoints.ts';
import { openErrors, taskErrors } from '../../contract/errors.ts';
import { findCredential, statusOf } from '../credentials/credentials.ts';
import type { ServiceSchema, ServiceTransaction } from '../database/schema.ts';
import { fromNow, leaseOf } from '../jobs/leases.ts';
import type { ListedAction, ListedCatalog } from '../listing/listing.ts';
import { notFound, RequestError, refuse } from '../request-error.ts';
import { lockBalance, post } from '../users/ledger.ts';
import type { Context } from './context.ts';
import { findEarlierJob, type IdempotencyKey } from './idempotency.ts';
import { findParamIssues } from './param-issues.ts';
import { resolveCommit, type Submitted } from './resolve-commit.ts';

/** `finished`: the job of a `sync` action has ended and is answered at once. */
export type Submission = { readonly jobId: string; readonly finished: boolean };

/**
 * Every check that can refuse comes before the charge (specification: POST /task; Authentication, rules 3 and 4).
 * A repeat with the same idempotency key gets the first request's job, whatever has changed since.
 */
export async function submitTask(
  context: Context,
  userId: string,
  body: TaskBody,
  idempotency: IdempotencyKey | undefined,
): Promise<Submission> {
  const found = (await context.publication.current()).action(body.action_id, userId);
  const earlier = await findEarlierJob(context.database.query, userId, idempotency);
  if (earlier !== undefined) {
    const isSync = found?.action.definition.mode === 'sync';
    return { jobId: earlier.id, finished: isSync && earlier.status !== 'processing' };
  }
  if (found === undefined) throw notFound('action');
  const { catalog, action } = found;
  const params = body.params ?? {};
  const issues = findParamIssues(action.definition, params);
  if (issues.length > 0) {
    throw refuse(openErrors, 'INVALID_PARAMS', "The params violate the action's schema", { issues });
  }
  const credentialId = await chooseCredential(context, userId, catalog, action, body.credential_id);
  return enqueue(context, {
    userId,
    action,
    params: JSON.stringify(params),
    idempotency,
    credentialId,
    site: new URL(catalog.definition.url).host,
  });
}

async function chooseCredential(
  context: Context,
  userId: string,
  catalog: ListedCatalog,
  action: ListedAction,
  given: string | undefined,
): Promise<string | null> {
  const mode = action.definition.auth_mode;
  if (mode === 'none') return null;
  if (given === undefined) {
    if (mode === 'optional') return null;
    throw refuse(taskErrors, 'AUTH_REQUIRED', 'This action needs a signed-in account', {
      connect_url: `/connect/${catalog.definition.slug}`,
    });
  }
  const credential = await findCredential(context.database, context.keys, given, {
    userId,
    catalogId: catalog.id,
  });
  if (credential === undefined) {
    throw refuse(taskErrors, 'FORBIDDEN', "The credential is not one of yours for this action's catalog");
  }
  if (statusOf(credential, context.keys) === 'expired') {
    throw refuse(taskErrors, 'AUTH_EXPIRED', 'The session of this credential has ended: log in again');
  }
  return credential.id;
}

interface Task {
  readonly userId: string;
  readonly action: ListedAction;
  readonly params: string;
  readonly idempotency: IdempotencyKey | undefined;
  readonly credentialId: string | null;
  readonly site: string;
}

async function enqueue(context: Context, task: Task): Promise<Submission> {
  const { database, jobs, crashPoint } = context;
  const jobId = randomUUID();
  // Whoever waits for the answer runs the job: no other process may take it in between.
  const runHere = task.action.definition.mode === 'sync' && !jobs.stopping;
  let job: ServiceSchema['jobs'];
  try {
    job = await database.transaction(async (transaction) => {
      const created = await chargeAndCreate(context, transaction, task, jobId, runHere);
      if (!runHere) await database.notify(transaction, jobsChannel);
      crashPoint('submit.before-commit');
      return created;
    });
  } catch (error) {
    job = await jobDespite(error, context, { id: jobId, kind: 'task', userId: task.userId, site: task.site });
  }
  crashPoint('submit.after-commit');
  // Another request with the same idempotency key came first.
  if (job.id !== jobId) return { jobId: job.id, finished: false };
  if (runHere) return { jobId, finished: await jobs.runLeased(leaseOf(job)) };
  jobs.wake();
  return { jobId, finished: false };
}

/** Wakes the job loops of the other processes. */
export const jobsChannel = 'svc_jobs';

async function chargeAndCreate(
  { database, jobs }: Context,
  transaction: ServiceTransaction,
  task: Task,
  jobId: string,
  runHere: boolean,
): Promise<ServiceSchema['jobs']> {
  const { definition } = task.action;
  const price = definition.credits_per_call;
  const balance = await lockBalance(transaction, task.userId);
  const earlier = await findEarlierJob(transaction, task.userId, task.idempotency);
  if (earlier !== undefined) return earlier;
  if (balance < price) {
    throw refuse(
      taskErrors,
      'INSUFFICIENT_CREDITS',
      `The action costs ${price} credits, the balance is ${balance}`,
      {
        balance,
        required: price,
      },
    );
  }
  if (price > 0) {
    await post(transaction, { userId: task.userId, kind: 'charge', amount: -price, jobId });
  }
  if (task.credentialId !== null) {
    await transaction
      .updateTable('credentials')
      .set({ last_used_at: Date.now() })
      .where('id', '=', task.credentialId)
      .execute();
  }
  return transaction
    .insertInto('jobs')
    .values({
      id: jobId,
      kind: 'task',
      user_id: task.userId,
      status: 'processing',
      action_id: definition.action_id,
      wheel_version: definition.wheel_version,
      params: task.params,
      credential_id: task.credentialId,
      site: task.site,
      price,
      created_at: Date.now(),
      run_after: 0,
      attempts: runHere ? 1 : 0,
      lease_owner: runHere ? jobs.owner : null,
      lease_until: runHere ? fromNow(database, jobs.leaseDuration) : 0,
      fence: runHere ? 1 : 0,
      idempotency_key: task.idempotency?.key ?? null,
      request_hash: task.idempotency?.requestHash ?? null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * The job, if it was committed although an error was reported. Only what surely was not written, and never will be, is
 * refused with `EXECUTION_FAILED`, which promises that nothing was deducted (rule 2).
 */
async function jobDespite(
  error: unknown,
  context: Context,
  submitted: Submitted,
): Promise<ServiceSchema['jobs']> {
  if (error instanceof RequestError) throw error;
  context.logger.error({ err: error }, 'A task could not be enqueued');
  const job = await resolveCommit(context, submitted, error);
  if (job !== undefined) return job;
  throw refuse(taskErrors, 'EXECUTION_FAILED', 'The task could not be enqueued; no credits were deducted');
}
