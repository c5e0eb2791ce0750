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
import { RefreshRequests } from './refresh-requests.ts';
import type { SharedActions } from './shared-actions.ts';
import { Actions, type CatalogTypes, Snapshot, type SnapshotData } from './snapshot.ts';
import type { SavedSnapshot, SnapshotFile } from './snapshot-file.ts';

/** A younger snapshot is not fetched again, neither at start nor by the timer. */
const freshMs = 5 * 60_000;
/** How long the first `tools/list` waits where nothing is on disk. */
const firstWaitMs = 5_000;
/** How long a handshake waits for the file. */
const handshakeMs = 300;
/** After the start, whose answers come before the refresh of an old snapshot. */
const afterStartMs = 500;
const searchMs = 60_000;
const retryMs = 15_000;
const maxAnnounced = 1_000;
const maxRewritten = 2_000;

export interface CatalogOptions {
  readonly api: Api;
  readonly file: SnapshotFile | undefined;
  readonly logger: Logger;
  /** Actions that other keys of the same service have fetched. */
  readonly shared: SharedActions;
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
  #loading: Promise<void> | undefined;
  #catalogTypes: SnapshotData['catalogTypes'] = {};
  #refreshing: Promise<boolean> | undefined;
  #waiting: Promise<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;
  /** Why the last refresh failed; undefined after one that went well. */
  failure: unknown;

  constructor(options: CatalogOptions) {
    this.#options = options;
  }

  /** The newest snapshot; waits for the first one at most 5 s, and not at all once the service refused. */
  async snapshot(): Promise<Snapshot> {
    if (this.#snapshot === undefined) await this.#waitFor(this.#load());
    if (this.#snapshot === undefined) {
      const first = this.#refreshing ?? (this.failure === undefined ? this.refresh(freshMs) : undefined);
      if (first !== undefined) await this.#waitFor(first);
    }
    return this.#snapshot ?? emptySnapshot;
  }

  /** Slugs of catalogs as the last snapshot in memory has them. */
  websites(): readonly string[] {
    return this.#snapshot?.websites() ?? [];
  }

  /** Resolves when the snapshot on disk has been read, or after 300 ms; never rejects. */
  async whenRead(): Promise<void> {
    const options = { ref: false, signal: this.#closing.signal };
    await Promise.race([this.#load(), delay(handshakeMs, undefined, options)]).catch(() => undefined);
  }

  /** What is known without a request: the last snapshot, in memory or on disk. */
  async known(): Promise<Snapshot> {
    if (this.#snapshot !== undefined) return this.#snapshot;
    const saved = await this.#options.file?.read();
    return this.#snapshot ?? (saved === undefined ? emptySnapshot : this.#toSnapshot(saved));
  }

  /**
   * Fetches the catalog again; resolves to whether that succeeded. Concurrent calls share one fetch. An answer that
   * another key fetched is used if it is younger than `sharedAgeMs` and certain to be the same.
   */
  refresh(sharedAgeMs = 0): Promise<boolean> {
    if (this.#refreshing === undefined) {
      this.#refreshing = this.#fetch(sharedAgeMs).finally(() => {
        this.#refreshing = undefined;
      });
    }
    return this.#refreshing;
  }

  /** As `refresh`, by a fetch that begins after this call: one that is under way may not have what has just changed. */
  async refreshAnew(): Promise<boolean> {
    await this.#refreshing;
    return this.refresh();
  }

  /** The snapshot in memory, where it has the id or the tool name: then nothing need be waited for. */
  snapshotWith(id: string): Snapshot | undefined {
    this.#load();
    const snapshot = this.#snapshot;
    return snapshot?.action(id) !== undefined || snapshot?.tools.has(id) === true ? snapshot : undefined;
  }

  /**
   * The snapshot in which to look up an id or a tool name, refreshed if it lacks the name and that may help. Rejects with
   * the failure where nothing could be fetched yet: then nobody knows whether the name exists.
   */
  async snapshotFor(id: string): Promise<Snapshot> {
    await this.snapshot();
    const current = this.snapshotWith(id);
    if (current !== undefined) return current;
    await this.#refreshing;
    if (this.snapshotWith(id) === undefined) {
      const isDue = this.#requests.delayMs === 0;
      const requested = this.#requests.requestFor([id]);
      // Nobody waits for a refresh that is not due yet, unless a search has just named the action.
      if (isDue || this.#announced.has(id)) await requested;
    }
    const snapshot = await this.snapshot();
    if (this.#snapshot === undefined && this.failure !== undefined) throw this.failure;
    return snapshot;
  }

  /** The snapshot, fetched again if it is older than `ms`; `isCurrent` is false if that failed. */
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
    await this.#write({ ...snapshot.data, catalogTypes: this.#catalogTypes });
  }

  /** Shows the types that were kept since the last snapshot, and tells the listeners. */
  announceTypes(): void {
    if (this.#snapshot === undefined) return;
    const snapshot = new Snapshot({ ...this.#snapshot.data, catalogTypes: this.#catalogTypes });
    this.#snapshot = snapshot;
    for (const listener of this.#listeners) listener(snapshot);
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
      delay(firstWaitMs, undefined, { ref: false, signal: this.#closing.signal }),
    ])
      .catch(() => undefined)
      .finally(() => {
        this.#waiting = undefined;
      });
    return this.#waiting;
  }

  /** Reads the file once; soon after, what the file lacks is fetched in the background. */
  #load(): Promise<void> {
    this.#loading ??= this.#read();
    return this.#loading;
  }

  async #read(): Promise<void> {
    const { file, onServiceChange } = this.#options;
    this.#stopListening = onServiceChange?.(() => void this.#requests.request());
    const saved = await file?.read();
    // A refresh may have been faster than the disk.
    if (this.#closing.signal.aborted || this.#snapshot !== undefined) return;
    if (saved !== undefined) {
      this.#catalogTypes = saved.catalogTypes;
      this.#snapshot = this.#toSnapshot(saved);
    }
    const age = Date.now() - (saved?.fetchedAt ?? 0);
    // If the clock was set back, an old snapshot must not stay for ever. Whoever needs a first one does not wait for this.
    this.#schedule(age < 0 || age >= freshMs ? afterStartMs : freshMs - age);
  }

  #toSnapshot(saved: SavedSnapshot): Snapshot {
    return new Snapshot({ ...saved, actions: this.#options.shared.share(saved.actions) });
  }

  async #fetch(sharedAgeMs: number): Promise<boolean> {
    const { api, logger, shared } = this.#options;
    try {
      const { signal } = this.#closing;
      const before = this.#snapshot?.data;
      const own = fetchOwn(api, before, signal);
      const known = await this.#takePublic(own, sharedAgeMs);
      const fetched = known ?? (await this.#fetchActions(before?.actions));
      const { answered, ...ownData } = await own;
      const lacksEditing = !api.extensions.has('action-edit');
      const snapshot = new Snapshot({
        ...fetched,
        ...ownData,
        catalogTypes: this.#catalogTypes,
        lacksEditing,
      });
      this.failure = undefined;
      this.#snapshot = snapshot;
      this.#announced.clear();
      this.#schedule(freshMs);
      for (const listener of this.#listeners) listener(snapshot);
      if (known === undefined && answered && ownData.ownCatalogs.length === 0) shared.publish(fetched);
      await this.#write(snapshot.data);
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

  async #fetchActions(previous: Actions | undefined) {
    const { api, shared } = this.#options;
    const { items, unreadable } = await api.search({}, { signal: this.#closing.signal, timeoutMs: searchMs });
    return { fetchedAt: Date.now(), actions: shared.share(items, previous), unreadable };
  }

  async #write(data: SnapshotData): Promise<void> {
    const { file, logger } = this.#options;
    await file?.write(data).catch((error: unknown) => {
      logger.warn({ error: String(error) }, 'The catalog snapshot could not be written');
    });
  }

  /** Keys without own actions see the same list, so the list of another such key is used. */
  async #takePublic(own: Promise<Own>, maxAgeMs: number) {
    const known = this.#options.shared.getPublic(maxAgeMs);
    if (known === undefined) return undefined;
    const { answered, ownCatalogs } = await own;
    return answered && ownCatalogs.length === 0 ? known : undefined;
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => void this.refresh(freshMs), ms);
    this.#timer.unref();
  }
}

const emptySnapshot = new Snapshot({
  fetchedAt: 0,
  actions: new Actions([], []),
  unreadable: [],
  ownCatalogs: [],
  goals: {},
  lacksEditing: false,
  catalogTypes: {},
});

const timeoutMs = 2_000;
const maxGoalChars = 500;

/** What the requester owns; `answered`: the service has just said so. */
export type Own = Pick<SnapshotData, 'ownCatalogs' | 'goals'> & { readonly answered: boolean };

/** If a request fails, the previous snapshot's data are kept. */
async function fetchOwn(api: Api, previous: SnapshotData | undefined, signal: AbortSignal): Promise<Own> {
  const options = { signal, timeoutMs };
  const { ownCatalogs: ownBefore = [], goals: goalsBefore = {} } = previous ?? {};
  try {
    const { items } = await api.listCatalogs({ scope: 'my' }, options);
    const ownCatalogs = items.map(({ slug }) => slug);
    // Without own catalogs there are no builds, so the second request is not needed.
    if (ownCatalogs.length === 0) return { ownCatalogs, goals: {}, answered: true };
    const builds = await api.listBuildRequests(options).catch(() => undefined);
    if (builds === undefined) return { ownCatalogs, goals: goalsBefore, answered: true };
    const goals = builds.items.flatMap(({ action_id, goal }): [string, string][] =>
      action_id ? [[action_id, goal.slice(0, maxGoalChars)]] : [],
    );
    return { ownCatalogs, goals: Object.fromEntries(goals), answered: true };
  } catch {
    return { ownCatalogs: ownBefore, goals: goalsBefore, answered: false };
  }
}
