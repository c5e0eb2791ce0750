/** Which rules of a recipe read the texts of a column as numbers. */
import { toPlainDigits } from '../../../compare/digits.ts';
import { isMeasure } from '../../../compare/head-units.ts';
import { withLocal } from '../../../compare/local-currency.ts';
import { currencyAtEnd, currencyAtStart, findCurrency } from '../../../compare/money.ts';
import { isMonthName } from '../../../compare/month-names.ts';
import { type DecimalMark, type NumberReading, readNumber } from '../../../compare/number.ts';
import { decimalMarkOf, disagree, mixesLetters } from '../../../compare/number-set.ts';
import type { ValueRules } from '../../recipes/recipe-schema.ts';

interface Parsed {
  readonly reading: NumberReading;
  readonly unit: string;
  /** ISO 4217, or a sign that several currencies share. */
  readonly currency: string | undefined;
  /** Beside an amount and its currency: "from", "per night", an author. */
  readonly words: string;
  /** Its digits behind the last mark. */
  readonly decimals: number;
}

/** "7A", "A7" and "571527/24" name things; "1581(c)" is a section. */
function isPartOfName(value: string, after: string): boolean {
  const text = toPlainDigits(value);
  const lead = text.slice(0, text.search(/\d/)).replace(/[-+] ?$/, '');
  if (/[\p{L}/#]$/u.test(lead) && currencyAtEnd(lead) === undefined) return true;
  const isGlued = text.charAt(text.length - after.length - 1) !== ' ';
  return isGlued && /^[\p{Lu}/(]/u.test(after) && currencyAtStart(after) === undefined;
}

/** One number with a short unit or currency beside it; undefined for anything else. */
function parseOne(value: string, local: string | undefined): Parsed | undefined {
  const reading = readNumber(value);
  if (reading === undefined || reading.kind === 'range' || reading.kind === 'unclear') return undefined;
  const { before, after } = reading;
  if (/\d/.test(before + after) || /^[-+]?0\d/.test(toPlainDigits(value))) return undefined;
  if (isPartOfName(value, after)) return undefined;
  const decimals = /\d[.,](\d{1,2})(?![\d.,])/.exec(toPlainDigits(value))?.[1]?.length ?? 0;
  const currency = withLocal(findCurrency(`${before} ${after}`), local);
  if (currency !== undefined) {
    const words = `${before} ${after}`
      .replace(currency.sign, ' ')
      .replace(/[\s().~≈:,-]+/g, ' ')
      .trim();
    // "$5 USD" says it twice.
    const isTwice = findCurrency(words)?.sign === words && findCurrency(words)?.code === currency.code;
    return { reading, unit: currency.code, currency: currency.code, words: isTwice ? '' : words, decimals };
  }
  if (before !== '' && !/^[~≈(]$/.test(before)) return undefined;
  const unit = after.replace(/[().]/g, '').trim();
  if (unit.length > 14 || unit.split(/\s+/).length > 2) return undefined;
  // "5 Feb" is a day without its year.
  if (isMonthName(unit.split(/[\s.]/)[0] ?? '')) return undefined;
  return { reading, unit, currency: undefined, words: '', decimals };
}

/** Words beside all amounts, or beside some of them. Others, such as names, say more than the amount: that is a text. */
function hasOtherWords(parsed: readonly Parsed[]): boolean {
  const words = new Set(parsed.map((one) => one.words.toLowerCase()).filter((text) => text !== ''));
  return words.size > 1 || [...words].some((text) => text.length > 20 || text.split(' ').length > 3);
}

/** Whether words behind numbers are of several kinds, and no units: "7.5 HIGH", "4.4 MEDIUM". One word may be inflected. */
const haveOtherWords = (units: readonly string[]): boolean =>
  new Set(units.flatMap((unit) => (unit === '' || isMeasure(unit) ? [] : unit.toLowerCase().slice(0, stem))))
    .size > 1;
/** Letters that the forms of a word have in common. */
const stem = 3;

/** A JavaScript number cannot hold it: an identifier, or an amount with all of its digits. */
const isTooLong = ({ reading }: Parsed) =>
  (reading.kind === 'one' ? [reading.value] : Object.values('values' in reading ? reading.values : {})).some(
    (value) => typeof value === 'string',
  );

/** Long digit strings without separators are identifiers: dockets, article numbers, telephone numbers. */
const areNames = (values: readonly string[]) =>
  values.length > 0 && values.every((value) => /^\d{5,}$/.test(value.trim()));
/** Brackets around all numbers of a column but zero: counts behind the names of a list, "Shoes (128)", or behind stars, "(2.3K)". */
const areCounts = (values: readonly string[]) =>
  values.some((value) => value.trim() !== '0') &&
  values.every((value) =>
    /^(?:0|\((?:\d{1,3}(?:[.,'’\s]?\d{3})*|\d+(?:[.,]\d+)? ?[KkMm])\))$/.test(value.trim()),
  );
/** Cells of a table, where brackets may mean a minus, unless its page writes one otherwise: then they say another thing. */
interface Notation {
  readonly isTable: boolean;
  readonly writesMinus: boolean;
}

/** Numbers in brackets: only beside others they mean a minus, and among whole ones only a table tells an account. */
function mayBeCounts(readings: readonly NumberReading[], { isTable, writesMinus }: Notation): boolean {
  const inBrackets = readings.filter((one) => 'isInBrackets' in one && one.isInBrackets === true);
  const areWhole = () =>
    readings.every((one) => one.kind === 'one' && one.after === '' && Number.isInteger(one.value));
  return (
    inBrackets.length > 0 &&
    (writesMinus || inBrackets.length === readings.length || (!isTable && areWhole()))
  );
}

/** Texts without a digit may stand in the place of amounts of one currency, or of one number of decimals: "on request". */
function areEnough(parsed: readonly Parsed[], values: readonly string[]): boolean {
  if (parsed.length >= values.length * 0.9) return true;
  const [first] = parsed;
  const areAlike = (key: 'currency' | 'decimals') =>
    Boolean(first?.[key]) && parsed.every((one) => one[key] === first?.[key]);
  const others = values.filter((value) => !/\p{Nd}/u.test(value));
  return (
    parsed.length + others.length === values.length &&
    parsed.length >= Math.max(3, others.length * 2) &&
    (areAlike('currency') || areAlike('decimals'))
  );
}

/** The decimal mark, where one is needed and known; undefined where numbers have two readings. */
function markFor(
  readings: readonly NumberReading[],
  pageMark: DecimalMark | undefined,
): { readonly decimal?: DecimalMark } | undefined {
  const isOpen = readings.some(({ kind }) => kind === 'open');
  const decimal = decimalMarkOf(readings) ?? (isOpen && !disagree(readings) ? pageMark : undefined);
  if (decimal !== undefined) return { decimal };
  return isOpen ? undefined : {};
}

/**
 * Undefined if the texts are not numbers, are identifiers, or could be read in two ways. `pageMark` is the decimal mark of
 * the page's other numbers.
 * `local`: the currency that a sign means on the page.
 */
export function readingOfNumbers(
  values: readonly string[],
  pageMark: DecimalMark | undefined,
  notation: Notation,
  local?: string,
): { readonly rules: ValueRules; readonly unit: 'currency' | 'unit' | undefined } | undefined {
  if (areNames(values)) return undefined;
  const isCount = !notation.isTable && areCounts(values);
  const texts = isCount ? values.map((value) => value.trim().replace(/^\(|\)$/g, '')) : values;
  const parsed = texts.flatMap((value) => parseOne(value, local) ?? []);
  if (parsed.length === 0 || !areEnough(parsed, values)) return undefined;
  const isMoney = parsed.filter(({ currency }) => currency !== undefined).length * 2 >= parsed.length;
  if (hasOtherWords(parsed)) return undefined;
  if (!isMoney && haveOtherWords(parsed.map(({ unit }) => unit))) return undefined;
  const readings = parsed.map(({ reading }) => reading);
  if (mayBeCounts(readings, notation) || mixesLetters(readings)) return undefined;
  // Some would be numbers and some texts.
  if (parsed.some(isTooLong)) return undefined;
  const mark = markFor(readings, pageMark);
  if (mark === undefined) return undefined;
  const hasUnit = parsed.some(({ unit }) => unit !== '');
  // A currency is a code, and nothing beside it is lost.
  const isPlain = parsed.every(({ currency, words }) => words === '' && /^[A-Z]{3}$/.test(currency ?? 'AAA'));
  return {
    rules: {
      type: 'number',
      ...mark,
      ...(isCount && { match: '^\\(?(.*?)\\)?$' }),
    },
    unit: isMoney && isPlain ? 'currency' : hasUnit ? 'unit' : undefined,
  };
}
