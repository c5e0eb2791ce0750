/** Checks the keys that clients bring before anything is made for them. */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { HttpError } from '../../errors.ts';
import { consume } from './request-rates.ts';

/** The challenge of a 401 if clients bring their own keys. */
export const keyChallenge = 'ApiKey realm="svc-mcp", header="X-API-Key"';

/** `unknown`: the service did not answer. */
export type KeyVerdict = 'good' | 'refused' | 'unknown';

/** A refused key is not asked about again for this time. */
const rememberedMs = 60_000;
const maxRemembered = 10_000;
/** Of one address in a minute; a good key gives its check back. */
const maxChecks = 100;

const hashOf = (apiKey: string) => createHash('sha256').update(apiKey).digest('base64');

export const refusedKey = () =>
  new HttpError(401, 'The service refused this key: send a valid one as X-API-Key.', {
    headers: { 'www-authenticate': keyChallenge },
  });

export class KeyChecks {
  readonly #ask: (apiKey: string) => Promise<KeyVerdict>;
  /** By hash, as are the checks under way. */
  readonly #refused = new LRUCache<string, true>({ max: maxRemembered, ttl: rememberedMs });
  readonly #pending = new Map<string, Promise<KeyVerdict>>();
  readonly #checks = new RateLimiterMemory({ points: maxChecks, duration: 60 });
  /** Addresses above their limit of which a key is being checked. */
  readonly #suspects = new Set<string>();

  /** `ask` is a request to the service. */
  constructor(ask: (apiKey: string) => Promise<KeyVerdict>) {
    this.#ask = ask;
  }

  /**
   * Rejects with a 401 when the service refuses the key, and with a 429 when too many keys of the address were checked. One
   * at a time is still checked then, and nobody waits for another's turn: good keys get in between the refused ones.
   */
  async check(apiKey: string, address: string): Promise<Exclude<KeyVerdict, 'refused'>> {
    const hash = hashOf(apiKey);
    const waitMs = await consume(this.#checks, address);
    const verdict = this.#refused.has(hash)
      ? 'refused'
      : await this.#askOnce(hash, apiKey, waitMs > 0 ? address : undefined);
    if (verdict !== 'refused' && verdict !== 'not-asked') {
      await this.#checks.reward(address);
      return verdict;
    }
    if (waitMs > 0) {
      // Above the limit the next place may be free at once, so a client need not wait for the end of the minute.
      const seconds = verdict === 'refused' ? Math.ceil(waitMs / 1000) : 1;
      throw new HttpError(429, `Too many keys of this address are checked; retry in ${seconds} s.`, {
        headers: { 'retry-after': String(seconds) },
      });
    }
    throw refusedKey();
  }

  /** Whether the service has come to refuse a key that it took earlier. Only good keys get here, so no limit applies. */
  async isRevoked(apiKey: string): Promise<boolean> {
    return (await this.#askOnce(hashOf(apiKey), apiKey, undefined)) === 'refused';
  }

  async #askOnce(
    hash: string,
    apiKey: string,
    suspect: string | undefined,
  ): Promise<KeyVerdict | 'not-asked'> {
    const pending = this.#pending.get(hash);
    if (pending !== undefined) return pending;
    if (suspect !== undefined) {
      if (this.#suspects.has(suspect)) return 'not-asked';
      this.#suspects.add(suspect);
    }
    const asking = this.#ask(apiKey)
      .then((verdict) => {
        if (verdict === 'refused') this.#refused.set(hash, true);
        return verdict;
      })
      .finally(() => {
        this.#pending.delete(hash);
        if (suspect !== undefined) this.#suspects.delete(suspect);
      });
    this.#pending.set(hash, asking);
    return asking;
  }
}
