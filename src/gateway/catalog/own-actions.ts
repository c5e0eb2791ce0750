/** What the requester owns: its catalogs, and what its actions were built for. Both only improve the list. */
import type { Api } from '../../contract/api.ts';
import type { SnapshotData } from './snapshot.ts';

const timeoutMs = 2_000;
const maxGoalChars = 500;

/** What the requester owns; `answered`: the service has just said so. */
export type Own = Pick<SnapshotData, 'ownCatalogs' | 'goals'> & { readonly answered: boolean };

/** If a request fails, the previous snapshot's data are kept. */
export async function fetchOwn(
  api: Api,
  previous: SnapshotData | undefined,
  signal: AbortSignal,
): Promise<Own> {
  const options = { signal, timeoutMs };
  const { ownCatalogs: ownBefore = [], goals: goalsBefore = {} } = previous ?? {};
  try {
    const { items } = await api.listCatalogs({ scope: 'my' }, options);
    const ownCatalogs = items.map(({ slug }) => slug);
    // Without own catalogs there are no builds, so the second request is not needed.
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
