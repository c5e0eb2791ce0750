/**
 * The catalog as this principal sees it: one snapshot from one `GET /search`, refreshed on a timer and when
 * something changed it. A refresh that fails keeps the last snapshot; nothing a caller does waits for one, but for
 * the very first one and for an action that a search has just shown.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isApiError } from '../../client/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { SearchResult } from '../../contract/resources.ts';
import type { Logger } from '../foundation/logger.ts';
import { type Fetched, fetchOwn, fetchSnapshot, type Own } from './fetch-snapshot.ts';
import { PackedActions } from './packed-actions.ts';
import { RefreshRequests } from './refresh-requests.ts';
import type { SharedCatalog } from './shared-catalog.ts';
import { type CatalogTypes, Snapshot, type SnapshotData } from './snapshot.ts';
import type { SnapshotFile } from './snapshot-file.ts';

/** A younger snapshot is not fetched again, neither at start nor by the timer. */
const freshMs = 5 * 60_000;
/** How long the first `tools/list` waits where nothing is on disk. */
const firstWaitMs = 5_000;
const retryMs = 15_000;
const maxAnnounced = 1_000;
const maxRewritten = 2_000;

export interface CatalogOptions {
  readonly api: Api;
  readonly file: SnapshotFile | undefined;
  readonly logger: Logger;
  readonly reserved: readonly string[];
  /** Snapshots that other keys of the same service have fetched. */
  readonly shared?: SharedCatalog | undefined;
  /** Calls the listener when what the service offers has changed; returns how to stop that. */
  readonly onServiceChange?: ((listener: () => void) => () => void) | undefined;
}

export class Catalog {
  readonly #options: CatalogOptions;
  readonly #listeners = new Set<(snapshot: Snapshot) => void>();
  readonly #closing = new AbortController();
  readonly #requests = new RefreshRequests(() => this.refresh());
  /** Ids that a search has shown and the snapshot does not have yet. */
  readonly #announced = new Set<string>();
  readonly #signedInAt = new Map<string, number>();
  #snapshot: Snapshot | undefined;
  #catalogTypes: SnapshotData['catalogTypes'] = {};
  #websites: readonly string[] | undefined;
  #loading: Promise<void> | undefined;
  #refreshing: Promise<boolean> | undefined;
  #waiting: Promise<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #early: Promise<void> | undefined;
  readonly #never = new Promise<void>(() => undefined);
  #stopListening: (() => void) | undefined;
  /** Why the last refresh failed; undefined after one that went well. */
  failure: unknown;

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  /** The newest snapshot; waits for the first one at most 5 s, and not at all once the service refused. */
  async snapshot(): Promise<Snapshot> {
    this.#loading ??= this.#load();
    await this.#loading;
    if (this.#snapshot === undefined) {
      const first = this.#refreshing ?? (this.failure === undefined ? this.refresh(freshMs) : undefined);
      if (first !== undefined) await this.#waitFor(first);
    }
    return this.#snapshot ?? Snapshot.create(emptySnapshot, this.#options.reserved);
  }

  /** Slugs of catalogs as the last snapshot has them, in memory or else on disk; waits for nothing. */
  websites(): readonly string[] {
    this.#websites ??= this.#snapshot?.websites() ?? this.#options.file?.readWebsites() ?? [];
    return this.#websites;
  }

  /**
   * Fetches the catalog anew; resolves to whether that went well. Calls at the same time share one fetch. What another
   * key has fetched will do if it is younger than `sharedAgeMs` and certain to be the same.
   */
  refresh(sharedAgeMs = 0): Promise<boolean> {
    if (this.#refreshing === undefined) {
      this.#refreshing = this.#fetch(sharedAgeMs).finally(() => {
        this.#refreshing = undefined;
      });
    }
    return this.#refreshing;
  }

  /** The snapshot after the id or tool name was not found in it, refreshed where that may help. */
  async snapshotAfterMiss(id: string): Promise<Snapshot> {
    await this.snapshot();
    await this.#refreshing;
    const isHere = this.#snapshot?.getCredits(id) ?? this.#snapshot?.findActionByTool(id);
    if (isHere === undefined) {
      const isDue = this.#requests.delayMs === 0;
      const requested = this.#requests.requestFor([id]);
      // Nobody waits for a refresh that is not due yet, unless a search has just named the action.
      if (isDue || this.#announced.has(id)) await requested;
    }
    return this.snapshot();
  }

  /** The snapshot, fetched anew where it is older; `isCurrent` is false where that failed. */
  async snapshotOfAge(ms: number): Promise<{ readonly snapshot: Snapshot; readonly isCurrent: boolean }> {
    const current = await this.snapshot();
    const age = Date.now() - current.data.fetchedAt;
    const isCurrent = (age >= 0 && age < ms) || (await this.refresh());
    // Without any snapshot there is nothing to list.
    if (!isCurrent && current.data.fetchedAt === 0) throw this.failure;
    return { snapshot: await this.snapshot(), isCurrent };
  }

  /** Compares what the service has just answered with the snapshot, which is refreshed where it is out of date. */
  compare(results: readonly SearchResult[], snapshot: Snapshot): void {
    const changed = results.filter(({ action_id, credits }) => snapshot.getCredits(action_id) !== credits);
    if (changed.length === 0) return;
    const unknown = changed.filter(({ action_id }) => snapshot.getCredits(action_id) === undefined);
    if (this.#announced.size > maxAnnounced) this.#announced.clear();
    for (const { action_id } of unknown.slice(0, maxAnnounced)) this.#announced.add(action_id);
    this.#requests.requestFor(changed.map(({ action_id }) => action_id));
  }

  /** The service does not know an action of the snapshot any more. */
  noticeGone(actionId: string): void {
    this.#requests.requestFor([actionId]);
  }

  /** An account of the catalog has just signed in. */
  noticeSignIn(slug: string): void {
    this.#signedInAt.set(slug, performance.now());
    this.#requests.requestFor([slug]);
  }

  /** Whether an account has signed in since the last snapshot may have been fetched. */
  hasSignedIn(slug: string): boolean {
    return performance.now() - (this.#signedInAt.get(slug) ?? Number.NEGATIVE_INFINITY) < freshMs;
  }

  /** The snapshot where the service has just said that it has no such catalog. */
  async snapshotWithout(slug: string | undefined): Promise<Snapshot> {
    const snapshot = await this.snapshot();
    if (slug !== undefined && snapshot.websites().includes(slug)) this.#requests.requestFor([slug]);
    return snapshot;
  }

  /** Keeps what a catalog's details say of the types of its actions; the next snapshot has them. */
  async keepTypes(slug: string, types: CatalogTypes): Promise<void> {
    this.#catalogTypes = { ...this.#catalogTypes, [slug]: types };
    const snapshot = this.#snapshot;
    // A process may end before its next refresh, but a large file is not written again for each catalog.
    if (snapshot === undefined || snapshot.size > maxRewritten) return;
    const { reserved } = this.#options;
    const data = { ...snapshot.data, catalogTypes: this.#catalogTypes };
    await this.#write(await Snapshot.create(data, reserved, snapshot.names));
  }

  /** Calls the listener with every new snapshot. */
  onChange(listener: (snapshot: Snapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when nothing is written any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#stopListening?.();
    this.#requests.stop();
    clearTimeout(this.#timer);
    this.#listeners.clear();
    await this.#refreshing;
  }

  /** All callers share one wait, because each wait would add a listener to the same signal. */
  #waitFor(first: Promise<unknown>): Promise<unknown> {
    this.#waiting ??= Promise.race([
      first,
      this.#early ?? first,
      delay(firstWaitMs, undefined, { ref: false, signal: this.#closing.signal }),
    ])
      .catch(() => undefined)
      .finally(() => {
        this.#waiting = undefined;
      });
    return this.#waiting;
  }

  async #load(): Promise<void> {
    this.#stopListening = this.#options.onServiceChange?.(() => void this.#requests.request());
    const { file, reserved } = this.#options;
    const saved = await file?.read(reserved);
    this.#catalogTypes = saved?.data.catalogTypes ?? {};
    if (saved !== undefined) this.#snapshot = await Snapshot.create(saved.data, reserved, saved.names);
    const age = Date.now() - (saved?.data.fetchedAt ?? 0);
    // If the clock was set back, an old snapshot must not stay for ever.
    if (age < 0 || age >= freshMs) void this.refresh(freshMs);
    else this.#schedule(freshMs - age);
  }

  async #fetch(sharedAgeMs: number): Promise<boolean> {
    const { api, logger, reserved } = this.#options;
    try {
      const { signal } = this.#closing;
      const before = this.#snapshot;
      const own = fetchOwn(api, before?.data, signal);
      this.#early = this.#showShared(own);
      const sharedSnapshot = await this.#takeShared(own, sharedAgeMs);
      const fetched = sharedSnapshot ?? (await fetchSnapshot(api, { previous: before?.data, own, signal }));
      const data = { ...fetched, catalogTypes: this.#catalogTypes };
      const names = before?.data.actions === data.actions ? before.names : undefined;
      const snapshot = await Snapshot.create(data, reserved, names);
      this.failure = undefined;
      this.#snapshot = snapshot;
      this.#websites = snapshot.websites();
      this.#announced.clear();
      this.#schedule(freshMs);
      for (const listener of this.#listeners) listener(snapshot);
      if (sharedSnapshot === undefined && (await own).answered) await this.#options.shared?.offer(data);
      await this.#write(snapshot);
      return true;
    } catch (error) {
      this.failure = error;
      if (!this.#closing.signal.aborted) {
        logger.warn(
          { error: isApiError(error) ? error.message : String(error) },
          'The catalog could not be fetched',
        );
        this.#schedule(retryMs);
      }
      return false;
    }
  }

  async #write(snapshot: Snapshot): Promise<void> {
    const { file, logger, reserved } = this.#options;
    await file?.write(snapshot, reserved).catch((error: unknown) => {
      logger.warn({ error: String(error) }, 'The catalog snapshot could not be written');
    });
  }

  /** Until this key's own answer is there, its list holds what cannot be private. */
  async #showShared(own: Promise<Own>): Promise<void> {
    const { shared, reserved } = this.#options;
    const { answered, ownCatalogs, goals } = await own;
    const latest = shared?.latest;
    if (latest === undefined || !answered || this.#snapshot !== undefined) return this.#never;
    const { actions } = latest;
    const catalogTypes = this.#catalogTypes;
    const data = { fetchedAt: 0, actions, unreadable: [], ownCatalogs, goals, catalogTypes };
    const snapshot = await Snapshot.create(data, reserved);
    this.#snapshot ??= snapshot;
  }

  /** A key without own actions sees exactly what another such key has seen. */
  async #takeShared(own: Promise<Own>, maxAgeMs: number): Promise<Fetched | undefined> {
    const latest = this.#options.shared?.latest;
    if (latest?.isComplete !== true || Date.now() - latest.fetchedAt >= maxAgeMs) return undefined;
    const { answered, ownCatalogs, goals } = await own;
    if (!answered || ownCatalogs.length > 0) return undefined;
    return { fetchedAt: latest.fetchedAt, actions: latest.actions, unreadable: [], ownCatalogs, goals };
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => void this.refresh(freshMs), ms);
    this.#timer.unref();
  }
}

const emptySnapshot: SnapshotData = {
  fetchedAt: 0,
  actions: new PackedActions(),
  unreadable: [],
  ownCatalogs: [],
  goals: {},
  catalogTypes: {},
};
