/**
 * What several keys of one service may share: actions that cannot be private, because none of the key's own actions is
 * in their catalog. Whether an account is connected is left out. A key whose `GET /catalog?scope=my` is not answered
 * gives nothing and gets nothing.
 */
import { runInSlices } from '../../client/slices.ts';
import type { Fetched } from './fetch-snapshot.ts';
import { PackedActions } from './packed-actions.ts';

export interface SharedActions {
  readonly fetchedAt: number;
  readonly actions: PackedActions;
  /** From a key without actions of its own: other such keys see exactly these. */
  readonly isComplete: boolean;
}

export class SharedCatalog {
  #latest: SharedActions | undefined;

  get latest(): SharedActions | undefined {
    return this.#latest;
  }

  /** `data`: the answer that a key got, with its own catalogs. */
  async offer({ fetchedAt, actions, ownCatalogs }: Fetched): Promise<void> {
    const isComplete = ownCatalogs.length === 0;
    // A complete catalog serves more keys than a newer partial one.
    if (!isComplete && this.#latest?.isComplete === true) return;
    const ownSlugs = new Set(ownCatalogs);
    const shared = new PackedActions(this.#latest?.actions);
    await runInSlices(share(actions, ownSlugs, shared));
    this.#latest = { fetchedAt, actions: shared.finish(), isComplete };
  }
}

function* share(
  actions: PackedActions,
  ownSlugs: ReadonlySet<string>,
  shared: PackedActions,
): Generator<void, void> {
  for (const [index, slug] of actions.slugs.entries()) {
    yield;
    if (ownSlugs.has(slug)) continue;
    const action = actions.read(index);
    if (action === undefined) continue;
    const json = action.connected
      ? Buffer.from(JSON.stringify({ ...action, connected: false }))
      : actions.json(index);
    if (!shared.reuse(json)) shared.add(action, json);
  }
}
