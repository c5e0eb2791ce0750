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

const quotes = /^(?:<(.*)>|"(.*)"|'(.*)'|“(.*)”|\[(.*)\])$/s;
const publicHost =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]*\p{L}(?::\d{1,5})?(?:[/?#]\S*)?$/u;
const ownHost = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?(?:[/?#]\S*)?$/i;
/** No address is longer. */
const maxTyped = 4_000;

/** An address as people type it (`example.com/page`, `<HTTPS://…>`, with blanks around it) as a web address; else the text as it is. */
export function readTypedAddress(text: string): string {
  if (text.length > maxTyped) return text;
  const trimmed = text.trim();
  const bare = (
    quotes
      .exec(trimmed)
      ?.slice(1)
      .find((part) => part !== undefined) ?? trimmed
  ).trim();
  const address = /^https?:\/\//i.test(bare)
    ? bare.replace(/^https?/i, (scheme) => scheme.toLowerCase())
    : publicHost.test(bare.replace(/^\/\//, ''))
      ? `https://${bare.replace(/^\/\//, '')}`
      : ownHost.test(bare)
        ? `http://${bare}`
        : text;
  return URL.canParse(address) && !/\s/.test(address) ? address : text;
}
