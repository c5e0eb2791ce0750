/** Whether numbers are written with a decimal point or a decimal comma. */

/** Digits in groups of three or in none, and at most one decimal mark: no date, version or telephone number. */
export const wellFormed = /^[-+−]?(?:\d+|\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+)(?:[.,]\d+)?$/;
const commaLanguages = /^(?:de|fr|es|it|nl|pt|pl|cs|sk|da|sv|no|nb|fi|ru|uk|tr|ro|hu|el|hr|sl|bg|id|vi)/i;

/** The decimal mark, by what the numbers allow and the language, such as `de`, suggests. */
export function findDecimalMark(numerals: readonly string[], language: string): '.' | ',' {
  if (numerals.some((numeral) => /\.\d{3},\d|\d,\d{1,2}$|,\d{4,}$/.test(numeral))) return ',';
  if (numerals.some((numeral) => /,\d{3}\.\d|\.\d{1,2}$|\.\d{4,}$/.test(numeral))) return '.';
  // Only groups of three are left: 1.234 or 1,234.
  const isComma = commaLanguages.test(language);
  return isComma && numerals.every((numeral) => !numeral.includes(',')) ? ',' : '.';
}
