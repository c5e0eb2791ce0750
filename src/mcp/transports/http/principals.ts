/** The principals that the server keeps open: made when they first call, closed when they are not used any more. */

import type { HttpLimits } from './limits.ts';
import type { Principal } from './principal.ts';
import { HttpRefusal } from './refusal.ts';

/** How often sessions and principals that nobody uses are looked for. */
const sweepMs = 60_000;

export class Principals {
  readonly #create: (apiKey: string) => Principal;
  readonly #limits: HttpLimits;
  /** By key, the one used last at the end. */
  readonly #open = new Map<string, Principal>();
  readonly #usedAt = new WeakMap<Principal, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #onError: (error: unknown) => void;

  constructor(create: (apiKey: string) => Principal, limits: HttpLimits, onError: (error: unknown) => void) {
    this.#create = create;
    this.#limits = limits;
    this.#onError = onError;
    this.#timer = setInterval(() => void this.sweep(Date.now()), sweepMs).unref();
  }

  get all(): readonly Principal[] {
    return [...this.#open.values()];
  }

  /** @throws HttpRefusal 503 where all are in use. */
  of(apiKey: string): Principal {
    const known = this.#open.get(apiKey);
    if (known === undefined && this.#open.size >= this.#limits.principals) this.#makeRoom();
    const principal = known ?? this.#create(apiKey);
    this.#open.delete(apiKey);
    this.#open.set(apiKey, principal);
    this.#usedAt.set(principal, Date.now());
    return principal;
  }

  /** Closes idle sessions, and principals that have been idle as long. */
  async sweep(now: number): Promise<void> {
    await Promise.allSettled(this.all.map(({ sessions }) => sessions.endIdle(now)));
    for (const [apiKey, principal] of this.#open) {
      const unused = now - (this.#usedAt.get(principal) ?? 0);
      if (principal.isIdle && unused > this.#limits.idleSessionMs) this.#drop(apiKey, principal);
    }
  }

  async close(graceMs: number): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.all.map((principal) => principal.close(graceMs)));
  }

  #makeRoom(): void {
    for (const [apiKey, principal] of this.#open) {
      if (!principal.isIdle) continue;
      this.#drop(apiKey, principal);
      return;
    }
    throw new HttpRefusal(503, 'As many keys as may be are in use at this server: try again in a minute.', {
      headers: { 'retry-after': '60' },
    });
  }

  #drop(apiKey: string, principal: Principal): void {
    this.#open.delete(apiKey);
    principal.close(0).catch(this.#onError);
  }
}
