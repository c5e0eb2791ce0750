/** Turns values found in a page into typed values of the result. `null` means "not there". */
import { DateTime } from 'luxon';
import { getMarkupText } from '../page/text.ts';
import { toFind } from './pattern.ts';
import type { ValueRules } from './schema.ts';

const currencies: Readonly<Record<string, string>> = {
  '£': 'GBP',
  '€': 'EUR',
  $: 'USD',
  '¥': 'JPY',
  '₹': 'INR',
};

export interface TypedValue {
  readonly value: unknown;
  /** The unit or currency that was removed from a number. */
  readonly unit?: string | null;
}

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

function asText(raw: unknown): string | null {
  if (typeof raw === 'string') return collapse(raw) || null;
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw);
  return null;
}

/** By the decimal mark. A space belongs to a number only before a group of three digits. */
const numberPattern = {
  '.': /[-+−]?(?:\d[\d,'’]*(?:\s\d{3}(?!\d))*(?:\.\d+)?|\.\d+)/,
  ',': /[-+−]?\d[\d.'’]*(?:\s\d{3}(?!\d))*(?:,\d+)?/,
};

/** A number with either decimal mark. */
const anyNumber = /[-+−]?\d[\d.,'’]*(?:\s\d{3}(?!\d))*(?:[.,]\d+)?/;

/** The decimal mark of the first number in a text: a comma in "1,99 €", a point in "1,999 €". */
function markIn(text: string): '.' | ',' {
  const [numeral = ''] = anyNumber.exec(text) ?? [];
  const trimmed = numeral.replace(/[.,'’\s]+$/, '');
  return wellFormed.test(trimmed) ? findDecimalMark([trimmed], '') : '.';
}

function asNumber(raw: unknown, rules: ValueRules): TypedValue {
  if (typeof raw === 'number') return { value: raw, unit: rules.unit ?? null };
  const text = asText(raw);
  if (text === null) return { value: null, unit: null };
  const decimal = rules.decimal ?? markIn(text);
  const [digits] = numberPattern[decimal].exec(text) ?? [];
  if (digits === undefined || isPartOfName(text, digits)) return { value: null, unit: null };
  const plain = (
    decimal === ',' ? digits.replace(/[.'’\s]/g, '').replace(',', '.') : digits.replace(/[,'’\s]/g, '')
  ).replace('−', '-');
  // "85,- €"
  const rest = collapse(text.replace(digits, ' ')).replace(/^[.,]?[-–—]+\s*/, '');
  // "Eintritt €": a currency sign alone counts if it means one currency.
  const [sign] = /[£€₹]/.exec(rest) ?? [];
  const unit = currencies[sign ?? rest] ?? (rest || null);
  return { value: Number(plain), unit: unit ?? rules.unit ?? null };
}

/**
 * "571527/24" is a reference number, not a value; "4/5" is a rating, "5 EUR/kg" a price. "USB-3" is a name, not the
 * number -3.
 */
function isPartOfName(text: string, digits: string): boolean {
  const start = text.indexOf(digits);
  if (/^[-+−]/.test(digits) && /\p{L}$/u.test(text.slice(0, start))) return true;
  const [, whole = ''] = /^\/(\d+)/.exec(text.slice(start + digits.length)) ?? [];
  return whole !== '' && Number(digits.replace(/[^\d]/g, '')) > Number(whole);
}

const parsers = new Map<string, ReturnType<typeof DateTime.buildFormatParser>>();
/** Cached formats; a recipe has few. */
const maxParsers = 500;

/** Reads a date in a format. The parser is cached, because making it takes longer than reading. */
function fromFormat(text: string, format: string, options: { zone: string; locale: string }): DateTime {
  const key = `${options.locale} ${format}`;
  let parser = parsers.get(key);
  if (parser === undefined) {
    if (parsers.size >= maxParsers) parsers.clear();
    parser = DateTime.buildFormatParser(format, options);
    parsers.set(key, parser);
  }
  return DateTime.fromFormatParser(text, parser, options);
}

function asDate(raw: unknown, rules: ValueRules): string | null {
  // Unix times, also as the texts of attributes.
  const isDigits = typeof raw === 'string' && /^\s*(?:\d{9,10}|\d{13})\s*$/.test(raw);
  const unix = isDigits && rules.format === undefined ? Number(raw) : raw;
  if (typeof unix === 'number') {
    // Seconds up to the year 5138, milliseconds from 1973 on.
    const time = DateTime.fromMillis(unix < 1e11 ? unix * 1000 : unix, { zone: 'utc' });
    return time.isValid ? time.toISO() : null;
  }
  const text = asText(raw);
  if (text === null) return null;
  const options = { zone: 'utc', locale: rules.locale ?? 'en' };
  if (rules.format !== undefined) return inFormat(text, rules.format, options);
  const plain = toPlainDate(text);
  const hasTime = /\d:\d\d/.test(plain);
  const readings = [
    () => DateTime.fromISO(text.replace(/^(\d{4}-\d\d-\d\d) /, '$1T'), options),
    // The weekday may be wrong; it adds nothing to the date.
    () => DateTime.fromRFC2822(text.replace(/^[A-Za-z]{3,9},\s*/, ''), options),
    () => DateTime.fromHTTP(text, options),
    ...dateFormats.flatMap((format) =>
      (hasTime ? [`${format} h:mm a`, `${format} H:mm`] : [format]).map(
        (whole) => () => fromFormat(plain, whole, options),
      ),
    ),
  ];
  for (const read of readings) {
    const time = read();
    if (time.isValid) return toIso(time, hasTime);
  }
  return rules.locale === undefined ? null : toIso(withStrokes(text, options), false);
}

const dateFormats = ['d MMMM yyyy', 'd MMM yyyy', 'MMMM d, yyyy', 'MMM d, yyyy', 'd. MMMM yyyy', 'MMMM yyyy'];

/** "Fri, May 3rd, 2024 at 5pm" is "May 3, 2024 5:00 pm". */
const toPlainDate = (text: string): string =>
  text
    .replace(/^(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?\.?,?\s+/i, '')
    .replace(/\b(\d{1,2})(?:st|nd|rd|th)\b/i, '$1')
    .replace(/(\d{4}),?(?: at)? (?=\d{1,2}(?::\d\d)?(?:\s?[ap]\.?m\.?)?$)/i, '$1 ')
    .replace(
      / (\d{1,2})(:\d\d)?\s?([ap])\.?m\.?$/i,
      (_time, hour, minutes = ':00', half) => ` ${hour}${minutes} ${half}m`,
    );

/** Columns mix two-digit and four-digit years, whatever the format. */
function inFormat(text: string, format: string, options: { zone: string; locale: string }): string | null {
  const years = format.includes('yyyy')
    ? format.replace('yyyy', 'yy')
    : format.replace(/(?<!y)yy(?!y)/, 'yyyy');
  const hasTime = /[HhmSTtZX]/.test(format);
  return (
    toIso(fromFormat(text, format, options), hasTime) ?? toIso(fromFormat(text, years, options), hasTime)
  );
}

/** "3/4/24": the month first if the recipe's language is that of the United States, else the day. */
function withStrokes(text: string, options: { zone: string; locale: string }): DateTime {
  const order = options.locale === 'en-US' ? 'M/d' : 'd/M';
  return fromFormat(text, `${order}/${/\/\d{4}$/.test(text) ? 'yyyy' : 'yy'}`, options);
}

function toIso(time: DateTime, hasTime: boolean): string | null {
  if (!time.isValid) return null;
  return hasTime ? time.toUTC().toISO({ suppressMilliseconds: true }) : time.toISODate();
}

function asAddress(raw: unknown, base: string): string | null {
  const text = asText(raw);
  if (text === null || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
}

function asBoolean(raw: unknown, rules: ValueRules): boolean | null {
  if (rules.contains !== undefined)
    return asText(raw)?.toLowerCase().includes(rules.contains.toLowerCase()) ?? false;
  if (typeof raw === 'boolean') return raw;
  const text = asText(raw)?.toLowerCase();
  if (text === undefined) return raw !== null && raw !== undefined;
  return !['false', 'no', '0', 'off', 'none'].includes(text);
}

const withoutMarkup = (raw: unknown): unknown =>
  typeof raw === 'string' ? getMarkupText(raw) : Array.isArray(raw) ? raw.map(withoutMarkup) : raw;

/** Turns one found value into its type; `base` is the base of relative links. */
export function toTyped(raw: unknown, rules: ValueRules, base: string): TypedValue {
  let value = rules.markup === true ? withoutMarkup(raw) : raw;
  for (const pattern of [rules.match ?? []].flat()) value = toFind(pattern)(asText(value) ?? '') ?? null;
  if (rules.map !== undefined) {
    const key = asText(value);
    return { value: key !== null && Object.hasOwn(rules.map, key) ? rules.map[key] : null };
  }
  switch (rules.type) {
    case 'text':
      return { value: asText(value) };
    case 'number':
      return asNumber(value, rules);
    case 'date':
      return { value: asDate(value, rules) };
    case 'url':
    case 'image':
      return { value: asAddress(value, base) };
    case 'boolean':
      return { value: asBoolean(value, rules) };
    case 'json':
      return { value: value ?? null };
  }
}

/** Sets a field, and its unit's field, in a row. False where a required value is missing. */
export function setField(
  row: Record<string, unknown>,
  name: string,
  rules: ValueRules,
  raw: TypedValue,
): boolean {
  const value = raw.value ?? rules.default ?? null;
  row[name] = value;
  if (rules.unit_field !== undefined) row[rules.unit_field] = raw.unit ?? null;
  return rules.required !== true || value !== null;
}

/** Whether a row has no value at all: a spacer, a repeated header, an advertisement. */
export const isEmptyRow = (row: Readonly<Record<string, unknown>>): boolean =>
  Object.values(row).every((value) => value === null || (Array.isArray(value) && value.length === 0));

/**
 * Digits in groups of three or ungrouped, and at most one decimal mark. Dates, versions and telephone numbers do not
 * match.
 */
export const wellFormed = /^[-+−]?(?:\d+|\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+)(?:[.,]\d+)?$/;
const commaLanguages = /^(?:de|fr|es|it|nl|pt|pl|cs|sk|da|sv|no|nb|fi|ru|uk|tr|ro|hu|el|hr|sl|bg|id|vi)/i;

/** The decimal mark, by what the numbers allow and the language, such as `de`, suggests. */
export function findDecimalMark(numerals: readonly string[], language: string): '.' | ',' {
  if (numerals.some((numeral) => /\.\d{3},\d|\d,\d{1,2}$|,\d{4,}$/.test(numeral))) return ',';
  if (numerals.some((numeral) => /,\d{3}\.\d|\.\d{1,2}$|\.\d{4,}$/.test(numeral))) return '.';
  // Only groups of three remain: 1.234 or 1,234.
  const isComma = commaLanguages.test(language);
  return isComma && numerals.every((numeral) => !numeral.includes(',')) ? ',' : '.';
}
