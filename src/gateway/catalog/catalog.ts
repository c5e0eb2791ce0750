/**
 * The catalog as this principal sees it: one snapshot from one `GET /search`, refreshed on a timer and when
 * something changed it. A refresh that fails keeps what is known; nothing a caller does waits for it, but for
 * the very first one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { Logger } from '../logger.ts';
import { Snapshot, type SnapshotData } from './snapshot.ts';
import type { SnapshotFile } from './snapshot-file.ts';

/** A younger snapshot is not fetched again, neither at start nor by the timer. */
const freshMs = 5 * 60_000;
/** How long the first `tools/list` waits where nothing is on disk. */
const firstWaitMs = 5_000;
/** An action that is not in a snapshot younger than this does not exist. */
const settledMs = 2_000;
const retryMs = 15_000;

export class Catalog {
  readonly #api: Api;
  readonly #file: SnapshotFile | undefined;
  readonly #logger: Logger;
  readonly #reserved: readonly string[];
  readonly #listeners = new Set<(snapshot: Snapshot) => void>();
  readonly #closing = new AbortController();
  #snapshot: Snapshot | undefined;
  #websites: readonly string[] | undefined;
  #loading: Promise<void> | undefined;
  #refreshing: Promise<boolean> | undefined;
  #waiting: Promise<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Why the last refresh failed; undefined after one that went well. */
  failure: unknown;

  constructor(options: {
    api: Api;
    file: SnapshotFile | undefined;
    logger: Logger;
    reserved: readonly string[];
  }) {
    this.#api = options.api;
    this.#file = options.file;
    this.#logger = options.logger;
    this.#reserved = options.reserved;
  }

  /** The newest snapshot; waits for the first one at most 5 s, and not at all once the service refused. */
  async snapshot(): Promise<Snapshot> {
    this.#loading ??= this.#load();
    await this.#loading;
    if (this.#snapshot === undefined) {
      const first = this.#refreshing ?? (this.failure === undefined ? this.refresh() : undefined);
      if (first !== undefined) await this.#waitFor(first);
    }
    return this.#snapshot ?? this.#made({ fetchedAt: 0, results: [], unreadable: [], ownCatalogs: [] });
  }

  /** Slugs of catalogs as the last snapshot has them, in memory or else on disk; waits for nothing. */
  websites(): readonly string[] {
    this.#websites ??= this.#snapshot?.websites() ?? this.#file?.readWebsites() ?? [];
    return this.#websites;
  }

  /** Fetches the catalog anew; resolves to whether that went well. Calls at the same time share one fetch. */
  refresh(): Promise<boolean> {
    this.#refreshing ??= this.#fetch().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** The snapshot after something was not found in it, refreshed unless it is as good as new. */
  async snapshotAfterMiss(): Promise<Snapshot> {
    const known = await this.snapshot();
    if (Date.now() - known.data.fetchedAt > settledMs) await this.refresh();
    return this.snapshot();
  }

  /** Calls the listener with every new snapshot. */
  onChange(listener: (snapshot: Snapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when nothing is written any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    this.#listeners.clear();
    await this.#refreshing;
  }

  /** One wait however many callers there are, each of which would listen to the same signal. */
  #waitFor(first: Promise<unknown>): Promise<unknown> {
    this.#waiting ??= Promise.race([
      first,
      delay(firstWaitMs, undefined, { ref: false, signal: this.#closing.signal }),
    ])
      .catch(() => undefined)
      .finally(() => {
        this.#waiting = undefined;
      });
    return this.#waiting;
  }

  async #load(): Promise<void> {
    const data = await this.#file?.read();
    if (data !== undefined) this.#snapshot = this.#made(data);
    const age = Date.now() - (data?.fetchedAt ?? 0);
    // A clock that was set back must not keep an old snapshot for ever.
    if (age < 0 || age >= freshMs) void this.refresh();
    else this.#schedule(freshMs - age);
  }

  async #fetch(): Promise<boolean> {
    try {
      const [search, own] = await Promise.all([
        this.#api.search({}, { signal: this.#closing.signal, timeoutMs: 60_000 }),
        this.#ownCatalogs(),
      ]);
      const data: SnapshotData = {
        fetchedAt: Date.now(),
        results: search.items,
        unreadable: search.unreadable,
        ownCatalogs: own,
      };
      this.failure = undefined;
      this.#snapshot = this.#made(data);
      this.#schedule(freshMs);
      for (const listener of this.#listeners) listener(this.#snapshot);
      this.#websites = this.#snapshot.websites();
      await this.#file?.write(data, this.#websites).catch((error: unknown) => {
        this.#logger.warn({ error: String(error) }, 'The catalog snapshot could not be written');
      });
      return true;
    } catch (error) {
      this.failure = error;
      if (!this.#closing.signal.aborted) {
        this.#logger.warn(
          { error: isApiError(error) ? error.message : String(error) },
          'The catalog could not be fetched',
        );
        this.#schedule(retryMs);
      }
      return false;
    }
  }

  /** Which catalogs hold the requester's own actions; only their place in the list depends on it. */
  async #ownCatalogs(): Promise<string[]> {
    try {
      const own = await this.#api.listCatalogs(
        { scope: 'my' },
        { signal: this.#closing.signal, timeoutMs: 2_000 },
      );
      return own.items.map((catalog) => catalog.slug);
    } catch {
      return this.#snapshot === undefined ? [] : [...this.#snapshot.data.ownCatalogs];
    }
  }

  #made(data: SnapshotData): Snapshot {
    return new Snapshot(data, this.#reserved);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => void this.refresh(), ms);
    this.#timer.unref();
  }
}
