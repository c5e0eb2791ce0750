/**
 * How long the newest runs of an action took; it paces the polls of the next run. Cached, because reading it for each
 * call would cost as much as a write.
 */
import type { GatewayStore } from './store.ts';

/** Runs that are read for an action, and actions in the cache. */
const newestRuns = 10;
const rememberedActions = 200;
/** Milliseconds; not longer, because other processes run the same actions. */
const rememberedMs = 60_000;

export class Durations {
  readonly #store: GatewayStore;
  readonly #remembered = new Map<string, { readonly newest: readonly number[]; readonly until: number }>();

  constructor(store: GatewayStore) {
    this.#store = store;
  }

  /** In milliseconds. Never rejects: a store that fails costs some looks, never a result. */
  async read(subject: string): Promise<readonly number[]> {
    const remembered = this.#remembered.get(subject);
    if (remembered !== undefined && remembered.until > performance.now()) return remembered.newest;
    try {
      const { queries } = await this.#store.open();
      const newest = await queries.durations(subject, newestRuns);
      if (this.#remembered.size >= rememberedActions) this.#remembered.clear();
      this.#remembered.set(subject, { newest, until: performance.now() + rememberedMs });
      return newest;
    } catch {
      return [];
    }
  }

  /** A run of this process has ended. */
  add(subject: string, durationMs: number): void {
    const remembered = this.#remembered.get(subject);
    if (remembered === undefined) return;
    const newest = [durationMs, ...remembered.newest].slice(0, newestRuns);
    this.#remembered.set(subject, { ...remembered, newest });
  }
}
