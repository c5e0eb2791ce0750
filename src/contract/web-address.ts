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
