/** `ACTION_EXISTS`: a build is refused where the requester sees an action that reads the page (specification: POST /build-request). */
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { BuildChoice } from '../../contract/endpoints.ts';
import { buildErrors, type ExistingAction } from '../../contract/errors.ts';
import { builtSource } from '../catalog/definition-rows.ts';
import type { ActionDefinition } from '../foundation/ports.ts';
import { refuse } from '../foundation/request-error.ts';
import { placeholderOf, valuesIn } from '../recipes/template.ts';
import type { ServiceQuery } from '../store/schema.ts';
import type { Context } from './context.ts';
import { findParamIssues } from './param-issues.ts';

const maxShown = 20;

const Requesting = z.looseObject({
  request: z.looseObject({
    url: z.string(),
    query: z.record(z.string(), z.unknown()).default({}),
  }),
  defaults: z.record(z.string(), z.unknown()).default({}),
});

interface Built {
  readonly page: string;
  readonly choose: BuildChoice | undefined;
}

type Wanted = { readonly url: URL; readonly domain: string };

/**
 * Throws if there is one and `force` is not set. A request with chosen columns is refused only for an action that was
 * built with the same ones.
 */
export async function refuseExistingActions(
  context: Pick<Context, 'database' | 'publication'>,
  userId: string,
  { choose, ...wanted }: Wanted & { readonly choose: BuildChoice | undefined },
): Promise<void> {
  const existing = await findExistingActions(
    context,
    userId,
    wanted,
    (built) => choose === undefined || hasColumns(choose, built?.choose),
  );
  if (existing.length === 0) return;
  throw refuse(buildErrors, 'ACTION_EXISTS', `Actions that read ${toPage(wanted.url)} already exist`, {
    existing_actions: existing,
  });
}

/** The visible actions that read the page, with the params that read it. `isMeant`: by how it was built, if it was. */
export async function findExistingActions(
  { database, publication }: Pick<Context, 'database' | 'publication'>,
  userId: string,
  { url, domain }: Wanted,
  isMeant: (built: Built | undefined) => boolean = () => true,
): Promise<ExistingAction[]> {
  const page = toPage(url);
  const built = await findBuiltActions(database.query, domain);
  const toExisting = (definition: ActionDefinition): ExistingAction[] => {
    const { action_id, name, description } = definition;
    const build = built.get(action_id);
    if (!isMeant(build)) return [];
    const reading = readingOf(definition, url) ?? (build?.page === page ? {} : undefined);
    return reading === undefined ? [] : [{ action_id, name, description, ...reading }];
  };
  return (await publication.current())
    .visibleTo(userId)
    .flatMap(({ actions }) => actions.filter(({ problem }) => problem === undefined))
    .flatMap(({ definition }) => toExisting(definition))
    .slice(0, maxShown);
}

/**
 * The params with which an action fetches the address first, read from its path and query, where they are all that it needs;
 * undefined where it reads other pages.
 */
function readingOf(definition: ActionDefinition, url: URL): { params?: Record<string, unknown> } | undefined {
  const { data } = Requesting.safeParse(definition.recipe);
  const inPath = data && valuesIn(data.request.url, url);
  if (data === undefined || inPath === undefined) return undefined;
  const inQuery = Object.entries(data.request.query).flatMap(([key, value]) => {
    const name = placeholderOf(value);
    const given = url.searchParams.get(key);
    return name === undefined || given === null ? [] : [[name, given] as const];
  });
  const properties: unknown = definition.parameters.properties;
  const isParam = ([name]: readonly [string, string]) => Object.hasOwn(Object(properties), name);
  // The number of a page is none of its params: an action begins with the first one.
  const others = Object.entries(inPath).filter((entry) => !isParam(entry));
  if (others.some(([name, value]) => String(data.defaults[name]) !== value)) return undefined;
  const params = Object.fromEntries(
    [...inQuery, ...Object.entries(inPath)].filter(isParam).map(([name, value]) => {
      const { type }: { type?: unknown } = Object(Object(properties)[name]);
      return [name, type === 'integer' || type === 'number' ? Number(value) : value];
    }),
  );
  if (findParamIssues(definition, params).length === 0) return { params };
  // It is the action's page all the same where no param decides its path.
  return Object.keys(inPath).some((name) => Object.hasOwn(params, name)) ? undefined : {};
}

const hasColumns = (choose: BuildChoice, other: BuildChoice | undefined): boolean =>
  choose.candidate === other?.candidate && isDeepStrictEqual(choose.fields, other.fields);

const toPage = ({ origin, pathname }: URL): string => origin + pathname;

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
