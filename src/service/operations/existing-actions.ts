/** `ACTION_EXISTS`: a build is refused where the requester sees an action that reads the page (specification: POST /build-request). */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { BuildChoice } from '../../contract/endpoints.ts';
import { buildErrors } from '../../contract/errors.ts';
import { builtSource } from '../catalog/definition-rows.ts';
import { refuse } from '../foundation/request-error.ts';
import type { ServiceQuery } from '../store/schema.ts';
import type { Context } from './context.ts';

const maxShown = 20;

const Requesting = z.looseObject({
  request: z.looseObject({ url: z.string() }),
  defaults: z.record(z.string(), z.unknown()).default({}),
});

interface Built {
  readonly page: string;
  readonly choose: BuildChoice | undefined;
}

/**
 * Throws if there is one and `force` is not set. A request with chosen columns is refused only for an action that was
 * built with the same ones.
 */
export async function refuseExistingActions(
  context: Context,
  userId: string,
  wanted: { readonly url: URL; readonly domain: string; readonly choose: BuildChoice | undefined },
): Promise<void> {
  const { url, domain, choose } = wanted;
  const page = toPage(url);
  const built = await findBuiltActions(context.database.query, domain);
  const isSame = (actionId: string, recipe: unknown) => {
    const build = built.get(actionId);
    if (build?.page !== page && pageOf(recipe) !== page) return false;
    return choose === undefined || hasColumns(choose, build?.choose);
  };
  const existing = (await context.publication.current())
    .visibleTo(userId)
    .flatMap(({ actions }) => actions.filter(({ problem }) => problem === undefined))
    .map(({ definition }) => definition)
    .filter(({ action_id, recipe }) => isSame(action_id, recipe))
    .slice(0, maxShown)
    .map(({ action_id, name, description }) => ({ action_id, name, description }));
  if (existing.length === 0) return;
  throw refuse(buildErrors, 'ACTION_EXISTS', `Actions that read ${page} already exist`, {
    existing_actions: existing,
  });
}

const hasColumns = (choose: BuildChoice, other: BuildChoice | undefined): boolean =>
  choose.candidate === other?.candidate && isDeepStrictEqual(choose.fields, other.fields);

const toPage = ({ origin, pathname }: URL): string => origin + pathname;

/** The page that a recipe fetches first; undefined if a param decides the path. */
function pageOf(recipe: unknown): string | undefined {
  const { data } = Requesting.safeParse(recipe);
  if (data === undefined) return undefined;
  const address = data.request.url.replace(/\{([\w-]+)\}/g, (placeholder, name: string) =>
    String(data.defaults[name] ?? placeholder),
  );
  return URL.canParse(address) ? toPage(new URL(address)) : undefined;
}

/** Goals and choices of builds for the domain, by action: everybody's, but only those of visible actions are used. */
async function findBuiltActions(query: ServiceQuery, domain: string): Promise<ReadonlyMap<string, Built>> {
  const rows = await query
    .selectFrom('build_requests')
    .select(['action_id', 'website_url', 'choose'])
    .where('domain', '=', domain)
    .where('status', '=', 'success')
    .orderBy('created_at')
    .execute();
  const built = new Map<string, Built>();
  for (const { action_id, website_url, choose } of rows) {
    if (action_id === null) continue;
    const chosen = choose === null ? undefined : BuildChoice.parse(JSON.parse(choose));
    built.set(action_id, { page: toPage(new URL(website_url)), choose: chosen });
  }
  return built;
}

/**
 * The requester's own action for the same goal, domain and visibility. A forced build replaces it under its id, and so
 * does any build if it is unavailable.
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
    .where('action.source', '=', builtSource)
    .where('action.retired_at', 'is', null)
    .orderBy('build.created_at', 'desc')
    .execute();
  const plain = (goal: string) => goal.replace(/\s+/g, ' ').trim().toLowerCase();
  return rows.find(({ goal }) => plain(goal) === plain(buildRequest.goal))?.action_id ?? undefined;
}
