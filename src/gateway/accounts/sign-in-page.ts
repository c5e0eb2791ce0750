/** One page on which a person signs in: its address, its state, and what may be done with it. */
import { createHash, createHmac } from 'node:crypto';
import type { LoginField } from '../../contract/resources.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import {
  isPending,
  type PageRecord,
  type PageRecords,
  type PageStatus,
  type SignInFailure,
  stateNow,
} from '../store/page-records.ts';

/** Longer than a sign-in may take (`login.ts`); an attempt that takes longer belonged to a process that died. */
const attemptMs = 150_000;

export interface SignInPageRequest {
  readonly principal: string;
  readonly catalog: { readonly slug: string; readonly name: string; readonly domain: string };
  /** Label of the account; undefined: derived from what is typed. */
  readonly identityName: string | undefined;
  readonly fields: readonly LoginField[];
  /** Signs in; resolves to the service's answer. It must stop when the signal aborts. */
  readonly signIn: (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;
  /** The sentences for what `signIn` rejects with. */
  readonly explain: (error: unknown) => SignInFailure;
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
  readonly #handler: Pick<SignInPageRequest, 'signIn' | 'explain'>;
  readonly #attempt = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #end: (outcome: 'verified' | 'expired') => void = () => undefined;
  #record: PageRecord;

  constructor(
    records: PageRecords,
    record: PageRecord,
    handler: Pick<SignInPageRequest, 'signIn' | 'explain'>,
  ) {
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
