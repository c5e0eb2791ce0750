/** Checks the keys that clients bring before anything is made for them. */
import { createHash } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { HttpError } from '../../errors.ts';
import { keyChallenge } from './authentication.ts';

/** `unknown`: the service did not answer. */
export type KeyVerdict = 'good' | 'refused' | 'unknown';

/** A refused key is not asked about again for this time. */
const rememberedMs = 60_000;
const maxRemembered = 10_000;
/** Checks of one address at the same time, until it has sent too many refused keys. */
const checksAtOnce = 8;
const maxWaiting = 2_000;
const refusedPerMinute = 100;

interface Address {
  running: number;
  readonly waiting: (() => void)[];
}

export class KeyChecks {
  readonly #ask: (apiKey: string) => Promise<KeyVerdict>;
  /** By hash, with the time until which it is remembered. */
  readonly #refused = new Map<string, number>();
  readonly #pending = new Map<string, Promise<KeyVerdict>>();
  readonly #failures = new RateLimiterMemory({ points: refusedPerMinute, duration: 60 });
  readonly #addresses = new Map<string, Address>();

  /** `ask` is a request to the service. */
  constructor(ask: (apiKey: string) => Promise<KeyVerdict>) {
    this.#ask = ask;
  }

  /**
   * Rejects with a 401 when the service refuses the key, and with a 429 when the address has sent too many of those.
   * Such an address waits longer for its checks, but its good keys are still admitted.
   */
  async check(apiKey: string, address: string): Promise<Exclude<KeyVerdict, 'refused'>> {
    const hash = createHash('sha256').update(apiKey).digest('base64');
    const verdict = this.#isRemembered(hash) ? 'refused' : await this.#askOnce(hash, apiKey, address);
    if (verdict !== 'refused') return verdict;
    this.#remember(hash);
    throw (await this.#countFailure(address))
      ? new HttpError(429, 'Too many refused keys came from this address; retry in a minute.', {
          headers: { 'retry-after': '60' },
        })
      : new HttpError(401, 'The service refused this key: send a valid one as X-API-Key.', {
          headers: { 'www-authenticate': keyChallenge },
        });
  }

  #isRemembered(hash: string): boolean {
    const until = this.#refused.get(hash);
    if (until !== undefined && until <= performance.now()) this.#refused.delete(hash);
    return this.#refused.has(hash);
  }

  #remember(hash: string): void {
    const [oldest] = this.#refused.keys();
    if (this.#refused.size >= maxRemembered && oldest !== undefined) this.#refused.delete(oldest);
    if (!this.#refused.has(hash)) this.#refused.set(hash, performance.now() + rememberedMs);
  }

  /** Whether it was one too many. */
  async #countFailure(address: string): Promise<boolean> {
    try {
      await this.#failures.consume(address);
      return false;
    } catch {
      return true;
    }
  }

  #askOnce(hash: string, apiKey: string, address: string): Promise<KeyVerdict> {
    const pending = this.#pending.get(hash);
    if (pending !== undefined) return pending;
    const asking = this.#inTurn(address, () => this.#ask(apiKey)).finally(() => this.#pending.delete(hash));
    this.#pending.set(hash, asking);
    return asking;
  }

  async #inTurn(name: string, work: () => Promise<KeyVerdict>): Promise<KeyVerdict> {
    const address = this.#addresses.get(name) ?? { running: 0, waiting: [] };
    this.#addresses.set(name, address);
    const failures = (await this.#failures.get(name))?.consumedPoints ?? 0;
    if (address.running >= (failures > refusedPerMinute ? 1 : checksAtOnce)) {
      if (address.waiting.length >= maxWaiting) {
        throw new HttpError(
          429,
          'Too many keys from this address wait to be checked; retry in a few seconds.',
          {
            headers: { 'retry-after': '5' },
          },
        );
      }
      await new Promise<void>((resolve) => address.waiting.push(resolve));
    } else {
      address.running += 1;
    }
    try {
      return await work();
    } finally {
      const next = address.waiting.shift();
      if (next !== undefined) next();
      else address.running -= 1;
      if (address.running === 0) this.#addresses.delete(name);
    }
  }
}
