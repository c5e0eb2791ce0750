/** The ways in which a person signs in for a principal: a page of ours, or the service's own address. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Api, ReadCatalogDetails } from '../../contract/api.ts';
import { cleanText } from '../foundation/text.ts';
import type { LoginInput } from '../interface/gateway.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Principal } from '../interface/principal.ts';
import type { Accounts } from './choose-account.ts';
import { Connect } from './connect.ts';
import { explainToPerson } from './login.ts';
import type { LoginValue } from './login-fields.ts';
import type { Pending, Wanted } from './sign-in-answers.ts';
import type { SignInPage } from './sign-in-page.ts';
import type { SignInPages } from './sign-in-pages.ts';

const timeoutMs = 20_000;

export interface SignInOptions {
  /** Of the whole process; every page knows its principal. */
  readonly pages: SignInPages;
  /** The principal's key, where replicas share the pages. */
  readonly apiKey?: string | undefined;
  /** Where a browser finds a page; starts what serves it. */
  readonly addressOf: (page: SignInPage) => Promise<string>;
  /** The environment's logins: for a process that serves one person only. */
  readonly loginValue?: LoginValue | undefined;
  /** Shows a page on this machine, where the client cannot. */
  readonly openBrowser?: ((url: string) => void) | undefined;
}

/** Signs in with what the person typed (specification: POST /login). */
type SignIn = (input: LoginInput, options: { readonly signal: AbortSignal }) => Promise<JsonObject>;

export class SignInWays {
  readonly #api: Api;
  readonly #accounts: Accounts;
  readonly #principal: string;
  readonly #options: SignInOptions | undefined;
  readonly #signIn: SignIn;
  readonly #connects = new Map<string, Connect>();
  readonly #ending = new AbortController();

  constructor(
    parts: { api: Api; accounts: Accounts; principal: Principal; options: SignInOptions | undefined },
    signIn: SignIn,
  ) {
    this.#api = parts.api;
    this.#accounts = parts.accounts;
    this.#principal = parts.principal.id;
    this.#options = parts.options;
    this.#signIn = signIn;
  }

  /** Waits for a person; see `Gateway.awaitSignIn`. */
  async awaitSignIn(
    id: string,
    { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<'verified' | 'pending' | 'ended'> {
    const way = await this.find(id);
    if (way === undefined) return 'ended';
    const over = new AbortController();
    const timeUp = AbortSignal.any([signal, this.#ending.signal]);
    const pending = delay(Math.max(0, timeoutMs), undefined, {
      signal: AbortSignal.any([timeUp, over.signal]),
      ref: false,
    }).then(
      () => 'pending' as const,
      () => 'pending' as const,
    );
    const end = await Promise.race([way.ended, pending]);
    over.abort();
    return end === 'expired' ? 'ended' : end;
  }

  /** Ends every wait for a person now, as at its time limit; the pages stay. */
  endWaits(): void {
    this.#ending.abort();
  }

  /** The waits end, and so do this principal's pages. */
  async close(): Promise<void> {
    this.#ending.abort();
    for (const connect of this.#connects.values()) connect.end();
    await this.#options?.pages.close(this.#principal);
  }

  /** Only what this principal asked for. */
  async find(id: string): Promise<SignInPage | Connect | undefined> {
    const known = this.#connects.get(id) ?? Connect.of(id, this.#look);
    if (known?.pending) this.#connects.set(id, known);
    if (known !== undefined) return known;
    const page = await this.#options?.pages.find(id);
    return page?.principal === this.#principal ? page : undefined;
  }

  readonly #look = (slug: string, signal: AbortSignal) => this.#accounts.identitiesOf(slug, signal);

  /** The catalog with the fields of its login form (specification: GET /catalog/{slug}). */
  async details(slug: string, signal: AbortSignal): Promise<ReadCatalogDetails> {
    return this.#api.getCatalog(slug, { signal, timeoutMs });
  }

  /** The page for the same account on which a person has signed in, unknown to the caller so far. */
  async untold(details: ReadCatalogDetails, wanted: Wanted): Promise<SignInPage | undefined> {
    return this.#options?.pages.untold(this.#pageOf(details, wanted));
  }

  #pageOf({ catalog }: ReadCatalogDetails, { slug, identityName }: Wanted) {
    return {
      principal: this.#principal,
      apiKey: this.#options?.apiKey,
      catalog: { slug, name: cleanText(catalog.name, 80) || slug, domain: cleanText(catalog.domain, 120) },
      identityName,
    };
  }

  /** A page with the catalog's fields, else the service's own address; undefined where there is neither. */
  async open(details: ReadCatalogDetails, wanted: Wanted, signal: AbortSignal): Promise<Pending | undefined> {
    if (this.#options === undefined) return undefined;
    const { catalog, loginInputSchema } = details;
    if (loginInputSchema !== undefined && loginInputSchema.length > 0) {
      const page = await this.#options.pages.open({
        ...this.#pageOf(details, wanted),
        fields: loginInputSchema,
        signIn: (params, attempt) =>
          this.#signIn(
            { catalog_slug: wanted.slug, identity_name: wanted.identityName, params },
            { signal: attempt },
          ),
        explain: explainToPerson,
      });
      return { way: page, url: await this.#options.addressOf(page) };
    }
    const url = webAddress(wanted.connectUrl) ?? webAddress(catalog.auth_login_url);
    if (url === undefined || catalog.auth_types.includes('credentials')) return undefined;
    const connect = await this.#connect(url, wanted, signal);
    return { way: connect, url };
  }

  async #connect(url: string, wanted: Wanted, signal: AbortSignal): Promise<Connect> {
    const { slug, identityName } = wanted;
    for (const [id, connect] of this.#connects) if (!connect.pending) this.#connects.delete(id);
    const known = [...this.#connects.values()].find((connect) => connect.isFor({ url, slug, identityName }));
    if (known !== undefined) return known;
    const connect = await Connect.start({ url, slug, identityName }, this.#look, signal);
    this.#connects.set(connect.id, connect);
    return connect;
  }

  /** Where a browser finds it. */
  async addressOf(way: SignInPage | Connect): Promise<string> {
    if (way instanceof Connect) return way.url;
    return (await this.#options?.addressOf(way)) ?? '';
  }
}

const webAddress = (url: string | null | undefined): string | undefined =>
  url && /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).href : undefined;
