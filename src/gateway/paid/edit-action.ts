/** What a caller does with an action of its own: name, describe, repair, revert, remove. */
import { type ApiError, isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { ActionChanged, RepairAnswer } from '../../contract/endpoints.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import { GatewayError } from '../foundation/errors.ts';
import { announcedExtensions } from '../foundation/extensions.ts';
import { toGatewayError } from '../foundation/failures.ts';
import { cleanText, quoted, toVisibleMembers } from '../foundation/text.ts';
import type { CallContext, EditActionInput } from '../interface/gateway.ts';
import type { JsonObject, Outcome } from '../interface/outcomes.ts';
import type { WatchRow } from '../store/schema.ts';
import type { Builds } from './builds.ts';
import { readCandidates } from './preview-build.ts';
import type { GatewayStore } from './store.ts';

/** Milliseconds. */
const timeoutMs = 20_000;
const previewMs = 50_000;

interface Dependencies {
  readonly api: Api;
  readonly catalog: Catalog;
  readonly builds: Builds;
  readonly store: GatewayStore;
}

/** Rejects with EDIT_NOT_SUPPORTED, and with ACTION_NOT_FOUND for what the caller did not build. */
export async function editOwnAction(
  parts: Dependencies,
  { action_id: given, change }: EditActionInput,
  context: CallContext,
): Promise<Outcome> {
  const { api, catalog, builds, store } = parts;
  const { signal } = context;
  const actionId = toOwnId(given, await catalog.snapshot());
  try {
    const extensions = await announcedExtensions(api, { signal, timeoutMs });
    if (!extensions.has('action-edit')) throw notSupported();
    if (change.kind === 'repair' || change.kind === 'revert') await endJoining(actionId, store);
    if (change.kind === 'repair') return await builds.repair(actionId, context);
    if (change.kind === 'preview') return { body: await previewRepair(parts, actionId, signal) };
    const options = { signal, timeoutMs };
    const changed =
      change.kind === 'edit'
        ? await api.editAction(actionId, { name: change.name, description: change.description }, options)
        : change.kind === 'revert'
          ? await api.revertAction(actionId, options)
          : await api.removeAction(actionId, options);
    await catalog.refreshAnew();
    const watches = change.kind === 'remove' ? await watchesOf(changed.action_id, store) : [];
    return { body: changedBody(changed, change.kind, watches) };
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (error.kind === 'service' && error.code === 'NO_EARLIER_VERSION') throw onlyVersion(actionId);
    throw isUnknown(error) ? unknownAction(actionId, error) : toGatewayError(error);
  }
}

/** The id, where the name of the action's tool was given. A removed action has no tool, only the name that it had. */
function toOwnId(given: string, snapshot: Snapshot): string {
  if (snapshot.action(given) !== undefined) return given;
  return snapshot.tools.get(given)?.action_id ?? given.replace(/^_(?=\d)/, '');
}

async function previewRepair(
  { api, builds }: Pick<Dependencies, 'api' | 'builds'>,
  actionId: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  const shown = await api.previewRepair(actionId, await builds.goodRun(actionId), {
    signal,
    timeoutMs: previewMs,
  });
  const action_id = cleanText(actionId, 200);
  if (shown.proof === undefined) {
    const candidates = readCandidates(shown.candidates) ?? [];
    return {
      status: 'not_repaired',
      action_id,
      reason: cleanText(shown.reason ?? '', 500),
      ...(candidates.length === 0 ? {} : { candidates }),
      next: { kind: 'own-action', action_id, state: 'unprovable' },
    };
  }
  return {
    status: 'preview',
    action_id,
    ...toVisibleMembers({ proof: shown.proof }),
    rows_before: (shown.rows_before ?? []).map((row) => toVisibleMembers(row)),
    rows_after: (shown.rows_after ?? []).map((row) => toVisibleMembers(row)),
    fields: Object.fromEntries(
      Object.entries(shown.fields ?? {}).map(([name, { before, after }]) => [
        cleanText(name, 64),
        { before: visibleColumn(before), after: visibleColumn(after) },
      ]),
    ),
    next: { kind: 'own-action', action_id, state: 'provable' },
  };
}

type Column = NonNullable<RepairAnswer['fields']>[string]['before'];

const visibleColumn = ({ label, kind, samples }: Column) => ({
  label: cleanText(label, 120),
  kind: cleanText(kind, 60),
  samples: samples.map((sample) => cleanText(sample, 120)),
});

/** A run after the change is none of the version before. A store that fails is no reason to fail. */
async function endJoining(actionId: string, store: GatewayStore): Promise<void> {
  await store
    .open()
    .then(({ rows }) => rows.deliverRuns(actionId))
    .catch(() => undefined);
}

/** Those that will not run any more. It is removed by now: a store that fails is no reason to fail. */
async function watchesOf(actionId: string, store: GatewayStore): Promise<readonly WatchRow[]> {
  const read = async () => (await (await store.open()).watchQueries.readAll()).watches;
  const watches = await read().catch(() => []);
  return watches.filter(({ action_id }) => action_id === actionId);
}

const words = { edit: 'edited', revert: 'reverted', remove: 'removed' } as const;

function changedBody(
  changed: ActionChanged,
  kind: keyof typeof words,
  watches: readonly WatchRow[],
): JsonObject {
  const action_id = cleanText(changed.action_id, 200);
  return {
    status: words[kind],
    action_id,
    name: cleanText(changed.name, 200),
    ...(changed.description === null ? {} : { description: cleanText(changed.description, 2_000) }),
    version: cleanText(changed.version, 60),
    ...(watches.length > 0 && { watches: watches.map(({ id, state }) => ({ watch_id: id, state })) }),
    next: {
      kind: 'own-action',
      action_id,
      state: words[kind],
      ...(watches.length > 0 && { watches: watches.length }),
    },
  };
}

const isUnknown = (error: ApiError) => error.kind === 'service' && error.code === 'NOT_FOUND';

const notSupported = () =>
  new GatewayError(
    'EDIT_NOT_SUPPORTED',
    'This service changes and repairs no actions; nothing was sent and nothing charged.',
    { kind: 'build-anew', by: 'goal' },
  );

const onlyVersion = (actionId: string) =>
  new GatewayError(
    { service: 'NO_EARLIER_VERSION' },
    `${cleanText(actionId, 200)} has no earlier version of the last 30 days to go back to. Nothing was changed or charged.`,
    { kind: 'own-action', action_id: cleanText(actionId, 200), state: 'only-version' },
  );

const unknownAction = (actionId: string, error: ApiError) =>
  new GatewayError(
    'ACTION_NOT_FOUND',
    `${cleanText(actionId, 200)} cannot be changed: ${quoted(error.message, 200)}. Nothing was changed or charged.`,
    { kind: 'own-action', action_id: cleanText(actionId, 200), state: 'unknown' },
  );
