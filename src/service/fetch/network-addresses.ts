/** Which network addresses the service may connect to: only public unicast ones. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { FetchError } from '../foundation/errors.ts';

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** The well-known prefix of NAT64 (RFC 6052): the last four bytes are an IPv4 address. Local prefixes (RFC 8215) are no part of it. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * True for a public unicast address. IPv6 is admitted by its one global range, not by a deny list: `::/96`,
 * IPv4-mapped, unique local and unassigned addresses lie outside. The tunnels inside the range (6to4, Teredo), which may
 * lead to private IPv4 addresses, have range names of their own. An address of NAT64 is judged by the IPv4 address inside.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast';
  if (parsed.zoneId !== undefined) return false;
  if (parsed.match(nat64)) return new ipaddr.IPv4(parsed.toByteArray().slice(12)).range() === 'unicast';
  return parsed.range() === 'unicast' && parsed.match(globalUnicast);
}

/** What no setting opens: these never stand for a website. */
const neverFake = new Set(['loopback', 'linkLocal', 'unspecified', 'broadcast', 'multicast', 'ipv4Mapped']);

/** Whether the address is in one of the ranges (CIDR) that a VPN answers for names. */
export function isFakeAddress(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (neverFake.has(parsed.range())) return false;
  return ranges.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range);
    return base.kind() === parsed.kind() && parsed.match([base, bits]);
  });
}

/** Names of one's own machine and network. The address behind a public name is vetted at each connection. */
const localNames = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;

/** Whether a host, as it stands in a URL, is a public address or may be the name of a public website. */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return isIP(host) > 0 ? isPublicAddress(host) : host.includes('.') && !localNames.test(host);
}

/** Also where the setting names the origin: the web catalog reads public pages only. */
const whoMayRead = (setting: string) =>
  `Only an action of your own that names its origin may read it, where the operator allows that origin with ${setting}`;
const allowOrigins = 'SVC_SERVICE_ALLOW_ORIGINS';

/** `origin`: of an address that says by itself that it is private. */
export const privateAddress = (origin?: string) =>
  new FetchError(
    'private',
    origin === undefined
      ? `The address is not on the public internet, so it is not fetched. ${whoMayRead(allowOrigins)}; SVC_FETCH_FAKE_IPS names a range that a VPN answers for public names`
      : `${origin} is not on the public internet, so it is not fetched. ${whoMayRead(`${allowOrigins}=${origin}`)}`,
  );

const maxUrlChars = 2_048;

/**
 * An http or https address without credentials and without its fragment; ports other than the default one are for own
 * origins alone. Throws a `FetchError` of kind `forbidden` or `private`.
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
  if (url.port !== '' && !isOwn(url)) {
    if (!isPublicHost(url.hostname)) throw privateAddress(url.origin);
    throw new FetchError(
      'forbidden',
      `The address is not on the default port, so it is not fetched. ${whoMayRead(`${allowOrigins}=${url.origin}`)}`,
    );
  }
  url.hash = '';
  return url;
}
