/** What one refresh asks the service for. */
import type { Api } from '../../contract/api.ts';
import { PackedActions } from './packed-actions.ts';
import type { SnapshotData } from './snapshot.ts';

const searchMs = 60_000;
/** For what only improves the list. */
const extraMs = 2_000;
const maxGoalChars = 500;

/** Rejects with an `ApiError` of the search; whatever else fails keeps what the previous snapshot had. */
export async function fetchSnapshot(
  api: Api,
  previous: SnapshotData | undefined,
  signal: AbortSignal,
): Promise<SnapshotData> {
  const actions = new PackedActions(previous?.actions);
  const [unreadable, own] = await Promise.all([
    api.visitActions(actions, { signal, timeoutMs: searchMs }),
    fetchOwn(api, previous, signal),
  ]);
  return { fetchedAt: Date.now(), actions: actions.finish(), unreadable, ...own };
}

type Own = Pick<SnapshotData, 'ownCatalogs' | 'goals'>;

async function fetchOwn(api: Api, previous: SnapshotData | undefined, signal: AbortSignal): Promise<Own> {
  const options = { signal, timeoutMs: extraMs };
  const before = { ownCatalogs: previous?.ownCatalogs ?? [], goals: previous?.goals ?? {} };
  try {
    const { items } = await api.listCatalogs({ scope: 'my' }, options);
    const ownCatalogs = items.map(({ slug }) => slug);
    // Whoever owns no action had none built.
    if (ownCatalogs.length === 0) return { ownCatalogs, goals: {} };
    const builds = await api.listBuildRequests(options).catch(() => undefined);
    if (builds === undefined) return { ownCatalogs, goals: before.goals };
    const goals = builds.items.flatMap(({ action_id, goal }): [string, string][] =>
      action_id ? [[action_id, goal.slice(0, maxGoalChars)]] : [],
    );
    return { ownCatalogs, goals: Object.fromEntries(goals) };
  } catch {
    return before;
  }
}
