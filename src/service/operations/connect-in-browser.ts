/** Connects an account in a browser in which its owner signs in (specification: Authentication, rule 9). */

import { openErrors } from '../../contract/errors.ts';
import { maxLoginSessionSeconds } from '../../contract/limits.ts';
import { storeSession } from '../accounts/store-session.ts';
import { BrowserError } from '../foundation/errors.ts';
import { notFound, refuse } from '../foundation/request-error.ts';
import { startDeadline } from '../foundation/time-limit.ts';
import type { Context } from './context.ts';
import { checkedName } from './login.ts';

export interface WindowSession {
  readonly identityId: string;
  /** Cookies that are kept. */
  readonly count: number;
  readonly leftOut: number;
  readonly expiresAt: Date;
}

interface ConnectRequest {
  readonly catalogSlug: string;
  /** Empty: `default`. */
  readonly identityName: string;
  readonly done?: Promise<void> | undefined;
  readonly signal: AbortSignal;
}

/** Milliseconds a person has for signing in. */
const signInLimit = 15 * 60_000;

/**
 * Opens a visible browser at the site's login page and stores the session once the person is signed in: the catalog's
 * check holds, `done` resolves, or the window is closed. A credential of the same identity is renewed in place. The
 * session ends with its last cookie and after 30 days at most; whether the site accepts it shows when an action runs.
 * Refuses with `INVALID_INPUT` if no browser can be shown or nobody signed in, and with `NOT_FOUND` where the catalog
 * takes no sessions of a browser.
 */
export async function connectInBrowser(
  context: Context,
  userId: string,
  { catalogSlug, identityName, done, signal }: ConnectRequest,
): Promise<WindowSession> {
  const catalog = (await context.publication.current()).catalog(catalogSlug, userId)?.catalog;
  if (catalog === undefined || !catalog.definition.auth_types.includes('browser_state'))
    throw notFound('catalog');
  const name = checkedName(identityName.trim() || 'default');
  if (context.signInBrowser === undefined)
    throw refuse(openErrors, 'INVALID_INPUT', 'No browser can be shown on the machine of the service');
  const { url, auth_login_url, signed_in } = catalog.definition;
  const deadline = startDeadline(signInLimit, signal);
  try {
    const state = await context.signInBrowser.signIn({
      url: auth_login_url ?? url,
      signedIn: signed_in,
      done,
      signal: deadline.signal,
    });
    // Loaded when somebody has signed in: its list of public suffixes is large.
    const { fromStorageState } = await import('../fetch/session-state.ts');
    const { cookies, count, leftOut, lastsUntil } = fromStorageState(state, [url, auth_login_url ?? url]);
    const limit = Date.now() + maxLoginSessionSeconds * 1000;
    const expiresAt = new Date(Math.min(lastsUntil?.getTime() ?? limit, limit));
    const { identityId } = await storeSession(context, {
      userId,
      catalogId: catalog.id,
      identityName: name,
      credentialType: 'browser_state',
      cookies,
      expiresAt,
    });
    return { identityId, count, leftOut, expiresAt };
  } catch (error) {
    if (deadline.isOver())
      throw refuse(openErrors, 'INVALID_INPUT', 'No sign-in was completed within 15 minutes');
    if (!(error instanceof BrowserError)) throw error;
    throw refuse(openErrors, 'INVALID_INPUT', error.message);
  } finally {
    deadline.clear();
  }
}
