/** Which network addresses the service may connect to: public unicast ones, and nothing else. */
import ipaddr from 'ipaddr.js';

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True for a public unicast address. IPv6 is admitted by its one global range, not by a list of what is
 * forbidden: `::/96`, IPv4-mapped, NAT64, unique local and everything unassigned lie outside of it; the
 * tunnels inside of it (6to4, Teredo), which may lead to a private IPv4 address, have a range name of their own.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || (parsed.zoneId === undefined && parsed.match(globalUnicast));
}
