/** Addresses that a person may be told to open. They come from services and catalogs, and may be anything. */
import { hasPassword } from '../../contract/web-address.ts';

/** UTF-16 units; longer ones are shown to nobody. */
const maxAddress = 2_048;

/** A web address without a user name or password; undefined for anything else. */
export function toWebAddress(address: unknown): string | undefined {
  if (typeof address !== 'string' || address.length > maxAddress || !/^https?:/i.test(address))
    return undefined;
  return URL.canParse(address) && !hasPassword(address) ? new URL(address).href : undefined;
}

/** A relative path of the service's own origin, made absolute; undefined for anything else. */
export function toServiceAddress(path: unknown, origin: string): string | undefined {
  if (typeof path !== 'string' || path === '' || path.length > maxAddress) return undefined;
  if (URL.canParse(path) || !URL.canParse(path, origin)) return undefined;
  const address = new URL(path, origin);
  return address.origin === new URL(origin).origin && !hasPassword(address.href) ? address.href : undefined;
}

/** What a service sent, without addresses that nobody should open. Its own pages are added once they are checked. */
export function withoutUnsafeLinks(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { connect_url: _unchecked, login_url, ...others } = members;
  const address = toWebAddress(login_url);
  return address === undefined ? others : { ...others, login_url: address };
}
