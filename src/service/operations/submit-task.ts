/** POST /task: charges and enqueues in one transaction; a `sync` action is also waited for. */
import { randomUUID } from 'node:crypto';
import type { TaskBody } from '../../contract/endpoints.ts';
import { openErrors, taskErrors } from '../../contract/errors.ts';
import { hasPassword, passwordInAddress } from '../../contract/web-address.ts';
import { findCredential, getCredentialStatus } from '../accounts/credentials.ts';
import type { ListedAction, ListedCatalog } from '../catalog/listing.ts';
import { notFound, refuse } from '../foundation/request-error.ts';
import type { Context } from './context.ts';
import { enqueue } from './enqueue.ts';
import { findEarlierJob, type IdempotencyKey } from './idempotency.ts';
import { findParamIssues } from './param-issues.ts';

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
  const listedAction = (await context.publication.current()).action(body.action_id, userId);
  const earlierJob = await findEarlierJob(context.database.query, userId, idempotency);
  if (earlierJob !== undefined) {
    const isSync = listedAction?.action.definition.mode === 'sync';
    return { jobId: earlierJob.id, finished: isSync && earlierJob.status !== 'processing' };
  }
  if (listedAction === undefined) throw notFound('action');
  const { catalog, action } = listedAction;
  if (action.problem !== undefined) {
    const text = `${action.problem}; no credits were deducted. Its owner can build it again for nothing`;
    throw refuse(taskErrors, 'EXECUTION_FAILED', `The action is unavailable: ${text}`);
  }
  const params = body.params ?? {};
  const issues = findParamIssues(action.definition, params);
  if (issues.length > 0) {
    throw refuse(openErrors, 'INVALID_PARAMS', "The params do not match the action's schema", { issues });
  }
  if (textsIn(params).some(hasPassword)) {
    throw refuse(openErrors, 'INVALID_PARAMS', `An address in the params ${passwordInAddress}`);
  }
  const credentialId = await chooseCredential(context, userId, catalog, action, body.credential_id);
  return submit(context, {
    userId,
    action,
    params: JSON.stringify(params),
    idempotency,
    credentialId,
    site: getSite(catalog, action, params),
  });
}

const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : [];

/** The host that the job counts for. */
function getSite(
  catalog: ListedCatalog,
  action: ListedAction,
  { url }: Readonly<Record<string, unknown>>,
): string {
  const isNamed =
    action.definition.reads_any_website === true && typeof url === 'string' && URL.canParse(url);
  return new URL(isNamed ? url : catalog.definition.url).host;
}

async function chooseCredential(
  context: Context,
  userId: string,
  catalog: ListedCatalog,
  action: ListedAction,
  requestedId: string | undefined,
): Promise<string | null> {
  const mode = action.definition.auth_mode;
  if (mode === 'none') return null;
  if (requestedId === undefined) {
    if (mode === 'optional') return null;
    throw refuse(taskErrors, 'AUTH_REQUIRED', 'This action needs a signed-in account', {
      connect_url: `/connect/${catalog.definition.slug}`,
    });
  }
  const credential = await findCredential(context.database, context.keys, requestedId, {
    userId,
    catalogId: catalog.id,
  });
  if (credential === undefined) {
    throw refuse(
      taskErrors,
      'FORBIDDEN',
      "credential_id is not one of your credentials for this action's catalog",
    );
  }
  if (getCredentialStatus(credential, context.keys) === 'expired') {
    throw refuse(taskErrors, 'AUTH_EXPIRED', 'The session of this credential has expired: sign in again');
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

async function submit(context: Context, task: Task): Promise<Submission> {
  const { jobs, logger } = context;
  const { definition } = task.action;
  const price = definition.credits_per_call;
  const isSync = definition.mode === 'sync' && !jobs.stopping;
  const result = await enqueue(context, {
    id: randomUUID(),
    userId: task.userId,
    price,
    site: task.site,
    idempotency: task.idempotency,
    task: {
      actionId: definition.action_id,
      wheelVersion: definition.wheel_version,
      params: task.params,
      credentialId: task.credentialId,
      isReserved: isSync,
    },
  });
  switch (result.kind) {
    case 'earlier':
      return { jobId: result.job.id, finished: false };
    case 'created': {
      const jobId = result.job.id;
      if (isSync) {
        // The job is accepted and charged: after any failure from here on the caller polls it.
        const finished = await jobs.runNow(jobId).catch((error: unknown) => {
          logger.error({ err: error, job: jobId }, 'The job of a sync action could not be claimed');
          return false;
        });
        return { jobId, finished };
      }
      jobs.wake();
      return { jobId, finished: false };
    }
    case 'too-expensive':
      throw refuse(
        taskErrors,
        'INSUFFICIENT_CREDITS',
        `The action costs ${price} credits, the balance is ${result.balance}`,
        { balance: result.balance, required: price },
      );
    // Rule 2: the code promises that nothing was deducted.
    default:
      throw refuse(
        taskErrors,
        'EXECUTION_FAILED',
        'The task could not be enqueued; no credits were deducted',
      );
  }
}
