/** The words of texts, keys and class names in a form that can be compared, and the phrases that two texts share. */
import { betweenWords } from '../../contract/field-name.ts';

/** Without accents, in lower case. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    // Vowels of Thai and Lao that NFC does not join again.
    .replaceAll('\u0E4D\u0E32', '\u0E33')
    .replaceAll('\u0ECD\u0EB2', '\u0EB3')
    .toLowerCase()
    .replaceAll('ß', 'ss');

/** Small-letter words of any text, key or class name: `datePosted`, `job-title`, `Unit price:`; `1Y` is one word, as `1y` is. */
export const toWords = (text: string): string[] =>
  plain(text.replace(/\p{Ll}(?=\p{Lu})|\d(?=\p{Lu}\p{Ll})/gu, '$& '))
    .split(betweenWords)
    .filter((word) => word !== '');

/** A field's name for a phrase: `link to the PDF` is `link_to_the_pdf`. */
export const toFieldName = (phrase: string): string =>
  plain(phrase)
    .replace(betweenWords, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, '_')
    .slice(0, 40);

/** Words of a phrase that is looked for. */
const length = 4;

export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const phrasesOf = (words: readonly string[], size: number): string[] =>
  Array.from({ length: Math.max(words.length - size + 1, 0) }, (_, start) =>
    words.slice(start, start + size).join(' '),
  );

/** A part of which a text has more than this share of the phrases is a copy of it. */
export const mostlyHeld = 0.9;

/** Whether a text is said in another one, by the phrases that they share. */
export class Phrases {
  readonly #known: ReadonlySet<string>;

  constructor(text: string) {
    const words = wordsOf(text);
    this.#known = new Set([1, 2, 3, length].flatMap((size) => phrasesOf(words, size)));
  }

  /** Whether a text, or more than `share` of its phrases, is part of this one. */
  hold(text: string, share: number): boolean {
    const words = wordsOf(text);
    const phrases = phrasesOf(words, Math.min(words.length, length));
    const held = phrases.filter((phrase) => this.#known.has(phrase));
    return words.length === 0 || held.length > phrases.length * share;
  }
}
