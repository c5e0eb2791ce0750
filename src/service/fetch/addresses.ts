/** Which network addresses the service may connect to: only public unicast ones. */
import ipaddr from 'ipaddr.js';
import { FetchError } from '../foundation/errors.ts';

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for a public unicast address. IPv6 is admitted by its one global range, not by a deny list: `::/96`,
 * IPv4-mapped, NAT64, unique local and unassigned addresses lie outside. The tunnels inside the range (6to4, Teredo),
 * which may lead to private IPv4 addresses, have range names of their own.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.zoneId === undefined && parsed.match(globalUnicast));
}

/** Whether an address matches a pattern whose `*` stands for any characters; in time that grows with the length. */
export function matchesAddress(pattern: string, address: string): boolean {
  const parts = pattern.split('*');
  const first = parts.shift() ?? '';
  const last = parts.pop();
  if (!address.startsWith(first)) return false;
  if (last === undefined) return address === first;
  let position = first.length;
  for (const part of parts) {
    const index = address.indexOf(part, position);
    if (index < 0) return false;
    position = index + part.length;
  }
  return address.length - last.length >= position && address.endsWith(last);
}

const maxUrlChars = 2_048;

/**
 * An http or https address without credentials and without its fragment; ports other than the default one are for own
 * origins alone. Throws a `FetchError` of kind `forbidden`.
 */
export function parsePageAddress(
  address: string,
  base: string | undefined,
  isOwn: (url: URL) => boolean,
): URL {
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  if (url === undefined) throw new FetchError('forbidden', 'The address is not a valid URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchError('forbidden', 'Only http and https addresses are fetched');
  if (url.username !== '' || url.password !== '')
    throw new FetchError('forbidden', 'An address with a user name or password in it is not fetched');
  if (url.href.length > maxUrlChars) throw new FetchError('forbidden', 'The address is too long');
  if (url.port !== '' && !isOwn(url))
    throw new FetchError('forbidden', 'The address is not on the default port, so it is not fetched');
  url.hash = '';
  return url;
}
