/**
 * Pages on which a person signs in, so that no password meets the model: each has a one-time random address, belongs
 * to the principal who asked, and stays usable until the sign-in is verified or its time is over.
 * What a page looks like, and how it is reached, is its host's business.
 */
import { randomBytes } from 'node:crypto';
import type { LoginField } from '../../contract/resources.ts';
import type { JsonObject } from '../outcomes.ts';

export const pageLifetimeMs = 10 * 60_000;
/** How long an address that has ended still says so. */
const rememberedMs = 60 * 60_000;
const maxRemembered = 1_000;

/** Why a sign-in did not work, for the person at the page. */
export interface SignInFailure {
  readonly message: string;
  readonly advice: string;
}

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

export type SignInPageState = 'open' | 'signing-in' | 'verified' | 'expired';

export class SignInPage {
  /** 256 bits: the address, and with it the right to type. */
  readonly id = randomBytes(32).toString('base64url');
  /** Goes into the form and must come back with it. */
  readonly csrfToken = randomBytes(32).toString('base64url');
  readonly request: Omit<SignInPageRequest, 'signIn' | 'explain'>;
  readonly expiresAt: Date;
  /** Resolves when the page cannot be used any more. */
  readonly ended: Promise<'verified' | 'expired'>;
  readonly #signIn: SignInPageRequest['signIn'];
  readonly #explain: SignInPageRequest['explain'];
  readonly #attempt = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #end: (how: 'verified' | 'expired') => void = () => undefined;
  #state: SignInPageState = 'open';
  #failure: SignInFailure | undefined;
  #answer: JsonObject | undefined;
  /** A caller learned how it ended. */
  told = false;

  constructor({ signIn, explain, ...request }: SignInPageRequest, lifetimeMs: number) {
    this.request = request;
    this.#signIn = signIn;
    this.#explain = explain;
    this.expiresAt = new Date(Date.now() + lifetimeMs);
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#timer = setTimeout(() => this.end(), lifetimeMs).unref();
  }

  get state(): SignInPageState {
    return this.#state;
  }
  get pending(): boolean {
    return this.#state === 'open' || this.#state === 'signing-in';
  }
  /** Of the last attempt. */
  get failure(): SignInFailure | undefined {
    return this.#failure;
  }
  /** The service's answer, once verified. */
  get answer(): JsonObject | undefined {
    return this.#answer;
  }

  /** Tries what was typed; a second submission meanwhile changes nothing. The outcome is in `state` and `failure`. */
  submit(params: JsonObject): void {
    if (this.#state !== 'open') return;
    this.#state = 'signing-in';
    this.#failure = undefined;
    this.#signIn(params, this.#attempt.signal).then(
      (answer) => {
        this.#answer = answer;
        this.#finish('verified');
      },
      (error: unknown) => {
        if (this.#state !== 'signing-in') return;
        this.#state = 'open';
        this.#failure = this.#explain(error);
      },
    );
  }

  /** Before its time: the person does not want to, or the program ends. */
  end(): void {
    this.#finish('expired');
    this.#attempt.abort();
  }

  #finish(how: 'verified' | 'expired'): void {
    if (!this.pending) return;
    this.#state = how;
    clearTimeout(this.#timer);
    this.#end(how);
  }
}

export class SignInPages {
  readonly #pages = new Map<string, SignInPage>();
  readonly #lifetimeMs: number;

  constructor({ lifetimeMs = pageLifetimeMs } = {}) {
    this.#lifetimeMs = lifetimeMs;
  }

  /** A page for this account; one that is still pending is the same page again. */
  open(request: SignInPageRequest): SignInPage {
    const pending = this.#latest(request, (page) => page.pending);
    if (pending !== undefined) return pending;
    const page = new SignInPage(request, this.#lifetimeMs);
    this.#forget();
    this.#pages.set(page.id, page);
    return page;
  }

  /** Also one that has ended, for a while. */
  find(id: string): SignInPage | undefined {
    return this.#pages.get(id);
  }

  /** A verified page of this account whose outcome no caller has learned yet. */
  untold(account: Pick<SignInPageRequest, 'principal' | 'catalog' | 'identityName'>): SignInPage | undefined {
    return this.#latest(account, (page) => page.state === 'verified' && !page.told);
  }

  /** Ends the pages of a principal, or all. */
  close(principal?: string): void {
    for (const page of this.#pages.values()) {
      if (principal === undefined || page.request.principal === principal) page.end();
    }
  }

  #latest(
    { principal, catalog, identityName }: Pick<SignInPageRequest, 'principal' | 'catalog' | 'identityName'>,
    wanted: (page: SignInPage) => boolean,
  ): SignInPage | undefined {
    return [...this.#pages.values()].findLast(
      (page) =>
        page.request.principal === principal &&
        page.request.catalog.slug === catalog.slug &&
        page.request.identityName === identityName &&
        wanted(page),
    );
  }

  #forget(): void {
    const ended = [...this.#pages.values()].filter((page) => !page.pending);
    const old = ended.filter((page) => page.expiresAt.getTime() + rememberedMs < Date.now());
    const tooMany = ended.slice(0, Math.max(0, ended.length - maxRemembered));
    for (const page of [...old, ...tooMany]) this.#pages.delete(page.id);
  }
}
