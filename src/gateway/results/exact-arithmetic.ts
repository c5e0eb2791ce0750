/**
 * Sums, differences and products without rounding, of numbers and of integers that only texts hold. What a JavaScript number
 * would round is a text again, as in the data themselves.
 */

import type { Exact } from '../../compare/number.ts';

/** The value is `digits / 10 ** scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Beyond the largest number; what is longer comes of an expression, not of data. */
const maxDigits = 400;
/** Digits of a quotient, more than a number has. */
const precision = 20;
/** From here on numbers are written with an exponent: those that stand for themselves stay numbers. */
const withExponent = 1e21;

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent);

/** Of a finite number, or of the digits of an integer. */
function toDecimal(value: Exact): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * powerOfTen(-scale), scale: 0 } : { digits, scale };
}

const isEqual = (one: Decimal, other: Decimal): boolean =>
  one.digits * powerOfTen(other.scale) === other.digits * powerOfTen(one.scale);

/** Undefined where it has too many digits. */
function toExact({ digits, scale }: Decimal): Exact | undefined {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const end = text.length - scale;
  if (end > maxDigits) return undefined;
  const size = Number(`${digits}e${-scale}`);
  const isLarge = !Number.isSafeInteger(Math.trunc(size));
  const isItself = () => Math.abs(size) >= withExponent && isEqual(toDecimal(size), { digits, scale });
  if (!isLarge || (Number.isFinite(size) && isItself())) return size;
  const fraction = text.slice(end).replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${text.slice(0, end)}${fraction === '' ? '' : `.${fraction}`}`;
}

function sumOf(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  const scaled = ({ digits, scale: own }: Decimal) => digits * powerOfTen(scale - own);
  return { digits: scaled(one) + scaled(other), scale };
}

export const exactSum = (values: readonly Exact[]): Exact | undefined =>
  toExact(values.map(toDecimal).reduce(sumOf, { digits: 0n, scale: 0 }));

export function exactProduct(one: Exact, other: Exact): Exact | undefined {
  const [left, right] = [toDecimal(one), toDecimal(other)];
  return toExact({ digits: left.digits * right.digits, scale: left.scale + right.scale });
}

/** As near as a number is; beyond the integers of numbers to three places. The divisor is not 0. */
export function exactQuotient(one: Exact, other: Exact): Exact | undefined {
  const [left, right] = [toDecimal(one), toDecimal(other)];
  const isLarge = Math.abs(Number(one) / Number(other)) > Number.MAX_SAFE_INTEGER;
  const places = isLarge ? 3 : String(right.digits).length + precision;
  const digits = (left.digits * powerOfTen(right.scale + places)) / right.digits;
  return toExact({ digits, scale: left.scale + places });
}

/** The same value with the other sign. */
export const negated = (value: Exact): Exact =>
  typeof value === 'number' ? -value : value.startsWith('-') ? value.slice(1) : `-${value}`;
