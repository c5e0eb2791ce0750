/** Which rules of a recipe read the texts of a column as dates. */
import type { DecimalMark } from '../../../compare/number.ts';
import type { Document } from '../../page/document.ts';
import type { ValueRules } from '../../recipes/recipe-schema.ts';
import { type TextRead, type TypedValue, toTyped } from '../../recipes/values.ts';

/** What the page says about the form of its dates. */
export interface DateContext {
  /** As in `lang`, such as `en-US`; empty where the page says nothing. */
  readonly language: string;
  /** Whether the month comes first, by all dates of the page, its language and its country; undefined where they do not tell. */
  readonly isMonthFirst?: boolean | undefined;
  /** Of its address; empty where nobody asks for it. */
  readonly host: string;
  /** By all numbers of the page; undefined where they do not tell. */
  readonly decimalMark?: DecimalMark | undefined;
  /** Whether the page writes negative amounts with a minus. */
  readonly writesMinus?: boolean;
}

/** Of percents, statements of accounts write a minus as well. */
const minus = /(?<=\s)[-−–]\p{Nd}[\p{Nd}.,']*(?!\s?[%\p{Nd}])/u;

export const createDateContext = ({
  language,
  isMonthFirst,
  decimalMark,
  page,
  isData,
  text,
}: Document): DateContext => ({
  language,
  host: new URL(page.url).hostname,
  isMonthFirst,
  decimalMark,
  writesMinus: !isData && minus.test(text),
});

export interface DateReading {
  readonly rules: ValueRules;
  /** The other order of day and month fits the values as well. */
  readonly other?: ValueRules;
}

/** The least share of the values that must be dates. */
const enough = 0.9;
const maxLength = 60;

const reads = (values: readonly string[], rules: ValueRules): boolean => {
  const isInForm = ({ reading }: TextRead) => !(reading && 'isOtherForm' in reading && reading.isOtherForm);
  const isDate = ({ value, reads: read = [] }: TypedValue) =>
    typeof value === 'string' && /^\d{4}-\d\d/.test(value) && read.every(isInForm);
  const failures = values.filter((value) => !isDate(toTyped(value, rules, 'http://x/'))).length;
  return values.length > 0 && failures <= values.length * (1 - enough) + 1e-9;
};

/** `04.12.19:00` is a day and an hour. */
const numeric = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?!\d|[.:]\d)(.*)$/;
/** `07042024`: eight digits that end in a year. Eight digits that begin with one are often an identifier. */
const compact = /^(\d{2})()(\d{2})((?:19|20)\d{2})()$/;
const times: readonly [RegExp, string][] = [
  [/^$/, ''],
  [/^\s+\d{1,2}:\d\d$/, ' H:mm'],
  [/^,\s+\d{1,2}:\d\d$/, ', H:mm'],
  [/^\s+\d{1,2}:\d\d\s[AP]M$/i, ' h:mm a'],
  [/^\s+\d{1,2}:\d\d:\d\d$/, ' H:mm:ss'],
  [/^\s+\d{1,2}:\d\d:\d\d\s[AP]M$/i, ' h:mm:ss a'],
];

/** `, um 18:30 Uhr`, ` à 12h00`, ` - 9.15 h`: words before and behind a time, which all texts have. */
const worded = /^(\D{1,12}?)\d{1,2}([:h])\d\d(\D{0,6})$/;
const asWritten = (words: string) => (words === '' ? '' : `'${words}'`);

/** The format of a time in words; undefined where these are not the same in all texts, or may be of another half of the day. */
function wordedTime(rests: readonly string[]): string | undefined {
  const forms = rests.map((rest) => {
    const [, before = '', mark = '', after = ''] = worded.exec(rest) ?? [];
    const isPlain = mark !== '' && !/'|[ap]\.?m/i.test(before + after);
    return isPlain ? `${asWritten(before)}H${asWritten(mark)}mm${asWritten(after)}` : undefined;
  });
  return new Set(forms).size === 1 ? forms[0] : undefined;
}

const clock = /\d[:h]\d\d(?!\d)|\d ?(?:[ap]\.?m\b|uhr\b)/i;

/** Whether the month comes first; undefined where the page does not tell. */
function monthFirst(
  parts: readonly RegExpExecArray[],
  mark: string,
  context: DateContext,
): boolean | undefined {
  const isDay = (index: number) => parts.some((part) => Number(part[index]) > 12);
  if (isDay(1) !== isDay(3)) return isDay(3);
  return mark === '.' ? false : context.isMonthFirst;
}

/** `7/4/24`, `04.07.2024 18:30`, `07042024`. */
function numericReading(values: readonly string[], context: DateContext): DateReading | undefined {
  const form = compact.test(values[0] ?? '') ? compact : numeric;
  const parts = values.map((value) => form.exec(value)).filter((part) => part !== null);
  const [sample] = parts;
  if (sample === undefined || parts.length < values.length * enough) return undefined;
  // A span of days, or several of them.
  const rests = parts.map((part) => part[5] ?? '');
  if (rests.some((rest) => /\d[./-]\d{1,2}[./-]\d/.test(rest))) return undefined;
  const mark = sample[2] ?? '/';
  const time = times.find(([pattern]) => rests.every((rest) => pattern.test(rest)))?.[1] ?? wordedTime(rests);
  // A time that is written otherwise is kept with its date, or the text as it is.
  if (time === undefined && rests.some((rest) => clock.test(rest))) return undefined;
  // Other text after the date is ignored.
  const rest = time === undefined ? { match: `^\\d{1,2}[./-]\\d{1,2}[./-]\\d{2,4}` } : {};
  const year = parts.every((part) => part[4]?.length === 2) ? 'yy' : 'yyyy';
  const [month, day] = form === compact ? ['MM', 'dd'] : ['M', 'd'];
  const rules = (isMonthFirst: boolean): ValueRules => ({
    type: 'date',
    ...rest,
    format: `${(isMonthFirst ? [month, day] : [day, month]).join(mark)}${mark}${year}${time ?? ''}`,
  });
  const order = monthFirst(parts, mark, context);
  const orders = (order === undefined ? [true, false] : [order]).map(rules);
  const [first, other] = orders.filter((one) => reads(values, one));
  return first === undefined ? undefined : { rules: first, ...(other === undefined ? {} : { other }) };
}

const wordFormats = [
  ...['MMMM', 'MMM'].flatMap((name) => [
    `${name} d, yyyy`,
    `${name} d yyyy`,
    `d ${name} yyyy`,
    `d. ${name} yyyy`,
  ]),
  ...['d-MMM-yyyy', 'MMM. d, yyyy', 'd MMMM, yyyy', 'MMMM yyyy', 'yyyy/M/d', 'yyyy.M.d'],
  ...['MMMM d, yyyy h:mm a', 'MMM d, yyyy h:mm a', 'd MMMM yyyy H:mm', 'd MMMM yyyy, H:mm'],
  "d 'de' MMMM 'de' yyyy",
];

/** A weekday before the date adds nothing, in any language. */
const afterWeekday = /^\p{L}{2,13}\.?,?\s+((?:\p{L}{3,10}\.?\s+\d|\d{1,2}[.\s/-]).*\d.*)$/u;

function wordReading(values: readonly string[], { language }: DateContext): ValueRules | undefined {
  if (!values.every((value) => /\p{L}{3}|^\d{4}[/.]/u.test(value) || !/\d/.test(value))) return undefined;
  const [own = ''] = language.toLowerCase().split(/[-_]/);
  const locales = own === '' || own === 'en' ? [undefined] : [own, undefined];
  for (const locale of locales)
    for (const format of wordFormats) {
      const rules: ValueRules = { type: 'date', format, ...(locale === undefined ? {} : { locale }) };
      if (reads(values, rules)) return rules;
    }
  return undefined;
}

const isoDate = /^\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d.*)?$/;
/** Cheap check for a month's name or three numbers, before the recipe's own date parser is tried. */
const looksLikeDate = (value: string) =>
  isoDate.test(value) ||
  compact.test(value) ||
  (/^\d{8}$/.test(value) === false &&
    /\d/.test(value) &&
    /\p{L}{3}|^\d{1,4}[./-]\d{1,2}[./-]\d{2,4}/u.test(value));

/** Undefined where the texts are no dates. */
export function readingOfDates(values: readonly string[], context: DateContext): DateReading | undefined {
  const short = values.filter((value) => value.length <= maxLength && looksLikeDate(value));
  if (values.length === 0 || short.length < values.length * enough) return undefined;
  const numbers = numericReading(values, context);
  if (numbers !== undefined) return numbers;
  const plain: ValueRules = { type: 'date' };
  if (reads(values, plain)) return { rules: plain };
  const words = wordReading(values, context);
  if (words !== undefined) return { rules: words };
  const bare = values.map((value) => afterWeekday.exec(value)?.[1]);
  if (bare.some((value) => value === undefined)) return undefined;
  const inner = readingOfDates(bare.map(String), context);
  if (inner === undefined || inner.rules.match !== undefined) return undefined;
  return { rules: { ...inner.rules, match: '^\\p{L}+\\.?,?\\s+(.*)$' } };
}

const month = '(?:\\p{L}{3,10})';
/** A date inside of a longer text, as a pattern without groups that runs in linear time. */
export const dateInText = [
  '\\d{1,2}/\\d{1,2}/\\d{4}',
  '\\d{1,2}/\\d{1,2}/\\d{2}',
  '\\d{4}-\\d{2}-\\d{2}',
  '\\d{1,2}-\\d{1,2}-\\d{4}',
  '\\d{1,2}\\.\\d{1,2}\\.\\d{4}',
  `${month}\\.? \\d{1,2},? \\d{4}`,
  `\\d{1,2}\\.? (?:de )?${month} (?:de )?\\d{4}`,
] as const;
