/** POST /build-request and GET /build-requests. */
import { randomUUID } from 'node:crypto';
import type { BuildRequestBody, BuildRequestCreated, BuildRequestList } from '../../contract/endpoints.ts';
import { buildErrors } from '../../contract/errors.ts';
import { buildCredits, maxPendingBuilds } from '../../contract/limits.ts';
import type { BuildRequest } from '../../contract/resources.ts';
import type { ServiceQuery, ServiceSchema, ServiceTransaction } from '../database/schema.ts';
import { domainOf } from '../listing/resources.ts';
import { RequestError, refuse } from '../request-error.ts';
import { lockBalance, post } from '../users/ledger.ts';
import type { Context } from './context.ts';
import { refuseWhatExists } from './existing-actions.ts';
import { findEarlierJob, type IdempotencyKey } from './idempotency.ts';
import { resolveCommit } from './resolve-commit.ts';
import { jobsChannel } from './submit-task.ts';

/** Characters. */
const maxGoalLength = 4_000;

/** Charges and enqueues a build in one transaction (specification: POST /build-request). */
export async function requestBuild(
  context: Context,
  userId: string,
  body: BuildRequestBody,
  idempotency: IdempotencyKey | undefined,
): Promise<BuildRequestCreated> {
  const { database, jobs, crashPoint } = context;
  const earlier = await findEarlierJob(database.query, userId, idempotency);
  if (earlier !== undefined) return created(await buildOf(database.query, earlier.id));
  const request = await checkRequest(context, userId, body);
  const jobId = randomUUID();
  let row: ServiceSchema['build_requests'];
  try {
    row = await database.transaction(async (transaction) => {
      const charged = await chargeAndCreate(transaction, { jobId, userId, request, idempotency });
      await database.notify(transaction, jobsChannel);
      crashPoint('build.before-commit');
      return charged;
    });
  } catch (error) {
    if (error instanceof RequestError) throw error;
    context.logger.error({ err: error }, 'A build request could not be created');
    const job = await resolveCommit(
      context,
      { id: jobId, kind: 'build', userId, site: request.url.host },
      error,
    );
    if (job === undefined) {
      throw refuse(
        buildErrors,
        'INTERNAL_ERROR',
        'The build request could not be created; no credits were deducted. Try again later',
      );
    }
    row = await buildOf(database.query, job.id);
  }
  crashPoint('build.after-commit');
  jobs.wake();
  return created(row);
}

const created = (row: ServiceSchema['build_requests']): BuildRequestCreated => ({
  status: 'ok',
  build_request: resourceOf(row),
});

const buildOf = (query: ServiceQuery, jobId: string): Promise<ServiceSchema['build_requests']> =>
  query.selectFrom('build_requests').selectAll().where('job_id', '=', jobId).executeTakeFirstOrThrow();

interface Charge {
  readonly jobId: string;
  readonly userId: string;
  readonly request: CheckedRequest;
  readonly idempotency: IdempotencyKey | undefined;
}

interface CheckedRequest {
  readonly url: URL;
  readonly goal: string;
  readonly catalogId: string | null;
  readonly visibility: string;
}

async function checkRequest(
  context: Context,
  userId: string,
  body: BuildRequestBody,
): Promise<CheckedRequest> {
  const url = await context.checkWebsite(body.website_url);
  const goal = body.goal.trim();
  if (goal === '' || goal.length > maxGoalLength) {
    throw refuse(buildErrors, 'INVALID_INPUT', `goal has 1 to ${maxGoalLength} characters`);
  }
  const visible = (await context.publication.current()).visibleTo(userId);
  if (body.catalog_id !== undefined && !visible.some(({ catalog }) => catalog.id === body.catalog_id)) {
    throw refuse(buildErrors, 'INVALID_INPUT', 'catalog_id: no such catalog');
  }
  if (body.force !== true) await refuseWhatExists(context, userId, { goal, domain: domainOf(url.href) });
  return {
    url,
    goal,
    catalogId: body.catalog_id ?? null,
    visibility: body.visibility ?? 'private',
  };
}

async function chargeAndCreate(
  transaction: ServiceTransaction,
  { jobId, userId, request, idempotency }: Charge,
): Promise<ServiceSchema['build_requests']> {
  // The lock also makes the user's requests take turns, so that the limit holds.
  const balance = await lockBalance(transaction, userId);
  const earlier = await findEarlierJob(transaction, userId, idempotency);
  if (earlier !== undefined) return buildOf(transaction, earlier.id);
  const pending = await transaction
    .selectFrom('build_requests')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  if (pending.count >= maxPendingBuilds) {
    throw refuse(
      buildErrors,
      'BUILD_LIMIT_REACHED',
      `${maxPendingBuilds} build requests are pending; wait for one`,
    );
  }
  if (balance < buildCredits) {
    throw refuse(
      buildErrors,
      'INSUFFICIENT_CREDITS',
      `A build costs ${buildCredits} credits, the balance is ${balance}`,
      { balance, required: buildCredits },
    );
  }
  const now = Date.now();
  const { url, goal, catalogId, visibility } = request;
  await post(transaction, { userId, kind: 'charge', amount: -buildCredits, jobId });
  await transaction
    .insertInto('jobs')
    .values({
      id: jobId,
      kind: 'build',
      user_id: userId,
      status: 'processing',
      site: url.host,
      price: buildCredits,
      created_at: now,
      run_after: 0,
      attempts: 0,
      lease_until: 0,
      fence: 0,
      idempotency_key: idempotency?.key ?? null,
      request_hash: idempotency?.requestHash ?? null,
    })
    .execute();
  return transaction
    .insertInto('build_requests')
    .values({
      id: randomUUID(),
      user_id: userId,
      job_id: jobId,
      website_url: url.href,
      domain: domainOf(url.href),
      goal,
      catalog_id: catalogId,
      visibility,
      status: 'pending',
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The newest first, as many as can be looked through; rows are shown of the newest of them. See README.md. */
export async function listBuildRequests({ database }: Context, userId: string): Promise<BuildRequestList> {
  const newest = database.query
    .selectFrom('build_requests')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id');
  const rows = await newest
    .select([...plainColumns])
    .limit(maxListed)
    .execute();
  const details = await newest
    .select(['id', 'steps', 'sample', 'missing_fields', 'alternatives'])
    .limit(maxDetailed)
    .execute();
  const detailsOf = new Map(details.map((row) => [row.id, row]));
  const nothing = { steps: null, sample: null, missing_fields: null, alternatives: null };
  return {
    status: 'ok',
    build_requests: rows.map((row) => resourceOf({ ...row, ...(detailsOf.get(row.id) ?? nothing) })),
  };
}

const maxListed = 1_000;
const maxDetailed = 50;
const plainColumns = [
  ...(['id', 'user_id', 'job_id', 'website_url', 'domain', 'goal', 'catalog_id', 'visibility'] as const),
  ...(['status', 'action_id', 'error', 'error_type', 'created_at', 'updated_at'] as const),
] as const;

function resourceOf(row: ServiceSchema['build_requests']): BuildRequest {
  return {
    id: row.id,
    user_id: row.user_id,
    website_url: row.website_url,
    domain: row.domain,
    goal: row.goal,
    visibility: row.visibility,
    status: row.status,
    // A failed build was refunded, so nothing is held for it any more.
    credits_charged: row.status === 'failed' ? 0 : buildCredits,
    ...(row.action_id === null ? {} : { action_id: row.action_id }),
    ...(row.error === null ? {} : { error: row.error }),
    ...(row.error_type === null ? {} : { error_type: row.error_type }),
    ...listed('steps', row.steps),
    ...listed('sample', row.sample),
    ...listed('missing_fields', row.missing_fields),
    ...listed('alternatives', row.alternatives),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}

/** Beyond the specification, where there is something to tell. The JSON is our own. */
const listed = (name: 'steps' | 'sample' | 'missing_fields' | 'alternatives', json: string | null) =>
  json === null || json === '[]' ? {} : { [name]: JSON.parse(json) };
