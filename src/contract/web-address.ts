/** What addresses say by themselves, without a look-up. */

/**
 * Addresses with a password in them, or a user name in a web address (RFC 3986, section 3.2.1), are refused before they
 * are stored, logged or sent on.
 */
export const passwordInAddress =
  'must not contain a user name or password; call login for websites with accounts';

/** Whether a text is such an address. */
export function hasPassword(text: string): boolean {
  if (!/^\s*[a-z][a-z0-9+.-]*:\/*[^/?#]*@/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return password !== '' || (username !== '' && /^https?:$/.test(protocol));
}

/** Whether a host, as a URL or a socket names it, is this machine for sure. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|.+\.localhost|(?:::ffff:)?127(?:\.\d+){3}|::1|\[::1\])$/i.test(host);

/** The root of a service's addresses as WHATWG writes it, without a slash at its end: `https://example.com/base/v1/svc`. */
export function toApiRoot(baseUrl: string, apiPrefix: string): string {
  const url = new URL(baseUrl);
  url.pathname = withoutEndSlashes(url.pathname) + apiPrefix;
  return url.origin + withoutEndSlashes(url.pathname);
}

/** Whether the base URL ends with the prefix already, so that it would stand twice in every address. */
export function repeatsPrefix(baseUrl: string, apiPrefix: string): boolean {
  const prefix = withoutEndSlashes(apiPrefix);
  return prefix !== '' && withoutEndSlashes(new URL(baseUrl).pathname).endsWith(prefix);
}

export function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
