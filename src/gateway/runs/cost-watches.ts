/**
 * Where a day's spending is limited, a job whose callers have all left is watched on, because it may cost more than was
 * reserved for it. Only its cost is written: the call stays open, and the same call gets the result for free.
 */
import type { Clock } from '../foundation/clock.ts';
import type { GatewaySettings } from '../interface/settings.ts';
import type { Records } from '../paid-calls/records.ts';
import type { Intent } from '../store/intents.ts';
import type { OpenStore } from '../store/open-store.ts';
import { type RunEnds, toCharged } from './run-ends.ts';

const longestMs = 24 * 60 * 60_000;
/** Attempts to write a cost, which the service can repeat. */
const attempts = 5;

interface Dependencies {
  readonly settings: GatewaySettings;
  readonly records: Records;
  readonly clock: Clock;
}

export class CostWatches {
  readonly #dependencies: Dependencies;
  readonly #ends: RunEnds;
  readonly #isNeeded: boolean;
  readonly #watched = new Set<string>();

  constructor(dependencies: Dependencies, ends: RunEnds) {
    this.#dependencies = dependencies;
    this.#ends = ends;
    const { maxCreditsPerDay, maxCreditsPerDayPerKey } = dependencies.settings;
    this.#isNeeded = maxCreditsPerDay !== undefined || maxCreditsPerDayPerKey !== undefined;
  }

  /**
   * Adds what runs unseen: jobs of earlier processes, and jobs accepted after their call had ended. Rejects with a
   * `StoreError`.
   */
  async addRunning(store: OpenStore): Promise<void> {
    if (!this.#isNeeded) return;
    for (const intent of await store.intents.runningToday()) this.add(intent, store);
  }

  add(intent: Intent, store: OpenStore): void {
    const { id, job_id: jobId } = intent;
    if (!this.#isNeeded || jobId === null || this.#watched.has(id)) return;
    this.#watched.add(id);
    void this.#watch(intent, jobId, store).finally(() => this.#watched.delete(id));
  }

  async #watch(intent: Intent, jobId: string, store: OpenStore): Promise<void> {
    const { clock, records } = this.#dependencies;
    const context = { signal: new AbortController().signal, progress: () => undefined };
    try {
      const end = await this.#ends.wait(jobId, intent, clock.monotonic() + longestMs, context, store);
      if (end.kind !== 'ended') return;
      const charged = toCharged(end.answer.body, intent);
      const write = () => store.intents.charged(intent.id, charged);
      await records.write(intent.id, `the cost of ${jobId}`, write, attempts);
    } catch {
      // A cost that cannot be learned stays what was reserved.
    }
  }
}
