/** The window in which a person signs in, without one: it gives at once what a browser would have at its end. */
import type { SignInBrowser } from '../../src/service/accounts/sign-in-window.ts';
import type { StorageState } from '../../src/service/fetch/session-state.ts';

type BrowserCookie = StorageState['cookies'][number];

/** A cookie for one host, which ends with the browser. */
export const browserCookie = (
  domain: string,
  value: string,
  more: Partial<BrowserCookie> = {},
): BrowserCookie => ({
  name: 'sid',
  value,
  domain,
  path: '/',
  expires: -1,
  httpOnly: false,
  secure: true,
  sameSite: 'Lax',
  ...more,
});

export const signInBrowserWith = (cookies: () => BrowserCookie[]): SignInBrowser => ({
  signIn: async () => ({ cookies: cookies(), origins: [] }),
});
