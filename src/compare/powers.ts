/** What multiplies a number or divides it: fractions, powers of ten, words such as "thousand", letters behind money. */
import { type Currency, currencyAtStart } from './money.ts';

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const fromSuperscripts = (text: string) =>
  text.replace(/⁻/g, '-').replace(/[⁰¹²³⁴-⁹]/g, (digit) => String(superscripts.indexOf(digit)));

const toDecimal = (whole: string, over: string, under: string) =>
  String(Math.round((Number(whole) + Number(over) / Number(under)) * 1e6) / 1e6);
/** `½` and `1 ½`, `2 1/2` as decimals with a point. A fraction alone, `4/5`, is a rating as often. */
export const withoutFractions = (text: string): string =>
  text
    .replace(
      /([⁰¹²³⁴-⁹]+)[/⁄]([₀-₉]+)/g,
      (_, over: string, under: string) => ` ${fromSuperscripts(over)}⁄${under.normalize('NFKC')}`,
    )
    .replace(/(?:(?<![\d.,])(\d+) ?)?([¼-¾⅐-⅞])/g, (_, whole = '', sign: string) => {
      const [over = '', under = ''] = sign.normalize('NFKC').split('⁄');
      return toDecimal(whole, over, under);
    })
    .replace(
      /(?<![\d.,])(?:(\d+) +)?(\d{1,2})⁄([1-9]\d{0,2})(?!\d)|(?<![\d.,])(\d+) (\d)\/([1-9]\d?)(?![\d/])/g,
      (found, whole = '', top, bottom, mixed, over, under) =>
        mixed === undefined
          ? toDecimal(whole, top, bottom)
          : Number(over) < Number(under)
            ? toDecimal(mixed, over, under)
            : found,
    );

const thirdDecimal = /(?<![\d.,])(\d+([.,])\d\d)([⁰¹²³⁴-⁹])(?![⁰¹²³⁴-⁹])(.*)/u;
/**
 * `1,68⁹ €` as `1,689 €`, with its decimal mark: before the sign of the currency a raised digit is a third decimal, as prices of
 * fuel have, and no note's. Undefined for other text.
 */
export function withThirdDecimal(text: string): { text: string; mark: '.' | ',' } | undefined {
  const [found, amount, mark, digit = '', after = ''] = thirdDecimal.exec(text) ?? [];
  if (found === undefined || currencyAtStart(after.trimStart()) === undefined) return undefined;
  const whole = `${amount}${fromSuperscripts(digit)}${after}`;
  return { text: text.replace(found, () => whole), mark: mark === ',' ? ',' : '.' };
}

/** Words and letters behind a number that multiply it. */
const factors: readonly (readonly [RegExp, number])[] = [
  [/^ ?hundred(?!\p{L})/iu, 2],
  [/^ ?[千천](?!\p{L})/u, 3],
  [/^ ?[万萬만]/u, 4],
  [/^ ?[億亿억]/u, 8],
  [/^ ?[兆조]/u, 12],
  [/^ ?(?:thousand|tausend|tsd\.?|mille|tys\.?|тыс\.?)(?!\p{L})/iu, 3],
  [/^ ?(?:lakhs?|lacs?)(?!\p{L})/iu, 5],
  [/^ ?(?:millions?|millionen|mio\.?|mln\.?|millones|millón|milhões|milhão|milioni|млн\.?)(?!\p{L})/iu, 6],
  [/^ ?(?:crores?)(?!\p{L})/iu, 7],
  [/^ ?(?:billions?|bn|milliarden?|mrd\.?|mld\.?|milliards?|miliardi|млрд\.?)(?!\p{L})/iu, 9],
  [/^ ?trillions?(?!\p{L})/iu, 12],
  [/^k(?![\p{L}\d/])/u, 3],
  // `2.4m views`: what nobody measures in metres.
  [
    /^m(?= (?:views?|followers|subscribers|downloads|installs|plays|streams|likes|reads|users|members|visits|votes|ratings|reviews|posts|comments|players|fans|people)(?!\p{L}))/u,
    6,
  ],
];
/** `$5M`, `1.2B`: capital letters count only behind money or decimals; `4K` and `12B` are names as often. */
const letters: Readonly<Record<string, number>> = { K: 3, M: 6, B: 9 };
/** `$5m`, `€5 mn`, `₹1.5 Cr`: only behind money. */
const ofMoney: readonly (readonly [RegExp, number])[] = [
  [/^(?:m| ?m[nm]| ?MM)(?![\p{L}\d/])/u, 6],
  [/^b(?![\p{L}\d/])/u, 9],
];
/** `5 mil` is 5000 in Spain and 0.005 inches elsewhere; which sign `CR` and `DR` give an amount, the account tells. */
const open = /^ ?(?:mil|[CD]r)\.?(?!\p{L})/iu;

export interface Power {
  readonly power: number;
  readonly rest: string;
  /** Behind such a power the only mark of a numeral is the decimal mark: `6.022 × 10²³`, `1.234k`. */
  readonly isScientific?: true;
  /** Shortened by a letter, as counts are: `12k`; `m` behind the number may be one, or metres. */
  readonly letter?: 'k' | 'm';
}
export function readPower(after: string, digits: string, currency: Currency | undefined): Power | 'unclear' {
  const exponent = /^[eE]([-+]?\d{1,3})(?![\p{L}\d.,])/u.exec(after);
  if (exponent !== null)
    return { power: Number(exponent[1]), rest: after.slice(exponent[0].length), isScientific: true };
  const product = /^ ?[×x·*⋅] ?10(?:\^([-+]?\d{1,3})|([⁻⁰¹²³⁴-⁹]+))/u.exec(after);
  if (product !== null)
    return {
      power: Number(product[1] ?? fromSuperscripts(product[2] ?? '')),
      rest: after.slice(product[0].length),
      isScientific: true,
    };
  const raised = /^(?:\^([-+]?\d{1,3})(?![\d.])|([⁻⁰¹²³⁴-⁹]+))/u.exec(after);
  if (raised !== null) {
    const rest = after.slice(raised[0].length);
    if (digits === '10') return { power: Number(raised[1] ?? fromSuperscripts(raised[2] ?? '')) - 1, rest };
    // A single digit behind marks is a footnote's: nobody raises 1,234.50 to a power. `$3.59⁹` is a third decimal as often.
    const isNote = raised[2]?.length === 1 && /\D/.test(digits);
    return isNote && (/[¹²³]$/.test(raised[0]) || !/[.,]\d\d$/.test(digits)) ? { power: 0, rest } : 'unclear';
  }
  if (currency?.code === 'INR' && /^ ?Cr\.?(?!p{L})/i.test(after)) return { power: 7, rest: '' };
  if (open.test(after)) return 'unclear';
  for (const [word, power] of currency === undefined ? factors : [...factors, ...ofMoney]) {
    const [found] = word.exec(after) ?? [];
    if (found !== undefined)
      return { power, rest: after.slice(found.length), ...(found === 'k' && { letter: 'k' }) };
  }
  const [, letter] = /^([KMBm])(?![\p{L}\d/²³])/u.exec(after) ?? [];
  if (letter === undefined) return { power: 0, rest: after };
  if (letter === 'm') return { power: 0, rest: after, letter };
  return currency !== undefined || /\D/.test(digits)
    ? {
        power: letters[letter] ?? 0,
        rest: after.slice(1),
        isScientific: true,
        ...(letter === 'K' && { letter: 'k' }),
      }
    : 'unclear';
}
