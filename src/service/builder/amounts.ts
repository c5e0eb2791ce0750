/** Texts with several numbers: what things cost now, what they cost before, and for how much of them; ratings with their count; counted nouns. */
import { literally } from './elements.ts';
import type { Reading } from './readings.ts';
import { typeOfTexts } from './value-type.ts';
import { wordsOf } from './words.ts';

/** The share of the values that a pattern must fit. */
const nearlyAll = 0.9;
const most = (values: readonly string[], pattern: RegExp) =>
  values.filter((value) => pattern.test(value)).length >= values.length * nearlyAll;

/** The number that the pattern's first group finds. */
function numberReading(
  values: readonly string[],
  match: string,
  names: readonly string[],
  language: string,
): Reading[] {
  const pattern = new RegExp(match, 'u');
  const found = values.flatMap((value) => pattern.exec(value)?.[1] ?? []);
  const type = typeOfTexts(found, language);
  return found.length === 0 || type.rules.type !== 'number'
    ? []
    : [{ type: { ...type, rules: { ...type.rules, match } }, names }];
}

const sign = '(?:[$€£¥₹₽₩₺₴฿]|\\b(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|CZK|kr|zł|Kč))';
const money = `(?:${sign}\\s?\\d[\\d.,]*\\d|${sign}\\s?\\d|\\d[\\d.,]*\\s?${sign}(?!\\s?\\d))`;
const measure =
  '(?:\\d+\\s?)?(?:kg|g|mg|lbs?|oz|l|ml|cl|dl|lit(?:re|er)s?|kilo|m²|m2|m|sqm|units?|pieces?|each|ea|stk|stück|100\\s?(?:g|ml))\\b';
/** Rents and rates are by time; what is by weight or size tells offers apart, and is not what they cost. */
const perMeasure = new RegExp(
  `${money}\\s*(?:/|\\bper\\b|\\bpro\\b|\\bpar\\b|\\bje\\b|\\bal\\b|\\ba\\b)\\s*${measure}`,
  'iu',
);
const now = '(?:now|sale|only|jetzt|nur|neu|maintenant|ahora|adesso|ora|nu)';
const before = '(?:was|were|before|rrp|msrp|uvp|statt|vorher|bisher|avant|antes|prima|voor|old)';

/** "Was £15 Now £12", "£10 – £20", "£1.80 (£2.10/kg)". */
function pricesIn(values: readonly string[], language: string): Reading[] {
  if (!most(values, new RegExp(money, 'u')) || values.some((value) => value.length > 80)) return [];
  const several = values.filter((value) => (value.match(new RegExp(money, 'gu')) ?? []).length > 1);
  if (several.length === 0 || several.length < values.length * 0.1) return [];
  const formerly = `\\b(?:${caseless(before)})\\b\\s*:?\\s*(${money})`;
  const isReduced = several.some((value) => new RegExp(formerly, 'u').test(value));
  const match = isReduced
    ? `^(?:.*\\b(?:${caseless(now)})\\b\\s*:?\\s*|.*\\b(?:${caseless(before)})\\b\\s*:?\\s*${money}\\D*?|\\D*?)(${money})`
    : `^\\D*?(${money})`;
  return [
    ...numberReading(values, match, ['price'], language),
    ...(isReduced ? numberReading(values, formerly, ['old', 'price'], language) : []),
    ...(several.some((value) => perMeasure.test(value))
      ? numberReading(
          values,
          `(${money})\\s*(?:/|per|pro|par|je)\\s*${measure}`,
          [perUnit, 'unit', 'price'],
          language,
        )
      : []),
  ];
}
/** The same words also with a capital letter; a recipe's patterns have no flags. */
const caseless = (words: string) =>
  words
    .replace(/^\(\?:|\)$/g, '')
    .replace(
      /(^|\|)(\p{L})(\p{L}*)/gu,
      (_, bar: string, first: string, rest: string) =>
        `${bar}(?:[${first}${first.toUpperCase()}]${rest}|${(first + rest).toUpperCase()})`,
    );

/** A name that only prices by weight or size have. */
export const perUnit = 'perunit';
export const isPerUnit = (values: readonly string[]) => most(values, perMeasure) && values.length > 0;

const scored =
  /^[★☆⭐\s]*\d(?:[.,]\d{1,2})?\s*(?:\/\s*(?:5|10)|out of (?:5|10)|stars?)?\s*[·|,–-]?\s*\(\s*\d[\d.,]*\s*(?:\p{L}+)?\s*\)$/u;

/** "★ 4.6 (1,234)": how it is rated, and by how many. */
function ratingsIn(values: readonly string[], language: string): Reading[] {
  if (!most(values, scored)) return [];
  const isRating = values.every(
    (value) => Number.parseFloat(value.replace(/^[^\d]+/, '').replace(',', '.')) <= 10,
  );
  if (!isRating || !values.some((value) => /[★☆⭐]|^\d[.,]\d|\/|out of/.test(value))) return [];
  return [
    ...numberReading(values, '^[★☆⭐\\s]*(\\d(?:[.,]\\d+)?)', ['rating', 'score'], language),
    ...numberReading(
      values,
      '\\(\\s*(\\d[\\d.,]*)\\s*\\p{L}*\\s*\\)$',
      ['review', 'number', 'count', 'vote'],
      language,
    ),
  ];
}

const counted = /(\d[\d.,’']*)\s*(\p{L}{2,}[²³]?|m[²³]|m2)(?:\s+(\p{Ll}{3,}))?/gu;
const units: Readonly<Record<string, readonly string[]>> = {
  min: ['minute', 'duration'],
  h: ['hour', 'duration'],
  hr: ['hour', 'duration'],
  m2: ['area', 'size'],
  sqft: ['area', 'size'],
  sqm: ['area', 'size'],
  qm: ['area', 'size'],
  km: ['km', 'distance'],
  mi: ['mile', 'distance'],
};

/** "2 hrs 15 mins" is one value, whatever its parts count. */
const lasting =
  /^(?:(?:about|ca\.?|circa|ungefähr|environ)\s)?(?:\d+(?:[.,]\d+)?\s*(?:h|hrs?|hours?|m|mins?|minutes?|days?|std|stunden?|minuten?|tage?|heures?|jours?|horas?|minutos?|d[ií]as?|ore|ora|minut[io]|giorn[io]|uur|uren|tim|timmar|timer|godz|dni)\b\.?,?\s*(?:(?:and|und|et|y|e|en|och|og|i)\s)?)+$/iu;

/** "3 bed · 2 bath · 120 m²": each noun that many rows count, wherever it stands. */
function countsIn(values: readonly string[], language: string): Reading[] {
  if (values.some((value) => value.length > 120) || most(values, lasting)) return [];
  const nouns = new Map<string, { rows: number; forms: Set<string>; after: Map<string, number> }>();
  let several = 0;
  for (const value of values) {
    const here = new Set<string>();
    for (const [, number = '', form = '', next = ''] of value.matchAll(counted)) {
      // "34560 Brunn": a postal code and its town.
      if (/^\d{4,6}$/.test(number) && /^\p{Lu}/u.test(form)) continue;
      const [noun = form] = wordsOf(form.replace('²', '2'));
      const known = nouns.get(noun) ?? {
        rows: 0,
        forms: new Set<string>(),
        after: new Map<string, number>(),
      };
      nouns.set(noun, known);
      known.forms.add(form);
      if (next !== '') known.after.set(next, (known.after.get(next) ?? 0) + 1);
      if (!here.has(noun)) known.rows += 1;
      here.add(noun);
    }
    const rest = value.replace(counted, '').replace(/[^\p{L}\p{N}]/gu, '');
    if (here.size > 1 || (here.size === 1 && rest.length > 2)) several += 1;
  }
  if (several < values.length * 0.5) return [];
  return [...nouns]
    .filter(([noun, { rows }]) => rows >= Math.max(values.length * 0.4, 2) && !months.test(noun))
    .slice(0, 6)
    .flatMap(([noun, { rows, forms, after }]) => {
      const all = [...forms]
        .sort((one, other) => other.length - one.length)
        .map(literally)
        .join('|');
      const follows = [...after].filter(([, times]) => times >= rows * 0.8).map(([word]) => word);
      const match = `(\\d[\\d.,’']*)\\s*(?:${all})(?![\\p{L}\\p{N}])`;
      return numberReading(
        values,
        match,
        [...(units[noun] ?? [noun]), ...follows.flatMap(wordsOf)],
        language,
      );
    });
}
const months =
  /^(?:jan|feb|mar|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]|gen|mag|giu|lug|ago|set|ott|dic|ene|abr|fev|avr|st|nd|rd|th|am|pm|uhr|de)\p{L}*$/u;

const phone =
  '\\b(?:[Tt]el(?:efon|ephone|\\.)?|[Pp]hone|[Pp]h|[Ff]on|[Mm]ob(?:ile|il)?|[Cc]all|TEL|T|M)\\b[.:]?\\s*(\\+?\\(?\\d[\\d\\s()./-]{5,}\\d)';
const email = '([^\\s@<>,;:]+@[^\\s@<>,;:]+\\.\\p{L}{2,})';

/** "tel. 01632 960112, ann@site.example": numbers and addresses to reach somebody. */
const contactsIn = (values: readonly string[]): Reading[] =>
  [
    { match: phone, names: ['phone'] },
    { match: email, names: ['email'] },
  ].flatMap(({ match, names }) =>
    most(values, new RegExp(match, 'u')) && !most(values, new RegExp(`^${match}$`, 'u'))
      ? [{ type: { rules: { type: 'text' as const, match } }, names }]
      : [],
  );

/** The readings of texts that hold several numbers; none where they do not. */
export function amountsIn(values: readonly string[], language: string): Reading[] {
  if (values.length < 2) return [];
  const contacts = contactsIn(values);
  for (const read of [ratingsIn, pricesIn, countsIn]) {
    const found = read(values, language);
    if (found.length > 0) return [...contacts, ...found];
  }
  return contacts;
}
