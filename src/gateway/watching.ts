/**
 * Watches, loaded with the first call or look that needs them: most processes have none, and a start must not wait for them.
 */
import type {
  CallContext,
  ChangeWatchInput,
  ListWatchesInput,
  NewWatchInput,
  WatchNews,
} from './interface/gateway.ts';
import type { Outcome } from './interface/outcomes.ts';
import type { GatewayDatabase } from './store/gateway-database.ts';
import type { Outlet, Telling } from './watches/telling.ts';
import type { WatchClock } from './watches/watch-clock.ts';
import type { WatchRuns } from './watches/watch-runs.ts';
import type { Watches } from './watches/watches.ts';
import type { WebhookPort } from './watches/webhook-outlet.ts';

/** A start that only lists its tools is over by then. */
const firstLookMs = 3_000;
/** Between two looks for a database that another process may have made. */
const lookMs = 60_000;

/** Whom a gateway tells of watches, beside its clients. */
export interface WatchOutlets {
  /** Where the feeds of watches are written. */
  readonly feedFolder: string;
  /** The operator's; `rows`: whether it is told rows. */
  readonly webhook?: { readonly port: WebhookPort; readonly rows: boolean } | undefined;
}

type Dependencies = Omit<ConstructorParameters<typeof WatchRuns>[0], 'onEnd'> &
  Omit<ConstructorParameters<typeof Watches>[0], 'watchRuns' | 'onChange'> & {
    readonly database: GatewayDatabase;
    readonly watchOutlets: WatchOutlets | undefined;
  };

interface Loaded {
  readonly watches: Watches;
  readonly runs: WatchRuns;
  readonly clock: WatchClock;
  readonly telling: Telling;
}

export class Watching {
  readonly #dependencies: Dependencies;
  #loading: Promise<Loaded> | undefined;
  #loaded: Loaded | undefined;
  readonly #listeners = new Set<(ids: readonly string[]) => void>();
  #serves = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  async watch(input: NewWatchInput | ChangeWatchInput, context: CallContext): Promise<Outcome> {
    const { watches } = await this.#load();
    return 'watch_id' in input ? watches.change(input, context) : watches.make(input, context);
  }

  async list(input: ListWatchesInput, context: CallContext): Promise<Outcome> {
    const { watches, telling } = await this.#load();
    // What it shows is then among the news, which are not told again.
    await telling.look();
    return watches.list(input, context);
  }

  /** What was told and not read, as of the last look. */
  get news(): WatchNews | undefined {
    return this.#loaded?.telling.news;
  }

  /** Calls the listener with the ids of watches about which there is news; returns how to stop that. */
  onNews(listener: (ids: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    if (this.#loaded === undefined) this.#lookIn(firstLookMs);
    else this.#loaded.telling.start();
    return () => this.#listeners.delete(listener);
  }

  /** From now on this process runs what is due. */
  serve(): void {
    this.#serves = true;
    this.#lookIn(firstLookMs);
  }

  /** One look at what is due, now. Resolves when what it began has ended, and was told. */
  async runDue(): Promise<void> {
    const { clock, runs, telling } = await this.#load();
    await clock.look();
    await runs.settled();
    await telling.settle();
  }

  /** Plans nothing more. */
  async stop(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#loaded?.clock.close();
  }

  /** Waits for the runs that this process follows, whose waits have ended. */
  async close(): Promise<void> {
    const loaded = await this.#loading?.catch(() => undefined);
    await loaded?.runs.close();
    await loaded?.telling.close();
  }

  #lookIn(ms: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A look must not make the database.
      if (!this.#dependencies.database.mayHaveRows) this.#lookIn(lookMs);
      else this.#load().catch(() => this.#lookIn(lookMs));
    }, ms).unref();
  }

  #load(): Promise<Loaded> {
    this.#loading ??= this.#create().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #create(): Promise<Loaded> {
    const [{ WatchRuns }, { Watches }, { WatchClock }, { Telling }] = await Promise.all([
      import('./watches/watch-runs.ts'),
      import('./watches/watches.ts'),
      import('./watches/watch-clock.ts'),
      import('./watches/telling.ts'),
    ]);
    const telling = new Telling({
      ...this.#dependencies,
      outlets: await this.#openOutlets(),
      onNews: (ids) => {
        for (const listener of this.#listeners) listener(ids);
      },
    });
    const notice = () => {
      telling.wake();
      clock.notice();
    };
    const runs = new WatchRuns({ ...this.#dependencies, onEnd: notice });
    const watches = new Watches({ ...this.#dependencies, watchRuns: runs, onChange: notice });
    const clock = new WatchClock({ ...this.#dependencies, watches, watchRuns: runs });
    this.#loaded = { watches, runs, clock, telling };
    clearTimeout(this.#timer);
    if (!this.#isClosed && (this.#serves || this.#listeners.size > 0)) telling.start();
    if (!this.#isClosed && this.#serves) clock.start();
    return this.#loaded;
  }

  async #openOutlets(): Promise<readonly Outlet[]> {
    const { watchOutlets, store, logger } = this.#dependencies;
    if (watchOutlets === undefined) return [];
    const [{ Feeds }, { Webhook }] = await Promise.all([
      import('./watches/feeds.ts'),
      import('./watches/webhook-outlet.ts'),
    ]);
    const { feedFolder, webhook } = watchOutlets;
    return [
      new Feeds(feedFolder, store),
      ...(webhook === undefined ? [] : [new Webhook({ ...webhook, store, logger })]),
    ];
  }
}
