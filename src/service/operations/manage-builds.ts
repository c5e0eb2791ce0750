/**
 * Operations on published built actions. `userId` is their required owner; the operator, who works on the database
 * directly, gives none.
 */

import { BuildChoice } from '../../contract/endpoints.ts';
import { builtSource, parseAction } from '../catalog/definition-rows.ts';
import { approveAction, deleteAction, rejectAction, renameAction } from '../catalog/publish-build.ts';
import { RequestError } from '../foundation/errors.ts';
import { notFound } from '../foundation/request-error.ts';
import { findRecipeProblem } from '../recipes/recipe-problem.ts';
import type { ServiceDatabase } from '../store/schema.ts';

export interface BuiltAction {
  readonly actionId: string;
  readonly name: string;
  readonly user: string;
  readonly websiteUrl: string;
  readonly domain: string;
  readonly goal: string;
  /** The columns that were chosen for it. */
  readonly choose: BuildChoice | undefined;
  /** The requested visibility; `state` is the actual one. */
  readonly visibility: string;
  readonly state: 'waiting' | 'public' | 'private';
  readonly builtAt: Date;
  /** Why it cannot be run. */
  readonly problem: string | undefined;
}

/** Actions that wait for a review first, then the newest first. */
export async function listBuiltActions(
  { query }: ServiceDatabase,
  only: { userId?: string; actionId?: string } = {},
): Promise<BuiltAction[]> {
  let built = query
    .selectFrom('actions as action')
    .innerJoin('build_requests as build', 'build.action_id', 'action.action_id')
    .innerJoin('users', 'users.id', 'build.user_id')
    .select(['action.action_id', 'action.definition', 'action.status', 'action.owner'])
    .select(['build.website_url', 'build.domain', 'build.goal', 'build.visibility', 'build.created_at'])
    .select('build.choose')
    .select('users.name')
    .where('action.source', '=', builtSource)
    .where('action.retired_at', 'is', null);
  if (only.userId !== undefined) built = built.where('build.user_id', '=', only.userId);
  if (only.actionId !== undefined) built = built.where('action.action_id', '=', only.actionId);
  const rows = await built.orderBy('build.created_at', 'desc').execute();
  const seenIds = new Set<string>();
  // An action that was rebuilt has several builds; the last one counts.
  const newest = rows.filter(({ action_id }) => !seenIds.has(action_id) && seenIds.add(action_id));
  const actions = newest.map((row) => ({
    actionId: row.action_id,
    ...readDefinition(row.definition),
    user: row.name,
    websiteUrl: row.website_url,
    domain: row.domain,
    goal: row.goal,
    choose: row.choose === null ? undefined : BuildChoice.parse(JSON.parse(row.choose)),
    visibility: row.visibility,
    state: getState(row),
    builtAt: new Date(row.created_at),
  }));
  return actions.sort((a, b) => Number(b.state === 'waiting') - Number(a.state === 'waiting'));
}

const readDefinition = (text: string) => {
  const { name, recipe } = parseAction(text);
  return { name, problem: findRecipeProblem(recipe) };
};

const getState = (row: { status: string; owner: string | null }): BuiltAction['state'] =>
  row.status === 'pending_review' ? 'waiting' : row.owner === null ? 'public' : 'private';

/** Refuses with `NOT_FOUND`, also for another user's action. */
export async function getBuiltAction(
  database: ServiceDatabase,
  actionId: string,
  userId?: string,
): Promise<BuiltAction> {
  const [action] = await listBuiltActions(database, {
    actionId,
    ...(userId === undefined ? {} : { userId }),
  });
  if (action === undefined) throw notFound('built action');
  return action;
}

/**
 * Jobs that ran it stay readable. The operator may also remove actions that catalog files of a lost data folder left; a
 * folder still in use imports them again.
 */
export async function deleteBuiltAction(
  database: ServiceDatabase,
  actionId: string,
  userId?: string,
): Promise<void> {
  const isOfFile = userId === undefined && (await findFileAction(database, actionId)) !== undefined;
  if (!isOfFile) await getBuiltAction(database, actionId, userId);
  await database.transaction((transaction) => deleteAction(transaction, actionId));
}

const findFileAction = ({ query }: ServiceDatabase, actionId: string) =>
  query
    .selectFrom('actions')
    .select('id')
    .where('action_id', '=', actionId)
    .where('source', 'like', 'file:%')
    .where('retired_at', 'is', null)
    .executeTakeFirst();

const maxNameLength = 200;

/** Changes the displayed name. The id, and with it the tool's name, stays. */
export async function renameBuiltAction(
  database: ServiceDatabase,
  actionId: string,
  name: string,
  userId?: string,
): Promise<void> {
  const plain = name.replace(/\s+/g, ' ').trim();
  if (plain === '' || plain.length > maxNameLength || plain.includes('\0')) {
    throw new RequestError(400, 'INVALID_INPUT', `The name must have 1 to ${maxNameLength} characters`);
  }
  await getBuiltAction(database, actionId, userId);
  await database.transaction((transaction) => renameAction(transaction, actionId, plain));
}

/** Publishes a waiting action, or keeps it private. Refuses with `NOT_FOUND` if no such action waits. */
export async function reviewBuiltAction(
  database: ServiceDatabase,
  actionId: string,
  decision: 'approve' | 'reject',
): Promise<void> {
  const decide = decision === 'approve' ? approveAction : rejectAction;
  const waited = await database.transaction((transaction) => decide(transaction, actionId));
  if (!waited) throw notFound('action that waits for a review');
}
