/** Whether a text is said in another one, by the phrases that they share. */

/** Words of a phrase that is looked for. */
const length = 4;

export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const phrasesOf = (words: readonly string[], size: number): string[] =>
  Array.from({ length: Math.max(words.length - size + 1, 0) }, (_, start) =>
    words.slice(start, start + size).join(' '),
  );

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
