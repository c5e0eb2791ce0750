/**
 * How a call gets its account: from the environment, else from a person at a page, and never with a password through
 * the model unless it is passed. An action that lacked only the account then goes on; what the service refused for
 * want of one was not taken, so nothing is paid twice.
 */
import type { Api } from '../../contract/api.ts';
import type { Identity, SearchResult } from '../../contract/resources.ts';
import { isLoopback } from '../../contract/web-address.ts';
import { GatewayError } from '../foundation/errors.ts';
import { cleanText, quoted } from '../foundation/text.ts';
import type { CallContext, LoginInput } from '../interface/gateway.ts';
import type { NextStep } from '../interface/next-step.ts';
import type { JsonObject, Outcome, Question, Refused, SignInOffer } from '../interface/outcomes.ts';
import type { Principal } from '../interface/principal.ts';
import type { GatewaySettings } from '../interface/settings.ts';
import type { Accounts } from './choose-account.ts';
import { getLoginValues, signIn } from './login.ts';
import {
  ExternalSignIn,
  type PendingSignIn,
  SignInMethods,
  type SignInOptions,
  type WantedAccount,
} from './sign-in-methods.ts';
import { SignInPage } from './sign-in-pages.ts';

/** Credentials whose expiry is remembered; the oldest are forgotten. */
const maxExpiries = 200;

export class SignIns {
  readonly #api: Api;
  readonly #accounts: Accounts;
  readonly #methods: SignInMethods;
  readonly #settings: GatewaySettings;
  readonly #options: SignInOptions | undefined;
  /** Opened in this machine's browser. */
  readonly #shown = new WeakSet<SignInPage | ExternalSignIn>();
  /** Their address was returned after a decline. */
  readonly #addressReturned = new WeakSet<SignInPage | ExternalSignIn>();
  readonly #expiries = new Map<string, string>();
  readonly #onSignIn: (slug: string) => void;
  readonly #countSignIn: (credentialId: string) => Promise<void>;

  constructor(dependencies: {
    api: Api;
    accounts: Accounts;
    principal: Principal;
    settings: GatewaySettings;
    options: SignInOptions | undefined;
    /** Called with the catalog of an account that has signed in. */
    onSignIn: (slug: string) => void;
    /** Keeps that somebody signed in, for services that do not tell who. */
    countSignIn: (credentialId: string) => Promise<void>;
  }) {
    this.#onSignIn = dependencies.onSignIn;
    this.#countSignIn = dependencies.countSignIn;
    this.#api = dependencies.api;
    this.#accounts = dependencies.accounts;
    this.#methods = new SignInMethods(dependencies, (input, options) => this.#signIn(input, options));
    this.#settings = dependencies.settings;
    this.#options = dependencies.options;
  }

  /** `login`: the params of the call, else the environment's, else a page (specification: POST /login). */
  async login(input: LoginInput, context: CallContext): Promise<Outcome> {
    if (input.params !== undefined && Object.keys(input.params).length > 0) {
      if (this.#settings.loginParams === 'forbid') throw paramsForbidden(input);
      return { body: await this.#signIn(input, context) };
    }
    const account: WantedAccount = {
      slug: input.catalog,
      identityName: input.identity_name?.trim() || undefined,
      connectUrl: undefined,
    };
    if (typeof context.signIn === 'object') {
      return { body: await this.#answerLogin(context.signIn, account, context) };
    }
    const details = await this.#methods.readDetails(account.slug, context.signal);
    const values = getLoginValues(account.slug, details.loginInputSchema ?? [], this.#options?.loginValue);
    if (values !== undefined) return { body: await this.#signIn({ ...input, params: values }, context) };
    // In one step, so that a sign-in that ends meanwhile is not asked for again.
    const pending = await this.#methods.open(details, account, context.signal, { orUnreported: true });
    if (pending === undefined) return { body: await this.#signIn(input, context) };
    if (pending.method instanceof SignInPage && pending.method.answer !== undefined)
      return { body: await this.#reportPage(pending.method) };
    const signInAnswer = this.#ask(pending, account, context);
    if (signInAnswer.question === undefined && (input.wait_seconds ?? 0) > 0) {
      const { signal, waitMs: timeoutMs } = context;
      const end = await this.#methods.awaitSignIn(pending.method.id, { signal, timeoutMs });
      if (end !== 'pending') {
        const accepted = { id: pending.method.id, answer: 'accepted' } as const;
        return { body: await this.#answerLogin(accepted, account, context) };
      }
    }
    return { body: signInRequired(pending, account), ...signInAnswer };
  }

  /** Runs the action. If only the account is missing, gets one and runs it again, or answers where to sign in. */
  async runWithAccount<Body extends JsonObject>(
    action: SearchResult,
    identity: string | undefined,
    context: CallContext,
    run: () => Promise<Outcome<Body>>,
  ): Promise<Outcome<Body | Refused>> {
    const signInAnswer = typeof context.signIn === 'object' ? context.signIn : undefined;
    if (signInAnswer !== undefined) await this.#stopUnlessSignedIn(signInAnswer, action);
    try {
      return await run();
    } catch (error) {
      if (signInAnswer !== undefined || this.#options === undefined || !lacksAccount(error)) throw error;
      if (context.mayConnect === false) throw error;
      const { signal } = context;
      const account = await this.#findWantedAccount(action, identity, error, signal);
      const details = await this.#methods.readDetails(account.slug, signal);
      const values = getLoginValues(account.slug, details.loginInputSchema ?? [], this.#options.loginValue);
      if (values !== undefined) {
        await this.#signIn(
          { catalog: account.slug, identity_name: account.identityName, params: values },
          context,
        );
        return run();
      }
      const pending = await this.#methods.open(details, account, signal);
      if (pending === undefined) throw error;
      return { body: withLoginUrl(error, pending).body, ...this.#ask(pending, account, context) };
    }
  }

  /** See `Gateway.awaitSignIn`. */
  awaitSignIn(...args: Parameters<SignInMethods['awaitSignIn']>): ReturnType<SignInMethods['awaitSignIn']> {
    return this.#methods.awaitSignIn(...args);
  }

  /** Ends every wait for a person now, as at its time limit; the pages stay. */
  endWaits(): void {
    this.#methods.endWaits();
  }

  close(): Promise<void> {
    return this.#methods.close();
  }

  /** When a credential that was made here expires. The service tells it only once, and in no list. */
  getExpiry(credentialId: string): string | undefined {
    return this.#expiries.get(credentialId);
  }

  async #signIn(input: LoginInput, context: Pick<CallContext, 'signal'>): Promise<JsonObject> {
    const { catalog: slug } = input;
    // The sign-in replaces who was behind the name before.
    const before = await this.#accounts.listIdentities(slug, context.signal).catch(() => []);
    const answer = await signIn(this.#api, input, context);
    this.#onSignIn(slug);
    if (typeof answer.credential_id === 'string' && answer.site_user === undefined)
      await this.#countSignIn(answer.credential_id).catch(() => undefined);
    return this.#rememberExpiry(withDefault(withFormerUser(answer, before), before));
  }

  #rememberExpiry(answer: JsonObject): JsonObject {
    const { credential_id, expires_at } = answer;
    if (typeof credential_id === 'string' && typeof expires_at === 'string') {
      this.#expiries.set(credential_id, expires_at);
      const [oldest] = this.#expiries.keys();
      if (oldest !== undefined && this.#expiries.size > maxExpiries) this.#expiries.delete(oldest);
    }
    return answer;
  }

  /** Returns a question if the transport can show the page; otherwise may open this machine's browser. */
  #ask(pending: PendingSignIn, account: WantedAccount, context: CallContext): { question?: Question } {
    if (context.signIn === 'unasked') {
      return { question: { kind: 'sign-in', offer: toOffer(pending, account) } };
    }
    const { method, url } = pending;
    if (!this.#shown.has(method)) {
      this.#shown.add(method);
      this.#options?.openBrowser?.(url);
    }
    return {};
  }

  /** The answer of `login` after the page was shown to a person. */
  async #answerLogin(
    signInAnswer: { readonly id: string; readonly answer: 'accepted' | 'declined' },
    account: WantedAccount,
    { signal }: CallContext,
  ): Promise<JsonObject> {
    const method = await this.#methods.find(signInAnswer.id);
    if (signInAnswer.answer === 'declined') throw await this.#explainDecline(method, account.slug);
    if (method === undefined) throw signInExpired(account.slug);
    if (method.pending)
      return signInRequired({ method, url: await this.#methods.getAddress(method) }, account);
    if ((await method.ended) === 'expired') throw signInExpired(account.slug);
    if (!(method instanceof SignInPage)) return this.#listConnected(account, signal);
    return this.#reportPage(method);
  }

  async #reportPage(page: SignInPage): Promise<JsonObject> {
    await page.markReported();
    return this.#rememberExpiry(page.answer ?? {});
  }

  async #listConnected(account: WantedAccount, signal: AbortSignal): Promise<JsonObject> {
    const names = await this.#connectedNames(account.slug, signal);
    if (names.length > 0) this.#onSignIn(account.slug);
    return { status: 'verified', catalog_slug: account.slug, identities: names };
  }

  async #connectedNames(slug: string, signal: AbortSignal): Promise<string[]> {
    const identities = await this.#accounts.listIdentities(slug, signal);
    return identities
      .filter(({ credentials }) => credentials.some(({ status }) => status === 'active'))
      .map(({ name }) => cleanText(name, 100));
  }

  /** Throws if the sign-in of this call did not happen, so that nothing is sent. */
  async #stopUnlessSignedIn(
    signInAnswer: { readonly id: string; readonly answer: 'accepted' | 'declined' },
    action: SearchResult,
  ): Promise<void> {
    const method = await this.#methods.find(signInAnswer.id);
    const slug = cleanText(action.catalog_slug, 80);
    if (signInAnswer.answer === 'declined') throw await this.#explainDecline(method, slug);
    if (method?.pending) {
      throw new GatewayError(
        'AUTH_REQUIRED',
        `${slug} needs a signed-in account, and the sign-in is not finished. Nothing was sent.`,
        { kind: 'open-page', why: 'shown', until: method.expiresAt.toISOString() },
        { expires_at: method.expiresAt.toISOString() },
      );
    }
    if (method instanceof SignInPage) {
      if (method.state === 'expired') throw signInExpired(slug);
      await this.#reportPage(method);
    }
  }

  /** The page stays open, and its address is returned once: some clients decline without showing it. */
  async #explainDecline(
    method: SignInPage | ExternalSignIn | undefined,
    slug: string,
  ): Promise<GatewayError> {
    if (method === undefined || !method.pending || this.#addressReturned.has(method))
      return signInDeclined(undefined, slug);
    this.#addressReturned.add(method);
    return signInDeclined({ method, url: await this.#methods.getAddress(method) }, slug);
  }

  async #findWantedAccount(
    action: SearchResult,
    identity: string | undefined,
    error: GatewayError,
    signal: AbortSignal,
  ): Promise<WantedAccount> {
    const slug = action.catalog_slug;
    const { connect_url: connectUrl, identity_name: expired } = error.body.error;
    // The account that the call would have used, so that the sign-in renews that one.
    const identityName = identity ?? (typeof expired === 'string' ? expired : undefined);
    return {
      slug,
      identityName:
        identityName === undefined ? undefined : await this.#accounts.getName(slug, identityName, signal),
      connectUrl: typeof connectUrl === 'string' ? connectUrl : undefined,
    };
  }
}

/** Whether the service, or our own choice of an account, refused because an account is missing. Failed jobs do not count. */
function lacksAccount(error: unknown): error is GatewayError {
  if (!(error instanceof GatewayError)) return false;
  const { code, identities } = error.body.error;
  if (code === 'IDENTITY_NOT_FOUND') return Array.isArray(identities) && identities.length === 0;
  return code === 'AUTH_REQUIRED' || code === 'AUTH_EXPIRED';
}

/** Names the host of a page that svc-mcp does not serve: its address comes from the service or from the catalog. */
function ownerOf({ method, url }: PendingSignIn): string | undefined {
  if (!(method instanceof ExternalSignIn)) return undefined;
  const { host, hostname } = new URL(url);
  return `a page of ${host}${isLoopback(hostname) ? ', which opens only on the machine of the service' : ''}`;
}

const openPage = (pending: PendingSignIn, why: NextStep<'open-page'>['why']): NextStep => ({
  kind: 'open-page',
  why,
  owner: ownerOf(pending),
});

function toOffer(pending: PendingSignIn, { slug, identityName }: WantedAccount): SignInOffer {
  const account = identityName === undefined ? '' : ` (account "${cleanText(identityName, 100)}")`;
  const owner = ownerOf(pending);
  const place = owner === undefined ? '' : `, on ${owner},`;
  return {
    id: pending.method.id,
    url: pending.url,
    catalogSlug: slug,
    message: `Sign in to ${cleanText(slug, 80)}${account}${place} so that the call can go on. What you type goes to that page only, never into the conversation.`,
  };
}

/** `sign_in` tells the state: waiting for the person, or rejected with the site's reason. */
function signInRequired(pending: PendingSignIn, { slug, identityName }: WantedAccount): JsonObject {
  const { method, url } = pending;
  const failure = 'failure' in method ? method.failure : undefined;
  return {
    status: 'sign_in_required',
    catalog_slug: cleanText(slug, 80),
    ...(identityName === undefined ? {} : { identity_name: cleanText(identityName, 100) }),
    sign_in: failure === undefined ? 'waiting' : 'rejected',
    ...(failure === undefined ? {} : { reason: `${failure.message} ${failure.advice}` }),
    login_url: url,
    expires_at: method.expiresAt.toISOString(),
    next: openPage(pending, failure === undefined ? 'waiting' : 'rejected'),
  };
}

/** Adds to a refusal the page on which the person can sign in. */
function withLoginUrl({ body }: GatewayError, pending: PendingSignIn): GatewayError {
  const { method, url } = pending;
  // Show only one link: our page instead of the service's.
  const { code, message, connect_url: _connectUrl, ...extra } = body.error;
  return new GatewayError(
    code === 'IDENTITY_NOT_FOUND' ? 'AUTH_REQUIRED' : { service: code },
    message,
    openPage(pending, 'refused'),
    { ...extra, login_url: url, expires_at: method.expiresAt.toISOString() },
  );
}

/**
 * The user declined, or the client did so without showing the page. `pending` is the page, which stays open, where its
 * address was not returned before.
 */
function signInDeclined(pending: PendingSignIn | undefined, slug: string): GatewayError {
  const site = cleanText(slug, 80);
  if (pending === undefined) {
    return new GatewayError('SIGN_IN_DECLINED', `The sign-in to ${site} was declined. Nothing was sent.`, {
      kind: 'ask',
      about: 'declined-sign-in',
    });
  }
  return new GatewayError(
    'SIGN_IN_DECLINED',
    `The sign-in to ${site} was declined, or this client could not show the page. Nothing was sent.`,
    openPage(pending, 'declined'),
    { login_url: pending.url, expires_at: pending.method.expiresAt.toISOString() },
  );
}

function signInExpired(slug: string): GatewayError {
  return new GatewayError(
    'AUTH_REQUIRED',
    `The sign-in page of ${cleanText(slug, 80)} was not used in time. Nothing was sent.`,
    { kind: 'open-page', why: 'expired' },
  );
}

function paramsForbidden({ catalog, identity_name }: LoginInput): GatewayError {
  return new GatewayError(
    'LOGIN_PARAMS_FORBIDDEN',
    'Passwords may not be passed in a call here (SVC_LOGIN_PARAMS). Nothing was sent.',
    { kind: 'sign-in', account: { catalog, identity_name }, why: 'on-page' },
  );
}

/** Says which account acts where a call names none, where the catalog has several: the sign-in does not change that. */
function withDefault(answer: JsonObject, before: readonly Identity[]): JsonObject {
  const { identity_id, identity_name } = answer;
  const preferred = before.find(({ is_default }) => is_default);
  if (preferred === undefined || typeof identity_name !== 'string') return answer;
  if (before.every(({ id }) => id === identity_id)) return answer;
  const own = quoted(identity_name, 100);
  const hint =
    preferred.id === identity_id
      ? `Calls that name no account act for ${own}, the default one; identity names another.`
      : `Calls that name no account act for ${quoted(preferred.name, 100)}, the default one: name ${own} as identity to act for it.`;
  return { ...answer, note: [answer.note, hint].filter((one) => one !== undefined).join(' ') };
}

/** Says who was signed in under the name before, where that was somebody else: their results are not this user's. */
function withFormerUser(answer: JsonObject, before: readonly Identity[]): JsonObject {
  const { identity_id, credential_id, site_user } = answer;
  const credential = before
    .find(({ id }) => id === identity_id)
    ?.credentials.find(({ id }) => id === credential_id);
  const former = credential?.site_user;
  if (typeof site_user !== 'string' || former === undefined || former === site_user) return answer;
  const previous = cleanText(former, 100);
  return {
    ...answer,
    previous_site_user: previous,
    note: `This account was "${previous}" before. Earlier results and open calls of "${previous}" are not used for it.`,
  };
}
