/** Answers to calls whose sign-in a person has not made yet, or has declined. */
import { GatewayError } from '../foundation/errors.ts';
import { cleanText } from '../foundation/text.ts';
import type { LoginInput } from '../interface/gateway.ts';
import type { JsonObject, SignInOffer } from '../interface/outcomes.ts';
import { ExternalSignIn } from './external-sign-in.ts';
import type { SignInPage } from './sign-in-page.ts';

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

/** Names the host of a page that svc-mcp does not serve: its address comes from the service or from the catalog. */
const ownerOf = ({ method, url }: PendingSignIn): string | undefined =>
  method instanceof ExternalSignIn ? `a page of ${new URL(url).host}` : undefined;

function nameAddress(pending: PendingSignIn): string {
  const owner = ownerOf(pending);
  return owner === undefined ? 'login_url' : `login_url (${owner})`;
}

export function toOffer(pending: PendingSignIn, { slug, identityName }: WantedAccount): SignInOffer {
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
export function signInRequired(pending: PendingSignIn, { slug, identityName }: WantedAccount): JsonObject {
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
    next:
      failure === undefined
        ? `Give the user ${nameAddress(pending)} to open and sign in there, then call login again with wait_seconds to wait for it; free.`
        : `Tell the user the reason. If they want to try again, ${nameAddress(pending)} takes another try, and login with wait_seconds waits for it; free.`,
  };
}

/** Adds to a refusal the page on which the person can sign in. */
export function withLoginUrl({ body }: GatewayError, pending: PendingSignIn): GatewayError {
  const { method, url } = pending;
  // Show only one link: our page instead of the service's.
  const { code, message, connect_url: _connectUrl, ...extra } = body.error;
  return new GatewayError(
    code === 'IDENTITY_NOT_FOUND' ? 'AUTH_REQUIRED' : { service: code },
    message,
    `Give the user ${nameAddress(pending)} to open and sign in there; when they have, repeat this call.`,
    { ...extra, login_url: url, expires_at: method.expiresAt.toISOString() },
  );
}

/**
 * The user declined, or the client did so without showing the page. `pending` is the page, which stays open, where its
 * address was not returned before.
 */
export function signInDeclined(pending: PendingSignIn | undefined, slug: string): GatewayError {
  const site = cleanText(slug, 80);
  if (pending === undefined) {
    return new GatewayError(
      'SIGN_IN_DECLINED',
      `The sign-in to ${site} was declined. Nothing was sent.`,
      'Ask the user what to do instead.',
    );
  }
  return new GatewayError(
    'SIGN_IN_DECLINED',
    `The sign-in to ${site} was declined, or this client could not show the page. Nothing was sent.`,
    `Ask the user. If they want to sign in, give them ${nameAddress(pending)} to open; when they have, repeat this call.`,
    { login_url: pending.url, expires_at: pending.method.expiresAt.toISOString() },
  );
}

export function signInExpired(slug: string): GatewayError {
  return new GatewayError(
    'AUTH_REQUIRED',
    `The sign-in page of ${cleanText(slug, 80)} was not used in time. Nothing was sent.`,
    'Repeat this call to get a new page.',
  );
}

export function paramsForbidden({ catalog_slug, identity_name }: LoginInput): GatewayError {
  return new GatewayError(
    'LOGIN_PARAMS_FORBIDDEN',
    'Passwords may not be passed in a call here (SVC_LOGIN_PARAMS). Nothing was sent.',
    `Call login ${JSON.stringify({ catalog: catalog_slug, identity_name })}: the user then signs in on a page.`,
  );
}
