/** The console's two cookies: the session, and what binds the sign-in form to the browser that it was shown to. */
import { getCookie, setCookie } from 'hono/cookie';
import type { Request } from '../http/authentication.ts';
import { type GuardOptions, isSecure } from './guard.ts';
import { sessionSeconds } from './sessions.ts';

export type CookieName = 'svc_console' | 'svc_console_form';

/** By https the name promises the browser that no other host and no plain connection has set it. */
const toCookieName = (name: CookieName, secure: boolean): string => (secure ? `__Host-${name}` : name);

export const readCookie = (request: Request, name: CookieName, options: GuardOptions): string | undefined =>
  getCookie(request, toCookieName(name, isSecure(request, options))) || undefined;

/** Undefined removes it. */
export function writeCookie(
  request: Request,
  name: CookieName,
  value: string | undefined,
  options: GuardOptions,
): void {
  const secure = isSecure(request, options);
  setCookie(request, toCookieName(name, secure), value ?? '', {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    secure,
    maxAge: value === undefined ? 0 : sessionSeconds,
  });
}
