/**
 * Pages on which a person signs in, so that no password meets the model: each has a one-time random address, belongs
 * to the principal who asked, and stays usable until the sign-in is verified or its time is over.
 * The host decides how a page looks and how browsers reach it.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { LoginField } from '../../contract/resources.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import {
  isPending,
  type PageAccount,
  type PageRecord,
  type PageRecords,
  type PageStatus,
  type SignInFailure,
  stateNow,
} from '../store/page-records.ts';

export const pageLifetimeMs = 10 * 60_000;

/** Poll interval for changes by other processes: SQLite sends no notification, and PostgreSQL's may be lost. */
const lookEveryMs = 3_000;

/** Longer than a sign-in may take (`login.ts`); an attempt that takes longer belonged to a process that died. */
const attemptMs = 150_000;

/** What happens with what a person typed. */
export interface PageHandler {
  /** Signs in; resolves to the service's answer. It must stop when the signal aborts. */
  readonly signIn: (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  /** The sentences for what `signIn` rejects with. */
  readonly explain: (error: unknown) => SignInFailure;
}

export interface SignInPageRequest extends PageHandler {
  readonly principal: string;
  /** The principal's key. */
  readonly apiKey: string;
  readonly catalog: { readonly slug: string; readonly name: string; readonly domain: string };
  /** Label of the account; undefined: derived from what is typed. */
  readonly identityName: string | undefined;
  readonly fields: readonly LoginField[];
}

const interrupted: SignInFailure = {
  message: 'The sign-in was interrupted.',
  advice: 'Try again.',
};

/** One page as this process last read it. */
export class SignInPage {
  readonly expiresAt: Date;
  /** Resolves when the page cannot be used any more. */
  readonly ended: Promise<'verified' | 'expired'>;
  readonly #records: PageRecords;
  readonly #handler: PageHandler;
  readonly #attempt = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #end: (outcome: 'verified' | 'expired') => void = () => undefined;
  #record: PageRecord;

  constructor(records: PageRecords, record: PageRecord, handler: PageHandler) {
    this.#records = records;
    this.#handler = handler;
    this.#record = record;
    this.expiresAt = new Date(record.expiresAt);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    // A timer may be a moment early by the clock.
    this.#timer = setTimeout(() => this.update(this.#record), this.remainingMs + 5).unref();
    this.update(record);
  }

  get id(): string {
    return this.#record.id;
  }
  get principal(): string {
    return this.#record.principal;
  }
  get catalog(): SignInPageRequest['catalog'] {
    return this.#record.catalog;
  }
  get identityName(): string | undefined {
    return this.#record.identityName;
  }
  get fields(): readonly LoginField[] {
    return this.#record.fields;
  }
  /** Goes into the form and must come back with it. Each replica derives it from the address. */
  get csrfToken(): string {
    return createHmac('sha256', this.id).update('form').digest('base64url');
  }
  get state(): PageStatus['state'] {
    return stateNow(this.#record, this.#records.now());
  }
  /** Until the page expires; negative afterwards. */
  get remainingMs(): number {
    return this.#record.expiresAt - this.#records.now();
  }
  get pending(): boolean {
    return isPending(this.#record, this.#records.now());
  }
  /** Of the last attempt. */
  get failure(): SignInFailure | undefined {
    const { status } = this.#record;
    return status.state === 'signing-in' && this.state === 'open' ? interrupted : status.failure;
  }
  /** The service's answer, once verified. */
  get answer(): JsonObject | undefined {
    return this.#record.status.answer;
  }
  /** The person saw that it worked. */
  get seen(): boolean {
    return this.#record.status.seen;
  }

  /** Tries what was typed; a second submission meanwhile changes nothing. The outcome is in `state` and `failure`. */
  async submit(params: JsonObject): Promise<void> {
    const began = await this.#update((record) =>
      stateNow(record, this.#records.now()) === 'open'
        ? {
            state: 'signing-in',
            failure: undefined,
            attempts: record.status.attempts + 1,
            attemptEndsAt: this.#records.now() + attemptMs,
          }
        : undefined,
    );
    // The person gets an answer meanwhile. An attempt that cannot be recorded counts as interrupted.
    if (began !== undefined) this.#try(params, began.status.attempts).catch(() => undefined);
  }

  /** Whether the page belongs to the browser with this secret; the first browser that asks gets the page. */
  async belongsTo(browserSecret: string): Promise<boolean> {
    const sender = createHash('sha256').update(browserSecret).digest('base64url');
    await this.#update(({ status: { browser, turnedAway } }) => {
      if (browser === undefined) return { browser: sender };
      return browser === sender || turnedAway ? undefined : { turnedAway: true };
    });
    return this.#record.status.browser === sender;
  }

  async markReported(): Promise<void> {
    await this.#update(({ status }) => (status.told ? undefined : { told: true }));
  }

  async markSeen(): Promise<void> {
    await this.#update(({ status }) => (status.seen ? undefined : { seen: true }));
  }

  /** Ends the page early: the person declined, or the program ends. */
  async end(): Promise<void> {
    this.#attempt.abort();
    await this.#update((record) =>
      isPending(record, this.#records.now()) ? { state: 'expired' } : undefined,
    );
  }

  /** Takes over a newer record. */
  update(record: PageRecord): void {
    if (record.version > this.#record.version) this.#record = record;
    const { state } = this;
    if (state !== 'verified' && state !== 'expired') return;
    clearTimeout(this.#timer);
    this.#attempt.abort();
    this.#end(state);
  }

  async #try(params: JsonObject, attempt: number): Promise<void> {
    const { signIn, explain } = this.#handler;
    const outcome = await signIn(params, this.#attempt.signal).then(
      (answer): Partial<PageStatus> => ({ state: 'verified', answer }),
      (error: unknown): Partial<PageStatus> => ({ state: 'open', failure: explain(error) }),
    );
    await this.#update(({ status: { state, attempts } }) =>
      state === 'signing-in' && attempts === attempt ? outcome : undefined,
    );
  }

  /** Changes the newest record as `decide` says; resolves to the changed one, undefined where nothing is to change. */
  async #update(
    decide: (record: PageRecord) => Partial<PageStatus> | undefined,
  ): Promise<PageRecord | undefined> {
    for (;;) {
      const status = decide(this.#record);
      if (status === undefined) return undefined;
      const record = await this.#records.change(this.#record, status);
      if (record !== undefined) {
        this.update(record);
        return record;
      }
      // Another process or request changed it first.
      const [newest] = await this.#records.find([this.id]);
      if (newest === undefined) return undefined;
      this.update(newest);
    }
  }
}

export interface SignInPagesOptions {
  readonly lifetimeMs?: number;
  readonly records: PageRecords;
  /** Makes the sign-in handler for a page that another process made. */
  readonly createHandler: (record: PageRecord) => PageHandler;
}

/** All pages of the process; every page knows its principal. */
export class SignInPages {
  readonly #lifetimeMs: number;
  readonly #records: PageRecords;
  readonly #createHandler: (record: PageRecord) => PageHandler;
  /** The pending pages that this process made or was asked for. */
  readonly #pages = new Map<string, SignInPage>();
  #listening: Promise<() => Promise<void>> | undefined;

  constructor({ lifetimeMs, records, createHandler }: SignInPagesOptions) {
    this.#lifetimeMs = lifetimeMs ?? pageLifetimeMs;
    this.#records = records;
    this.#createHandler = createHandler;
  }

  /**
   * A page for this account. A pending page is returned again, unless it belongs to a browser that the person seems to
   * have left; with `orUnreported`, also one on which somebody has signed in if no caller has learned of it yet.
   */
  async open(request: SignInPageRequest, { orUnreported = false } = {}): Promise<SignInPage> {
    const { principal, catalog, identityName, fields } = request;
    const record = await this.#records.open(
      toPageAccount(request),
      (existing) =>
        isPending(existing, this.#records.now())
          ? !existing.status.turnedAway
          : orUnreported && isUnreported(existing, this.#records.now()),
      (now) => ({
        id: randomBytes(32).toString('base64url'),
        principal,
        catalog,
        identityName,
        fields,
        expiresAt: now + this.#lifetimeMs,
        version: 0,
        status: {
          state: 'open',
          attempts: 0,
          attemptEndsAt: 0,
          told: false,
          seen: false,
          turnedAway: false,
        },
      }),
    );
    return this.#toPage(record, request);
  }

  /** Finds ended pages too, for an hour. */
  async find(id: string): Promise<SignInPage | undefined> {
    const [record] = await this.#records.find([id]);
    return record === undefined ? undefined : this.#toPage(record);
  }

  /** Releases the pages of a principal, or all pages; they stay usable in other processes and after a restart. */
  async close(principal?: string): Promise<void> {
    for (const { id } of this.#pagesOf(principal)) this.#pages.delete(id);
    if (this.#pages.size === 0) await this.#stopListening();
  }

  /** Ends the pages of a principal whose key was taken away: nobody may sign in for it any more. */
  async end(principal: string): Promise<void> {
    await Promise.all(this.#pagesOf(principal).map((page) => page.end()));
  }

  #pagesOf(principal: string | undefined): SignInPage[] {
    return [...this.#pages.values()].filter(
      (page) => principal === undefined || page.principal === principal,
    );
  }

  async #toPage(record: PageRecord, handler?: PageHandler): Promise<SignInPage> {
    const existing = this.#pages.get(record.id);
    if (existing !== undefined) {
      existing.update(record);
      return existing;
    }
    const page = new SignInPage(this.#records, record, handler ?? this.#createHandler(record));
    if (!page.pending) return page;
    this.#pages.set(page.id, page);
    page.ended.then(() => this.#pages.delete(page.id));
    await this.#listen();
    return page;
  }

  async #listen(): Promise<void> {
    this.#listening ??= this.#startListening().catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    });
    await this.#listening;
  }

  async #startListening(): Promise<() => Promise<void>> {
    const look = () => void this.#look().catch(() => undefined);
    const stop = await this.#records.listen(look);
    const timer = setInterval(look, lookEveryMs).unref();
    return async () => {
      clearInterval(timer);
      await stop();
    };
  }

  async #stopListening(): Promise<void> {
    const listening = this.#listening;
    this.#listening = undefined;
    await (await listening?.catch(() => undefined))?.();
  }

  async #look(): Promise<void> {
    if (this.#pages.size === 0) return;
    for (const record of await this.#records.find([...this.#pages.keys()])) {
      this.#pages.get(record.id)?.update(record);
    }
  }
}

const isUnreported = ({ status, expiresAt }: PageRecord, now: number) =>
  status.state === 'verified' && !status.told && now < expiresAt;

const toPageAccount = ({ principal, apiKey, catalog, identityName }: SignInPageRequest): PageAccount => ({
  principal,
  apiKey,
  slug: catalog.slug,
  identityName,
});
