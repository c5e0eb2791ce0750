/** Which type the values of a column have, judged by their texts. */

import type { ValueRules } from '../recipes/schema.ts';
import { typed } from '../recipes/values.ts';
import { dateInText } from './dates-in-text.ts';
import { stem } from './stem.ts';

export interface ValueType {
  readonly rules: ValueRules;
  /** What stands beside the number, where something does. */
  readonly unit?: 'currency' | 'unit' | undefined;
  /** A text beside the number names it: "12 comments". */
  readonly unitWords?: string | undefined;
}

export const text: ValueType = { rules: { type: 'text' } };

const currency =
  /[$€£¥₹₽₩₺₴฿]|(?<!\p{L})(?:usd|eur|gbp|jpy|chf|aud|cad|sek|nok|dkk|pln|czk|huf|inr|cny|rub|brl|kr|zł|kč|fr)(?!\p{L})/iu;
const numeral = /[-+−]?\d[\d.,'’\u00a0\u202f]*(?: \d{3}(?!\d))*/;

/** Whether a share of the values, at least `share`, passes. */
function most(values: readonly string[], passes: (value: string) => boolean, share = 0.9): boolean {
  let failures = Math.floor(values.length * (1 - share) + 1e-9);
  return values.length > 0 && values.every((value) => passes(value) || failures-- > 0);
}

/** The decimal mark, by what the numbers allow and the language suggests. */
function decimalOf(numerals: readonly string[], commaLanguage: boolean): '.' | ',' {
  if (numerals.some((numeral) => /\.\d{3},\d|\d,\d{1,2}$|,\d{4,}$/.test(numeral))) return ',';
  if (numerals.some((numeral) => /,\d{3}\.\d|\.\d{1,2}$|\.\d{4,}$/.test(numeral))) return '.';
  // Only groups of three are left: 1.234 or 1,234.
  return commaLanguage && numerals.every((numeral) => !numeral.includes(',')) ? ',' : '.';
}

/** Digits in groups of three or in none, and at most one decimal mark: no date, version or telephone number. */
const wellFormed = /^[-+−]?(?:\d+|\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+)(?:[.,]\d+)?$/;

/** What a date is read from where words stand before it. */
export const fromFirstDigit = '\\d.*$';
/** "27 m (89 ft)": a measure, and the same in another unit. */
const converted =
  /^[^\d(]{0,12}\d[\d.,\s]*\p{L}{1,3}[²³]?\s*\((?:[\d.,\s′″'"]+(?:\p{L}{1,3}[²³]?\s*)?){1,3}\)$/u;

/** "7.00 pm", "18.30 Uhr", "9 o'clock" */
const timeOfDay = /\d\s?(?:[ap]\.?m\b|uhr\b|o['’]clock)/i;

function numberType(values: readonly string[], commaLanguage: boolean): ValueType | undefined {
  if (most(values, (value) => converted.test(value), 1)) {
    const found = numberType(
      values.map((value) => value.replace(/\s*\(.*$/, '')),
      commaLanguage,
    );
    return found && { ...found, rules: { ...found.rules, match: '^[^(]*' } };
  }
  const numerals: string[] = [];
  const marks: string[] = [];
  const rests = new Set<string>();
  let money = 0;
  let rated = false;
  for (const value of values) {
    // "2.950,-" and "85.–": the mark before what is left out.
    const left = /\d([.,])(?:-|–|—)/.exec(value)?.[1];
    if (left !== undefined) marks.push(`0${left}00`);
    const found = numeral.exec(value)?.[0].replace(/[.,'’\s]+$/, '');
    if (found === undefined) continue;
    // "7A" is a name, and "1.2M" is not 1.2.
    if (/\d(?:\p{Lu}|[kbt])(?!\p{L})/u.test(value) || /^\p{L}\d/u.test(value)) return undefined;
    if (timeOfDay.test(value)) return undefined;
    // "LIC/2031/14" is a reference.
    if (/\p{Lu}\/\d/u.test(value)) return undefined;
    // Identifiers, times and ranges are no numbers.
    if (/^[-+−]?0\d/.test(found) && !/^[-+−]?0[.,]/.test(found)) return undefined;
    let rest = value.replace(found, ' ').replace(/\s+/g, ' ').trim();
    const outOf = /(?:\/|\b(?:out of|of|von|sur))\s*\d+(?:[.,]\d+)?\b/i.exec(rest);
    if (outOf !== null) {
      rest = rest.replace(outOf[0], '').trim();
      rated = true;
    }
    if (/\d/.test(rest) || !wellFormed.test(found)) return undefined;
    const words = rest.replace(/[()[\]:~≈.,*|·–-]|^\/|\/$/g, ' ').trim();
    if (currency.test(words)) money += 1;
    if (words.split(/\s+/).length > 2 || words.length > 24) return undefined;
    // "2118 Snell Hall" is a place.
    if (/^\p{Lu}\p{Ll}+\s\p{Lu}\p{Ll}+$/u.test(words)) return undefined;
    // "Room 12", "Part 3", "Elm Road 4" are names.
    const isName = /\p{L}{2,}\.?\s*$/u.test(value.slice(0, value.indexOf(found))) && !currency.test(words);
    if (isName && outOf === null) return undefined;
    numerals.push(found);
    rests.add(/ies$/.test(words) ? stem(words) : words.replace(/s$/, ''));
  }
  if (numerals.length < values.length * 0.9 || numerals.length === 0) return undefined;
  const isMoney = money >= numerals.length * 0.5;
  if (!isMoney && rests.size > Math.max(numerals.length > 3 ? 3 : 2, numerals.length * 0.3)) return undefined;
  const [unit = ''] = [...rests].filter((rest) => rest !== '');
  const decimal = decimalOf([...marks, ...numerals], commaLanguage);
  const hasUnit = !rated && unit !== '' && unit.length <= 12 && !/\s/.test(unit);
  return {
    rules: {
      type: 'number',
      ...(decimal === ',' ? { decimal } : {}),
      // What stands around the number must not become its unit.
      ...(rated || (!isMoney && !hasUnit && unit !== '') ? { match: `[-+−]?\\d[\\d.,'’]*` } : {}),
    },
    unit: isMoney ? 'currency' : hasUnit ? 'unit' : undefined,
    unitWords: unit === '' ? undefined : unit,
  };
}

const isoDate = /^\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d.*)?$/;
const dateFormats = [
  'd.M.yyyy',
  'd. M. yyyy',
  'd/M/yyyy',
  'M/d/yyyy',
  'd-M-yyyy',
  'yyyy/M/d',
  'yyyy.M.d',
  'd.M.yy',
  'd/M/yy',
].flatMap((format) => [format, `${format} H:mm`, `${format}, H:mm`]);
const wordFormats = [
  'd MMM yyyy',
  'd MMMM yyyy',
  'd. MMMM yyyy',
  'd. MMM yyyy',
  'EEEE, d MMMM yyyy',
  'EEE, d MMM yyyy',
  'EEEE, MMMM d, yyyy',
  'EEE, MMM d, yyyy',
  'EEE d MMM yyyy',
  'EEE d MMMM yyyy',
  'EEEE d MMM yyyy',
  'EEE, d MMMM yyyy',
  'EEEE, d. MMMM yyyy',
  'EEE, MMMM d, yyyy',
  'EEE MMM d, yyyy',
  'EEEE, MMM d, yyyy',
  'd-MMM-yyyy',
  'EEEE d MMMM yyyy',
  'MMM d, yyyy',
  'MMMM d, yyyy',
  'MMM d yyyy',
  'MMMM d yyyy',
  'd MMMM yyyy H:mm',
  'd MMM yyyy H:mm',
  'MMMM d, yyyy h:mm a',
  'MMM d, yyyy, h:mm a',
  'd MMMM yyyy, H:mm',
  'd MMM yyyy, H:mm',
  'EEE d MMM yyyy, H:mm',
  'EEE, d MMM yyyy, H:mm',
  "d MMMM yyyy 'at' H:mm",
  "MMMM d, yyyy 'at' h:mm a",
];

function dateType(values: readonly string[], language: string): ValueType | undefined {
  if (!most(values, (value) => /\d/.test(value) && value.length <= 60)) return undefined;
  const reads = (rules: ValueRules) =>
    most(values, (value) => typed(value, rules, 'http://x/').value !== null);
  // "Do 06.03.2025": the day of the week says nothing more, in whatever language.
  const afterWeekday = /^\p{L}{2,12}\.?,?\s+(\d{1,2}[.\s/-].*\d.*)$/u;
  if (most(values, (value) => afterWeekday.test(value))) {
    const found = dateType(
      values.map((value) => afterWeekday.exec(value)?.[1] ?? value),
      language,
    );
    if (found !== undefined) return { rules: { match: fromFirstDigit, ...found.rules } };
  }
  const looksLike = (value: string) =>
    isoDate.test(value) || /\p{L}{3}/u.test(value) || /^\d{1,4}[./-]\s?\d{1,2}[./-]\s?\d{2,4}/.test(value);
  if (!most(values, looksLike)) return undefined;
  const plain: ValueRules = { type: 'date' };
  if (reads(plain)) return { rules: plain };
  const locales = language === '' || language === 'en' ? [undefined] : [language, undefined];
  for (const locale of locales) {
    for (const format of [...dateFormats, ...wordFormats]) {
      const rules: ValueRules = { type: 'date', format, ...(locale === undefined ? {} : { locale }) };
      if (reads(rules)) return { rules };
    }
  }
  return dateInText(values, language);
}
const commaLanguages = new Set(
  'de fr es it nl pt pl cs sk da sv no nb fi ru uk tr ro hu el hr sl bg id vi'.split(' '),
);

/** What stands where there is no value. */
const placeholder = /^[-–—−.·*/?\s]*$|^(?:n\/?\.?a\.?|k\. ?a\.|tb[acd]|none|null|nil)$/i;

/** The type of texts as a page shows them; `language` is the page's, such as `en`. */
export function typeOfTexts(values: readonly string[], language: string): ValueType {
  const present = values.filter((value) => !placeholder.test(value)).slice(0, 60);
  if (present.length === 0) return text;
  if (most(present, (value) => /^(?:yes|no|true|false)$/i.test(value), 1))
    return { rules: { type: 'boolean' } };
  return numberType(present, commaLanguages.has(language)) ?? dateType(present, language) ?? text;
}

/** The type of a JSON value's column. */
export function typeOfJson(values: readonly unknown[], key: string): ValueType {
  const present = values.filter((value) => value !== null && value !== undefined);
  if (present.every((value) => typeof value === 'boolean')) return { rules: { type: 'boolean' } };
  if (present.every((value) => typeof value === 'number')) {
    const isTime = /(^|_)(at|on|date|time|timestamp|created|updated|published)$|(At|Date|Time)$/.test(key);
    return { rules: { type: isTime && present.every((value) => Number(value) > 1e8) ? 'date' : 'number' } };
  }
  if (present.some((value) => typeof value === 'object')) return { rules: { type: 'json' } };
  const texts = present.map(String);
  // "https://schema.org/InStock"
  if (most(texts, (value) => /^https?:\/\/schema\.org\/\w+$/.test(value), 1))
    return { rules: { type: 'text', match: '[^/]+$' } };
  const isAddress = (value: string) =>
    /^(?:https?:)?\/\/\S+$/.test(value) || /^\/[\w%~-][\w%/.~?=&-]*$/.test(value);
  if (most(texts, isAddress)) {
    const image = /image|img|photo|picture|thumb|cover|avatar|logo|icon/i.test(key);
    return {
      rules: {
        type:
          image || most(texts, (value) => /\.(?:png|jpe?g|webp|gif|svg|avif)(?:\?|$)/i.test(value))
            ? 'image'
            : 'url',
      },
    };
  }
  if (most(texts, (value) => isoDate.test(value))) return { rules: { type: 'date' } };
  const found = typeOfTexts(texts, 'en');
  // Texts in JSON are typed by their look only where the type loses nothing.
  if (found.rules.type === 'number' && !/id$|code|zip|phone|sku|isbn/i.test(key)) return found;
  return found.rules.type === 'date' ? found : text;
}
