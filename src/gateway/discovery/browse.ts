/** `browse_catalogs`: the catalogs, or one with its actions and what its login takes. */
import type { Api } from '../../contract/api.ts';
import type { Action } from '../../contract/resources.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { CallContext } from '../gateway.ts';
import type { JsonObject } from '../outcomes.ts';
import type { SeenPrices } from '../runs/prices.ts';
import { shownMembers } from '../text.ts';
import { shownParams } from '../tools/action-tool.ts';
import { toolNameFor } from './tool-name-for.ts';
import { withinBudget } from './within-budget.ts';

const timeoutMs = 30_000;

export async function listCatalogs(
  api: Api,
  scope: 'my' | undefined,
  budget: number,
  context: CallContext,
): Promise<JsonObject> {
  const { items } = await api.listCatalogs(scope === undefined ? {} : { scope }, {
    signal: context.signal,
    timeoutMs,
  });
  const catalogs = withinBudget(
    items.map((catalog) => shownMembers(catalog)),
    budget,
  );
  return {
    catalogs,
    ...(catalogs.length < items.length
      ? {
          truncated: {
            total: items.length,
            shown: catalogs.length,
            next: 'Call search_actions with words or a category to reach the other catalogs.',
          },
        }
      : {}),
  };
}

export async function showCatalog(
  api: Api,
  slug: string,
  parts: { snapshot: Snapshot; prices: SeenPrices; budget: number },
  context: CallContext,
): Promise<JsonObject> {
  const details = await api.getCatalog(slug, { signal: context.signal, timeoutMs });
  const all = details.actions.map((action) => shownAction(action, details.catalog.slug, parts.snapshot));
  const actions = withinBudget(all, parts.budget);
  for (const action of details.actions.slice(0, actions.length))
    parts.prices.shown(action.action_id, action.credits_per_call);
  return {
    catalog: shownMembers(details.catalog),
    actions,
    ...(details.loginInputSchema === undefined
      ? {}
      : {
          login_input_schema: details.loginInputSchema.map((field) => shownMembers(field)),
        }),
    ...(actions.length < all.length
      ? {
          truncated: {
            total: all.length,
            shown: actions.length,
            next: `Call search_actions ${JSON.stringify({ catalog: details.catalog.slug })} and follow next_cursor for all of them.`,
          },
        }
      : {}),
  };
}

function shownAction({ parameters, ...action }: Action, slug: string, snapshot: Snapshot) {
  return {
    tool: toolNameFor({ action_id: action.action_id, catalog_slug: slug }, snapshot),
    ...shownMembers(action),
    parameters: shownParams(parameters).schema,
  };
}
