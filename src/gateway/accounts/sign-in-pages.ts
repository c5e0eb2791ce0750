/**
 * Pages on which a person signs in, so that no password meets the model: each has a one-time random address, belongs
 * to the principal who asked, and stays usable until the sign-in is verified or its time is over.
 * The host decides how a page looks and how browsers reach it.
 */
import { randomBytes } from 'node:crypto';
import { isPending, type PageAccount, type PageRecord, type PageRecords } from '../store/page-records.ts';
import { SignInPage, type SignInPageRequest } from './sign-in-page.ts';

export const pageLifetimeMs = 10 * 60_000;

/** Poll interval for changes by other processes: SQLite sends no notification, and PostgreSQL's may be lost. */
const lookEveryMs = 3_000;

export type PageHandler = Pick<SignInPageRequest, 'signIn' | 'explain'>;
type PageRequest = Pick<SignInPageRequest, 'principal' | 'catalog' | 'identityName'> & {
  /** The principal's key. */
  readonly apiKey: string;
};

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
  async open(request: SignInPageRequest & PageRequest, { orUnreported = false } = {}): Promise<SignInPage> {
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

const toPageAccount = ({ principal, apiKey, catalog, identityName }: PageRequest): PageAccount => ({
  principal,
  apiKey,
  slug: catalog.slug,
  identityName,
});
