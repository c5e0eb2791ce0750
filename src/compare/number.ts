/**
 * What a text says as a number, and whether it can be read in two ways. `1.234` is 1234 or 1.234: the numeral alone does not
 * tell, so that callers decide by other numerals, or keep the text.
 */
import { toPlainDigits } from './digits.ts';
import {
  type Currency,
  currencyAtEnd,
  currencyAtStart,
  findAmount,
  findCurrency,
  readCents,
  separatesGroups,
} from './money.ts';
import { type Power, readPower, withoutFractions, withThirdDecimal } from './powers.ts';

export type DecimalMark = '.' | ',';

/** A number; one that a JavaScript number cannot hold, such as an amount of billions with its cents, as its digits. */
export type Exact = number | string;

interface Around {
  /** The text before and after the number, without its sign. */
  readonly before: string;
  readonly after: string;
  /** It stands in brackets, which mean a minus in accounts only: others so write counts, errors and notes. */
  readonly isInBrackets?: true;
  readonly letter?: Power['letter'];
}
export type NumberReading =
  | ({
      readonly kind: 'one';
      readonly value: Exact;
      /** The decimal mark, where the numeral tells it. */
      readonly mark?: DecimalMark | undefined;
      /** Digits without any mark, which tell something only beside others. */
      readonly digits?: string | undefined;
    } & Around)
  /** Two readings, by the decimal mark. */
  | ({
      readonly kind: 'open';
      readonly values: Readonly<Record<DecimalMark, Exact>>;
      /** The mark that it is written with. */
      readonly written: DecimalMark;
    } & Around)
  | { readonly kind: 'range'; readonly low: Exact; readonly high: Exact; readonly after: string }
  /** A number with a part that is a factor, a power or a footnote. */
  | { readonly kind: 'unclear' };

const groups = "\\d{1,3}(?:([.,' ])\\d{3})(?:\\1\\d{3})*(?!\\d)";
const lakhs = '\\d{1,2}(?:,\\d{2})+,\\d{3}(?!\\d)';
const numeral = new RegExp(
  `(?:${groups}|${lakhs}|\\d+)(?:[.,]\\d+)*|(?<![\\p{L}\\d.,])[.,]\\d+(?![.,]?\\d)`,
  'u',
);
/** What the marks of a numeral say: the value by each decimal mark; undefined where neither fits. */
interface Marks {
  readonly '.'?: string;
  readonly ','?: string;
}

/** The digits with a point, if `mark` is the decimal mark of the numeral. */
function withMark(text: string, mark: DecimalMark): string | undefined {
  const [whole = '', fraction, ...more] = text.split(mark);
  const group = mark === '.' ? ',' : '.';
  const isGrouped =
    /^\d*$/.test(whole) ||
    /^\d{1,3}(?:([.,' ])\d{3})(?:\1\d{3})*$/.test(whole) ||
    (group === ',' && /^\d{1,2}(?:,\d{2})+,\d{3}$/.test(whole));
  if (!isGrouped || /^0\d*[.,' ]/.test(whole) || more.length > 0) return undefined;
  if (fraction === '' || /\D/.test(fraction ?? '')) return undefined;
  const digits = whole.replace(/\D/g, '');
  return fraction === undefined ? digits : `${digits === '' ? '0' : digits}.${fraction}`;
}

const readMarks = (text: string): Marks => {
  const [point, comma] = [withMark(text, '.'), withMark(text, ',')];
  return { ...(point !== undefined && { '.': point }), ...(comma !== undefined && { ',': comma }) };
};

/** Beyond it, rounding to a JavaScript number can reach the cents. */
const large = 2 ** 33;
/** Whether a JavaScript number is another one than the digits, which may have a point. */
export function isRounded(digits: string, value: number): boolean {
  if (/^-?\d+$/.test(digits)) return !Number.isSafeInteger(value);
  const written = digits.replace(/^-?0*(?=\d)/, '').replace(/\.?0*$/, '');
  return Math.abs(value) > large && !/e/i.test(digits) && String(Math.abs(value)) !== written;
}

function toExact(digits: string, isNegative: boolean, power: number): Exact | undefined {
  const value = Number(`${digits}e${power}`) * (isNegative ? -1 : 1);
  // Too large, or so small that nothing would be left of it.
  if (!Number.isFinite(value) || (value === 0 && /[1-9]/.test(digits))) return undefined;
  if (power === 0 && isRounded(digits, value))
    return `${isNegative ? '-' : ''}${digits.replace(/^0+(?=\d)/, '')}`;
  return value === 0 ? 0 : value;
}

/** Footnotes' marks behind a value. */
const footnote = /\s?(?:\[\w{1,3}\]|[*†‡§¶]+)(?=\s|$)/g;
/** A minus or plus before the digits, also before or behind the sign of a currency; with a space only where the text begins. */
function readSign(before: string): { readonly isNegative: boolean; readonly rest: string } | 'name' {
  const word = /(?<!\p{L})(?:minus|moins|menos|meno) $/iu.exec(before);
  if (word !== null) return { isNegative: true, rest: before.slice(0, word.index) };
  const [, head = '', sign, tail = ''] = /^(.*?)([-+]) ?([^-+\d]*)$/u.exec(before) ?? [];
  if (sign === undefined) return { isNegative: false, rest: before };
  const inner = tail.trim();
  const isMoney = inner !== '' && currencyAtStart(inner)?.sign === inner;
  if (inner !== '' && !isMoney) return { isNegative: false, rest: before };
  const isAttached = !before.endsWith(`${sign} `);
  if (/\p{L}$/u.test(head) && currencyAtEnd(head) === undefined)
    return isAttached ? 'name' : { isNegative: false, rest: before };
  if (!isAttached && head !== '') return { isNegative: false, rest: before };
  return { isNegative: sign === '-', rest: `${head} ${tail}`.trim() };
}

interface Parts {
  readonly digits: string;
  readonly before: string;
  readonly after: string;
  readonly currency: Currency | undefined;
}

/** Written as accounts write what is negative: `(1,234)`, `1,234-`. */
function isTrailing(after: string): boolean {
  const rest = /^-(?: (.*))?$/.exec(after);
  const sign = rest?.[1] ?? '';
  return rest !== null && (sign === '' || sign === '%' || currencyAtStart(sign)?.sign === sign);
}
const inBrackets = /^([^()\d]{0,5})\(([^()]*\d[^()]*)\)([^()\d]{0,5})$/;

/** The text inside of an account's brackets; undefined where they hold more than an amount. */
function withoutBrackets(text: string): string | undefined {
  const [, before = '', inner = '', after = ''] = inBrackets.exec(text) ?? [];
  const isSign = (part: string) => {
    const sign = part.trim();
    return sign === '' || sign === '%' || currencyAtStart(sign)?.sign === sign;
  };
  const [numbers = ''] = numeral.exec(inner) ?? [];
  const at = inner.indexOf(numbers);
  if (numbers === '' || !isSign(inner.slice(0, at)) || !isSign(inner.slice(at + numbers.length)))
    return undefined;
  return isSign(before) && isSign(after) ? `${before}${inner}${after}` : undefined;
}

/** Words of the hour beside a numeral: "19.30 Uhr", "kl. 7.15". */
const isClock = ({ before, after }: Parts) =>
  /^ ?Uhr(?!\p{L})/iu.test(after) || /(?<!\p{L})klo? ?\.? ?$/iu.test(before);

/** Dates, times, telephone numbers, versions and references are no numbers. */
function isOther(parts: Parts): boolean {
  const { digits, before, after } = parts;
  if (isClock(parts)) return true;
  if (/^:\d/.test(after) || /^[-/]\d+[-/]\d/.test(after) || /\d:$/.test(before)) return true;
  if (/^[ \d()/-]{6,}$/.test(after) && (after.match(/\d/g) ?? []).length > 5) return true;
  const [, whole = ''] = /^\/(\d+)/.exec(after) ?? [];
  return whole !== '' && Number(digits.replace(',', '.')) > Number(whole);
}

/** `3/4` is a fraction as often as a place or a mark; `4/5` and `9/10` are marks. */
const isFraction = ({ digits, after }: Parts) =>
  /^\d{1,2}$/.test(digits) && /^\/(?:[2-46-8]|12|16|32|64)(?![\d/])/.test(after);

/** A factor: `12 × €5.00`, `24 months x 10 €`. */
const product = /^(?:[^\d×*]{0,12} )??[×✕*x] ?\P{L}{0,3} ?\d/iu;

/**
 * Whether the number is not the amount of money that the text says, or not the only one: `3 for $10`, `100 g = 5 €`, `was $10
 * now $5`. What stands in brackets and prices of a unit are said beside it.
 */
function isOtherThanMoney(digits: string, before: string, after: string): boolean {
  const beside = after.replace(/\([^()]*\)/g, ' ').trim();
  const own = currencyAtEnd(before) === undefined ? currencyAtStart(beside)?.sign : '';
  const rest = beside.slice(own?.length ?? 0);
  const amount = findAmount(rest);
  if (amount === undefined) return false;
  if (own === undefined) return true;
  const isOfUnit = /^ ?(?:\/|per |each|pro |je |par |por )/i.test(
    rest.slice(rest.indexOf(amount) + amount.length),
  );
  // Some pages write an amount twice, once for readers of the screen.
  return !isOfUnit && numeral.exec(amount)?.[0] !== digits;
}

/** A second number that belongs to the first: `1 00`, `1_000`, `2x4`, `1h 30m`, `5'10"`, `1億2000万`. `5m2` is an area. */
const compound =
  /^(?:\d| \d[\d .,;|_]+$| ?(?:&|(?<!\p{L})(?:and|or|und|oder|et|ou|y|e)(?!\p{L})) ?\d| ?[.,;|_][ .,;|_]{0,2}\d[\d .,;|_]*$|(?!(?:[kcdm]?m|ft|in|yd)[23](?!\d))\p{L}{1,2}\d| ?(?:['′°] ?|(?:h|hrs?|hours?|ft|feet|lbs?)\.? ?)\d)/iu;

const joints = '-|~|…|\\.{2,3}|(?<!\\p{L})(?:to|till?|through|bis|à|a|au|tot|до)(?!\\p{L})';
const rangeMark = new RegExp(
  `^([^\\d^-]{0,8}?) ?(?:${joints})(?: ?(?=[^\\d-]{0,4}[.,]?\\d)| (?=-\\d)|(?<!-)(?=-\\d))`,
  'u',
);
const ends = /^[^\d-]{0,8}? (?:and|und|et|y|e|en|og|och) (?=[^\d-]{0,4}-?[.,]?\d)/u;

/** `1 day - 3 days`, but not `1 h - 30 min` and `10 points - 20 comments`. */
function isOneUnit(one: string, after: string): boolean {
  const [unit, other] = [one, after].map((text) => /\p{L}+/u.exec(text.toLowerCase())?.[0]);
  return unit === undefined || other === undefined || unit.startsWith(other) || other.startsWith(unit);
}

/** `10 - 20`, `€5 to €8`; `2024-05` and `555-1234` are codes. Undefined where it is none. */
function readRange(
  { digits, before, after }: Parts,
  mark: DecimalMark | undefined,
  isNegative: boolean,
): NumberReading | undefined {
  const isBetween = /(?:between|zwischen|entre|tra|fra|tussen|mellem|mellan)\P{L}*$/iu.test(before);
  const [joint, unit = ''] = /^[eE]-?\d/.test(after)
    ? []
    : ((isBetween ? ends : rangeMark).exec(after) ?? []);
  if (joint === undefined) return undefined;
  const second = readNumber(after.slice(joint.length), mark);
  const tells = second?.kind === 'one' ? second.mark : undefined;
  const first = readNumber(`${isNegative ? '-' : ''}${digits}`, mark ?? tells);
  if (first?.kind !== 'one' || second?.kind !== 'one' || !isOneUnit(unit, second.after))
    return { kind: 'unclear' };
  // `10-3` is a code.
  if (Number(first.value) >= Number(second.value)) return joint === '-' ? undefined : { kind: 'unclear' };
  return { kind: 'range', low: first.value, high: second.value, after: second.after };
}

/** The values of a numeral by its possible decimal marks. */
function valuesOf(marks: Marks, isNegative: boolean, power: number) {
  const read = (digits: string | undefined) =>
    digits === undefined ? undefined : toExact(digits, isNegative, power);
  return { point: read(marks['.']), comma: read(marks[',']) };
}

/** The marks of a numeral; only the one that the caller, the notation or the currency leaves. */
function leftMarks(
  digits: string,
  mark: DecimalMark | undefined,
  notation: 'account' | 'no cents' | 'scientific' | undefined,
  currency: Currency | undefined,
): Marks {
  const all = readMarks(digits);
  if (mark !== undefined && all[mark] !== undefined) return { [mark]: all[mark] };
  if (all['.'] === undefined || all[','] === undefined || all['.'] === all[',']) return all;
  const written = digits.includes('.') ? '.' : ',';
  const other = written === '.' ? ',' : '.';
  if (notation === 'scientific') return { [written]: all[written] };
  const isGrouped = currency !== undefined && separatesGroups(currency.code, written);
  // Accounts have no thousandths, but what looks like one may be none: `(1.234)` is a standard error as often.
  const isAccount = notation === 'no cents' || (notation === 'account' && written === ',');
  return isAccount || isGrouped ? { [other]: all[other] } : all;
}

/** A dash in place of the whole part: `CHF –.50`, `-,50 €`. */
const noWhole = /(?<!\d ?)([-–—])(?=[.,]\d\d(?!\d))/;

/**
 * The text with a zero for a dash that stands for no whole; undefined where the dash may be a minus: `–.50`, without a
 * currency. A hyphen is one before a point, except in francs.
 */
function withWhole(text: string): string | undefined {
  const [, dash] = noWhole.exec(text) ?? [];
  if (dash === undefined) return text;
  const currency = findCurrency(text)?.code;
  const isZero = currency !== undefined && (dash !== '-' || /-,/.test(text) || currency === 'CHF');
  if (isZero) return text.replace(noWhole, '0');
  return dash === '-' ? text : undefined;
}

/**
 * Reads the first number of a text. `mark` is the decimal mark, where the caller knows it: it holds where the numeral is
 * possible under it, so that `1,20` has one reading under both. Undefined where the text has no
 * number: also for dates, times, versions and names such as `USB-3`.
 */
export function readNumber(text: string, mark?: DecimalMark): NumberReading | undefined {
  const whole = withWhole(text);
  if (whole === undefined) return { kind: 'unclear' };
  const written = toPlainDigits(whole).replace(footnote, '');
  const third = withThirdDecimal(written);
  if (third !== undefined) return readNumber(third.text, third.mark);
  const plain = withoutFractions(written).trim();
  const inner = withoutBrackets(plain);
  if (plain === written.trim()) return readAmount(inner ?? plain, mark, inner !== undefined);
  // The point of a fraction that was made a decimal is not the text's.
  const reading = readAmount(inner ?? plain, '.', inner !== undefined);
  return reading?.kind === 'one' ? { ...reading, mark: undefined } : reading;
}

/** `-(5)`; a version; an arrow that stands for a minus as often as for a link. */
const unclearBefore = /-\s?\($|(?<!\p{L})v$|[▼▾🔻↓⬇]\ufe0f? ?[^-\d]?$/iu;

/** `(2003, with Ann)`: a remark. */
const isRemark = ({ before, after }: Parts) => /\($/.test(before) && /^[,;] ?\p{L}.*\)/u.test(after);

/** `(7,201`: the bracket that makes it negative may end in the next cell. */
const isOpenBracket = ({ before, after }: Parts) =>
  /^\P{L}{0,3}\(\P{L}{0,3}$/u.test(before) && !after.includes(')');

function readAmount(
  plain: string,
  mark: DecimalMark | undefined,
  isAccount: boolean,
): NumberReading | undefined {
  const match = numeral.exec(plain);
  if (match === null) return undefined;
  const [digits] = match;
  const parts: Parts = {
    digits,
    before: plain.slice(0, match.index),
    after: plain.slice(match.index + digits.length),
    currency: findCurrency(plain),
  };
  if (isOther(parts)) return undefined;
  if (isFraction(parts) || unclearBefore.test(parts.before) || isOpenBracket(parts) || isRemark(parts))
    return { kind: 'unclear' };
  const sign = readSign(parts.before);
  if (sign === 'name') return undefined;
  const cents = readCents(parts.digits, parts.after);
  if (cents !== undefined)
    return toReading(
      { ...parts, digits: cents.digits, after: parts.after.slice(0, -cents.text.length) },
      '.',
      sign,
      isAccount,
    );
  const range = readRange(parts, mark, sign.isNegative);
  if (range !== undefined) return range;
  if (/^ ?-\d/.test(parts.after)) return undefined;
  return toReading(parts, mark, sign, isAccount);
}

function toReading(
  { digits, after, currency }: Parts,
  mark: DecimalMark | undefined,
  sign: { readonly isNegative: boolean; readonly rest: string },
  isAccount: boolean,
): NumberReading | undefined {
  const [noCents = ''] = /^ ?[.,:] ?-+(?!\d)|^\/-/.exec(after) ?? [];
  const isMinus = noCents === '' && isTrailing(after);
  const power = readPower(after.slice(noCents.length + (isMinus ? 1 : 0)), digits, currency);
  if (power === 'unclear') return { kind: 'unclear' };
  const end = currencyAtEnd(power.rest)?.sign.length ?? 0;
  const behind = end === 0 ? power.rest : power.rest.slice(0, -end).trimEnd();
  const first = currencyAtStart(power.rest.trim())?.sign.length ?? 0;
  if (product.test(behind) || isOtherThanMoney(digits, sign.rest.trim(), power.rest))
    return { kind: 'unclear' };
  // `12 99 €`, `5 €50`: two amounts, or one with its cents.
  if (compound.test(behind) || (first > 0 && /^ ?\d\d$/.test(power.rest.trim().slice(first))))
    return { kind: 'unclear' };
  // `4a`: a platform, a house, a room. `6am`, `7.30 pm`: an hour.
  const isName = /^[abefij]$/.test(power.rest) && !/[ .,]/.test(digits);
  const isHour = /^ ?[ap]\.?m\b/i.test(power.rest) && /^\d{1,2}(?:[.,][0-5]\d)?$/.test(digits);
  if ((isName || isHour) && power.power === 0) return { kind: 'unclear' };
  // `1만 2천`: more of the number.
  if (power.power > 0 && /^ ?\d/.test(power.rest)) return { kind: 'unclear' };
  const account = noCents !== '' ? 'no cents' : isAccount || isMinus ? 'account' : undefined;
  const notation = power.isScientific ? 'scientific' : account;
  const marks = leftMarks(digits, mark, notation, currency);
  const { point, comma } = valuesOf(marks, sign.isNegative || isAccount || isMinus, power.power);
  const isBare = isAccount && currency === undefined && !/[%‰]/.test(power.rest);
  const around = {
    before: sign.rest.trim(),
    after: power.rest.trim(),
    ...(isBare && { isInBrackets: true as const }),
    ...(power.letter !== undefined && { letter: power.letter }),
  };
  if (point !== undefined && comma !== undefined && point !== comma)
    return {
      kind: 'open',
      values: { '.': point, ',': comma },
      written: digits.includes('.') ? '.' : ',',
      ...around,
    };
  const value = point ?? comma;
  if (value === undefined) return undefined;
  if (/^\d+$/.test(digits)) {
    const mark = noCents.includes(',') ? ',' : undefined;
    return { kind: 'one', value, mark, ...(power.power === 0 && { digits }), ...around };
  }
  const isTelling = /[.,]/.test(digits) && (point === undefined) !== (comma === undefined);
  return { kind: 'one', value, ...(isTelling && { mark: point === undefined ? ',' : '.' }), ...around };
}
