/** What the numbers of a page tell about its decimal mark. */
import { toPlainDigits } from '../../compare/digits.ts';
import { saysMoney } from '../../compare/money.ts';
import { type DecimalMark, readNumber } from '../../compare/number.ts';

/** Numerals with a mark, which are not part of a date, a version, an address or a name. */
const marked = /(?<![\p{L}\d.,:/'-])\d+(?:[' ]\d{3})*(?:[.,]\d+)+(?![\d:/]|[.,-]\d)/gu;
/** More tell nothing new. */
const mostNumerals = 2_000;
/** Nothing but a decimal fraction or groups: `1.234,50`, `1,234,567`, `0,5`. `1.2` may be a section, `14.30` a time. */
const isPlainly = (numeral: string) =>
  /^0[.,]\d|\d[.,' ]\d{3}[.,]\d/.test(numeral) || (numeral.match(/[.,]/g)?.length ?? 0) > 1;
const unit = /^ ?(?:[%‰°]|\p{L}{1,3}(?!\p{L}))/u;
const time = /^(?:[01]?\d|2[0-4])[.,][0-5]\d$/;
const degree = /^ ?[%‰°]/;

/** How many times more often one mark must be told than the other. */
const clearly = 5;

/**
 * The comma, where the language that a page states writes it before decimals. English tells nothing: templates state it for
 * pages of any language. Spanish without a country is written both ways.
 */
function markOf(language: string): ',' | undefined {
  if (/^(?:en\b|es$|$)/i.test(language.trim())) return undefined;
  try {
    const parts = new Intl.NumberFormat(language.trim()).formatToParts(1.5);
    return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The decimal mark of a page by all numbers of its text, else by its language; undefined where they do not tell, or the
 * numbers disagree.
 */
export function findPageMark(shown: string, language = ''): DecimalMark | undefined {
  const told = { '.': 0, ',': 0 };
  let remaining = mostNumerals;
  for (const line of shown.split('\n')) {
    if (!/\d[.,٫]\d|[٫．，]/.test(line)) continue;
    const text = toPlainDigits(line);
    for (const { 0: numeral, index } of text.matchAll(marked)) {
      remaining -= 1;
      if (remaining < 0) break;
      const reading = readNumber(numeral);
      if (reading?.kind !== 'one' || reading.mark === undefined) continue;
      if (isPlainly(numeral) || isAmount(numeral, text, index)) told[reading.mark] += 1;
    }
  }
  if (told['.'] + told[','] === 0) return markOf(language);
  if (told['.'] > told[','] * clearly) return '.';
  return told[','] > told['.'] * clearly ? ',' : undefined;
}

/** Whether a unit or a currency stands beside the numeral at a place of the text. */
function isAmount(numeral: string, text: string, at: number): boolean {
  const after = text.slice(at + numeral.length, at + numeral.length + 8);
  const sign = time.test(numeral) ? degree : unit;
  return sign.test(after) || saysMoney(text.slice(Math.max(at - 4, 0), at) + after);
}
