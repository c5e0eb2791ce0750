/** Answers to an unknown catalog, action or tool: they suggest the nearest name that exists. */
import { isApiError } from '../../client/errors.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText, nearestName } from '../foundation/text.ts';
import type { Catalog } from './catalog.ts';
import type { Snapshot } from './snapshot.ts';
import type { VisibleCatalogs } from './visible-catalogs.ts';

export function actionNotFound(actionId: string, snapshot: Snapshot): GatewayError {
  const nearest = nearestName(actionId, snapshot.data.actions.byId.keys());
  return new GatewayError(
    'ACTION_NOT_FOUND',
    `There is no visible action ${cleanText(actionId, 200)}. Nothing was sent.`,
    { kind: 'find', what: 'action', nearest },
  );
}

/** A catalog may be new where it is not in a list that is at most so old. Guesses must not use up the requests of others. */
const listMs = 10_000;

/** Runs `work` for a catalog; for an unknown slug the error suggests the nearest one. */
export async function forCatalog<Result>(
  slug: string | undefined,
  { catalog, list }: { readonly catalog: Catalog; readonly list: VisibleCatalogs },
  work: () => Promise<Result>,
): Promise<Result> {
  if (slug === undefined) return work();
  const snapshot = await catalog.snapshot();
  const isKnown =
    snapshot.websites().includes(slug) || (await list.read(listMs)).some((listed) => listed.slug === slug);
  if (!isKnown && !list.mayGuess()) throw catalogNotFound(slug, snapshot);
  try {
    return await work();
  } catch (error) {
    const isUnknown = isApiError(error) && error.kind === 'service' && error.httpStatus === 404;
    if (!isUnknown) throw error;
    throw catalogNotFound(slug, await catalog.snapshotWithout(slug));
  }
}

function catalogNotFound(slug: string, snapshot: Snapshot): GatewayError {
  const nearest = nearestName(slug, snapshot.websites());
  return new GatewayError(
    { service: 'NOT_FOUND' },
    `There is no catalog ${JSON.stringify(cleanText(slug, 80))}.`,
    { kind: 'find', what: 'catalog', nearest },
  );
}

/** The tool that was probably meant, static ones included. */
export const nearestTool = (name: string, snapshot: Snapshot, staticNames: readonly string[]) =>
  nearestName(name, [...staticNames, ...snapshot.tools.keys()]);
