/** Turns values found in a page into typed values of the result. `null` means "not there". */
import { DateTime } from 'luxon';
import { isYear, readDate, readUnixTime } from '../../compare/date.ts';
import { findCurrency } from '../../compare/money.ts';
import { decimalMarkOf, type NumberReading, readNumber } from '../../compare/number.ts';
import type { Document, Row } from '../page/document.ts';
import { getMarkupText } from '../page/text.ts';
import { toFind } from './pattern.ts';
import type { ValueRules } from './recipe-schema.ts';

export interface TypedValue {
  readonly value: unknown;
  /** The unit or currency that was removed from a number. */
  readonly unit?: string | null;
  /** Of a number whose decimal mark the recipe does not name; of a list one for each value. */
  readonly readings?: readonly NumberReading[];
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

function asDate(raw: unknown, rules: ValueRules): string | null {
  const unix = typeof raw === 'number' || rules.format === undefined ? readUnixTime(raw) : undefined;
  if (unix !== undefined || typeof raw === 'number') return unix ?? null;
  const text = asText(raw);
  if (text === null) return null;
  const options = { zone: 'utc', locale: rules.locale ?? 'en' };
  if (rules.format !== undefined) return inFormat(text, rules.format, options);
  const isByLocale = rules.locale !== undefined && /^\d{1,2}\/\d{1,2}\/\d/.test(text);
  return isByLocale ? toIso(withStrokes(text, options), false) : (readDate(text) ?? null);
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

interface WaitingNumber {
  readonly row: Row;
  readonly readings: readonly NumberReading[];
}

/** Sets the fields of rows. Which of two readings a number has, the others of its field tell, else those of the page. */
export class RowFields {
  readonly #document: Pick<Document, 'decimalMark'> | undefined;
  readonly #numbers = new Map<string, WaitingNumber[]>();

  constructor(document?: Pick<Document, 'decimalMark'>) {
    this.#document = document;
  }

  /** Sets a field, and its unit's field, in a row. False where a required value is missing. */
  set(row: Row, name: string, rules: ValueRules, { value: raw, unit, readings }: TypedValue): boolean {
    const value = raw ?? rules.default ?? null;
    row[name] = value;
    if (rules.unit_field !== undefined) row[rules.unit_field] = unit ?? null;
    if (readings !== undefined) {
      const waiting = this.#numbers.get(name) ?? [];
      this.#numbers.set(name, waiting);
      waiting.push({ row, readings });
    }
    return rules.required !== true || value !== null;
  }

  /** Call it when all rows are there. */
  settle(): void {
    for (const [name, waiting] of this.#numbers) {
      const all = waiting.flatMap(({ readings }) => readings);
      if (!all.some(({ kind }) => kind === 'open')) continue;
      const mark = decimalMarkOf(all) ?? this.#document?.decimalMark;
      if (mark === undefined) continue;
      const settled = (value: unknown, reading: NumberReading | undefined): unknown =>
        reading?.kind === 'open' ? reading.values[mark] : value;
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
