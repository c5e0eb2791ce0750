/** The singular of a word. */

const unchanging = new Set('news series species lens always perhaps plus minus bus gas'.split(' '));

/** The singular, roughly: enough to compare by. */
export function stem(word: string): string {
  if (unchanging.has(word)) return word;
  if (/^(?:mov|cook|calor|zomb|self|brown|t|p|d|l)ies$/.test(word)) return word.slice(0, -1);
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is|ijs)$/.test(word)) return word.slice(0, -1);
  return word;
}
