/** The end of a call: its time is up, or its caller has gone. */
import type { EndpointName } from '../contract/endpoints.ts';
import { CancelledError, type Sent, TimeoutError } from './errors.ts';

export class Deadline {
  /** Aborted when the time is up or the caller's signal is. */
  readonly signal: AbortSignal;
  readonly #endpoint: EndpointName;
  readonly #timeoutMs: number;
  readonly #endsAt: number;
  readonly #stop: () => void;
  readonly #callerSignal: AbortSignal | undefined;

  constructor(endpoint: EndpointName, timeoutMs: number, callerSignal: AbortSignal | undefined) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#endpoint = endpoint;
    this.#timeoutMs = timeoutMs;
    this.#endsAt = performance.now() + timeoutMs;
    this.#callerSignal = callerSignal;
    const abort = () => controller.abort();
    // A longer delay than this would overflow setTimeout and end at once.
    const timer = setTimeout(abort, Math.min(timeoutMs, 2 ** 31 - 1));
    // Not AbortSignal.any: its signals stay with a caller's long-lived signal until that is collected.
    callerSignal?.addEventListener('abort', abort, { once: true });
    if (callerSignal?.aborted || timeoutMs <= 0) abort();
    this.#stop = () => {
      clearTimeout(timer);
      callerSignal?.removeEventListener('abort', abort);
    };
  }

  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Why the signal is aborted, as the error to reject with. */
  error(sent: Sent): TimeoutError | CancelledError {
    return this.#callerSignal?.aborted
      ? new CancelledError(this.#endpoint, sent)
      : new TimeoutError(this.#endpoint, sent, this.#timeoutMs);
  }

  /** Waits so long. Rejects with `error(sent)` when the deadline comes first. */
  async sleep(ms: number, sent: Sent): Promise<void> {
    if (this.signal.aborted) throw this.error(sent);
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        clearTimeout(timer);
        reject(this.error(sent));
      };
      const timer = setTimeout(() => {
        this.signal.removeEventListener('abort', abort);
        resolve();
      }, ms);
      this.signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Releases the timer and the caller's signal. */
  stop(): void {
    this.#stop();
  }
}
