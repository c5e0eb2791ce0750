/** Actions that the service says read the page of a build or a preview: what a caller can run in its place. */
import * as z from 'zod';
import type { ApiError } from '../../client/errors.ts';
import { ExistingAction } from '../../contract/errors.ts';
import { priceText } from '../../contract/price.ts';
import { toExamples } from '../catalog/action-tool.ts';
import { priceOfSearchResult } from '../catalog/prices.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { cleanText, toVisibleMembers } from '../foundation/text.ts';
import type { NextStep, PricedRun } from '../interface/next-step.ts';
import type { JsonObject } from '../interface/outcomes.ts';

/** `ACTION_EXISTS`: the existing actions by tool name, and the two possible next steps. */
export function existingActions(
  error: ApiError,
  snapshot: Snapshot,
): { next?: NextStep; extra?: JsonObject } {
  if (error.kind !== 'service' || error.code !== 'ACTION_EXISTS') return {};
  const existing = toExisting(error.extra.existing_actions, snapshot);
  return {
    next: { kind: 'build-anyway', existing: runOf(existing, snapshot) },
    extra: { existing_actions: existing },
  };
}

interface Existing extends JsonObject {
  readonly action_id: string;
  readonly params?: JsonObject;
}

const maxExisting = 20;

/** Actions that the service says read the page, by tool name. */
export function toExisting(value: unknown, snapshot: Snapshot): readonly Existing[] {
  const listed = z.array(z.unknown()).safeParse(value);
  return (listed.data ?? [])
    .map((one) => ExistingAction.safeParse(one))
    .flatMap((result) => (result.success ? [result.data] : []))
    .slice(0, maxExisting)
    .map(({ action_id, name, description, params }) => ({
      action_id: cleanText(action_id, 200),
      name: cleanText(name, 120),
      description: cleanText(description ?? '', 300),
      tool: snapshot.getToolName(action_id) ?? null,
      ...(params !== undefined && { params: toVisibleMembers(params) }),
    }));
}

/** The cheapest run of those whose params are known, else of any. */
export function runOf(existing: readonly Existing[], snapshot: Snapshot): PricedRun | undefined {
  const known = existing.filter(({ params }) => params !== undefined);
  const costOf = ({ action_id }: Existing) => snapshot.action(action_id)?.credits ?? Number.POSITIVE_INFINITY;
  const [cheapest] = (known.length > 0 ? known : [...existing]).sort(
    (one, other) => costOf(one) - costOf(other),
  );
  return cheapest && pricedRun(cheapest.action_id, snapshot, cheapest.params);
}

/** `given`: its params; else the first example of the catalog. */
export function pricedRun(actionId: string, snapshot: Snapshot, given?: JsonObject): PricedRun {
  const action = snapshot.action(actionId);
  const cost = action === undefined ? 'costs its price in credits' : priceText(priceOfSearchResult(action));
  const [params] = action === undefined ? [{}] : toExamples(action.params);
  return { call: { action_id: actionId, params: given ?? params }, cost };
}
