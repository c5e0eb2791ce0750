/** Published catalogs and actions as the interface shows them (specification: Resources and their fields). */
import type { Action, CatalogEntry, SearchResult } from '../../contract/resources.ts';
import type { ActionDefinition } from '../foundation/ports.ts';
import { resultFields } from '../recipes/result-fields.ts';
import type { ListedAction, ListedCatalog, VisibleCatalog } from './listing.ts';

const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Fields that depend on actions count the visible ones only: more would tell that hidden ones exist. */
export function catalogEntry({ catalog, actions }: VisibleCatalog): CatalogEntry {
  const { definition } = catalog;
  return {
    id: catalog.id,
    slug: definition.slug,
    name: definition.name,
    url: definition.url,
    domain: getDomain(definition.url),
    category: definition.category,
    description: definition.description,
    logo_url: definition.logo_url,
    auth_required: actions.some((action) => action.definition.auth_mode === 'required'),
    auth_type: definition.auth_types[0] ?? null,
    auth_types: [...definition.auth_types],
    auth_login_url: definition.auth_login_url,
    status: 'active',
    created_at: timestamp(catalog.createdAt),
    updated_at: timestamp(catalog.updatedAt),
    action_count: actions.length,
  };
}

export function actionResource({ definition, ...action }: ListedAction): Action {
  return {
    id: action.id,
    action_id: definition.action_id,
    catalog_id: action.catalogId,
    name: definition.name,
    description: definition.description,
    tags: [...definition.tags],
    type: definition.type,
    mode: definition.mode,
    auth_mode: definition.auth_mode,
    auth_required: definition.auth_mode === 'required',
    parameters: { ...definition.parameters },
    credits_per_call: definition.credits_per_call,
    ...declaredPrice(definition),
    wheel_version: definition.wheel_version,
    status: action.problem === undefined ? action.status : 'unavailable',
    ...(action.problem === undefined ? {} : { unavailable_reason: action.problem }),
    owner_user_id: action.ownerUserId,
    created_at: timestamp(action.createdAt),
    updated_at: timestamp(action.updatedAt),
  };
}

export function searchResult(
  catalog: ListedCatalog,
  { definition }: ListedAction,
  connected: boolean,
): SearchResult {
  return {
    action_id: definition.action_id,
    catalog_name: catalog.definition.name,
    catalog_slug: catalog.definition.slug,
    name: definition.name,
    description: definition.description ?? '',
    type: definition.type,
    mode: definition.mode,
    auth_mode: definition.auth_mode,
    auth_required: definition.auth_mode === 'required',
    connected,
    params: { ...definition.parameters },
    credits: definition.credits_per_call,
    ...declaredPrice(definition),
    wheel_version: definition.wheel_version,
    ...resultFields(definition.recipe),
    ...(definition.usual === undefined ? {} : { usual: definition.usual }),
  };
}

/** Whether the final cost may differ from the base price, and its maximum. An extension: the specification has no such field. */
const declaredPrice = ({ credits_expression, credits_max }: ActionDefinition) => ({
  credits_computed: credits_expression !== undefined,
  ...(credits_max === undefined ? {} : { credits_max }),
});

/** The host with a leading `www.` removed (specification: Build request, `domain`). */
export const getDomain = (url: string): string => new URL(url).hostname.replace(/^www\./, '');
