/**
 * What the keys of one service share. Most of them see the same actions, and a refresh changes few: what does not differ
 * is kept once. A key without actions of its own also takes what another such key has fetched, and spends no search.
 */
import type { SearchResult } from '../../contract/resources.ts';
import { Actions, type SnapshotData } from './snapshot.ts';

/** What was fetched, with the actions of it that cannot be read. */
type PublicActions = Pick<SnapshotData, 'fetchedAt' | 'actions' | 'unreadable'>;

export class SharedActions {
  readonly #reserved: readonly string[];
  #latest: Actions;
  #public: PublicActions | undefined;

  /** `reserved`: names that no tool may have. */
  constructor(reserved: readonly string[]) {
    this.#reserved = reserved;
    this.#latest = new Actions([], reserved);
  }

  /**
   * Returns the previous actions, or another key's, if nothing differs; otherwise reuses the objects of unchanged
   * actions.
   */
  share(fetched: readonly SearchResult[], previous: Actions = this.#latest): Actions {
    const known = [previous, this.#latest];
    const shared = fetched.map((action) => {
      const json = JSON.stringify(action);
      const same = known.flatMap(({ byId }) => byId.get(action.action_id) ?? []);
      return same.find((one) => JSON.stringify(one) === json) ?? action;
    });
    const actions = new Actions(shared, this.#reserved);
    this.#latest = known.find((one) => isSame(one, actions)) ?? actions;
    return this.#latest;
  }

  /** Keeps the list of a key without own actions for other such keys, with `connected` false everywhere. */
  publish({ fetchedAt, actions, unreadable }: PublicActions): void {
    const isConnected = actions.all.some(({ connected }) => connected);
    const withoutAccounts = () =>
      actions.all.map((action) => (action.connected ? { ...action, connected: false } : action));
    this.#public = { fetchedAt, actions: isConnected ? this.share(withoutAccounts()) : actions, unreadable };
  }

  /** The list for keys without own actions, if it is younger than `ms`. */
  getPublic(ms: number): PublicActions | undefined {
    return this.#public !== undefined && Date.now() - this.#public.fetchedAt < ms ? this.#public : undefined;
  }
}

const isSame = ({ all }: Actions, { all: others }: Actions): boolean =>
  all.length === others.length && all.every((action, index) => action === others[index]);
