/** Waits for the ends of paid calls behind handles: one wait for each call, however many clients poll it. */
import { setMaxListeners } from 'node:events';
import type { Builds } from '../builds/builds.ts';
import type { Clock } from '../foundation/clock.ts';
import type { TimeLimits } from '../foundation/time-limits.ts';
import type { CallContext } from '../interface/gateway.ts';
import { isUnfinished } from '../interface/outcomes.ts';
import { within } from '../paid-calls/within.ts';
import type { Runs } from '../runs/runs.ts';
import type { GatewayStore } from '../store/gateway-store.ts';
import type { Intent } from '../store/intents.ts';

interface Dependencies {
  readonly store: GatewayStore;
  readonly runs: Runs;
  readonly builds: Builds;
  readonly clock: Clock;
  readonly limits: Pick<TimeLimits, 'unwatchedMs'>;
}

/** An intent whose end is waited for. */
interface FollowedCall {
  /** Never rejects: nobody may be waiting for it. */
  end: Promise<void>;
  /** Those who wait for it now. */
  watching: number;
  lookedAt: number;
}

export const isUnderWay = ({ state }: Intent): boolean => state === 'intended' || state === 'submitted';

export class FollowedCalls {
  readonly #dependencies: Dependencies;
  readonly #followed = new Map<string, FollowedCall>();
  readonly #closing = new AbortController();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    setMaxListeners(0, this.#closing.signal);
  }

  /** Aborts when nobody is waited for any more. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  close(): void {
    this.#closing.abort();
  }

  /** Resolves at the end of the call, or after `waitMs`. */
  async watch(intent: Intent, waitMs: number, signal: AbortSignal): Promise<void> {
    const followedCall = this.follow(intent);
    followedCall.watching += 1;
    try {
      await within(followedCall.end, waitMs, signal, this.#closing.signal);
    } finally {
      followedCall.watching -= 1;
      followedCall.lookedAt = this.#dependencies.clock.monotonic();
    }
  }

  /** Waits for the end as long as somebody waits for it or polls it. */
  follow(intent: Intent): FollowedCall {
    const existing = this.#followed.get(intent.id);
    if (existing !== undefined) {
      existing.lookedAt = this.#dependencies.clock.monotonic();
      return existing;
    }
    const followedCall: FollowedCall = {
      end: Promise.resolve(),
      watching: 0,
      lookedAt: this.#dependencies.clock.monotonic(),
    };
    followedCall.end = this.#awaitEnd(intent, followedCall)
      // A refusal to answer, or a store that fails, ends this wait; the next look begins another.
      .catch(() => undefined)
      .finally(() => this.#followed.delete(intent.id));
    this.#followed.set(intent.id, followedCall);
    return followedCall;
  }

  /** Resolves when the end is written, or nobody looked for long. */
  async #awaitEnd(intent: Intent, followedCall: Readonly<Omit<FollowedCall, 'end'>>): Promise<void> {
    const { runs, builds, store, clock, limits } = this.#dependencies;
    const { unwatchedMs } = limits;
    const { intents } = await store.open();
    for (;;) {
      const startedAt = clock.monotonic();
      const remainingMs =
        followedCall.watching > 0 ? unwatchedMs : followedCall.lookedAt + unwatchedMs - startedAt;
      const now = await intents.reread(intent.id);
      if (remainingMs <= 0 || this.#closing.signal.aborted || now === undefined || !isUnderWay(now)) return;
      const context: CallContext = {
        signal: this.#closing.signal,
        waitMs: remainingMs,
        progress: () => undefined,
        confirmation: 'cannot-ask',
      };
      try {
        const { body } = await (now.kind === 'build'
          ? builds.follow(now, context)
          : runs.follow(now, context));
        // It has ended, or waits are being ended: the process shuts down. Timers may be a moment early by the clock.
        if (!isUnfinished(body) || clock.monotonic() < startedAt + remainingMs - 50) return;
      } finally {
        await runs.written();
      }
    }
  }
}
