/** `ACTION_EXISTS`: a build is refused where the requester sees an action like it (specification: POST /build-request). */
import { buildErrors } from '../../contract/errors.ts';
import type { ServiceQuery } from '../database/schema.ts';
import { refuse } from '../foundation/request-error.ts';
import type { ListedAction, ListedCatalog } from '../listing/listing.ts';
import { getDomain } from '../listing/resources.ts';
import type { Context } from './context.ts';
import { similarityTo } from './similar-actions.ts';

/** The most similar ones are shown. */
const maxShown = 20;

/** Throws where there is one; `force` is the way past it. */
export async function refuseExistingActions(
  context: Context,
  userId: string,
  buildRequest: { readonly goal: string; readonly domain: string },
): Promise<void> {
  const built = await findBuiltActions(context, buildRequest.domain);
  const isNear = (catalog: ListedCatalog, action: ListedAction) =>
    getDomain(catalog.definition.url) === buildRequest.domain || built.has(action.definition.action_id);
  const similarity = similarityTo(buildRequest.goal);
  const existing = (await context.publication.current())
    .visibleTo(userId)
    .flatMap(({ catalog, actions }) =>
      actions
        .filter((action) => isNear(catalog, action))
        .map(({ definition }) => ({
          definition,
          similarity: similarity({
            ...definition,
            goal: built.get(definition.action_id),
            site: `${catalog.definition.name} ${getDomain(catalog.definition.url)}`,
          }),
        })),
    )
    .filter((action) => action.similarity > 0)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, maxShown)
    .map(({ definition: { action_id, name, description } }) => ({ action_id, name, description }));
  if (existing.length === 0) return;
  throw refuse(buildErrors, 'ACTION_EXISTS', `Similar actions for ${buildRequest.domain} already exist`, {
    existing_actions: existing,
  });
}

/** The goals of what was built for the domain, by action: of everybody, but only of visible actions are they used. */
async function findBuiltActions({ database }: Context, domain: string): Promise<ReadonlyMap<string, string>> {
  const rows = await database.query
    .selectFrom('build_requests')
    .select(['action_id', 'goal'])
    .where('domain', '=', domain)
    .where('status', '=', 'success')
    .execute();
  return new Map(
    rows.flatMap(({ action_id, goal }) => (action_id === null ? [] : [[action_id, goal] as const])),
  );
}

/**
 * The requester's own action that was built for the same goal, domain and visibility: a forced build for them again
 * replaces it under its id.
 */
export async function findOwnAction(
  query: ServiceQuery,
  buildRequest: {
    readonly userId: string;
    readonly domain: string;
    readonly goal: string;
    readonly visibility: string;
  },
): Promise<string | undefined> {
  const rows = await query
    .selectFrom('build_requests as build')
    .innerJoin('actions as action', 'action.action_id', 'build.action_id')
    .select(['build.action_id', 'build.goal'])
    .where('build.user_id', '=', buildRequest.userId)
    .where('build.domain', '=', buildRequest.domain)
    .where('build.visibility', '=', buildRequest.visibility)
    .where('action.definition', 'is not', null)
    .orderBy('build.created_at', 'desc')
    .execute();
  const plain = (goal: string) => goal.replace(/\s+/g, ' ').trim().toLowerCase();
  return rows.find(({ goal }) => plain(goal) === plain(buildRequest.goal))?.action_id ?? undefined;
}
