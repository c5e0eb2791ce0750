/** `browse_catalogs`: the catalogs, or one with its actions and what its login takes. */
import type { Api } from '../../contract/api.ts';
import type { Action } from '../../contract/resources.ts';
import { cleanText, toVisibleMembers } from '../foundation/text.ts';
import type { CallContext } from '../interface/gateway.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { toVisibleParams } from './action-tool.ts';
import type { SeenPrices } from './prices.ts';
import { withinBudget } from './search.ts';
import type { Snapshot } from './snapshot.ts';

const timeoutMs = 30_000;

/** Members that do not help a model: ids that no tool takes, pictures, times, and a copy of `auth_mode`. */
const hiddenMembers = new Set([
  'id',
  'catalog_id',
  'owner_user_id',
  'logo_url',
  'created_at',
  'updated_at',
  'wheel_version',
]);

export async function listCatalogs(
  api: Api,
  scope: 'my' | undefined,
  budget: number,
  context: CallContext,
): Promise<JsonObject> {
  const { items, problems = [] } = await api.listCatalogs(scope === undefined ? {} : { scope }, {
    signal: context.signal,
    timeoutMs,
  });
  const catalogs = withinBudget(items.map(toVisibleEntry), budget);
  return {
    ...(problems.length > 0 && { problems: describeProblems(problems) }),
    catalogs,
    ...completeness(catalogs.length, items.length),
    ...(catalogs.length < items.length
      ? { next: { kind: 'search', args: {}, why: 'other-catalogs' } satisfies NextStep }
      : {}),
    ...(scope === 'my' &&
      items.length === 0 && { next: { kind: 'nothing-yet', of: 'own-catalogs' } satisfies NextStep }),
  };
}

const shownProblems = 3;
const maxProblemChars = 200;

/** One line for the owner of the files. */
function describeProblems(problems: readonly string[]): string {
  const shown = problems.slice(0, shownProblems).map((problem) => cleanText(problem, maxProblemChars));
  const more = problems.length > shown.length ? ` and ${problems.length - shown.length} more` : '';
  return `Catalog files that are not used as they stand: ${shown.join('; ')}${more} (svc-mcp catalogs check shows all)`;
}

export async function showCatalog(
  api: Api,
  slug: string,
  parts: { snapshot: Snapshot; prices: SeenPrices; budget: number },
  context: CallContext,
): Promise<JsonObject> {
  const details = await api.getCatalog(slug, { signal: context.signal, timeoutMs });
  const all = details.actions.map((action) => toVisibleAction(action, details.catalog.slug, parts.snapshot));
  const actions = withinBudget(all, parts.budget);
  for (const action of details.actions.slice(0, actions.length))
    parts.prices.recordShown(action.action_id, action.credits_per_call);
  const further = { catalog: cleanText(details.catalog.slug, 80) };
  return {
    catalog: toVisibleEntry(details.catalog),
    actions,
    ...completeness(actions.length, all.length),
    ...(details.loginInputSchema === undefined
      ? {}
      : { login_input_schema: details.loginInputSchema.map((field) => toVisibleMembers(field)) }),
    ...(actions.length < all.length
      ? { next: { kind: 'search', args: further, why: 'whole-catalog' } satisfies NextStep }
      : {}),
  };
}

const completeness = (returned: number, total: number) => ({ returned, total, has_more: returned < total });

function toVisibleAction(
  { parameters, auth_required: _, ...action }: Action,
  slug: string,
  snapshot: Snapshot,
) {
  return {
    tool: snapshot.toToolName({ action_id: action.action_id, catalog_slug: slug }),
    ...toVisibleEntry(action),
    ...(action.owner_user_id !== null && { own: true }),
    parameters: toVisibleParams(parameters, cleanText).schema,
  };
}

/** What a model can use of a catalog or an action; fields that the interface does not name are kept. */
function toVisibleEntry(entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const useful = Object.entries(entry).filter(
    ([key, value]) =>
      !hiddenMembers.has(key) && value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return toVisibleMembers(Object.fromEntries(useful));
}
