/**
 * Texts are ordered letter by letter: right for names, and for dates and times that are all in one ISO form. Here is what is said
 * of other texts, because the answer in that order looks right and is not.
 */
import { isMonthName } from '../../compare/month-names.ts';
import { readNumber } from '../../compare/number.ts';
import { isLargeInteger } from '../../contract/exact-json.ts';
import { isNumeral } from './jmespath.ts';
import { shown } from './path-words.ts';

/** What is ordered, and how it is named to the caller. */
export interface Ordered {
  readonly name: string;
  readonly found: readonly unknown[];
}

/** `limit`: the constant that a filter compares with. Undefined where letters make the order that is meant. */
export function letterOrderNote({ name, found }: Ordered, limit?: string): string | undefined {
  const texts = found.filter((value): value is string => typeof value === 'string' && !isLargeInteger(value));
  const time = timeOutOfOrder(texts);
  if (time !== undefined)
    return `${name} holds texts such as ${shown(time)}, which are ordered as texts, letter by letter: that is not their order in time. Read the rows, and order them yourself.`;
  const ofLimit = limit === undefined ? undefined : limitNote(name, texts, limit);
  return (
    looksLikeNumber(name, texts) ??
    ofLimit ??
    misplaced(name, limit === undefined ? texts : [...texts, limit])
  );
}

const isoDate = /^\d{4}-\d{2}(?:-\d{2})?(?:[T ]|$)/;
/** Such as `24.11.2026`, `2/1/27`, `24. Nov 2026`, `Nov 24, 2026` and `2026. nov. 24.`, or without zeros, such as `2026-9-5`. */
const otherDate =
  /^(?:\p{L}{2,}\.?,? )?(?:\d{1,2}(?:(?<sign>[./-]) ?\d{1,2}\k<sign> ?|(?:\.|st|nd|rd|th)? ?(?:de |of |ב)?(?<month>[\p{L}\p{M}]{3,})\.?,? (?:de )?)|(?<first>\p{L}{3,})\.? \d{1,2}(?:st|nd|rd|th)?,? )(?:\d{4}|\d{2})(?!\d)|^\d{4}\.? (?<last>\p{L}{3,})\.? \d|^\d{4}[-/.](?:\d[-/.]|\d{1,2}[-/.]\d(?!\d))/u;
const yearAlone = /^\d{4}$/;
const yearFirst = /^\d{4}[-/.]\d{1,2}(?!\d)/;
const clock = /^(\d{1,2}):\d{2}(?::\d{2})?( ?[ap]\.?m\.?)?$/i;
const zone = /T\d{2}:\d{2}.{0,12}(Z|[-+]\d{2}:?\d{2})$/;
const maxTimeChars = 60;

function isOtherDate(text: string): boolean {
  const found = text.length <= maxTimeChars ? otherDate.exec(text) : null;
  if (found === null) return false;
  const word = found.groups?.month ?? found.groups?.first ?? found.groups?.last;
  // As in "Chapter 10, 2020".
  return word === undefined || isMonthName(word);
}

const zoneOf = (text: string): string | undefined => zone.exec(text)?.[1];

/** One of the texts, where most are dates or times of which letters do not make the order. */
function timeOutOfOrder(texts: readonly string[]): string | undefined {
  const short = texts.filter((text) => text.length <= maxTimeChars);
  const isMost = (some: readonly string[]) => some.length * 2 > texts.length;
  const dates = short.filter((text) => yearFirst.test(text) || isOtherDate(text));
  const other = dates.find(isOtherDate);
  if (other !== undefined && isMost(dates)) return other;
  // As `9:30` and `10:15`, or `1 pm` and `11 am`.
  const clocks = short.filter((text) => clock.test(text));
  const odd = clocks.find((text) => /m/i.test(text) || text.indexOf(':') !== clocks[0]?.indexOf(':'));
  if (odd !== undefined && isMost(clocks)) return odd;
  const zoned = short.filter((text) => zoneOf(text) !== undefined);
  return zoned.find((text) => zoneOf(text) !== zoneOf(zoned[0] ?? ''));
}

/** As `PDF, 1.2 MB`. */
const size = /(?<![\d.,])\d[\d.,]* ?[kmgt]i?b$/i;

/**
 * A number as people write it, such as `1,234.50`, `€5` or `12 kg`, or one of several, such as `7.8/10`; no date, and no name
 * with a number in it.
 */
function isAmount(text: string): boolean {
  if (text.length <= maxTimeChars && size.test(text)) return true;
  const number = text.replace(/\s?\/\s?\d{1,4}$/, '');
  return (
    number.length <= 30 && /^\D{0,4}\d[\d.,'\s]*\D{0,5}$/.test(number) && readNumber(number) !== undefined
  );
}

const byLetter = (text: string): string =>
  `holds texts such as ${shown(text)}, which are ordered as texts, letter by letter; to_number() does not read that form. Read the rows, and order them yourself.`;

function looksLikeNumber(name: string, texts: readonly string[]): string | undefined {
  const formatted = texts.find((text) => !isNumeral(text) && isAmount(text));
  if (formatted !== undefined) return `${name} ${byLetter(formatted)}`;
  const numeral = texts.find(isNumeral);
  // "1.1" beside "1.9.2" is no number either.
  if (numeral === undefined || texts.some((text) => !isNumeral(text) && /^\d/.test(text))) return undefined;
  return `${name} holds texts such as ${shown(numeral)}, which are ordered as texts, letter by letter: use to_number(${name}) to compare numbers.`;
}

/** The order that people expect: numbers by their value, letters of each form together. Made when it is needed: it takes 8 ms. */
let people: Intl.Collator | undefined;

/** Two texts that stand otherwise than people would order them; undefined where all stand as they would. */
function misplaced(name: string, texts: readonly string[]): string | undefined {
  const sorted = [...new Set(texts)].sort();
  people ??= new Intl.Collator('en', { numeric: true });
  const { compare } = people;
  const at = sorted.findIndex((text, index) => compare(sorted[index - 1] ?? text, text) > 0);
  if (at < 0) return undefined;
  const [first, second] = [shown(sorted[at - 1]), shown(sorted[at])];
  return `${name} holds texts, which are ordered letter by letter: ${first} comes before ${second}.`;
}

/**
 * Of dates, for a text that is looked for in them and written otherwise, as "2026-11-24" is beside "24.11.2026". `holds` tells
 * whether one text has the other as it is asked for. Undefined where that may be so, or where some texts are no dates.
 */
export function otherDateNote(
  { name, found }: Ordered,
  wanted: string,
  holds: (text: string, part: string) => boolean,
): string | undefined {
  const form = formOf(wanted);
  const isOtherwise = (text: unknown) =>
    typeof text === 'string' &&
    text.length <= maxTimeChars &&
    (isoDate.test(text) || isOtherDate(text)) &&
    !holds(formOf(text), form);
  if (found.length === 0 || !found.every(isOtherwise)) return undefined;
  return `${name} holds dates such as ${shown(found[0])}, and ${shown(wanted)} is written otherwise: write it as they are.`;
}

/** With `y` for a year, `9` for a day or month, and `a` for a word; of an ISO time its day. */
const formOf = (date: string): string =>
  date
    .replace(/^(\d{4}-\d{2}-\d{2})[T ].*/s, '$1')
    .replaceAll(/[\p{L}\p{M}]+/gu, 'a')
    .replaceAll(/\d{4}/g, 'y')
    .replaceAll(/\d+/g, '9');

/** A day is before all of its times: `<=` leaves them out, and `>` takes them. */
export function withinNote(
  { name, found }: Ordered,
  limit: string,
  order: string | undefined,
): string | undefined {
  if (!/^\d{4}(?:-\d{2}){0,2}$/.test(limit) || (order !== '<=' && order !== '>')) return undefined;
  const within = found.find(
    (text) => typeof text === 'string' && text.length > limit.length && text.startsWith(limit),
  );
  if (within === undefined) return undefined;
  const does = order === '>' ? 'takes' : 'leaves out';
  return `${name} holds texts such as ${shown(within)}, which come after ${shown(limit)}: ${order} ${does} what is within it. Compare with the one that follows if the whole is meant.`;
}

/** A constant that is written otherwise than dates: such as `24.11.2026` or `yesterday`; or a date among other values. */
function limitNote(name: string, texts: readonly string[], limit: string): string | undefined {
  const isIso = isoDate.test(limit);
  const odd = texts.find((text) => isoDate.test(text) !== isIso);
  const isOther = isOtherDate(limit) || (!yearAlone.test(limit) && texts.every((text) => isoDate.test(text)));
  if (odd === undefined || !(isIso || isOther)) return undefined;
  return isIso
    ? `${name} holds texts such as ${shown(odd)}: texts are ordered letter by letter, which is the order of time only for dates like ${shown(limit)}.`
    : `Texts are ordered letter by letter, and ${shown(limit)} is not written as ${name} is: write it like ${shown(odd)}.`;
}
