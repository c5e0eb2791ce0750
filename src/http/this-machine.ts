/** Where a request comes from, and whom it names: this machine itself, or a proxy or another machine. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isLoopback } from '../contract/web-address.ts';

/** Whether it comes from this machine under a name of its own, not through a proxy on it nor from another site's page. */
export function isFromThisMachine(request: IncomingMessage): boolean {
  const { origin } = request.headers;
  return (origin === undefined || isOwnAddress(origin)) && isDirect(request);
}

const isOwnAddress = (address: string) => URL.canParse(address) && isLoopback(new URL(address).hostname);

/** As `isFromThisMachine`, where the page that it comes from is known to be an own one: forms are posted with the origin `null`. */
export function isDirect({ headers, socket }: IncomingMessage): boolean {
  const isForwarded = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'].some(
    (name) => headers[name] !== undefined,
  );
  return !isForwarded && isOwnAddress(`http://${headers.host}`) && isLoopback(socket.remoteAddress ?? '');
}

const ownNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether the Host is a name or address of this machine, or one of `otherNames`: a foreign page may let its own name point
 * here (DNS rebinding).
 */
export function isOwnHost({ headers, socket }: IncomingMessage, otherNames: readonly string[]): boolean {
  const hostname = hostnameOf(headers.host ?? '');
  if (hostname === undefined) return false;
  const reached = inUrl(socket.localAddress?.replace(/^::ffff:/, '') ?? '');
  return [...ownNames, hostnameOf(reached), ...otherNames].includes(hostname);
}

/** As a URL spells it: an IPv6 address stands in brackets. */
export const inUrl = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host.toLowerCase());

const hostnameOf = (host: string): string | undefined =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
