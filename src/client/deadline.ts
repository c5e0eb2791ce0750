/** The end of a call: its time is over, or its caller has left. */
import type { EndpointName } from '../contract/endpoints.ts';
import { CancelledError, type Sent, TimeoutError } from './errors.ts';

/**
 * A timer this late shows that the process was stopped, suspended or starved. Larger than the reserve of a sync
 * action's call, so that an answer in time still counts.
 */
const standstillMs = 250;
/** Milliseconds after such a pause for reading what arrived meanwhile, which may be the answer to a payment. */
const graceMs = 500;

export class Deadline {
  /** Called when the time is up or the caller's signal is aborted; set by the step that is running. */
  onEnd: (() => void) | undefined;
  #isOver = false;
  readonly #endpoint: EndpointName;
  readonly #timeoutMs: number;
  #endsAt: number;
  #timer: NodeJS.Timeout | undefined;
  readonly #onTime: () => void;
  readonly #stop: () => void;
  readonly #callerSignal: AbortSignal | undefined;

  constructor(endpoint: EndpointName, timeoutMs: number, callerSignal: AbortSignal | undefined) {
    this.#endpoint = endpoint;
    this.#timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
    this.#callerSignal = callerSignal;
    const abort = () => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.onEnd?.();
    };
    let hadGrace = false;
    this.#onTime = () => {
      if (hadGrace || this.remainingMs > -standstillMs) return abort();
      hadGrace = true;
      this.#timer = setTimeout(this.#onTime, graceMs);
    };
    this.#start();
    // Taken off again in `stop`: a caller's signal may outlive thousands of calls.
    callerSignal?.addEventListener('abort', abort, { once: true });
    if (callerSignal?.aborted || timeoutMs <= 0) abort();
    this.#stop = () => {
      clearTimeout(this.#timer);
      callerSignal?.removeEventListener('abort', abort);
    };
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** The error to reject with: the reason why the call is over. */
  error(sent: Sent): TimeoutError | CancelledError {
    return this.#callerSignal?.aborted
      ? new CancelledError(this.#endpoint, sent)
      : new TimeoutError(this.#endpoint, sent, this.#timeoutMs);
  }

  /** Waits so long. Rejects with `error(sent)` when the deadline comes first. */
  async sleep(ms: number, sent: Sent): Promise<void> {
    if (this.#isOver) throw this.error(sent);
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(resolve, ms);
        this.onEnd = () => reject(this.error(sent));
      });
    } finally {
      clearTimeout(timer);
      this.onEnd = undefined;
    }
  }

  /** Stops the clock until the returned function is called. The caller's signal still counts. */
  hold(): () => void {
    const remainingMs = this.remainingMs;
    clearTimeout(this.#timer);
    return () => {
      this.#endsAt = performance.now() + remainingMs;
      if (!this.#isOver) this.#start();
    };
  }

  #start(): void {
    // A longer delay than this would overflow setTimeout and end at once.
    this.#timer = setTimeout(this.#onTime, Math.min(this.remainingMs, 2 ** 31 - 1));
  }

  /** Releases the timer and the caller's signal. */
  stop(): void {
    this.#stop();
  }
}
