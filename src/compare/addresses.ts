/** When two addresses lead to the same page, and when an address matches a pattern. */
import { isLoopback } from '../contract/web-address.ts';

/** Names of parameters that say where a visitor came from or who it is, never which page is meant. */
const tracking =
  /^(?:utm_\w+|ga_\w+|_ga|_gl|g?clid|gclsrc|dclid|fbclid|msclkid|yclid|twclid|ttclid|igshid|igsh|gbraid|wbraid|srsltid|mc_[ce]id|mkt_tok|_hs\w+|hsctatracking|vero_id|wickedid|oly_\w+|spm|scm|ref|ref_\w*|referrer|cmpid|phpsessid|jsessionid|sessionid)$/i;

/** The address without what trackers add, and on this machine without its port; its parameters in order; undefined for other texts. */
export function canonicalAddress(text: string): string | undefined {
  if (!/^\s*https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  // A site on this machine gets another port at each start.
  if (isLoopback(url.hostname)) url.port = '';
  url.pathname = url.pathname.replace(/;jsessionid=[^/;]*/i, '');
  for (const name of [...url.searchParams.keys()]) if (tracking.test(name)) url.searchParams.delete(name);
  url.searchParams.sort();
  return url.href.replace(/[?#]$/, '');
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
