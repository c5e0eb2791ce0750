/** Access to the console: only requests for this machine's own names and from its own pages; and its two cookies. */
import { getCookie, setCookie } from 'hono/cookie';
import { comesFrom } from '../../http/page.ts';
import { isOwnHost } from '../../http/this-machine.ts';
import type { ServiceRequest } from '../api/authentication.ts';
import { sessionSeconds } from '../operations/console-sessions.ts';

export interface GuardOptions {
  /** Where browsers reach the service if that is another address than its own, such as a reverse proxy's. */
  readonly publicUrl?: string | undefined;
  /** Believe `X-Forwarded-Proto`. */
  readonly trustProxy: boolean;
}

/** Whether the request names this machine and comes from a page of its own. */
export function isOwnRequest(request: ServiceRequest, options: GuardOptions): boolean {
  const { publicUrl } = options;
  const names = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  return isOwnHost(request.env.incoming, names) && isOwnOrigin(request, options);
}

/** A second check beside the CSRF token. */
function isOwnOrigin(request: ServiceRequest, { publicUrl }: GuardOptions): boolean {
  const { headers, method } = request.req.raw;
  // Following a link from another site is harmless; sending a form from there is not.
  if ((method === 'GET' || method === 'HEAD') && !headers.has('origin')) return true;
  return comesFrom(
    headers,
    (origin) =>
      (publicUrl !== undefined && origin === new URL(publicUrl).origin) ||
      (URL.canParse(origin) && new URL(origin).host === headers.get('host')),
  );
}

/** Whether the browser used https, so that cookies are for https only. */
function isSecure(request: ServiceRequest, { publicUrl, trustProxy }: GuardOptions): boolean {
  if (trustProxy && request.req.header('x-forwarded-proto') === 'https') return true;
  if (publicUrl === undefined) return false;
  const url = new URL(publicUrl);
  return url.protocol === 'https:' && request.req.header('host') === url.host;
}

/** The session, and the cookie that binds the sign-in form to its browser. */
type CookieName = 'svc_console' | 'svc_console_form';

/** Over https the prefix assures the browser that no other host and no plain connection has set the cookie. */
const toCookieName = (name: CookieName, secure: boolean): string => (secure ? `__Host-${name}` : name);

export const readCookie = (
  request: ServiceRequest,
  name: CookieName,
  options: GuardOptions,
): string | undefined => getCookie(request, toCookieName(name, isSecure(request, options))) || undefined;

/** Undefined removes it. */
export function writeCookie(
  request: ServiceRequest,
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
