/** The time of one call: how long it may wait for its job, when its client gives up on it, and the progress it is told. */
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '../../gateway/foundation/clock.ts';
import type { Progress } from '../../gateway/interface/gateway.ts';

export class CallTime {
  /** When the client sent the call, in milliseconds since the epoch: it travels with a question. */
  readonly startedAt: number;
  readonly #clock: Clock;
  readonly #waitMs: number;
  /** By the monotonic clock. */
  readonly #giveUpAt: number;
  #waitFrom: number;

  /** `startedAt`: set if the client has waited since an earlier request of this call, in which it was asked something. */
  constructor(
    clock: Clock,
    { startedAt, waitMs, limitMs }: { startedAt: number | undefined; waitMs: number; limitMs: number },
  ) {
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.startedAt = startedAt ?? clock.now();
    const now = clock.monotonic();
    const elapsed = Math.max(0, clock.now() - this.startedAt);
    this.#waitFrom = now - elapsed;
    // A client that asked its user and is still connected after its limit does not count that time.
    this.#giveUpAt = now + limitMs - (elapsed > limitMs ? 0 : elapsed);
  }

  /** Milliseconds that the call may still wait for its job. */
  get remainingMs(): number {
    const end = Math.min(this.#waitFrom + this.#waitMs, this.#giveUpAt);
    return Math.max(0, end - this.#clock.monotonic());
  }

  /** Milliseconds until the client gives up. */
  get untilGivenUpMs(): number {
    return Math.max(0, this.#giveUpAt - this.#clock.monotonic());
  }

  /** Starts the wait for the job again: the time that a person took does not count. */
  restartWait(): void {
    this.#waitFrom = this.#clock.monotonic();
  }
}

/** Progress of a call, for clients that asked for it. It may get lost, so it never carries a fact alone. */
export interface ProgressReport {
  readonly requested: boolean;
  /** `progress` orders the updates of the run; the wait for a person has none. */
  readonly update: (update: Pick<Progress, 'message'> & Partial<Progress>) => void;
  /** Stops progress: the protocol forbids it after the answer. */
  readonly end: () => void;
}

export function createProgressReport({ mcpReq }: ServerContext): ProgressReport {
  const progressToken = mcpReq._meta?.progressToken;
  let open = progressToken !== undefined;
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  return {
    requested: progressToken !== undefined,
    update: ({ progress, message }) => {
      if (!open || progressToken === undefined || mcpReq.signal.aborted) return;
      if (progress !== undefined && progress <= last) return;
      last = progress ?? last;
      // Numbered here, because a call may wait for a person and then for its job, and some clients show the number.
      count += 1;
      mcpReq
        .notify({ method: 'notifications/progress', params: { progressToken, progress: count, message } })
        // The client is gone; its request ends by itself.
        .catch(() => {});
    },
    end: () => {
      open = false;
    },
  };
}
