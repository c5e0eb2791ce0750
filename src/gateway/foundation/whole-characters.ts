/** Cuts of text that leave no half of a surrogate pair. */

/** At most `length` UTF-16 units, without half a surrogate pair at the end. */
export function wholeCharacters(text: string, length: number): string {
  if (text.length <= length) return text;
  return text.slice(0, splitsPair(text, length) ? length - 1 : length);
}

/** Whether a cut at `index` would part a surrogate pair. */
export function splitsPair(text: string, index: number): boolean {
  return /[\uD800-\uDBFF]/.test(text.charAt(index - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(index));
}
