/** What the numbers of a page tell about its decimal mark. */
import { toPlainDigits } from '../../compare/digits.ts';
import { currencyAtEnd, currencyAtStart, saysMoney } from '../../compare/money.ts';
import { type DecimalMark, readNumber } from '../../compare/number.ts';

/** Numerals with a mark, which are not part of a date, a version, an address or a name. */
const marked = /(?<![\p{L}\d.,:/'-])\d+(?:[' ]\d{3})*(?:[.,]\d+)+(?![\d:/]|[.,-]\d)/gu;
/** More tell nothing new. */
const mostNumerals = 2_000;
/** Nothing but a decimal fraction or groups: `1.234,50`, `1,234,567`, `0,5`. `1.2` may be a section, `14.30` a time. */
const isPlainly = (numeral: string) =>
  /^0[.,]\d|\d[.,' ]\d{3}[.,]\d/.test(numeral) || (numeral.match(/[.,]/g)?.length ?? 0) > 1;
/** Symbols that are written alike everywhere. Other letters are a part of a name: "1.5 TSI", "2.0 d". */
const unit =
  /^ ?(?:[kmcµ]?[gm]|[mcd]?l|[mk]?[VWA]h?|[kMGT]i?B|[kMG]?Hz|h|min|ha|oz|lbs?|ft|mi)[²³]?(?![\p{L}\d])/u;
const time = /^(?:[01]?\d|2[0-4])[.,][0-5]\d$/;
const degree = /^ ?[%‰°]/;

/** How many times more often one mark must be told than the other. */
const clearly = 5;

/** As in Spain alone of all countries where Spanish is spoken. "1.459 €" may be the price of a litre. */
const eurosBehind = /(?<![\d.,])\d{2,3}\.\d{3} ?(?:€|EUR\b|euros?\b)(?! ?\/)/i;

/**
 * The comma, where the language that a page states writes it before decimals. English tells nothing: templates state it for
 * pages of any language. Spanish without a country is written both ways, unless amounts are in euros.
 */
function markOf(language: string, shown: string): ',' | undefined {
  if (/^(?:en\b|$)/i.test(language.trim())) return undefined;
  if (/^es$/i.test(language.trim())) return eurosBehind.test(shown) ? ',' : undefined;
  try {
    const parts = new Intl.NumberFormat(language.trim()).formatToParts(1.5);
    return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where nothing tells, or numbers disagree. */
interface PageMark {
  /** By the numbers alone. */
  readonly told: DecimalMark | undefined;
  /** Else by the language that the page states. */
  readonly value: DecimalMark | undefined;
}

/** The decimal mark of a page, as the numbers of its text tell. */
export function findPageMark(shown: string, language = ''): PageMark {
  const [surely, maybe] = [new Marks(), new Marks()];
  let remaining = mostNumerals;
  for (const line of shown.split('\n')) {
    if (!/\d[.,٫]\d|[٫．，]/.test(line)) continue;
    const text = toPlainDigits(line);
    for (const { 0: numeral, index } of text.matchAll(marked)) {
      remaining -= 1;
      if (remaining < 0) break;
      const reading = readNumber(withSign(numeral, text, index));
      if (reading?.kind !== 'one' || reading.mark === undefined) continue;
      if (isPlainly(numeral) || isAmount(numeral, text, index)) surely.add(reading.mark);
      else if (hasUnit(numeral, text, index)) maybe.add(reading.mark);
    }
  }
  const stated = markOf(language, shown);
  if (surely.count > 0) return { told: surely.clear, value: surely.clear };
  // Names have numbers that are written as elsewhere: "Golf 2.0 l".
  const told = stated === undefined || maybe.clear === stated ? maybe.clear : undefined;
  return { told, value: stated ?? told };
}

/** How often each mark is told. */
class Marks {
  readonly #told = { '.': 0, ',': 0 };

  add(mark: DecimalMark): void {
    this.#told[mark] += 1;
  }

  get count(): number {
    return this.#told['.'] + this.#told[','];
  }

  get clear(): DecimalMark | undefined {
    const { '.': points, ',': commas } = this.#told;
    if (points > commas * clearly) return '.';
    return commas > points * clearly ? ',' : undefined;
  }
}

const behind = (numeral: string, text: string, at: number) =>
  text.slice(at + numeral.length, at + numeral.length + 8);
/** Whether a currency or a share stands beside the numeral at a place of the text. */
const isAmount = (numeral: string, text: string, at: number): boolean => {
  const after = behind(numeral, text, at);
  return degree.test(after) || saysMoney(text.slice(Math.max(at - 4, 0), at) + after);
};
/** `£16,995` has one reading, though `16,995` has two. */
const withSign = (numeral: string, text: string, at: number): string => {
  const before = currencyAtEnd(text.slice(Math.max(at - 4, 0), at).trimEnd())?.sign ?? '';
  const after = currencyAtStart(behind(numeral, text, at).trimStart())?.sign ?? '';
  return `${before}${numeral}${before === '' ? after : ''}`;
};
const hasUnit = (numeral: string, text: string, at: number): boolean =>
  !time.test(numeral) && unit.test(behind(numeral, text, at));
