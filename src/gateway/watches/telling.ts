/**
 * What watches have told: read at least once a minute and whenever a gateway of the principal in this process wrote
 * something, for the line in the next answer, for clients that wait for updates, and for feeds and the operator's webhook.
 */
import { EventEmitter } from 'node:events';
import type { Logger } from '../foundation/logger.ts';
import type { WatchNews } from '../interface/gateway.ts';
import type { GatewayStore } from '../paid/store.ts';
import type { ToldKind } from '../store/schema.ts';
import type { UnreadNews, WatchHead } from '../store/watch-queries.ts';
import { countNews } from './body.ts';

const lookMs = 60_000;

/** By principal: its gateways in this process wake each other. */
const written = new EventEmitter().setMaxListeners(0);

/** Passes on what is new of watches. What could not be passed on is again at the next look. */
export interface Outlet {
  pass(heads: readonly WatchHead[], signal: AbortSignal): Promise<void>;
}

interface Dependencies {
  readonly store: GatewayStore;
  readonly logger: Logger;
  /** Called with the ids of watches about which there is news. */
  readonly onNews: (ids: readonly string[]) => void;
  /** What this process passes news on to, whether it runs what is due or not. */
  readonly outlets: readonly Outlet[];
}

export class Telling {
  readonly #dependencies: Dependencies;
  readonly #onWritten = () => void this.look();
  readonly #closing = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #passing: Promise<void> | undefined;
  /** What is to be passed on once what is under way has been. */
  #next: readonly WatchHead[] | undefined;
  #heads: ReadonlyMap<string, string> | undefined;
  #unread = '';
  #news: WatchNews | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    written.on(dependencies.store.principalId, this.#onWritten);
  }

  /** What was told and not read, in a few words, as of the last look. */
  get news(): WatchNews | undefined {
    return this.#news;
  }

  /** From now on it looks by itself. */
  start(): void {
    if (this.#timer !== undefined || this.#closing.signal.aborted) return;
    this.#timer = setInterval(this.#onWritten, lookMs).unref();
    void this.look();
  }

  /** Something of a watch was written. */
  wake(): void {
    written.emit(this.#dependencies.store.principalId);
  }

  /** Never rejects. */
  look(): Promise<void> {
    this.#looking = this.#looking
      .then(() => (this.#closing.signal.aborted ? undefined : this.#look()))
      .catch((error: unknown) => this.#report(error));
    return this.#looking;
  }

  /** Looks, and resolves when what there is has been passed on, as far as it could be. */
  async settle(): Promise<void> {
    await this.look();
    await this.#passing;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#timer);
    written.off(this.#dependencies.store.principalId, this.#onWritten);
    await this.#looking;
    await this.#passing;
  }

  async #look(): Promise<void> {
    const { store, onNews, outlets } = this.#dependencies;
    const { watchQueries } = await store.open();
    const heads = await watchQueries.heads();
    const unseen = heads.filter(({ seq, seen_seq }) => seq > seen_seq);
    const unread = JSON.stringify(unseen);
    if (unread !== this.#unread) {
      const text = newsText(unseen.length === 0 ? [] : await watchQueries.unread());
      const places = new Map(unseen.map(({ id, seq }) => [id, seq]));
      this.#news = text === undefined ? undefined : { text, places };
      this.#unread = unread;
    }
    const before = this.#heads;
    this.#heads = new Map(heads.map(({ id, state, seq }) => [id, `${state} ${seq}`]));
    const ids = [...this.#heads].filter(([id, head]) => before?.get(id) !== head).map(([id]) => id);
    if (before !== undefined && ids.length > 0) onNews(ids);
    if (outlets.length === 0) return;
    this.#next = heads;
    this.#passing ??= this.#pass().finally(() => {
      this.#passing = undefined;
    });
  }

  /** A slow outlet must not hold up looks. */
  async #pass(): Promise<void> {
    for (let heads = this.#next; heads !== undefined; heads = this.#next) {
      this.#next = undefined;
      for (const outlet of this.#dependencies.outlets)
        await outlet.pass(heads, this.#closing.signal).catch((error: unknown) => this.#report(error));
    }
  }

  #report(error: unknown): void {
    if (!this.#closing.signal.aborted)
      this.#dependencies.logger.warn({ err: error }, 'What watches told could not be passed on');
  }
}

const kinds: readonly (readonly [ToldKind, string])[] = [
  ['changed', 'changed'],
  ['failing', 'failing'],
  ['needs_person', 'needs a person'],
  ['unknown', 'in doubt'],
  ['skipped', 'skipped'],
  ['recovered', 'recovered'],
  ['ended', 'ended'],
];

/** Such as "1 changed, 1 failing: list_watches". */
function newsText(unread: readonly UnreadNews[]): string | undefined {
  const parts = kinds.flatMap(([kind, text]) => {
    const count = countNews(unread, (one) => one === kind);
    return count === 0 ? [] : [`${count} ${text}`];
  });
  return parts.length === 0 ? undefined : `${parts.join(', ')}: list_watches`;
}
