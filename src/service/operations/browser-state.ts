/** Connects an account with the cookies of a browser in which its owner is signed in (specification: Authentication, rule 9). */

import { openErrors } from '../../contract/errors.ts';
import { maxLoginSessionSeconds } from '../../contract/limits.ts';
import { storeSession } from '../accounts/store-session.ts';
import { type ImportedCookies, readCookieFile } from '../fetch/cookie-file.ts';
import { startDeadline } from '../foundation/deadline.ts';
import { BrowserError, CookieFileError } from '../foundation/errors.ts';
import { notFound, refuse } from '../foundation/request-error.ts';
import type { Context } from './context.ts';
import { checkedName } from './login.ts';

export interface ConnectedBrowser {
  readonly identityId: string;
  readonly count: number;
  readonly leftOut: number;
  readonly expiresAt: Date;
}

/**
 * Stores the site's own cookies of the file; a credential of the same identity is renewed in place. The session ends
 * with its last cookie and after 30 days at most; whether the site accepts it shows when an action runs.
 * Refuses with `INVALID_INPUT`, and with `NOT_FOUND` where the catalog takes no browser's cookies.
 */
export async function connectBrowser(
  context: Context,
  userId: string,
  body: { readonly catalogSlug: string; readonly identityName: string; readonly cookieFile: string },
): Promise<ConnectedBrowser> {
  const visible = (await context.publication.current()).catalog(body.catalogSlug, userId);
  const definition = visible?.catalog.definition;
  if (visible === undefined || !definition?.auth_types.includes('browser_state')) throw notFound('catalog');
  const identityName = checkedName(body.identityName.trim() || 'default');
  const { url, auth_login_url } = definition;
  const hosts = [url, auth_login_url].flatMap((address) =>
    address !== null && URL.canParse(address) ? [new URL(address).hostname] : [],
  );
  const imported = read(body.cookieFile, hosts);
  const expiresAt = getEnd(imported);
  const { identityId } = await storeSession(context, {
    userId,
    catalogId: visible.catalog.id,
    identityName,
    credentialType: 'browser_state',
    cookies: imported.cookies,
    expiresAt,
  });
  return { identityId, count: imported.count, leftOut: imported.leftOut, expiresAt };
}

/** Milliseconds a person has for signing in. */
const signInLimit = 15 * 60_000;

/**
 * Opens a visible browser at the site's login page and stores the session once the person is signed in: the catalog's
 * check holds, `done` resolves, or the window is closed. Refuses with `INVALID_INPUT` if no browser can be shown.
 */
export async function connectInBrowser(
  context: Context,
  userId: string,
  body: {
    readonly catalogSlug: string;
    readonly identityName: string;
    readonly done?: Promise<void> | undefined;
    readonly signal: AbortSignal;
  },
): Promise<ConnectedBrowser> {
  const { catalogSlug, identityName, done } = body;
  const definition = (await context.publication.current()).catalog(catalogSlug, userId)?.catalog.definition;
  if (definition === undefined || !definition.auth_types.includes('browser_state')) throw notFound('catalog');
  if (context.signInBrowser === undefined)
    throw refuse(openErrors, 'INVALID_INPUT', 'No browser can be shown on the machine of the service');
  const deadline = startDeadline(signInLimit, body.signal);
  try {
    const cookieFile = await context.signInBrowser.signIn({
      url: definition.auth_login_url ?? definition.url,
      signedIn: definition.signed_in,
      done,
      signal: deadline.signal,
    });
    return await connectBrowser(context, userId, { catalogSlug, identityName, cookieFile });
  } catch (error) {
    if (deadline.isOver())
      throw refuse(openErrors, 'INVALID_INPUT', 'No sign-in was completed within 15 minutes');
    if (!(error instanceof BrowserError)) throw error;
    throw refuse(openErrors, 'INVALID_INPUT', error.message);
  } finally {
    deadline.clear();
  }
}

function read(cookieFile: string, hosts: readonly string[]): ImportedCookies {
  try {
    return readCookieFile(cookieFile, hosts);
  } catch (error) {
    if (!(error instanceof CookieFileError)) throw error;
    throw refuse(openErrors, 'INVALID_INPUT', `The cookie file cannot be used. ${error.message}`);
  }
}

function getEnd({ lastsUntil }: ImportedCookies): Date {
  const limit = Date.now() + maxLoginSessionSeconds * 1000;
  return new Date(Math.min(lastsUntil?.getTime() ?? limit, limit));
}
