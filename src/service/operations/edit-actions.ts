/** The extension `action-edit`: what the owner of a built action does with it. Others' actions are not found. */

import { randomUUID } from 'node:crypto';
import type { ActionChanged, ActionEdit, RepairBody } from '../../contract/endpoints.ts';
import { openErrors } from '../../contract/errors.ts';
import { buildCredits } from '../../contract/limits.ts';
import { parseAction } from '../catalog/definition-rows.ts';
import { describeAction, findLatestVersion, revertVersion } from '../catalog/publish-build.ts';
import { RequestError } from '../foundation/errors.ts';
import { notFound } from '../foundation/request-error.ts';
import { findGoodRun } from '../jobs/good-run.ts';
import type { ServiceDatabase } from '../store/schema.ts';
import { created, enqueueBuild, readBuild } from './build-requests.ts';
import type { Context } from './context.ts';
import { findEarlierJob, type IdempotencyKey } from './idempotency.ts';
import { deleteBuiltAction, getBuiltAction, renameBuiltAction } from './manage-builds.ts';

const maxDescription = 2_000;

async function changed(database: ServiceDatabase, actionId: string): Promise<ActionChanged> {
  const latest = await findLatestVersion(database.query, actionId);
  if (latest === undefined) throw notFound('built action');
  const { name, description, wheel_version: version } = parseAction(latest.definition);
  return { status: 'ok', action_id: actionId, name, description, version };
}

export async function editBuiltAction(
  { database }: Context,
  userId: string,
  actionId: string,
  { name, description }: ActionEdit,
): Promise<ActionChanged> {
  if (name === undefined && description === undefined)
    throw new RequestError(400, 'INVALID_INPUT', 'Give a name, a description or both');
  const text = description?.replace(/\s+/g, ' ').trim();
  if (text !== undefined && (text === '' || text.length > maxDescription))
    throw new RequestError(400, 'INVALID_INPUT', `description must have 1 to ${maxDescription} characters`);
  await getBuiltAction(database, actionId, userId);
  if (name !== undefined) await renameBuiltAction(database, actionId, name, userId);
  if (text !== undefined)
    await database.transaction((transaction) => describeAction(transaction, actionId, text));
  return changed(database, actionId);
}

/** Results of its jobs stay, and so do its versions, until retention deletes them. */
export async function removeBuiltAction(
  { database }: Context,
  userId: string,
  actionId: string,
): Promise<ActionChanged> {
  await deleteBuiltAction(database, actionId, userId);
  return changed(database, actionId);
}

/** The version before the current one; of a removed action its last one. */
export async function revertBuiltAction(
  { database }: Context,
  userId: string,
  actionId: string,
): Promise<ActionChanged> {
  if (!(await isBuilder(database, userId, actionId))) throw notFound('built action');
  const reverted = await database.transaction((transaction) => revertVersion(transaction, actionId));
  if (!reverted)
    throw new RequestError(
      openErrors.NO_EARLIER_VERSION.httpStatus,
      'NO_EARLIER_VERSION',
      'This action has no earlier version of the last 30 days',
    );
  return changed(database, actionId);
}

/** Also where the action was removed. */
const isBuilder = async ({ query }: ServiceDatabase, userId: string, actionId: string): Promise<boolean> =>
  (await query
    .selectFrom('build_requests')
    .select('id')
    .where('user_id', '=', userId)
    .where('action_id', '=', actionId)
    .where('status', '=', 'success')
    .executeTakeFirst()) !== undefined;

/** Charges and enqueues a repair: a build request that publishes only with proof. */
export async function requestRepair(
  context: Context,
  userId: string,
  actionId: string,
  { good_job_id }: RepairBody,
  idempotency: IdempotencyKey | undefined,
) {
  const { database } = context;
  const earlierJob = await findEarlierJob(database.query, userId, idempotency);
  if (earlierJob !== undefined) return created(await readBuild(database.query, earlierJob.id));
  const action = await getBuiltAction(database, actionId, userId);
  const good = await findGoodRun(database.query, { userId, actionId, jobId: good_job_id });
  const { websiteUrl, domain, goal, visibility } = action;
  const jobId = await enqueueBuild(context, 'repair', {
    id: randomUUID(),
    userId,
    price: buildCredits,
    site: new URL(websiteUrl).host,
    idempotency,
    build: {
      website_url: websiteUrl,
      domain,
      goal,
      visibility,
      catalog_id: null,
      replaces: actionId,
      choose: null,
      name: null,
      repair_by: good?.id ?? '',
    },
  });
  return created(await readBuild(database.query, jobId));
}
