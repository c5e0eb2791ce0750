/** Publishing built actions, and what their owners and the operator do with them afterwards. */
import type { ServiceSchema, ServiceTransaction } from '../database/schema.ts';
import type { ActionDefinition } from '../foundation/ports.ts';
import { catalogIdFor, getHashTag, isOperator, type Place } from './built-catalogs.ts';
import { countUpVersion, parseAction, saveAction } from './stored-definitions.ts';

type BuildRow = Pick<
  ServiceSchema['build_requests'],
  'user_id' | 'domain' | 'website_url' | 'visibility' | 'catalog_id' | 'replaces'
>;

/**
 * Publishes what was built and tells every process; returns the action's id. Where the service has several users, a
 * public action waits for its review and is seen by its owner only until then.
 */
export async function publishBuilt(
  transaction: ServiceTransaction,
  build: BuildRow,
  action: ActionDefinition,
): Promise<string> {
  await countUpVersion(transaction);
  const isPublic = build.visibility === 'public';
  const waits = isPublic && (await hasSeveralUsers(transaction));
  const owned = {
    stored: true,
    domain: build.domain,
    ownerUserId: isPublic && !waits ? null : build.user_id,
    status: waits ? 'pending_review' : 'active',
  };
  const replaced = await replacedBy(transaction, build);
  if (replaced !== undefined) {
    const { action_id, catalog_id, name } = replaced;
    await saveAction(transaction, { ...action, action_id, name }, { ...owned, catalogId: catalog_id });
    return action_id;
  }
  const place: Place = {
    domain: build.domain,
    websiteUrl: build.website_url,
    userId: build.user_id,
    isPublic: isPublic && !waits,
  };
  const catalogId =
    (await namedCatalog(transaction, build, place)) ?? (await catalogIdFor(transaction, place));
  const actionId = await freeActionId(transaction, action.action_id, build.user_id);
  await saveAction(transaction, { ...action, action_id: actionId }, { ...owned, catalogId });
  return actionId;
}

async function hasSeveralUsers(transaction: ServiceTransaction): Promise<boolean> {
  return (await transaction.selectFrom('users').select('id').limit(2).execute()).length > 1;
}

/** The action that is rebuilt in place, if it is still there. */
async function replacedBy(transaction: ServiceTransaction, { replaces }: BuildRow) {
  if (replaces === null) return undefined;
  const row = await transaction
    .selectFrom('actions')
    .select(['action_id', 'catalog_id', 'definition'])
    .where('action_id', '=', replaces)
    .executeTakeFirst();
  if (row === undefined || row.definition === null) return undefined;
  return { ...row, name: parseAction(row.definition).name };
}

/** The catalog that the request names, unless the action must not be in it any more. */
async function namedCatalog(
  transaction: ServiceTransaction,
  { catalog_id }: BuildRow,
  { domain, userId, isPublic }: Place,
): Promise<string | undefined> {
  if (catalog_id === null) return undefined;
  const row = await transaction
    .selectFrom('catalogs')
    .select(['id', 'domain', 'owner_user_id'])
    .where('id', '=', catalog_id)
    .executeTakeFirst();
  // A catalog of a file has no domain in the database; the request was checked against the file.
  const fits =
    row !== undefined &&
    (row.domain === null || row.domain === domain) &&
    (row.owner_user_id === null || (row.owner_user_id === userId && !isPublic));
  return fits ? row.id : undefined;
}

/**
 * Ids are unique in the whole service. Those of everybody but the operator end in digits of their own, so that no id
 * tells whether another user has built the same.
 */
async function freeActionId(
  transaction: ServiceTransaction,
  wantedId: string,
  userId: string,
): Promise<string> {
  const first = (await isOperator(transaction, userId))
    ? wantedId
    : `${wantedId}_${getHashTag(`${userId} ${wantedId}`)}`;
  const isTaken = async (id: string) =>
    (await transaction.selectFrom('actions').select('id').where('action_id', '=', id).executeTakeFirst()) !==
    undefined;
  let id = first;
  for (let number = 2; await isTaken(id); number++) id = `${first}_${number}`;
  return id;
}

/** Makes a waiting action public. False where no such action waits. */
export async function approveAction(transaction: ServiceTransaction, actionId: string): Promise<boolean> {
  const waiting = await waitingAction(transaction, actionId);
  if (waiting === undefined) return false;
  const { user_id: userId, website_url: websiteUrl, domain, file } = waiting;
  const catalogId = file ?? (await catalogIdFor(transaction, { domain, websiteUrl, userId, isPublic: true }));
  await transaction
    .updateTable('actions')
    .set({ status: 'active', owner_user_id: null, catalog_id: catalogId, updated_at: Date.now() })
    .where('action_id', '=', actionId)
    .execute();
  await countUpVersion(transaction);
  return true;
}

/** Leaves a waiting action to its owner alone. False where no such action waits. */
export async function rejectAction(transaction: ServiceTransaction, actionId: string): Promise<boolean> {
  if ((await waitingAction(transaction, actionId)) === undefined) return false;
  await transaction
    .updateTable('actions')
    .set({ status: 'active', updated_at: Date.now() })
    .where('action_id', '=', actionId)
    .execute();
  await transaction
    .updateTable('build_requests')
    .set({ visibility: 'private' })
    .where('action_id', '=', actionId)
    .execute();
  await countUpVersion(transaction);
  return true;
}

async function waitingAction(transaction: ServiceTransaction, actionId: string) {
  const row = await transaction
    .selectFrom('actions as action')
    .innerJoin('build_requests as build', 'build.action_id', 'action.action_id')
    .innerJoin('catalogs as catalog', 'catalog.id', 'action.catalog_id')
    .select([
      'build.user_id',
      'build.website_url',
      'build.domain',
      'catalog.id',
      'catalog.domain as built_for',
    ])
    .where('action.action_id', '=', actionId)
    .where('action.status', '=', 'pending_review')
    .orderBy('build.created_at', 'desc')
    .executeTakeFirst();
  // In a file's catalog it stays where it is.
  return row && { ...row, file: row.built_for === null ? row.id : undefined };
}

/** Removes it from the catalog; jobs that ran it stay readable, and accepted ones still run. */
export async function deleteAction(transaction: ServiceTransaction, actionId: string): Promise<void> {
  await transaction.deleteFrom('actions').where('action_id', '=', actionId).execute();
  await countUpVersion(transaction);
}

/** Changes the name that is shown; the id stays. */
export async function renameAction(
  transaction: ServiceTransaction,
  actionId: string,
  name: string,
): Promise<void> {
  const row = await transaction
    .selectFrom('actions')
    .select('definition')
    .where('action_id', '=', actionId)
    .executeTakeFirst();
  if (row === undefined || row.definition === null) throw new Error(`No definition of ${actionId} is stored`);
  const definition = parseAction(row.definition);
  await transaction
    .updateTable('actions')
    .set({ definition: JSON.stringify({ ...definition, name }), updated_at: Date.now() })
    .where('action_id', '=', actionId)
    .execute();
  await countUpVersion(transaction);
}
