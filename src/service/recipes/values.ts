/** Turns values found in a page into typed values of the result. `null` means "not there". */
import { DateTime } from 'luxon';
import { isYear, orderOfDates, readDate, readUnixTime } from '../../compare/date.ts';
import { findCurrency } from '../../compare/money.ts';
import { decimalMarkOf, type NumberReading, readNumber } from '../../compare/number.ts';
import type { Document, Row } from '../page/document.ts';
import { addTo } from '../page/grouping.ts';
import { getMarkupText } from '../page/text.ts';
import { toFind } from './pattern.ts';
import type { ValueRules } from './recipe-schema.ts';

export interface TypedValue {
  readonly value: unknown;
  /** The unit or currency that was removed from a number. */
  readonly unit?: string | null;
  /** Of a number whose decimal mark the recipe does not name, of a date without a format; of a list one for each value. */
  readonly readings?: readonly (NumberReading | DateReading)[];
}

/** A date in a field whose recipe does not say whether the month comes first. */
interface DateReading {
  readonly kind: 'date' | 'open date';
  /** The order that it tells of the other dates of its field. */
  readonly isMonthFirst?: boolean | undefined;
  /** Where both orders are possible. */
  readonly values?: { readonly monthFirst: string; readonly dayFirst: string };
}

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

function asText(raw: unknown): string | null {
  if (typeof raw === 'string') return collapse(raw) || null;
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw);
  return null;
}

/**
 * The text around a number is its unit; a sign alone is said as its code. A field for the currency holds nothing else:
 * "Eintritt 5 €" is in EUR, "5 points" in none.
 */
function unitAround(before: string, after: string, field: string | undefined): string | null {
  const rest = collapse(`${before} ${after}`);
  // What stands behind another number is that one's: "100 g (5 €)".
  const currency = findCurrency(collapse(`${before} ${after.replace(/\p{Nd}[\s\S]*$/u, '')}`));
  if (field !== undefined && /currency$/i.test(field)) return currency?.code ?? null;
  if (currency?.sign === rest) return currency.code;
  return /[^.,;:]/.test(rest) ? rest : null;
}

/** JSON and attributes write numbers for programs: `1.234` has one reading there. */
const statedNumber = /^\s*-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?\s*$/;
export const asStated = (raw: unknown, rules: ValueRules): ValueRules =>
  rules.type === 'number' && typeof raw === 'string' && rules.match === undefined && statedNumber.test(raw)
    ? { ...rules, decimal: '.' }
    : rules;

/** A number that can be read in two ways, or is a range, stays the text that it is. */
function asNumber(raw: unknown, rules: ValueRules): TypedValue {
  const own = rules.unit ?? null;
  if (typeof raw === 'number') return { value: raw, unit: own };
  const text = asText(raw);
  const reading = text === null ? undefined : readNumber(text, rules.decimal);
  if (reading === undefined) return { value: null, unit: own };
  const readings = rules.decimal === undefined ? { readings: [reading] } : {};
  if (reading.kind === 'range' || reading.kind === 'unclear') return { value: text, unit: own, ...readings };
  const unit = unitAround(reading.before, reading.after, rules.unit_field) ?? own;
  return { value: reading.kind === 'one' ? reading.value : text, unit, ...readings };
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

function asDate(raw: unknown, rules: ValueRules): TypedValue {
  const unix = typeof raw === 'number' || rules.format === undefined ? readUnixTime(raw) : undefined;
  if (unix !== undefined || typeof raw === 'number') return { value: unix ?? null };
  const text = asText(raw);
  if (text === null) return { value: null };
  const options = { zone: 'utc', locale: rules.locale ?? 'en' };
  if (rules.format !== undefined) return { value: inFormat(text, rules.format, options) };
  if (rules.locale === undefined) return inAnyOrder(text);
  return /^\d{1,2}\/\d{1,2}\/\d/.test(text)
    ? { value: toIso(withStrokes(text, options), false) }
    : { value: readDate(text, rules.locale === 'en-US') ?? null };
}

/** Whose year may also stand first: `13/2/24`. */
const shortDate = /^\d{1,2}\/\d{1,2}\/\d{2}(?!\d)/;

/** A date whose day and month can be read in two ways stays the text that it is, until its field and its page tell their order. */
function inAnyOrder(text: string): TypedValue {
  const [monthFirst, dayFirst] = [readDate(text, true), readDate(text, false)];
  const value = monthFirst ?? dayFirst;
  if (value === undefined) return { value: null };
  const isMonthFirst = orderOfDates(text);
  if (monthFirst === dayFirst && !shortDate.test(text))
    return { value, readings: [{ kind: 'date', isMonthFirst }] };
  const values = { monthFirst: value, dayFirst: dayFirst ?? value };
  return { value: text, readings: [{ kind: 'open date', isMonthFirst, values }] };
}

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
  if (!time.isValid || !isYear(time.year)) return null;
  return hasTime ? time.toUTC().toISO({ suppressMilliseconds: true }) : time.toISODate();
}

function asAddress(raw: unknown, base: string): string | null {
  const text = asText(raw);
  if (text === null || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
}

/** An empty text says neither. */
function asBoolean(raw: unknown, rules: ValueRules): boolean | null {
  if (rules.contains !== undefined)
    return asText(raw)?.toLowerCase().includes(rules.contains.toLowerCase()) ?? false;
  if (typeof raw === 'boolean') return raw;
  if (typeof raw === 'string' && raw.trim() === '') return null;
  const text = asText(raw)?.toLowerCase();
  if (text === undefined) return raw !== null && raw !== undefined;
  return !['false', 'no', 'n', 'f', '0', 'off', 'none'].includes(text);
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
      return asDate(value, rules);
    case 'url':
    case 'image':
      return { value: asAddress(value, base) };
    case 'boolean':
      return { value: asBoolean(value, rules) };
    case 'json':
      return { value: value ?? null };
  }
}

type Reading = NonNullable<TypedValue['readings']>[number];
type PageMarks = Pick<Document, 'decimalMark' | 'isMonthFirst'>;

interface Waiting {
  readonly row: Row;
  readonly readings: readonly Reading[];
}

const isDateReading = (reading: Reading): reading is DateReading =>
  reading.kind === 'date' || reading.kind === 'open date';

/** The order that all dates of a field tell; undefined where they do not tell, or disagree. */
function orderOf(readings: readonly DateReading[]): boolean | undefined {
  const told = new Set(readings.flatMap(({ isMonthFirst }) => isMonthFirst ?? []));
  return told.size === 1 ? told.has(true) : undefined;
}

/** What the readings of a field and their page say of a value with two readings; undefined where they do not tell. */
function settler(
  all: readonly Reading[],
  page: PageMarks | undefined,
): ((value: unknown, reading: Reading | undefined) => unknown) | undefined {
  if (all.some(({ kind }) => kind === 'open')) {
    const mark = decimalMarkOf(all.filter((one) => !isDateReading(one))) ?? page?.decimalMark;
    return mark && ((value, reading) => (reading?.kind === 'open' ? reading.values[mark] : value));
  }
  if (!all.some(({ kind }) => kind === 'open date')) return undefined;
  const dates = all.filter(isDateReading);
  const isTold = dates.some(({ isMonthFirst }) => isMonthFirst !== undefined);
  const order = isTold ? orderOf(dates) : page?.isMonthFirst;
  if (order === undefined) return undefined;
  const name = order ? 'monthFirst' : 'dayFirst';
  return (value, reading) =>
    reading?.kind === 'open date' && reading.values !== undefined ? reading.values[name] : value;
}

/** Sets the fields of rows. Which of two readings a value has, the others of its field tell, else those of the page. */
export class RowFields {
  readonly #page: PageMarks | undefined;
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(page?: PageMarks) {
    this.#page = page;
  }

  /** Sets a field, and its unit's field, in a row. False where a required value is missing. */
  set(row: Row, name: string, rules: ValueRules, { value: raw, unit, readings }: TypedValue): boolean {
    const value = raw ?? rules.default ?? null;
    row[name] = value;
    if (rules.unit_field !== undefined) row[rules.unit_field] = unit ?? null;
    if (readings !== undefined) addTo(this.#waiting, name, { row, readings });
    return rules.required !== true || value !== null;
  }

  /** Call it when all rows are there. */
  settle(): void {
    for (const [name, waiting] of this.#waiting) {
      const settled = settler(
        waiting.flatMap(({ readings }) => readings),
        this.#page,
      );
      if (settled === undefined) continue;
      for (const { row, readings } of waiting) {
        const value = row[name];
        row[name] = Array.isArray(value)
          ? value.map((one: unknown, index) => settled(one, readings[index]))
          : settled(value, readings[0]);
      }
    }
  }
}

/** Whether a row has no value at all: a spacer, a repeated header, an advertisement. */
export const isEmptyRow = (row: Readonly<Record<string, unknown>>): boolean =>
  Object.values(row).every((value) => value === null || (Array.isArray(value) && value.length === 0));
