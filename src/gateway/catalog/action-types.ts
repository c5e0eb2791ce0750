/**
 * The types of listed actions, where the search results of a service do not name them: they are read from the details of
 * the catalogs, one at a time and slowly, because nobody waits for them.
 */
import type { Api } from '../../contract/api.ts';
import type { SearchResult } from '../../contract/resources.ts';
import type { Catalog } from './catalog.ts';
import type { Snapshot } from './snapshot.ts';

/** The types of a catalog are read again after this time. */
const freshMs = 24 * 60 * 60_000;
const readMs = 20_000;
const firstPauseMs = 500;

interface ActionTypesDependencies {
  readonly api: Api;
  readonly catalog: Catalog;
  /** While a price is read, nothing else is: it uses the same limit of the service, and a call waits for it. */
  readonly current: { readonly isReading: boolean };
  /** `typesPauseMs`: before each read. */
  readonly limits: { readonly typesPauseMs: number };
}

export class ActionTypes {
  readonly #dependencies: ActionTypesDependencies;
  readonly #closing = new AbortController();
  /** Ids of the listed actions by the catalogs that wait to be read. */
  readonly #wanted = new Map<string, readonly string[]>();
  /** Whether a catalog has been read since the start. */
  #hasRead = false;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;

  constructor(dependencies: ActionTypesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Reads the types that the listed actions lack. Waits for nothing. */
  request(actions: readonly SearchResult[], { data: { catalogTypes } }: Snapshot): void {
    const bySlug = new Map<string, string[]>();
    for (const { action_id, catalog_slug, type } of actions) {
      if (type !== undefined) continue;
      const ids = bySlug.get(catalog_slug) ?? [];
      ids.push(action_id);
      bySlug.set(catalog_slug, ids);
    }
    this.#wanted.clear();
    for (const [slug, ids] of bySlug) {
      const known = Object.hasOwn(catalogTypes, slug) ? catalogTypes[slug] : undefined;
      const isFresh = known !== undefined && Math.abs(Date.now() - known.readAt) < freshMs;
      if (isFresh && ids.every((id) => Object.hasOwn(known.types, id))) continue;
      this.#wanted.set(slug, ids);
    }
    if (this.#timer === undefined) this.#schedule();
  }

  /** Resolves when nothing is written any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#reading;
  }

  #schedule(): void {
    this.#timer = undefined;
    if (this.#wanted.size === 0 || this.#closing.signal.aborted) return;
    // A client decides by types what runs unasked, so the first ones come soon.
    const { typesPauseMs } = this.#dependencies.limits;
    const pauseMs = this.#hasRead ? typesPauseMs : Math.min(typesPauseMs, firstPauseMs);
    this.#timer = setTimeout(() => {
      this.#reading = this.#readNext().finally(() => this.#schedule());
    }, pauseMs);
    this.#timer.unref();
  }

  async #readNext(): Promise<void> {
    const [next] = this.#wanted;
    const { api, catalog, current } = this.#dependencies;
    if (next === undefined || current.isReading) return;
    const [slug, ids] = next;
    this.#wanted.delete(slug);
    this.#hasRead = true;
    const options = { signal: this.#closing.signal, timeoutMs: readMs };
    // A catalog that cannot be read now is requested again by the next refresh.
    const details = await api.getCatalog(slug, options).catch(() => undefined);
    if (details === undefined) return;
    const typeOf = new Map(details.actions.map(({ action_id, type }) => [action_id, type]));
    const types = Object.fromEntries(ids.map((id) => [id, typeOf.get(id) ?? '']));
    await catalog.keepTypes(slug, { readAt: Date.now(), types });
    if (this.#wanted.size === 0) catalog.announceTypes();
  }
}
