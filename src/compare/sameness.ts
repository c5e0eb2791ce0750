/** When two values of a result say the same: after blanks, the form of numbers, and what addresses carry for trackers. */

import { isRecord } from '../contract/result-rows.ts';
import { canonicalAddress } from './addresses.ts';
import { withoutUnseen } from './digits.ts';
import { readNumber } from './number.ts';

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

function canonicalText(text: string): string {
  const plain = withoutUnseen(text).normalize('NFC').replace(/\s+/gu, ' ').trim();
  const address = canonicalAddress(plain);
  if (address !== undefined) return address;
  const reading = plain.length <= maxNumberText && /\p{Nd}/u.test(plain) ? readNumber(plain) : undefined;
  if (reading?.kind !== 'one') return plain;
  const { value, before, after } = reading;
  return ['=', value, before, after].filter((part) => part !== '').join(' ');
}
