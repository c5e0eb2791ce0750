/** GET /catalog, GET /catalog/{slug} and GET /search. */
import type {
  CatalogDetails,
  CatalogList,
  CatalogQuery,
  SearchQuery,
  SearchResults,
} from '../../contract/endpoints.ts';
import { catalogErrors } from '../../contract/errors.ts';
import { connectedCatalogs } from '../accounts/credentials.ts';
import type { ListedAction } from '../catalog/listing.ts';
import { actionResource, catalogEntry, searchResult } from '../catalog/resources.ts';
import { refuse } from '../foundation/request-error.ts';
import { findCatalogProblems, toProblemText } from './catalog-problems.ts';
import type { Context } from './context.ts';

/** `scope=my`: only catalogs with an action that the user owns (specification: GET /catalog). */
export async function listCatalogs(
  context: Context,
  userId: string,
  query: CatalogQuery,
): Promise<CatalogList> {
  const visible = (await context.publication.current()).visibleTo(userId);
  const chosen =
    query.scope === 'my'
      ? visible.filter(({ actions }) => actions.some((action) => action.ownerUserId === userId))
      : visible;
  const problems = await findCatalogProblems(context, userId);
  return {
    catalog: chosen.map(catalogEntry),
    ...(problems.length > 0 && { catalog_problems: problems.map(toProblemText) }),
  };
}

/** Refuses with `NOT_FOUND` also where the user sees no action of the catalog (specification: GET /catalog/{slug}). */
export async function getCatalog(
  { publication }: Context,
  userId: string,
  slug: string,
): Promise<CatalogDetails> {
  const visible = (await publication.current()).catalog(slug, userId);
  if (visible === undefined) throw refuse(catalogErrors, 'NOT_FOUND', 'No such catalog');
  const { login, auth_types } = visible.catalog.definition;
  return {
    catalog: catalogEntry(visible),
    actions: visible.actions.map(actionResource),
    ...(login !== undefined && auth_types.includes('credentials')
      ? { login_input_schema: [...login.fields] }
      : {}),
  };
}

/** All filters must hold; `q` ignores case, and each of its words must occur (specification: GET /search). */
export async function search(context: Context, userId: string, query: SearchQuery): Promise<SearchResults> {
  const listing = await context.publication.current();
  const connected = await connectedCatalogs(context.database, context.keys, userId);
  const words = (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const { catalog: slug, category, auth } = query;
  const results = listing
    .visibleTo(userId)
    .filter(({ catalog }) => slug === undefined || catalog.definition.slug === slug)
    .filter(({ catalog }) => category === undefined || catalog.definition.category === category)
    .flatMap(({ catalog, actions }) =>
      actions
        .filter(({ problem }) => problem === undefined)
        .filter((action) => auth !== 'false' || action.definition.auth_mode !== 'required')
        .filter((action) => matches(action, words))
        .map((action) => searchResult(catalog, action, connected.has(catalog.id))),
    );
  return { results };
}

function matches({ definition }: ListedAction, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [definition.name, definition.description ?? '', ...definition.tags].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}
