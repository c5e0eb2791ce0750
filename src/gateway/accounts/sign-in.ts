/**
 * How a call gets its account: from the environment, else from a person at a page, and never with a password through
 * the model unless it is passed. An action that lacked only the account then goes on; what the service refused for
 * want of one was not taken, so nothing is paid twice.
 */
import type { Api } from '../../contract/api.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { GatewayError } from '../errors/errors.ts';
import { cleanText, creditsText } from '../foundation/text.ts';
import type { CallContext, LoginInput } from '../interface/gateway.ts';
import type { JsonObject, Outcome, Refused, RunBody } from '../interface/outcomes.ts';
import type { Principal } from '../interface/principal.ts';
import type { Question } from '../interface/questions.ts';
import type { GatewaySettings } from '../interface/settings.ts';
import type { Accounts } from './choose-account.ts';
import type { Connect } from './connect.ts';
import { signIn } from './login.ts';
import { valuesOf } from './login-fields.ts';
import {
  declined,
  ended,
  offerOf,
  type Pending,
  paramsForbidden,
  required,
  type Wanted,
  withAddress,
} from './sign-in-answers.ts';
import { SignInPage } from './sign-in-page.ts';
import { type SignInOptions, SignInWays } from './sign-in-ways.ts';

export class SignIns {
  readonly #api: Api;
  readonly #accounts: Accounts;
  readonly #ways: SignInWays;
  readonly #settings: GatewaySettings;
  readonly #options: SignInOptions | undefined;
  readonly #shown = new Set<string>();
  /** Pages whose address was returned after a decline. */
  readonly #addressReturned = new Set<string>();
  readonly #expiries = new Map<string, string>();

  constructor(parts: {
    api: Api;
    accounts: Accounts;
    principal: Principal;
    settings: GatewaySettings;
    options: SignInOptions | undefined;
  }) {
    this.#api = parts.api;
    this.#accounts = parts.accounts;
    this.#ways = new SignInWays(parts, (input, options) => this.#signIn(input, options));
    this.#settings = parts.settings;
    this.#options = parts.options;
  }

  /** `login`: the params of the call, else the environment's, else a page (specification: POST /login). */
  async login(input: LoginInput, context: CallContext): Promise<Outcome> {
    if (input.params !== undefined && Object.keys(input.params).length > 0) {
      if (this.#settings.loginParams === 'forbid') throw paramsForbidden(input);
      return { body: await this.#signIn(input, context) };
    }
    const wanted: Wanted = {
      slug: input.catalog_slug,
      identityName: input.identity_name?.trim() || undefined,
      connectUrl: undefined,
    };
    if (typeof context.signIn === 'object') {
      return { body: await this.#outcomeOf(context.signIn, wanted, context) };
    }
    const details = await this.#ways.details(wanted.slug, context.signal);
    const values = valuesOf(wanted.slug, details.loginInputSchema ?? [], this.#options?.loginValue);
    if (values !== undefined) return { body: await this.#signIn({ ...input, params: values }, context) };
    const untold = await this.#ways.untold(details, wanted);
    if (untold?.answer !== undefined && untold.remainingMs > 0) {
      return { body: await this.#told(untold) };
    }
    const pending = await this.#ways.open(details, wanted, context.signal);
    if (pending === undefined) return { body: await this.#signIn(input, context) };
    const asked = this.#ask(pending, wanted, context);
    if (asked.question === undefined && (input.wait_seconds ?? 0) > 0) {
      const { signal, waitMs: timeoutMs } = context;
      const end = await this.#ways.awaitSignIn(pending.way.id, { signal, timeoutMs });
      if (end !== 'pending') {
        const accepted = { id: pending.way.id, answer: 'accepted' } as const;
        return { body: await this.#outcomeOf(accepted, wanted, context) };
      }
    }
    return { body: required(pending, wanted), ...asked };
  }

  /** Runs; where only the account is missing, gets it and runs again, or says where to sign in. */
  async resume<Body extends JsonObject>(
    action: SearchResult,
    identity: string | undefined,
    context: CallContext,
    run: () => Promise<Outcome<Body>>,
  ): Promise<Outcome<Body | Refused>> {
    const asked = typeof context.signIn === 'object' ? context.signIn : undefined;
    if (asked !== undefined) await this.#stopUnlessSignedIn(asked, action);
    try {
      return await run();
    } catch (error) {
      if (asked !== undefined || this.#options === undefined || !lacksAccount(error)) throw error;
      if (context.mayConnect === false) throw error;
      const { signal } = context;
      const wanted = await this.#wantedBy(action, identity, error, signal);
      const details = await this.#ways.details(wanted.slug, signal);
      const values = valuesOf(wanted.slug, details.loginInputSchema ?? [], this.#options.loginValue);
      if (values !== undefined) {
        await this.#signIn(
          { catalog_slug: wanted.slug, identity_name: wanted.identityName, params: values },
          context,
        );
        return run();
      }
      const pending = await this.#ways.open(details, wanted, signal);
      if (pending === undefined) throw error;
      return { body: withAddress(error, pending).body, ...this.#ask(pending, wanted, context) };
    }
  }

  /** A run that was anonymous although accounts are connected says so: its caller may have meant one of them. */
  async mentionAccounts(
    outcome: Outcome<RunBody>,
    action: SearchResult,
    signal: AbortSignal,
  ): Promise<Outcome<RunBody>> {
    const { body } = outcome;
    if (body.status !== 'completed' || body.account !== null || body.next !== undefined) return outcome;
    const names = await this.#connectedNames(action.catalog_slug, signal).catch(() => []);
    if (names.length === 0) return outcome;
    const { data, ...members } = body;
    const cost = creditsText(action.credits);
    const next = `This ran without an account. To act for ${names.join(' or ')}, call again with identity; that costs ${cost} again.`;
    return { ...outcome, body: { ...members, status: 'completed', job_id: body.job_id, next, data } };
  }

  /** See `Gateway.awaitSignIn`. */
  awaitSignIn(...args: Parameters<SignInWays['awaitSignIn']>): ReturnType<SignInWays['awaitSignIn']> {
    return this.#ways.awaitSignIn(...args);
  }

  /** Ends every wait for a person now, as at its time limit; the pages stay. */
  endWaits(): void {
    this.#ways.endWaits();
  }

  close(): Promise<void> {
    return this.#ways.close();
  }

  /** When a credential that was signed in here expires: the service tells it once, and no listing has it. */
  expiryOf(credentialId: string): string | undefined {
    return this.#expiries.get(credentialId);
  }

  async #signIn(input: LoginInput, context: Pick<CallContext, 'signal'>): Promise<JsonObject> {
    return this.#remembered(await signIn(this.#api, input, context));
  }

  #remembered(answer: JsonObject): JsonObject {
    const { credential_id, expires_at } = answer;
    if (typeof credential_id === 'string' && typeof expires_at === 'string') {
      this.#expiries.set(credential_id, expires_at);
    }
    return answer;
  }

  /** The question, where the transport can show the page; else this machine's browser may. */
  #ask({ way, url }: Pending, wanted: Wanted, context: CallContext): { question?: Question } {
    if (context.signIn === 'unasked') {
      return { question: { kind: 'sign-in', offer: offerOf(way.id, url, wanted) } };
    }
    if (!this.#shown.has(way.id)) {
      this.#shown.add(way.id);
      this.#options?.openBrowser?.(url);
    }
    return {};
  }

  /** What `login` answers after a person was shown the page. */
  async #outcomeOf(
    asked: { readonly id: string; readonly answer: 'accepted' | 'declined' },
    wanted: Wanted,
    { signal }: CallContext,
  ): Promise<JsonObject> {
    const way = await this.#ways.find(asked.id);
    if (asked.answer === 'declined') throw await this.#declined(way, wanted.slug);
    if (way === undefined) throw ended(wanted.slug);
    if (way.pending) return required({ way, url: await this.#ways.addressOf(way) }, wanted);
    if ((await way.ended) === 'expired') throw ended(wanted.slug);
    if (!(way instanceof SignInPage)) return this.#connected(wanted, signal);
    return this.#told(way);
  }

  async #told(page: SignInPage): Promise<JsonObject> {
    await page.markTold();
    return this.#remembered(page.answer ?? {});
  }

  async #connected(wanted: Wanted, signal: AbortSignal): Promise<JsonObject> {
    const names = await this.#connectedNames(wanted.slug, signal);
    return { status: 'verified', catalog_slug: wanted.slug, identities: names };
  }

  async #connectedNames(slug: string, signal: AbortSignal): Promise<string[]> {
    const identities = await this.#accounts.identitiesOf(slug, signal);
    return identities
      .filter(({ credentials }) => credentials.some(({ status }) => status === 'active'))
      .map(({ name }) => cleanText(name, 100));
  }

  /** Nothing is sent for a call whose sign-in did not happen. */
  async #stopUnlessSignedIn(
    asked: { readonly id: string; readonly answer: 'accepted' | 'declined' },
    action: SearchResult,
  ): Promise<void> {
    const way = await this.#ways.find(asked.id);
    const slug = cleanText(action.catalog_slug, 80);
    if (asked.answer === 'declined') throw await this.#declined(way, slug);
    if (way?.pending) {
      throw new GatewayError(
        'AUTH_REQUIRED',
        `${slug} needs a signed-in account, and the sign-in is not finished. Nothing was sent.`,
        `Let the user finish on the page that was shown (until ${way.expiresAt.toISOString()}), then repeat this call.`,
        { expires_at: way.expiresAt.toISOString() },
      );
    }
    if (way instanceof SignInPage) {
      if (way.state === 'expired') throw ended(slug);
      await this.#told(way);
    }
  }

  /** The page stays open, and its address is returned once: some clients decline without showing it. */
  async #declined(way: SignInPage | Connect | undefined, slug: string): Promise<GatewayError> {
    if (way === undefined || !way.pending || this.#addressReturned.has(way.id))
      return declined(undefined, slug);
    this.#addressReturned.add(way.id);
    return declined({ way, url: await this.#ways.addressOf(way) }, slug);
  }

  async #wantedBy(
    action: SearchResult,
    identity: string | undefined,
    error: GatewayError,
    signal: AbortSignal,
  ): Promise<Wanted> {
    const slug = action.catalog_slug;
    const { connect_url: connectUrl, identity_name: expired } = error.body.error;
    // The account that the call would have used, so that the sign-in renews that one.
    const account = identity ?? (typeof expired === 'string' ? expired : undefined);
    return {
      slug,
      identityName: account === undefined ? undefined : await this.#accounts.nameOf(slug, account, signal),
      connectUrl: typeof connectUrl === 'string' ? connectUrl : undefined,
    };
  }
}

/** The service, or our own choice of an account, refused for want of one; a job that failed is none of these. */
function lacksAccount(error: unknown): error is GatewayError {
  if (!(error instanceof GatewayError)) return false;
  const { code, identities } = error.body.error;
  if (code === 'IDENTITY_NOT_FOUND') return Array.isArray(identities) && identities.length === 0;
  return code === 'AUTH_REQUIRED' || code === 'AUTH_EXPIRED';
}
