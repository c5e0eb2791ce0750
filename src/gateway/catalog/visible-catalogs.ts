/** The visible catalogs, read seldom: the service counts requests by address, which all keys of a gateway share. */
import type { Api } from '../../contract/api.ts';
import type { CatalogEntry } from '../../contract/resources.ts';
import type { Clock } from '../foundation/clock.ts';

const timeoutMs = 30_000;
/** Names that are in no list and yet asked for, of one key, in a minute. */
const maxGuesses = 10;
const guessMs = 60_000;

export class VisibleCatalogs {
  readonly #api: Api;
  readonly #clock: Clock;
  #guesses: number[] = [];
  #last: { readonly at: number; readonly items: Promise<readonly CatalogEntry[]> } | undefined;

  constructor(api: Api, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Whether the service may be asked for a catalog that is not in its list: some services list less than they answer. */
  mayGuess(): boolean {
    const now = this.#clock.monotonic();
    this.#guesses = this.#guesses.filter((at) => now - at < guessMs);
    if (this.#guesses.length >= maxGuesses) return false;
    this.#guesses.push(now);
    return true;
  }

  /** All visible catalogs as they were at most `maxAgeMs` ago. Callers share a request. Rejects with an `ApiError`. */
  read(maxAgeMs: number): Promise<readonly CatalogEntry[]> {
    const now = this.#clock.monotonic();
    if (this.#last !== undefined && now - this.#last.at < maxAgeMs) return this.#last.items;
    const items = this.#api.listCatalogs({}, { timeoutMs }).then((list) => list.items);
    this.#last = { at: now, items };
    items.catch(() => {
      if (this.#last?.items === items) this.#last = undefined;
    });
    return items;
  }
}
