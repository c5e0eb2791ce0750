/** The time of one call: how long it may wait for its job, and when its client gives up on it. */
import type { Clock } from '../../gateway/foundation/clock.ts';

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
