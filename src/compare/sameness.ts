/** When two values of a result say the same: after blanks, the form of numbers, and what addresses carry for trackers. */
import { isLoopback } from '../contract/web-address.ts';
import { isRecord } from './main-list.ts';
import { readNumber } from './number.ts';

/** Names of parameters that say where a visitor came from or who it is, never which page is meant. */
const tracking =
  /^(?:utm_\w+|ga_\w+|_ga|_gl|g?clid|gclsrc|dclid|fbclid|msclkid|yclid|twclid|ttclid|igshid|igsh|gbraid|wbraid|srsltid|mc_[ce]id|mkt_tok|_hs\w+|hsctatracking|vero_id|wickedid|oly_\w+|spm|scm|ref|ref_\w*|referrer|cmpid|phpsessid|jsessionid|sessionid)$/i;
/** In a longer text a number is one of many words. */
const maxNumberText = 80;

/** A text that is equal for two values where they say the same. An absent value, null and an empty text are the empty text. */
export function canonicalValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return canonicalText(value);
  if (typeof value === 'number') return canonicalText(String(value));
  if (Array.isArray(value)) return `[${value.map(canonicalValue).sort().join('\u0000')}]`;
  if (!isRecord(value)) return String(value);
  const members = Object.entries(value)
    .map(([name, member]): [string, string] => [name, canonicalValue(member)])
    .filter(([, member]) => member !== '')
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(members);
}

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

function canonicalText(text: string): string {
  const plain = text.normalize('NFC').replace(/\s+/gu, ' ').trim();
  const address = canonicalAddress(plain);
  if (address !== undefined) return address;
  const reading = plain.length <= maxNumberText && /\p{Nd}/u.test(plain) ? readNumber(plain) : undefined;
  if (reading?.kind !== 'one') return plain;
  const { value, before, after } = reading;
  return ['=', value, before, after].filter((part) => part !== '').join(' ');
}
