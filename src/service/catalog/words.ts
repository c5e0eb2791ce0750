/** Normalizes words of texts, keys and class names, so that they can be compared. */

/** Without accents, in lower case. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss');

/** Small-letter words of any text, key or class name: `datePosted`, `job-title`, `Unit price:`. */
export const toWords = (text: string): string[] =>
  plain(text.replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2'))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** A field's name for a phrase: `link to the PDF` is `link_to_the_pdf`. */
export const toFieldName = (phrase: string): string =>
  plain(phrase)
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, '_')
    .slice(0, 40);
