/** Where a request came from. */
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** With `trustProxy` the last entry of X-Forwarded-For, which is what our own proxy saw. */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwardedAddress = trustProxy
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
    : undefined;
  const address = [forwardedAddress, socket.remoteAddress].find(
    (text) => text !== undefined && ipaddr.isValid(text),
  );
  return address === undefined ? 'unknown' : ipaddr.process(address).toString();
}

/** What counts as one client: an IPv6 subscriber has a whole /64 to choose addresses from. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.parse(address).parts.slice(0, 4).join(':')}::/64`;
}
