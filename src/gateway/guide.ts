/** What to know of a website before its actions are called: prices, accounts, calls that work, and what runs have shown. */

import type { FailureReason } from '../contract/errors.ts';
import { parseJson } from '../contract/exact-json.ts';
import type { SearchResult } from '../contract/resources.ts';
import { actionTool, effectOf, toExamples } from './catalog/action-tool.ts';
import type { Snapshot } from './catalog/snapshot.ts';
import { cleanText, quoted } from './foundation/text.ts';
import type { GuidedAction, RunsSeen, WebsiteGuide, WebsiteSummary } from './interface/gateway.ts';
import type { GatewayStore, OpenStore } from './paid/store.ts';
import { hasNoRows } from './results/empty-note.ts';

const maxWebsites = 50;
const maxActions = 30;
const maxTitles = 10;
/** How many of an action's newest runs tell what to expect of the next one. */
const newestRuns = 20;

/** The websites whose actions are listed, the requester's own first. `slugs`: the chosen ones; undefined: all. */
export function summarizeWebsites(
  snapshot: Snapshot,
  slugs: readonly string[] | undefined,
): WebsiteSummary[] {
  const bySlug = new Map<string, SearchResult[]>();
  for (const action of snapshot.actions) {
    const actions = bySlug.get(action.catalog_slug);
    if (actions === undefined) bySlug.set(action.catalog_slug, [action]);
    else if (actions.length < maxTitles) actions.push(action);
  }
  return snapshot
    .websites()
    .filter((slug) => slugs === undefined || slugs.includes(slug))
    .slice(0, maxWebsites)
    .map((slug) => summarize(slug, bySlug.get(slug) ?? []));
}

function summarize(slug: string, actions: readonly SearchResult[]): WebsiteSummary {
  return {
    slug,
    name: cleanText(actions[0]?.catalog_name ?? '', 80) || slug,
    titles: actions.slice(0, maxTitles).map(({ name }) => cleanText(name, 60)),
  };
}

/** Undefined where no action of that website is visible. Without its store a guide has no runs. */
export async function describeWebsite(
  snapshot: Snapshot,
  slug: string,
  store: GatewayStore,
): Promise<WebsiteGuide | undefined> {
  const actions = snapshot.actions.filter(({ catalog_slug }) => catalog_slug === slug);
  if (actions.length === 0) return undefined;
  const open = await store.open().catch(() => undefined);
  return {
    ...summarize(slug, actions),
    actions: await Promise.all(
      actions.slice(0, maxActions).map(async (action) => ({
        ...guideTo(action, snapshot),
        runs: open && (await readRuns(action.action_id, open).catch(() => undefined)),
      })),
    ),
    further: Math.max(0, actions.length - maxActions),
    takesAccounts: actions.some(({ auth_mode }) => auth_mode !== 'none'),
  };
}

function guideTo(action: SearchResult, snapshot: Snapshot): Omit<GuidedAction, 'runs'> {
  const tool = snapshot.toToolName(action);
  const { title, description } = actionTool(
    tool,
    action,
    effectOf(action, snapshot.getType(action), true),
    quoted,
  );
  return { tool, actionId: action.action_id, title, description, examples: toExamples(action.params) };
}

async function readRuns(actionId: string, { queries }: OpenStore): Promise<RunsSeen | undefined> {
  const runs = await queries.newestRuns(actionId, newestRuns);
  if (runs.length === 0) return undefined;
  const completed = runs.filter(({ outcome }) => outcome === 'completed');
  const durations = completed.flatMap(({ duration_ms }) => duration_ms ?? []).toSorted((a, b) => a - b);
  return {
    completed: completed.length,
    failed: runs.filter(({ outcome, body }) => outcome === 'failed' && !isFaultOfParams(body)).length,
    withoutRows: completed.filter(({ body }) => body !== null && isEmptyResult(body)).length,
    medianMs: durations[Math.floor((durations.length - 1) / 2)],
    longestMs: durations.at(-1),
  };
}

/** What other params would have avoided says nothing of the action. */
const faultsOfParams: readonly unknown[] = [
  ...(['page_missing', 'address_refused', 'origin_not_allowed', 'too_large'] satisfies FailureReason[]),
];

function isFaultOfParams(body: Uint8Array | null): boolean {
  const error: { code?: unknown; reason?: unknown } = Object(Object(readSmall(body)).error);
  return error.code === 'INVALID_PARAMS' || faultsOfParams.includes(error.reason);
}

const isEmptyResult = (body: Uint8Array): boolean => hasNoRows(Object(readSmall(body)).data);

/** Undefined where it is not kept, or cannot be read. */
function readSmall(body: Uint8Array | null): unknown {
  try {
    return body === null ? undefined : parseJson(Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}
