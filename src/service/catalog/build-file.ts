/** A built action as a catalog file (`docs/recipes.md`), which becomes its only home. */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { ServiceDatabase, ServiceQuery } from '../store/schema.ts';
import { readCatalogHead, slugOfDomain } from './catalogs-of-builds.ts';
import { builtSource, parseCatalog } from './definition-rows.ts';
import { deleteAction } from './publish-build.ts';

/** Keeps members that are not parsed here. */
const Json = z.record(z.string(), z.unknown());
const Actions = z.looseObject({
  actions: z.array(
    z.looseObject({
      action_id: z.string(),
      name: z.string(),
      recipe: z.looseObject({ request: z.unknown() }),
    }),
  ),
});

/** The content of a file with this one action; undefined where the service has not built it. */
export async function builtCatalog(
  { query }: ServiceDatabase,
  actionId: string,
): Promise<Record<string, unknown> | undefined> {
  const row = await query
    .selectFrom('build_requests as build')
    .innerJoin('actions as action', 'action.action_id', 'build.action_id')
    .innerJoin('catalogs as catalog', 'catalog.id', 'action.catalog_id')
    .select(['build.website_url', 'build.domain', 'action.definition'])
    .select(['catalog.id', 'catalog.definition as head', 'catalog.source'])
    .where('action.action_id', '=', actionId)
    .where('action.source', '=', builtSource)
    .where('action.retired_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  // The version follows from the content, so it is not in a file.
  const {
    wheel_version: _,
    columns: _columns,
    usual: _usual,
    ...action
  } = Json.parse(JSON.parse(row.definition));
  const others = await query
    .selectFrom('actions')
    .select('id')
    .where('catalog_id', '=', row.id)
    .where('action_id', '<>', actionId)
    .where('retired_at', 'is', null)
    .executeTakeFirst();
  const { website_url: websiteUrl, domain } = row;
  // The slug belongs to the actions that stay in the catalog.
  const head =
    others === undefined && row.source === builtSource
      ? parseCatalog(row.head)
      : readCatalogHead({ websiteUrl, domain }, await numberedSlug(query, `${slugOfDomain(domain)}-file`));
  return { ...head, actions: [action] };
}

async function numberedSlug(query: ServiceQuery, wanted: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const slug = number === 1 ? wanted : `${wanted}-${number}`;
    const holder = await query
      .selectFrom('catalogs')
      .select('id')
      .where('slug', '=', slug)
      .where('retired_at', 'is', null)
      .executeTakeFirst();
    if (holder === undefined) return slug;
  }
}

/** From now on the file is the action's only home. */
export const moveToFile = (database: ServiceDatabase, actionId: string): Promise<void> =>
  database.transaction((transaction) => deleteAction(transaction, actionId));

/**
 * `catalog` merged into a file of the same site, and the id of its action there. The action replaces the one with the
 * same fields of the same page, under that one's id, and never another one.
 */
export function addCatalog(
  existing: string,
  catalog: Record<string, unknown>,
): { readonly content: Record<string, unknown>; readonly actionId: string } {
  const file = Actions.parse(JSON.parse(existing));
  const [built] = Actions.parse(catalog).actions;
  if (built === undefined) throw new Error('The catalog has no action');
  const isSame = ({ name, recipe }: typeof built) =>
    name === built.name && isDeepStrictEqual(recipe.request, built.recipe.request);
  const replaced = file.actions.find(isSame);
  const takenIds = new Set(file.actions.map(({ action_id }) => action_id));
  let actionId = replaced?.action_id ?? built.action_id;
  for (let number = 2; replaced === undefined && takenIds.has(actionId); number += 1)
    actionId = `${built.action_id}_${number}`;
  const action = { ...built, action_id: actionId };
  const actions =
    replaced === undefined
      ? [...file.actions, action]
      : file.actions.map((one) => (one === replaced ? action : one));
  return { content: { ...file, actions }, actionId };
}
