/** When to look whether a job is done, by how long the newest runs of its action took. */
import type { Look, PaidKind } from './kind.ts';
import type { GatewayStore } from './store.ts';

/** The first look, as a share of the median of earlier durations: most jobs have not ended yet, and few much earlier. */
const firstShare = 0.9;
const longestFirstMs = 60_000;
const worthwhileMs = 50;
/** Longer durations are measuring errors: the clock was set, or nobody looked in time. */
const longestMs = 24 * 60 * 60_000;
/** A duration that is less exact than this, in milliseconds, is not recorded. */
const vagueMs = 60_000;

/** Milliseconds until the first look at a job of this age; 0 where nothing is known of its action. */
export function firstDelay(durationsMs: readonly number[], elapsedMs: number): number {
  const sorted = durationsMs.filter((ms) => ms > 0 && ms < longestMs).toSorted((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  const delayMs = median * firstShare - elapsedMs;
  // A timer costs more than it spares where a job may be done in a moment.
  return delayMs < worthwhileMs ? 0 : Math.min(longestFirstMs, delayMs);
}

/** Milliseconds until a further look at a job of this age. */
export const nextDelay = ({ growth, leastMs, mostMs }: PaidKind['pace'], elapsedMs: number): number =>
  Math.min(mostMs, Math.max(leastMs, elapsedMs * growth));

/**
 * How long a job took that ended between two looks, at the age of `running` (seen running last) and of `noticed`; the
 * service's own figure counts where it lies there. Null where nobody looked for long: such a figure would spoil the pace.
 */
export function getDuration(look: Look, noticed: number, running: number): number | null {
  const own = look.kind === 'run' ? look.answer.body.execution_ms : undefined;
  if (own !== undefined && own >= running && own <= noticed) return Math.max(1, own);
  if (noticed - running > Math.max(vagueMs, running)) return null;
  return Math.max(1, (running + noticed) / 2);
}

/** Runs that are read for an action, and actions in the cache. */
const newestRuns = 10;
const rememberedActions = 200;
/** Milliseconds; not longer, because other processes run the same actions. */
const rememberedMs = 60_000;

/** Durations of the newest runs. Cached, because reading them for each call would cost as much as a write. */
export class Durations {
  readonly #store: GatewayStore;
  readonly #remembered = new Map<string, { readonly newest: readonly number[]; readonly until: number }>();

  constructor(store: GatewayStore) {
    this.#store = store;
  }

  /** In milliseconds, as far as this process remembers them. */
  get(subject: string): readonly number[] | undefined {
    const remembered = this.#remembered.get(subject);
    return remembered !== undefined && remembered.until > performance.now() ? remembered.newest : undefined;
  }

  /** As `get`, from the store. Never rejects: a store that fails costs some looks, never a result. */
  async read(subject: string): Promise<readonly number[]> {
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
