/** An account that a person connects at the service or the site, not on a page of ours: seen by looking for it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { pageLifetimeMs } from './sign-in-pages.ts';

const firstLookMs = 1_000;
const longestLookMs = 5_000;

export class Connect {
  readonly id = randomUUID();
  readonly url: string;
  readonly expiresAt = new Date(Date.now() + pageLifetimeMs);
  readonly #isConnected: (signal: AbortSignal) => Promise<boolean>;
  readonly #over = new AbortController();
  #ended: Promise<'verified' | 'expired'> | undefined;

  /** `isConnected` may reject: then it is asked again. */
  constructor(url: string, isConnected: (signal: AbortSignal) => Promise<boolean>) {
    this.url = url;
    this.#isConnected = isConnected;
  }

  get pending(): boolean {
    return !this.#over.signal.aborted && this.expiresAt.getTime() > Date.now();
  }

  /** Looks for the account from the first time that somebody asks. */
  get ended(): Promise<'verified' | 'expired'> {
    this.#ended ??= this.#watch();
    return this.#ended;
  }

  end(): void {
    this.#over.abort();
  }

  async #watch(): Promise<'verified' | 'expired'> {
    const { signal } = this.#over;
    for (let pause = firstLookMs; this.pending; pause = Math.min(pause * 1.3, longestLookMs)) {
      if (await this.#isConnected(signal).catch(() => false)) {
        this.end();
        return 'verified';
      }
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
    return 'expired';
  }
}
