/** A built action as a catalog file (`docs/recipes.md`): to read, to change, or for another data folder. */
import * as z from 'zod';
import type { ServiceDatabase } from '../database/schema.ts';
import { readCatalogHead, slugOfDomain } from '../listing/built-catalogs.ts';

/** An object of which nothing is lost that is not looked at. */
const Json = z.record(z.string(), z.unknown());
const Existing = z.looseObject({ actions: z.array(z.looseObject({ action_id: z.string() })) });

/** The content of a file with this one action; undefined where the service has not built it. */
export async function builtCatalog(
  { query }: ServiceDatabase,
  actionId: string,
): Promise<Record<string, unknown> | undefined> {
  const row = await query
    .selectFrom('build_requests as build')
    .innerJoin('actions as action', 'action.action_id', 'build.action_id')
    .innerJoin('catalogs as catalog', 'catalog.id', 'action.catalog_id')
    .select(['build.website_url', 'build.domain'])
    .select(['action.definition as action', 'catalog.definition as catalog'])
    .where('build.action_id', '=', actionId)
    .executeTakeFirst();
  if (row === undefined || row.action === null) return undefined;
  // What follows from the content is not in a file.
  const { wheel_version: _, ...action } = Json.parse(JSON.parse(row.action));
  const { website_url: websiteUrl, domain } = row;
  // A catalog of a file stays where it is: the action gets one of its own.
  const head =
    row.catalog === null
      ? readCatalogHead({ websiteUrl, domain }, slugOfDomain(domain))
      : Json.parse(JSON.parse(row.catalog));
  return { ...head, actions: [action] };
}

/** `catalog` in a file of the same site: beside its other actions, or in the place of one with the same id. */
export function addCatalog(existing: string, catalog: Record<string, unknown>): Record<string, unknown> {
  const before = Existing.parse(JSON.parse(existing));
  const { actions } = Existing.parse(catalog);
  const others = before.actions.filter(({ action_id }) =>
    actions.every((added) => added.action_id !== action_id),
  );
  return { ...before, actions: [...others, ...actions] };
}
