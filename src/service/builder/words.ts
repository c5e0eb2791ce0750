/** Words: taken from texts, keys and class names, brought to one form, and compared by what they commonly mean. */
import { stem } from './stem.ts';
import { meaningsOf } from './vocabulary.ts';

/** Letters that are written as others where they are not at hand. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
  ı: 'i',
};

/** Without accents, in small letters. */
export const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßøæœłđı]/g, (letter) => letters[letter] ?? letter);

/** Small-letter words of any text, key or class name, in the singular: `datePosted`, `job-title`, `Unit price:`. */
export function wordsOf(text: string): string[] {
  return plain(text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2'))
    .split(/[^\p{L}\p{N}\p{M}#%]+/u)
    .filter((word) => word !== '')
    .map(stem);
}

/** `dept` for department: its letters in order, with hardly a vowel. */
function abbreviates(short: string, long: string): boolean {
  if (short.length < 3 || short.length > 5 || long.length < short.length + 3 || short[0] !== long[0])
    return false;
  if ((short.match(/[aeiou]/g) ?? []).length > 1) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}

/** Words of languages that inflect: `цены` and `ценой`. */
function isInflected(one: string, other: string): boolean {
  if (/^[\x20-\x7e]*$/.test(one + other)) return false;
  let common = 0;
  while (common < one.length && one[common] === other[common]) common += 1;
  return common >= 3 && common >= Math.max(one.length, other.length) * 0.6;
}

/** `design` of designer, designed, designing. */
const rootOf = (word: string) => word.replace(/(?<=.{4})(?:ed|er|or|ing|ion)$/, '');

const known = new Map<string, number>();

/** From 0 to 1: how likely two words name the same kind of thing. */
export function likeness(one: string, other: string): number {
  if (one === other) return 1;
  if (one.length > 60 || other.length > 60) return 0;
  const key = `${one} ${other}`;
  let found = known.get(key);
  if (found === undefined) {
    if (known.size > 50_000) known.clear();
    found = compared(one, other);
    known.set(key, found);
  }
  return found;
}

function compared(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  if (shorter >= 4 && (one.startsWith(other) || other.startsWith(one))) return 0.85;
  if (isInflected(one, other)) return 0.85;
  if (shorter >= 5 && rootOf(one) === rootOf(other)) return 0.85;
  const groups = meaningsOf(other);
  for (const group of meaningsOf(one)) if (groups.has(group)) return 0.75;
  if (abbreviates(one, other) || abbreviates(other, one)) return 0.75;
  if (shorter >= 4 && (one.includes(other) || other.includes(one))) return 0.6;
  return 0;
}

export const meansSame = (word: string, other: string) => likeness(word, other) >= 0.75;

/** A field's name of these words. */
export function fieldName(words: readonly string[]): string {
  const joined = plain(words.join('_'));
  const name = joined
    .replace(/[^\w]+/g, '')
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '');
  // Of other scripts the letters are kept: better than no name, or one of digits alone.
  const chosen =
    !/[a-z]/.test(name) && /\p{L}/u.test(joined) ? joined.replace(/[^\p{L}\p{N}_]+/gu, '') : name;
  return chosen.replace(/^(?=\d)/, '_').slice(0, 40);
}
