/** The words of a text by their stems, without stop words: `books` and `book` are the same. */
import { stemmer } from '@orama/stemmers/english';
import { stopwords } from '@orama/stopwords/english';

/** What people put around the words that matter. */
const requestWords = ['find', 'get', 'give', 'look', 'need', 'please', 'show', 'want'];
const ignored = new Set([...stopwords, ...requestWords]);
const word = /[\p{L}\p{N}]+/gu;
const maxKnown = 20_000;

const stemCache = new Map<string, string>();

/** `maxPages`, `max_pages` and `max-pages` are two words each. */
export function toStems(text: string): string[] {
  const separate = text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  return (separate.match(word) ?? []).filter((token) => !ignored.has(token)).map(toStem);
}

/** The same few words make up most texts. */
function toStem(token: string): string {
  const before = stemCache.get(token);
  if (before !== undefined) return before;
  const stem = stemmer(token);
  if (stemCache.size >= maxKnown) stemCache.clear();
  stemCache.set(token, stem);
  return stem;
}
