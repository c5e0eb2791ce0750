/** The ways in which a person signs in for a principal: a page of svc-mcp, or the service's own address. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { Api, ReadCatalogDetails } from '../../contract/api.ts';
import type { Identity } from '../../contract/resources.ts';
import { toWebAddress } from '../foundation/links.ts';
import { cleanText } from '../foundation/text.ts';
import type { LoginInput } from '../interface/gateway.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Principal } from '../interface/principal.ts';
import type { Accounts } from './choose-account.ts';
import { explainToPerson, type LoginValue } from './login.ts';
import { pageLifetimeMs, type SignInPage, type SignInPages } from './sign-in-pages.ts';

/** The account that is wanted. */
export interface WantedAccount {
  readonly slug: string;
  readonly identityName: string | undefined;
  /** From the service's refusal, as an absolute address. */
  readonly connectUrl: string | undefined;
}

export interface PendingSignIn {
  readonly method: SignInPage | ExternalSignIn;
  readonly url: string;
}

const timeoutMs = 20_000;

export interface SignInOptions {
  /** Shared by the whole process; every page knows its principal. */
  readonly pages: SignInPages;
  /** The principal's key, under which its pages are kept. */
  readonly apiKey: string;
  /** The address of a page; starts the server for it. */
  readonly getAddress: (page: SignInPage) => Promise<string>;
  /** Login values from the environment, for a process that serves one person only. */
  readonly loginValue?: LoginValue;
  /** Shows a page on this machine, where the client cannot. */
  readonly openBrowser?: ((url: string) => void) | undefined;
}

/** Signs in with what the person typed (specification: POST /login). */
type SignIn = (input: LoginInput, options: { readonly signal: AbortSignal }) => Promise<JsonObject>;

export class SignInMethods {
  readonly #api: Api;
  readonly #accounts: Accounts;
  readonly #principal: string;
  readonly #options: SignInOptions | undefined;
  readonly #signIn: SignIn;
  readonly #externalSignIns = new Map<string, ExternalSignIn>();
  readonly #ending = new AbortController();

  constructor(
    dependencies: { api: Api; accounts: Accounts; principal: Principal; options: SignInOptions | undefined },
    signIn: SignIn,
  ) {
    this.#api = dependencies.api;
    this.#accounts = dependencies.accounts;
    this.#principal = dependencies.principal.id;
    this.#options = dependencies.options;
    this.#signIn = signIn;
  }

  /** Waits for a person; see `Gateway.awaitSignIn`. */
  async awaitSignIn(
    id: string,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<'verified' | 'pending' | 'ended'> {
    const method = await this.find(id);
    if (method === undefined) return 'ended';
    const over = new AbortController();
    const timeUp = AbortSignal.any([signal, this.#ending.signal]);
    const pending = delay(Math.max(0, timeoutMs), undefined, {
      signal: AbortSignal.any([timeUp, over.signal]),
      ref: false,
    }).then(
      () => 'pending' as const,
      () => 'pending' as const,
    );
    const end = await Promise.race([method.ended, pending]);
    over.abort();
    return end === 'expired' ? 'ended' : end;
  }

  /** Ends every wait for a person now, as at its time limit; the pages stay. */
  endWaits(): void {
    this.#ending.abort();
  }

  /** Ends the waits, and releases this principal's pages. */
  async close(): Promise<void> {
    this.#ending.abort();
    for (const externalSignIn of this.#externalSignIns.values()) externalSignIn.end();
    await this.#options?.pages.close(this.#principal);
  }

  /** Finds only sign-ins that this principal asked for. */
  async find(id: string): Promise<SignInPage | ExternalSignIn | undefined> {
    const externalSignIn = this.#externalSignIns.get(id) ?? ExternalSignIn.resume(id, this.#readIdentities);
    if (externalSignIn?.pending) this.#externalSignIns.set(id, externalSignIn);
    if (externalSignIn !== undefined) return externalSignIn;
    const page = await this.#options?.pages.find(id);
    return page?.principal === this.#principal ? page : undefined;
  }

  readonly #readIdentities = (slug: string, signal: AbortSignal) =>
    this.#accounts.listIdentities(slug, signal);

  /** The catalog with the fields of its login form (specification: GET /catalog/{slug}). */
  async readDetails(slug: string, signal: AbortSignal): Promise<ReadCatalogDetails> {
    return this.#api.getCatalog(slug, { signal, timeoutMs });
  }

  /**
   * A page with the catalog's fields, else the service's own address; undefined if there is neither. See
   * `SignInPages.open` for `orUnreported`.
   */
  async open(
    { catalog, loginInputSchema }: ReadCatalogDetails,
    account: WantedAccount,
    signal: AbortSignal,
    options?: { readonly orUnreported: boolean },
  ): Promise<PendingSignIn | undefined> {
    if (this.#options === undefined) return undefined;
    const { slug, identityName } = account;
    if (loginInputSchema !== undefined && loginInputSchema.length > 0) {
      const request = {
        principal: this.#principal,
        apiKey: this.#options.apiKey,
        catalog: { slug, name: cleanText(catalog.name, 80) || slug, domain: cleanText(catalog.domain, 120) },
        identityName,
        fields: loginInputSchema,
        signIn: (params: JsonObject, attempt: AbortSignal) =>
          this.#signIn({ catalog: slug, identity_name: identityName, params }, { signal: attempt }),
        explain: explainToPerson,
      };
      const page = await this.#options.pages.open(request, options);
      return { method: page, url: await this.#options.getAddress(page) };
    }
    const url = account.connectUrl ?? toWebAddress(catalog.auth_login_url);
    if (url === undefined || catalog.auth_types.includes('credentials')) return undefined;
    const externalSignIn = await this.#startExternalSignIn(url, account, signal);
    return { method: externalSignIn, url };
  }

  async #startExternalSignIn(
    url: string,
    account: WantedAccount,
    signal: AbortSignal,
  ): Promise<ExternalSignIn> {
    const { slug, identityName } = account;
    for (const [id, externalSignIn] of this.#externalSignIns)
      if (!externalSignIn.pending) this.#externalSignIns.delete(id);
    const existing = [...this.#externalSignIns.values()].find((running) =>
      running.isFor({ url, slug, identityName }),
    );
    if (existing !== undefined) return existing;
    const externalSignIn = await ExternalSignIn.start(
      { url, slug, identityName },
      this.#readIdentities,
      signal,
    );
    this.#externalSignIns.set(externalSignIn.id, externalSignIn);
    return externalSignIn;
  }

  /** Where a browser finds it. */
  async getAddress(method: SignInPage | ExternalSignIn): Promise<string> {
    if (method instanceof ExternalSignIn) return method.url;
    return (await this.#options?.getAddress(method)) ?? '';
  }
}

const firstLookMs = 1_000;
const longestLookMs = 5_000;
const idPrefix = 'connect.';

const ExternalSignInState = z.object({
  url: z.string(),
  slug: z.string(),
  identityName: z.string().optional(),
  /** Fingerprints of the credentials that were active before. */
  before: z.array(z.string()),
  /**
   * Milliseconds since the epoch, by the wall clock: the only one that a process which resumes the sign-in has in common
   * with this one. A wrong clock ends the wait early or late; nothing is paid or granted by it.
   */
  expiresAt: z.number(),
});
type ExternalSignInState = z.infer<typeof ExternalSignInState>;

/** Reads the identities of a catalog. If it rejects, it is called again. */
type ReadIdentities = (slug: string, signal: AbortSignal) => Promise<readonly Identity[]>;

/**
 * An account that a person connects at the service or the site, not on a page of svc-mcp. Only polling shows that it is
 * connected. The id holds the state of the wait and travels through the client authenticated, so any replica can go on.
 */
export class ExternalSignIn {
  readonly id: string;
  readonly url: string;
  readonly expiresAt: Date;
  readonly #state: ExternalSignInState;
  readonly #readIdentities: ReadIdentities;
  readonly #over = new AbortController();
  #ended: Promise<'verified' | 'expired'> | undefined;

  private constructor(id: string, state: ExternalSignInState, readIdentities: ReadIdentities) {
    this.id = id;
    this.url = state.url;
    this.expiresAt = new Date(state.expiresAt);
    this.#state = state;
    this.#readIdentities = readIdentities;
  }

  /** Rejects if the present accounts cannot be read. */
  static async start(
    account: Pick<ExternalSignInState, 'url' | 'slug' | 'identityName'>,
    readIdentities: ReadIdentities,
    signal: AbortSignal,
  ): Promise<ExternalSignIn> {
    const { url, slug, identityName } = account;
    const before = getActiveMarks(await readIdentities(slug, signal), identityName);
    const state = { url, slug, identityName, before, expiresAt: Date.now() + pageLifetimeMs };
    return new ExternalSignIn(
      `${idPrefix}${Buffer.from(JSON.stringify(state)).toString('base64url')}`,
      state,
      readIdentities,
    );
  }

  /** The sign-in with this id, on any replica; undefined for any other id. */
  static resume(id: string, readIdentities: ReadIdentities): ExternalSignIn | undefined {
    if (!id.startsWith(idPrefix)) return undefined;
    const text = Buffer.from(id.slice(idPrefix.length), 'base64url').toString('utf8');
    return new ExternalSignIn(id, ExternalSignInState.parse(JSON.parse(text)), readIdentities);
  }

  isFor({ url, slug, identityName }: Pick<ExternalSignInState, 'url' | 'slug' | 'identityName'>): boolean {
    return this.url === url && this.#state.slug === slug && this.#state.identityName === identityName;
  }

  get pending(): boolean {
    return !this.#over.signal.aborted && this.expiresAt.getTime() > Date.now();
  }

  /** The first access starts polling for the account. */
  get ended(): Promise<'verified' | 'expired'> {
    this.#ended ??= this.#watch();
    return this.#ended;
  }

  end(): void {
    this.#over.abort();
  }

  async #watch(): Promise<'verified' | 'expired'> {
    const { signal } = this.#over;
    for (let pause = firstLookMs; this.pending; pause = Math.min(pause * 1.3, longestLookMs)) {
      if (await this.#isConnected(signal).catch(() => false)) {
        this.end();
        return 'verified';
      }
      await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
    }
    return 'expired';
  }

  async #isConnected(signal: AbortSignal): Promise<boolean> {
    const { slug, identityName, before } = this.#state;
    return getActiveMarks(await this.#readIdentities(slug, signal), identityName).some(
      (mark) => !before.includes(mark),
    );
  }
}

/** A credential that was renewed in place gets another fingerprint. */
function getActiveMarks(identities: readonly Identity[], identityName: string | undefined): string[] {
  return identities
    .filter(({ name }) => identityName === undefined || name.toLowerCase() === identityName.toLowerCase())
    .flatMap(({ credentials }) => credentials)
    .filter(({ status }) => status === 'active')
    .map(({ id, created_at, expires_at }) =>
      createHash('sha256')
        .update(JSON.stringify([id, created_at, expires_at]))
        .digest('base64url')
        .slice(0, 12),
    );
}
