/** The visible catalogs, read seldom: the service counts requests by address, which all keys of a gateway share. */
import type { Api } from '../../contract/api.ts';
import type { CatalogEntry } from '../../contract/resources.ts';
import type { Clock } from '../foundation/clock.ts';

const timeoutMs = 30_000;

export class VisibleCatalogs {
  readonly #api: Api;
  readonly #clock: Clock;
  #last: { readonly at: number; readonly items: Promise<readonly CatalogEntry[]> } | undefined;

  constructor(api: Api, clock: Clock) {
    this.#api = api;
    this.#clock = clock;
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
