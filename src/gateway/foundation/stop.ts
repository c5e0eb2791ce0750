/** The end of a wait that nobody needs any more: an `AbortController` costs much more, at every call. */
import type { StopSignal } from '../../contract/api.ts';

export class Stop implements StopSignal {
  readonly #listeners = new Set<() => void>();
  #aborted = false;

  get aborted(): boolean {
    return this.#aborted;
  }

  now(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Resolves after so many milliseconds, or when the wait is stopped. */
  async sleep(ms: number): Promise<void> {
    if (this.#aborted || ms <= 0) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#listeners.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#listeners.add(wake);
    });
  }
}
