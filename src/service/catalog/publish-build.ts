/** Publishing built actions, and what their owners and the operator do with them afterwards. */
import { isDeepStrictEqual } from 'node:util';
import type { Updateable } from 'kysely';
import { dayMs } from '../../store/retention.ts';
import type { ActionDefinition, KeptChoice } from '../foundation/ports.ts';
import { resultFields } from '../recipes/result-fields.ts';
import { versionsKeptDays } from '../store/retention.ts';
import type { ServiceQuery, ServiceSchema, ServiceTransaction } from '../store/schema.ts';
import { catalogIdFor, getHashTag, isOperator, type PublicationTarget } from './catalogs-of-builds.ts';
import { builtSource, countUpVersion, parseAction, retireActions, saveAction } from './definition-rows.ts';

type BuildRow = Pick<
  ServiceSchema['build_requests'],
  'user_id' | 'domain' | 'website_url' | 'visibility' | 'catalog_id' | 'replaces' | 'repair_by'
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
    source: builtSource,
    owner: isPublic && !waits ? null : build.user_id,
    status: waits ? 'pending_review' : 'active',
  };
  const replaced = build.replaces === null ? undefined : await findBuiltAction(transaction, build.replaces);
  if (replaced !== undefined) {
    const { action_id, catalog_id: catalogId, definition } = replaced;
    const before = parseAction(definition);
    const { name, description } = before;
    const kept = build.repair_by === null ? (listsFields(before) ? {} : { name }) : { name, description };
    await saveAction(transaction, { ...action, action_id, ...kept }, { ...owned, catalogId });
    return action_id;
  }
  const place: PublicationTarget = {
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

/** Whether a build has named it, by its fields; else a person has, and the name stays. */
function listsFields({ name, columns }: Pick<ActionDefinition, 'name' | 'columns'>): boolean {
  const listed = name.includes(': ') ? name.slice(name.lastIndexOf(': ') + 2) : name.replace(/^\S+ /, '');
  const fields = Object.keys(columns?.fields ?? {}).join(', ');
  return fields.startsWith(listed.replace(/…$/, ''));
}

async function hasSeveralUsers(transaction: ServiceTransaction): Promise<boolean> {
  return (
    (await transaction.selectFrom('users').select('id').where('removed_at', 'is', null).limit(2).execute())
      .length > 1
  );
}

/** The current version, while it is there. */
async function findBuiltAction(query: ServiceQuery, actionId: string) {
  return query
    .selectFrom('actions as action')
    .innerJoin('catalogs as catalog', 'catalog.id', 'action.catalog_id')
    .select(['action.action_id', 'action.definition', 'action.status', 'action.updated_at'])
    .select(['catalog.id as catalog_id', 'catalog.source as catalog_source'])
    .where('action.action_id', '=', actionId)
    .where('action.source', '=', builtSource)
    .where('action.retired_at', 'is', null)
    .executeTakeFirst();
}

/** What the columns of the replaced action were, where this build asks for the same ones in the same words. */
export async function findKeptColumns(
  query: ServiceQuery,
  { replaces, choose }: Pick<ServiceSchema['build_requests'], 'replaces' | 'choose'>,
): Promise<{ readonly columns: KeptChoice; readonly at: number } | undefined> {
  if (replaces === null) return undefined;
  const action = await findBuiltAction(query, replaces);
  const { columns } = action === undefined ? {} : parseAction(action.definition);
  const earlier = await query
    .selectFrom('build_requests')
    .select('choose')
    .where('action_id', '=', replaces)
    .where('status', '=', 'success')
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  const read = (text: string | null | undefined): unknown => JSON.parse(text ?? 'null');
  if (
    action === undefined ||
    columns === undefined ||
    !isDeepStrictEqual(read(choose), read(earlier?.choose))
  )
    return undefined;
  return { columns, at: action.updated_at };
}

/** The catalog that the request names, unless the action must not be in it by now. */
async function namedCatalog(
  transaction: ServiceTransaction,
  { catalog_id }: BuildRow,
  { domain, userId, isPublic }: PublicationTarget,
): Promise<string | undefined> {
  if (catalog_id === null) return undefined;
  const row = await transaction
    .selectFrom('catalogs')
    .select(['id', 'owner'])
    .where('id', '=', catalog_id)
    .where('domain', '=', domain)
    .where('retired_at', 'is', null)
    .executeTakeFirst();
  const fits = row !== undefined && (row.owner === null || (row.owner === userId && !isPublic));
  return fits ? row.id : undefined;
}

/**
 * Ids are unique in the whole service. Those of everybody but the operator end in digits of their own, so that no id
 * reveals whether another user has built the same.
 */
export async function freeActionId(query: ServiceQuery, wantedId: string, userId: string): Promise<string> {
  const first = await ownActionId(query, wantedId, userId);
  const isTaken = async (id: string) =>
    (await query
      .selectFrom('actions')
      .select('id')
      .where('action_id', '=', id)
      .where('retired_at', 'is', null)
      .executeTakeFirst()) !== undefined;
  let id = first;
  for (let number = 2; await isTaken(id); number++) id = `${first}_${number}`;
  return id;
}

/** The id of this user's action for the wanted one, where it is free. */
export const ownActionId = async (query: ServiceQuery, wantedId: string, userId: string): Promise<string> =>
  (await isOperator(query, userId)) ? wantedId : `${wantedId}_${getHashTag(`${userId} ${wantedId}`)}`;

/** Makes a waiting action public, in a public catalog of its domain. False where no such action waits. */
export async function approveAction(transaction: ServiceTransaction, actionId: string): Promise<boolean> {
  const action = await findWaitingAction(transaction, actionId);
  if (action === undefined) return false;
  const {
    user_id: userId,
    website_url: websiteUrl,
    domain,
  } = await transaction
    .selectFrom('build_requests')
    .select(['user_id', 'website_url', 'domain'])
    .where('action_id', '=', actionId)
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  // An action in a file's catalog stays there.
  const catalogId =
    action.catalog_source === builtSource
      ? await catalogIdFor(transaction, { domain, websiteUrl, userId, isPublic: true })
      : action.catalog_id;
  await changeAction(transaction, actionId, { status: 'active', owner: null, catalog_id: catalogId });
  return true;
}

/** Keeps a waiting action private to its owner. False if no such action waits. */
export async function rejectAction(transaction: ServiceTransaction, actionId: string): Promise<boolean> {
  if ((await findWaitingAction(transaction, actionId)) === undefined) return false;
  await changeAction(transaction, actionId, { status: 'active' });
  await transaction
    .updateTable('build_requests')
    .set({ visibility: 'private' })
    .where('action_id', '=', actionId)
    .execute();
  return true;
}

async function findWaitingAction(transaction: ServiceTransaction, actionId: string) {
  await countUpVersion(transaction);
  const action = await findBuiltAction(transaction, actionId);
  return action?.status === 'pending_review' ? action : undefined;
}

/**
 * Removes the action from the catalog; jobs that ran it stay readable, and accepted ones still run. If a file's catalog
 * has no other built action, its slug becomes free.
 */
export async function deleteAction(transaction: ServiceTransaction, actionId: string): Promise<void> {
  await countUpVersion(transaction);
  await retireActions(transaction, [actionId]);
  const usedIds = transaction.selectFrom('actions').select('catalog_id').where('retired_at', 'is', null);
  await transaction
    .updateTable('catalogs')
    .set({ retired_at: Date.now() })
    .where('source', '<>', builtSource)
    .where('retired_at', 'is', null)
    .where('id', 'not in', usedIds)
    .execute();
}

/** Changes the name that is shown; id and version stay. */
export async function renameAction(
  transaction: ServiceTransaction,
  actionId: string,
  name: string,
): Promise<void> {
  // Before the definition is read: a build may be replacing it.
  await countUpVersion(transaction);
  const action = await findBuiltAction(transaction, actionId);
  if (action === undefined) throw new Error(`${actionId} is not a built action`);
  const definition = JSON.stringify({ ...parseAction(action.definition), name });
  await changeAction(transaction, actionId, { definition });
}

/** Changes the description of the current version. */
export async function describeAction(
  transaction: ServiceTransaction,
  actionId: string,
  description: string,
): Promise<void> {
  await countUpVersion(transaction);
  const action = await findBuiltAction(transaction, actionId);
  if (action === undefined) throw new Error(`${actionId} is not a built action`);
  const definition = JSON.stringify({ ...parseAction(action.definition), description });
  await changeAction(transaction, actionId, { definition });
}

const versionsKeptMs = versionsKeptDays * dayMs;

/** The versions of a built action: the current one first, then those that were current last. */
const versionsOf = (query: ServiceQuery, actionId: string) =>
  query
    .selectFrom('actions')
    .select(['version', 'definition', 'retired_at'])
    .where('action_id', '=', actionId)
    .where('source', '=', builtSource)
    .orderBy((built) => built.fn.coalesce('retired_at', built.val(Number.MAX_SAFE_INTEGER)), 'desc');

/** The current version, or the last one of an action that was removed. */
export const findLatestVersion = (query: ServiceQuery, actionId: string) =>
  versionsOf(query, actionId).executeTakeFirst();

/** Makes the version before the current one current; of a removed action its last one. False where there is none. */
export async function revertVersion(transaction: ServiceTransaction, actionId: string): Promise<boolean> {
  await countUpVersion(transaction);
  const now = Date.now();
  const versions = await versionsOf(transaction, actionId).execute();
  const earlier = versions.find(({ retired_at }) => retired_at !== null);
  if (earlier === undefined || (earlier.retired_at ?? 0) < now - versionsKeptMs) return false;
  const current = versions.find(({ retired_at }) => retired_at === null);
  const replaced = current === undefined ? undefined : parseAction(current.definition);
  const definition = parseAction(earlier.definition);
  // The name is the owner's, not the version's; so is the description, as long as it tells of the same fields.
  const { name, description } = replaced ?? definition;
  const hasSameFields = isDeepStrictEqual(
    resultFields(replaced?.recipe)?.returns,
    resultFields(definition.recipe)?.returns,
  );
  await retireActions(transaction, [actionId]);
  await transaction
    .updateTable('actions')
    .set({
      retired_at: null,
      updated_at: now,
      definition: JSON.stringify({
        ...definition,
        name,
        description: hasSameFields ? description : definition.description,
      }),
    })
    .where('action_id', '=', actionId)
    .where('version', '=', earlier.version)
    .execute();
  return true;
}

/** Of the current version. */
async function changeAction(
  transaction: ServiceTransaction,
  actionId: string,
  change: Updateable<ServiceSchema['actions']>,
): Promise<void> {
  await transaction
    .updateTable('actions')
    .set({ ...change, updated_at: Date.now() })
    .where('action_id', '=', actionId)
    .where('retired_at', 'is', null)
    .execute();
}
