/** What a text says as a date, in the form that a recipe names or in another, and whether it can be read in two ways. */
import { DateTime } from 'luxon';
import { inZone, isYear, orderOfDates, readDate, timeZone } from '../../compare/date.ts';
import type { ValueRules } from './recipe-schema.ts';

export interface DateForm {
  readonly kind: 'date' | 'open date';
  /** The order that it tells of the other dates of its field. */
  readonly isMonthFirst?: boolean | undefined;
  /** Where both orders are possible. */
  readonly values?: { readonly monthFirst: string; readonly dayFirst: string };
  /** It is not written in the format of the recipe. */
  readonly isOtherForm?: boolean;
  /** Nor with its points, behind which the day is first everywhere: `11/03/2026` has two readings. */
  readonly isOtherMark?: boolean;
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

/** Columns mix two-digit and four-digit years, whatever the format. */
function inFormat(text: string, format: string, options: { zone: string; locale: string }): string | null {
  const years = format.includes('yyyy')
    ? format.replace('yyyy', 'yy')
    : format.replace(/(?<!y)yy(?!y)/, 'yyyy');
  return toIso(fromFormat(text, format, options), format) ?? toIso(fromFormat(text, years, options), format);
}

/** No more than the format says: a month and a year have no day. */
function toIso(time: DateTime, format: string): string | null {
  if (!time.isValid || !isYear(time.year)) return null;
  const tokens = format.replace(/'[^']*'|\P{L}/gu, '');
  if (/[HhmSTtZX]/.test(tokens)) return time.toUTC().toISO({ suppressMilliseconds: true });
  if (/^y+$/.test(tokens)) return time.toFormat('yyyy');
  return /^[yML]+$/.test(tokens) ? time.toFormat('yyyy-MM') : time.toISODate();
}

/** Day and month as numbers, one behind the other. */
const order = /(?<![Mdy])(d{1,2}|M{1,2})([./-]?)(d{1,2}|M{1,2})(?![Md])/;

/** The format with day and month in the other order; undefined where they have no order, or the year decides it. */
function otherOrder(format: string): string | undefined {
  const [found, first = '', mark = '', second = ''] = order.exec(format) ?? [];
  if (found === undefined || first.charAt(0) === second.charAt(0) || /^y/.test(format)) return undefined;
  return format.replace(found, `${second}${mark}${first}`);
}

/** Whether the month comes first, by what the recipe says of its dates; undefined where it does not. */
export function orderInRules({ format, locale }: ValueRules): boolean | undefined {
  if (format === undefined) return locale === undefined ? undefined : locale === 'en-US';
  return otherOrder(format) === undefined ? undefined : order.exec(format)?.[1]?.startsWith('M');
}

type DateRead = { readonly value: string | null; readonly reading: DateForm | undefined };

/**
 * The date of a text. A format holds where the text is possible under it; else its other order does, and every form that has
 * one reading. A date with two readings is read in the order of the recipe; where that has none, it stays the text that it
 * is, until its field and its page tell their order. A text without a zone is of that of the recipe.
 */
export function readDateText(text: string, rules: ValueRules): DateRead {
  const read = readLocal(text, rules);
  const { zone } = rules;
  if (zone === undefined || read.value === null || timeZone.test(text)) return read;
  const { reading } = read;
  const { monthFirst, dayFirst } = reading?.values ?? {};
  const values = monthFirst !== undefined &&
    dayFirst !== undefined && { monthFirst: inZone(monthFirst, zone), dayFirst: inZone(dayFirst, zone) };
  return { value: inZone(read.value, zone), reading: reading && { ...reading, ...(values && { values }) } };
}

function readLocal(text: string, rules: ValueRules): DateRead {
  const isMonthFirst = orderInRules(rules);
  if (rules.format === undefined) return inAnyOrder(text, isMonthFirst);
  const read = readInFormat(text, rules.format, isMonthFirst, rules);
  if (read !== undefined) return read;
  const isOtherMark = order.exec(rules.format)?.[2] === '.' && !text.includes('.');
  const { value, reading } = inAnyOrder(text, isOtherMark ? undefined : isMonthFirst);
  return { value, reading: reading && { ...reading, isOtherForm: true, isOtherMark } };
}

function readInFormat(
  text: string,
  format: string,
  isMonthFirst: boolean | undefined,
  { locale = 'en' }: ValueRules,
): DateRead | undefined {
  const options = { zone: 'utc', locale };
  const other = otherOrder(format);
  const own = inFormat(text, format, options);
  const turned = other === undefined ? null : inFormat(text, other, options);
  const value = own ?? turned;
  if (value === null) return undefined;
  if (isMonthFirst === undefined || own === turned) return { value, reading: { kind: 'date' } };
  if (own === null || turned === null)
    return own === null
      ? { value, reading: { kind: 'date', isMonthFirst: !isMonthFirst, isOtherForm: true } }
      : { value, reading: { kind: 'date', isMonthFirst } };
  const [monthFirst, dayFirst] = isMonthFirst ? [own, turned] : [turned, own];
  return { value, reading: { kind: 'open date', values: { monthFirst, dayFirst } } };
}

/** Whose year may also stand first: `13/2/24`. */
const shortDate = /^\d{1,2}\/\d{1,2}\/\d{2}(?!\d)/;

function inAnyOrder(text: string, isMonthFirst: boolean | undefined): DateRead {
  const [inMonths, inDays] = [readDate(text, true), readDate(text, false)];
  const value = inMonths ?? inDays;
  if (value === undefined) return { value: null, reading: undefined };
  const told = orderOfDates(text);
  if (inMonths === inDays && !shortDate.test(text))
    return { value, reading: { kind: 'date', isMonthFirst: told } };
  const values = { monthFirst: value, dayFirst: inDays ?? value };
  const own = isMonthFirst === undefined ? text : isMonthFirst ? values.monthFirst : values.dayFirst;
  return { value: own, reading: { kind: 'open date', isMonthFirst: told, values } };
}
