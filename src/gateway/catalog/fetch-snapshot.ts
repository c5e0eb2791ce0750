/** What one refresh asks the service for. */
import type { Api } from '../../contract/api.ts';
import { PackedActions } from './packed-actions.ts';
import type { SnapshotData } from './snapshot.ts';

const searchMs = 60_000;
/** The time for requests that only improve the list. */
const extraMs = 2_000;
const maxGoalChars = 500;

/** What the requester owns; `answered`: the service has just said so. */
export type Own = Pick<SnapshotData, 'ownCatalogs' | 'goals'> & { readonly answered: boolean };

/** Without what earlier reads of catalogs have found. */
export type Fetched = Omit<SnapshotData, 'catalogTypes'>;

/** Rejects with an `ApiError` if the search fails; if another request fails, the previous snapshot's data are kept. */
export async function fetchSnapshot(
  api: Api,
  { previous, own, signal }: { previous: SnapshotData | undefined; own: Promise<Own>; signal: AbortSignal },
): Promise<Fetched> {
  const actions = new PackedActions(previous?.actions);
  const [unreadable, { ownCatalogs, goals }] = await Promise.all([
    api.visitActions(actions, { signal, timeoutMs: searchMs }),
    own,
  ]);
  return { fetchedAt: Date.now(), actions: actions.finish(), unreadable, ownCatalogs, goals };
}

export async function fetchOwn(
  api: Api,
  previous: SnapshotData | undefined,
  signal: AbortSignal,
): Promise<Own> {
  const options = { signal, timeoutMs: extraMs };
  const { ownCatalogs: ownBefore = [], goals: goalsBefore = {} } = previous ?? {};
  try {
    const { items } = await api.listCatalogs({ scope: 'my' }, options);
    const ownCatalogs = items.map(({ slug }) => slug);
    // A requester without own actions has had none built.
    if (ownCatalogs.length === 0) return { ownCatalogs, goals: {}, answered: true };
    const builds = await api.listBuildRequests(options).catch(() => undefined);
    if (builds === undefined) return { ownCatalogs, goals: goalsBefore, answered: true };
    const goals = builds.items.flatMap(({ action_id, goal }): [string, string][] =>
      action_id ? [[action_id, goal.slice(0, maxGoalChars)]] : [],
    );
    return { ownCatalogs, goals: Object.fromEntries(goals), answered: true };
  } catch {
    return { ownCatalogs: ownBefore, goals: goalsBefore, answered: false };
  }
}
