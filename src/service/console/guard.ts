/** What the console lets in: requests for this machine's own names, from its own pages. */
import { isIP } from 'node:net';
import type { Request } from '../http/authentication.ts';

export interface GuardOptions {
  /** Where browsers reach the service if that is another address than its own, such as a reverse proxy's. */
  readonly publicUrl?: string | undefined;
  /** Believe `X-Forwarded-Proto`. */
  readonly trustProxy: boolean;
}

/** On every answer: nothing is stored, framed, run or loaded from elsewhere. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** False if the Host is not a name or address of this machine, because a foreign page lets its own name point here (DNS rebinding). */
export function isOwnHost(request: Request, { publicUrl }: GuardOptions): boolean {
  const address = `http://${request.req.header('host') ?? ''}`;
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  if (loopbackNames.includes(hostname)) return true;
  if (publicUrl !== undefined && hostname === new URL(publicUrl).hostname) return true;
  const local = request.env.incoming.socket.localAddress?.replace(/^::ffff:/, '') ?? '';
  return (
    isIP(local) > 0 && hostname === new URL(`http://${isIP(local) === 6 ? `[${local}]` : local}`).hostname
  );
}

/**
 * A page with `no-referrer` posts with the origin `null`: there the browser's own word on where the request came
 * from counts. The CSRF token stands behind both.
 */
export function isOwnOrigin(request: Request, { publicUrl }: GuardOptions): boolean {
  const origin = request.req.header('origin');
  const site = request.req.header('sec-fetch-site');
  if (origin !== undefined && origin !== 'null') {
    if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true;
    return URL.canParse(origin) && new URL(origin).host === request.req.header('host');
  }
  // Following a link from another site is no danger; sending a form from there is.
  return request.req.method === 'GET' || request.req.method === 'HEAD'
    ? origin === undefined || isSameOrigin(site)
    : isSameOrigin(site);
}

const isSameOrigin = (site: string | undefined): boolean => site === undefined || site === 'same-origin';

/** Whether the browser came by https, so that cookies are for https only. */
export function isSecure(request: Request, { publicUrl, trustProxy }: GuardOptions): boolean {
  if (trustProxy && request.req.header('x-forwarded-proto') === 'https') return true;
  if (publicUrl === undefined) return false;
  const url = new URL(publicUrl);
  return url.protocol === 'https:' && request.req.header('host') === url.host;
}
