/**
 * Pages on which a person signs in, so that no password meets the model: each has a one-time random address, belongs
 * to the principal who asked, and stays usable until the sign-in is verified or its time is over.
 * What a page looks like, and how it is reached, is its host's business.
 */
import { randomBytes } from 'node:crypto';
import { MemoryPageRecords } from '../store/memory-page-records.ts';
import { isPending, type PageAccount, type PageRecord, type PageRecords } from '../store/page-records.ts';
import { SignInPage, type SignInPageRequest } from './sign-in-page.ts';

export const pageLifetimeMs = 10 * 60_000;

/** A change of another replica is told; this often it is looked for all the same, should the telling get lost. */
const lookEveryMs = 3_000;

type Way = Pick<SignInPageRequest, 'signIn' | 'explain'>;
type Asked = Pick<SignInPageRequest, 'principal' | 'catalog' | 'identityName'> & {
  /** The principal's key, where replicas share the pages. */
  readonly apiKey?: string | undefined;
};

export interface SignInPagesOptions {
  readonly lifetimeMs?: number;
  readonly records?: PageRecords;
  /** How a page is signed in with that another replica made. */
  readonly wayOf?: ((record: PageRecord) => Way) | undefined;
}

/** Of a page that has ended. */
const noWay: Way = {
  signIn: () => Promise.reject(new Error('This page is not of this process')),
  explain: () => ({ message: 'The sign-in was interrupted.', advice: 'Try again.' }),
};

/** Of the whole process; every page knows its principal. */
export class SignInPages {
  readonly #lifetimeMs: number;
  readonly #records: PageRecords;
  readonly #wayOf: (record: PageRecord) => Way;
  /** The pending ones that this process made or was asked for. */
  readonly #known = new Map<string, SignInPage>();
  #listening: Promise<() => Promise<void>> | undefined;

  constructor({ lifetimeMs, records, wayOf }: SignInPagesOptions = {}) {
    this.#lifetimeMs = lifetimeMs ?? pageLifetimeMs;
    this.#records = records ?? new MemoryPageRecords();
    this.#wayOf = wayOf ?? (() => noWay);
  }

  /**
   * A page for this account; one that is still pending is the same page again, unless it belongs to a browser that
   * the person seems to have left.
   */
  async open(request: SignInPageRequest & Asked): Promise<SignInPage> {
    const { principal, catalog, identityName, fields } = request;
    const record = await this.#records.open(
      accountOf(request),
      (known) => isPending(known, this.#records.now()) && !known.status.turnedAway,
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
    return this.#pageOf(record, request);
  }

  /** Also one that has ended, for a while. */
  async find(id: string): Promise<SignInPage | undefined> {
    const [record] = await this.#records.find([id]);
    return record === undefined ? undefined : this.#pageOf(record);
  }

  /** A verified page of this account whose outcome no caller has learned yet. */
  async untold(account: Asked): Promise<SignInPage | undefined> {
    const record = await this.#records.latest(
      accountOf(account),
      ({ status }) => status.state === 'verified' && !status.told,
    );
    return record === undefined ? undefined : this.#pageOf(record);
  }

  /** The pages of a principal, or all, end with this process, unless others go on with them. */
  async close(principal?: string): Promise<void> {
    const pages = [...this.#known.values()].filter(
      (page) => principal === undefined || page.principal === principal,
    );
    for (const { id } of pages) this.#known.delete(id);
    if (!this.#records.shared) await Promise.all(pages.map((page) => page.end()));
    if (this.#known.size === 0) await this.#stopListening();
  }

  async #pageOf(record: PageRecord, way?: Way): Promise<SignInPage> {
    const known = this.#known.get(record.id);
    if (known !== undefined) {
      known.refreshed(record);
      return known;
    }
    const page = new SignInPage(this.#records, record, way ?? this.#wayOf(record));
    if (!page.pending) return page;
    this.#known.set(page.id, page);
    page.ended.then(() => this.#known.delete(page.id));
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
    const timer = this.#records.shared ? setInterval(look, lookEveryMs).unref() : undefined;
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
    if (this.#known.size === 0) return;
    for (const record of await this.#records.find([...this.#known.keys()])) {
      this.#known.get(record.id)?.refreshed(record);
    }
  }
}

const accountOf = ({ principal, apiKey, catalog, identityName }: Asked): PageAccount => ({
  principal,
  apiKey,
  slug: catalog.slug,
  identityName,
});
