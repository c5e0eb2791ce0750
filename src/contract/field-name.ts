/** Names for the fields of a choice, made from the labels of columns. */

/** What signs mean where a label has no word. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/[#№＃]/gu, ' number '],
  [/[%％]/gu, ' percent '],
  [/±|\+\s*\/?\s*[-–−]/gu, ' plus minus '],
  [/[Δδ∆]/gu, ' delta '],
  [/[Øø⌀]/gu, ' average '],
  [/Σ|∑/gu, ' sum '],
  [/\p{Sc}/gu, ' amount '],
];

/** Vowel signs and accents belong to the letter before them; alone, such as behind a picture sign, they are no word. */
export const betweenWords = /(?:(?<![\p{L}\p{N}\p{M}])\p{M}+|[^\p{L}\p{N}\p{M}])+/gu;

const joined = (text: string) =>
  text
    .toLowerCase()
    .replace(betweenWords, '_')
    .replace(/^_+|_+$/g, '');

/** A single letter such as Δ is a sign as well. */
const hasWord = (name: string) => !/^[δø_]*$/u.test(name);

/** Letters, digits and `_`, not beginning with a digit; empty where the label has no word and no sign that has a meaning. */
export function fieldName(label: string): string {
  const plain = joined(label);
  const name = hasWord(plain)
    ? plain
    : joined(signs.reduce((text, [sign, word]) => text.replace(sign, word), label));
  return name.replace(/^(?=\p{N})/u, 'column_').slice(0, 40);
}

/** The name of a column; by its turn where its label gives none. */
export const columnName = (label: string, id: string): string =>
  fieldName(label) || id.replace(/^c(?=\d)/, 'column_');
