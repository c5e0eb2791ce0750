/** What a text says as a date, in ISO 8601. A bare time or number, a relative time and a date with two readings are none. */
import * as chrono from 'chrono-node';
import { DateTime } from 'luxon';
import { toPlainDigits } from './digits.ts';

/** Year first, which has one reading: `2024-9-5`, `2024/09/05 07:00`, `2024-09-05T07:00:00.5+0200`. */
const yearFirst =
  /^(\d{4})([-/.])(\d{1,2})(?:\2(\d{1,2}))?(?:,?[T ] ?(\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(Z|UTC?|GMT|[-+]\d\d(?::?\d\d)?)?)?$/i;
const compact = /^\d{8}T\d{4}(?:\d\d)?(?:Z|[-+]\d{4})?$/;
/** Day and month as numbers: between points the day is first everywhere, else there is one reading only where one cannot be a month. */
const numeric = /(?<![\d./-])(\d{1,2})([./-]) ?(\d{1,2})\2 ?(\d{4})(?![\d/-])/;
/** The same with a year of two digits, which is a date only where dates are expected. */
const shortNumeric = /^(\d{1,2})([./])(\d{1,2})\2(\d{2})(?![\d/.:-])/;
const century = (years: string) => (Number(years) > 60 ? '19' : '20');
const weekday =
  /^(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?\.?,? +|^\p{L}{2,13}\.?, +(?=\d)|^(?:lun|mar|mer|jeu|ven|sam|dim|mo|di|mi|do|fr|sa|so|mi[eé]|jue|vie|s[aá]b|dom|gio|seg|ter|qua|qui|sex)\. +(?=\d)/iu;
const year = /(?<!\d)(?:1[5-9]|20|21)\d\d(?!\d)/;
/** Others are years of the Persian, Islamic or Buddhist calendar as often: 1403, 1446, 2567. */
export const isYear = (years: number): boolean => years >= 1500 && years < 2200;
/** RFC 822 allows years of two digits: `Thu, 05 Sep 24 07:00:00 GMT`. */
const shortYear = /^\d{1,2} \p{L}{3} \d\d(?: \d|$)/u;

const latin = [
  ...[chrono.en, chrono.de, chrono.fr, chrono.es, chrono.pt],
  ...[chrono.it, chrono.nl, chrono.sv, chrono.fi],
];
/** By the script of the text: the patterns of the other languages take a second to compile. */
const languagesOf = (text: string) =>
  /\p{Script=Cyrillic}/u.test(text)
    ? [chrono.ru, chrono.uk]
    : /\p{Script=Han}/u.test(text)
      ? [chrono.ja]
      : latin;
const maxLength = 80;

/** Abbreviations of zones that several countries use: India, Ireland and Israel have an IST. */
const shared = 'ADT AMST AMT AST BST CAST CCT CST EAST ECT GST IST SST WST WT';
/** Those for which the library has a wrong or a former offset. */
const misread = 'FKT HAT HNT IRKT KRAT MAGT NDT NOVT NST OMST VET VLAT WAST WGST WGT YAKT YEKT';
const openZones = Object.fromEntries(`${shared} ${misread}`.split(' ').map((zone) => [zone, Number.NaN]));
/** RFC 822 says what this one means there. */
const inMail = /^\d{1,2} \p{L}{3} \d{2,4} \d\d:\d\d:\d\d CST$/u;

const toIso = (time: DateTime, hasTime: boolean): string | undefined => {
  if (!time.isValid) return undefined;
  return (hasTime ? time.toUTC().toISO({ suppressMilliseconds: true }) : time.toISODate()) ?? undefined;
};

/** `2024.5` is a number, and `2010-11` a season as often as a month. */
const isOpenMonth = (years: string, mark: string, month: string) =>
  mark === '.' || (Number(years) + 1) % 100 === Number(month);

function readYearFirst(text: string): string | undefined {
  const [, years = '', mark = '', month = '', on, time, zone = 'Z'] = yearFirst.exec(text) ?? [];
  // 0001-01-01 and 9999-12-31 stand for no date.
  if (!isYear(Number(years)) || (on === undefined && isOpenMonth(years, mark, month))) return undefined;
  const date = [years, month.padStart(2, '0'), ...(on === undefined ? [] : [on.padStart(2, '0')])].join('-');
  // No more than the text says.
  if (on === undefined)
    return time === undefined && Number(month) <= 12 && Number(month) > 0 ? date : undefined;
  if (time === undefined) return toIso(DateTime.fromISO(date, { zone: 'utc' }), false);
  const offset = /^[-+]/.test(zone) ? zone : 'Z';
  const clock = time.replace(',', '.').replace(/^\d:/, '0$&');
  return toIso(DateTime.fromISO(`${date}T${clock}${offset}`, { zone: 'utc' }), true);
}

/** The text with such a date written year first; undefined where its date has two readings, or none. */
function withYearFirst(text: string, isMonthFirst: boolean | undefined): string | undefined {
  const [found, one = '', mark, other = '', years = ''] =
    numeric.exec(text) ?? (isMonthFirst === undefined ? [] : (shortNumeric.exec(text) ?? []));
  if (found === undefined) return text;
  const isOpen = mark !== '.' && Number(one) <= 12 && Number(other) <= 12 && one !== other;
  if (isOpen && isMonthFirst === undefined) return undefined;
  const isDayFirst = isOpen ? !isMonthFirst : Number(other) <= 12;
  const [day, month] = isDayFirst ? [one, other] : [other, one];
  const date = readYearFirst(`${years.length === 2 ? century(years) : ''}${years}-${month}-${day}`);
  return date === undefined ? undefined : text.replace(found, date);
}

function readWords(text: string): string | undefined {
  const timezones = inMail.test(text) ? {} : openZones;
  for (const { strict } of languagesOf(text)) {
    const [found, ...more] = strict.parse(text, { instant: new Date(0), timezone: 0 }, { timezones });
    if (found === undefined || more.length > 0 || found.end || found.text.length < text.length) continue;
    const { start } = found;
    if (!start.isCertain('month') || !start.isCertain('year') || !start.isCertain('day')) continue;
    const hasTime = start.isCertain('hour');
    const time = DateTime.fromObject(
      {
        year: start.get('year') ?? 0,
        month: start.get('month') ?? 0,
        day: start.get('day') ?? 1,
        ...(hasTime && {
          hour: start.get('hour') ?? 0,
          minute: start.get('minute') ?? 0,
          second: start.get('second') ?? 0,
        }),
      },
      { zone: 'utc' },
    );
    const offset = hasTime && start.isCertain('timezoneOffset') ? (start.get('timezoneOffset') ?? 0) : 0;
    return Number.isNaN(offset) ? undefined : toIso(time.minus({ minutes: offset }), hasTime);
  }
  return undefined;
}

/** German writes a point behind the day: the library knows `1. März 2024` only. */
function readWordsOfDay(text: string): string | undefined {
  const german = text.replace(/^(\d{1,2}) (?=\p{L}{3})/u, '$1. ');
  return readWords(text) ?? (german === text ? undefined : readWords(german));
}

const spanOfTime = /\d[:h.]\d\d(?:\s?uhr)?(?:-| ?- )\d{1,2}[:h.]\d\d(?!\d)/i;

/** `12:00–13:30`: the library takes the second time for an offset, which it is behind a date that begins with its year. */
const isSpanOfTime = (text: string, plain: string): boolean =>
  spanOfTime.test(plain) && (!yearFirst.test(plain) || /[–—]/.test(text));

/** The forms that the library's languages write otherwise: "5 p.m.", "UT", a dash or "at" before the time. */
const toUsual = (text: string) =>
  text
    .replace(weekday, '')
    .replace(/\bUT$|(?<=\d) ?Z$/, ' UTC')
    // RFC 850: `Thursday, 05-Sep-24 07:00:00 GMT`.
    .replace(/^(\d{1,2})-(\p{L}{3,})-(\d{2,4})\b/u, '$1 $2 $3')
    .replace(/(\d{4}) г\.?/u, '$1')
    .replace(/\b([ap])\.m\.?/gi, '$1m')
    .replace(/(\d{4}),? (?:- |at |um |kl\. )?(?=\d{1,2}(?::\d\d|\s?[ap]m))/i, '$1 ')
    .replace(/^(\p{L}{3,}) (\d{1,2}) (\d{4})/u, '$1 $2, $3');

/** A time in the text of a date, and the zone behind it. */
export const timeOfDay = /\d[:h]\d\d(?!\d)|\d ?[ap]\.?m/i;
const universal = String.raw`(?:UTC?|GMT)(?: ?[-+]\d{1,2}(?::?\d\d)?)?`;
const zones = String.raw`${universal}|MEZ|MESZ|MSK|\p{Lu}{1,4}T`;
export const timeZone = new RegExp(String.raw`(?:\d ?Z|(?<!\p{L})(?:${zones})|[-+]\d\d:?\d\d)\)?$`, 'u');
/** In the head of a column: letters that may be a word stand in brackets, or behind a text that is not all capitals. */
const zoneInHead = new RegExp(
  String.raw`${universal.replace('C?', 'C')}(?!\p{L}| ?/)|(?<=[([]\s*)(?:${zones})(?=\s*[)\]])|(?<=\p{Ll}\P{L}+)(?:${zones})$`,
  'gu',
);

/** The time zone that a head or a label says of all its times; undefined where it says none, several, or one that may be several. */
export function zoneOfHead(head: string): string | undefined {
  const upper = head.replace(/utc|gmt/gi, (name) => name.toUpperCase());
  const [zone, ...others] = new Set([...upper.matchAll(zoneInHead)].map(([name]) => name.replace(/\s/g, '')));
  const isKnown =
    zone !== undefined && others.length === 0 && readDate(`2024-01-31 12:00 ${zone}`) !== undefined;
  return isKnown ? zone : undefined;
}

/** A date whose time was taken as UTC, with that time in a zone. */
export function inZone(date: string, zone: string): string {
  const [, minute, rest = ''] = /^(.*T\d\d:\d\d)(.*Z)$/.exec(date) ?? [];
  const moved = minute === undefined ? undefined : readDate(`${minute} ${zone}`);
  return moved === undefined ? date : moved.slice(0, 16) + rest;
}

/** `March 2024`, `septiembre de 2024`. */
const monthAlone = /^(\p{L}{3,}\.?)(?: de)? (\d{4})$/u;

/**
 * The date of a text, with its time in UTC where it has one; a text without a zone is taken as UTC. Undefined where the text
 * is more or less than a date, or names a zone that may be several. `isMonthFirst`: the order of day and month where both are possible, and that the text should be
 * a date; without it such a text has two readings.
 */
export function readDate(text: string, isMonthFirst?: boolean): string | undefined {
  const plain = toPlainDigits(text);
  if (plain.length > maxLength || !/\d/.test(plain) || isSpanOfTime(text, plain)) return undefined;
  if (compact.test(plain)) return toIso(DateTime.fromISO(plain, { zone: 'utc' }), true);
  const usual = withYearFirst(toUsual(plain), isMonthFirst);
  if (usual === undefined) return undefined;
  const direct = readYearFirst(plain) ?? readYearFirst(usual);
  if (direct !== undefined || !/\p{L}/u.test(usual)) return direct;
  // The library finds months in other texts too, unless a day stands before them.
  if (monthAlone.test(usual)) return readWordsOfDay(usual.replace(monthAlone, '1 $1 $2'))?.slice(0, 7);
  if (!year.test(usual) && !shortYear.test(usual)) return undefined;
  // The end of a day is the begin of the next one.
  const atEnd = usual.replace(/(?<= )24:00(?=$|[: ])/, '00:00');
  const read = readWordsOfDay(atEnd);
  return read === undefined || atEnd === usual
    ? read
    : toIso(DateTime.fromISO(read, { zone: 'utc' }).plus({ days: 1 }), true);
}

/**
 * Seconds from 1973 to 2286, or milliseconds from 1973 on, also as a text of digits. Other numbers, such as 20240315093000,
 * are no such time: undefined.
 */
export function readUnixTime(value: unknown): string | undefined {
  const isDigits = typeof value === 'string' && /^\s*(?:\d{9,10}|\d{13})\s*$/.test(value);
  const unix = isDigits ? Number(value) : value;
  if (typeof unix !== 'number') return undefined;
  const [isSeconds, isMillis] = [unix >= 1e8 && unix <= 1e10, unix >= 1e11 && unix <= 1e13];
  if (!isSeconds && !isMillis) return undefined;
  return DateTime.fromMillis(isSeconds ? unix * 1000 : unix, { zone: 'utc' }).toISO() ?? undefined;
}

/** Dates with slashes, and dates with hyphens and a four-digit year. Years, versions and addresses do not match. */
const dateInSource =
  /(?<![\p{L}\d/.-])(\d{1,2})(?:\/(\d{1,2})\/(?:\d{4}|\d{2})|-(\d{1,2})-\d{4})(?![\p{L}\d/-])/gu;

/** Whether the month comes first in the dates of a text: a number above 12 cannot be a month, so one such date shows the order of all. */
export function orderOfDates(source: string): boolean | undefined {
  let [isMonthFirst, isDayFirst] = [false, false];
  // JSON may escape a slash as `\/`.
  for (const [, first, stroked, hyphened] of source.replaceAll('\\/', '/').matchAll(dateInSource)) {
    const [one, other] = [Number(first), Number(stroked ?? hyphened)];
    if (one >= 1 && one <= 12 && other > 12 && other <= 31) isMonthFirst = true;
    if (other >= 1 && other <= 12 && one > 12 && one <= 31) isDayFirst = true;
  }
  return isMonthFirst === isDayFirst ? undefined : isMonthFirst;
}
