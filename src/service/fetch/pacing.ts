/** Polite pacing: requests to one host start at least an interval apart. */
import { setTimeout as delay } from 'node:timers/promises';

const maxHosts = 10_000;

export class Pacing {
  readonly #next = new Map<string, number>();

  /** Waits for the host's turn. Rejects when the signal is aborted; the turn is then lost, which only slows down. */
  async turn(host: string, intervalMs: number, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const start = Math.max(now, this.#next.get(host) ?? 0);
    this.#next.set(host, start + intervalMs);
    if (this.#next.size > maxHosts) {
      for (const [name, time] of this.#next) if (time <= now) this.#next.delete(name);
    }
    if (start > now) await delay(start - now, undefined, { signal });
  }
}
