/** Determines the kind of a column's values and the rules by which a recipe reads them. */
import { readUnixTime, zoneOfHead } from '../../../compare/date.ts';
import { headUnit } from '../../../compare/head-units.ts';
import { localCurrency, withLocal } from '../../../compare/local-currency.ts';
import { findCurrency } from '../../../compare/money.ts';
import { loseZeros } from '../../../compare/versions.ts';
import { concepts, toConcept, toConcepts } from '../../catalog/synonyms.ts';
import type { ValueRules } from '../../recipes/recipe-schema.ts';
import { placeholder } from '../../recipes/values.ts';
import { type DateContext, readingOfDates } from './dates.ts';
import { readingOfNumbers } from './numbers.ts';
import type { Kind, Place } from './place.ts';

export interface ValueReading {
  readonly kind: Kind;
  readonly rules: ValueRules;
  readonly isCode: boolean;
  /** A number with its unit or currency. */
  readonly unit?: 'currency' | 'unit' | undefined;
  /** The other reading of dates whose order is open. */
  readonly other?: ValueRules | undefined;
}

/** Values looked at. */
const sampled = 60;
const toReading = (kind: Kind, type: ValueRules['type']): ValueReading => ({
  kind,
  rules: { type },
  isCode: false,
});
const text = toReading('text', 'text');

/** What a cell says. Whatever else stands there later is neither. */
const truths = Object.fromEntries(
  ['yes', 'no', 'true', 'false'].flatMap((word) =>
    [word, word.toUpperCase(), `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`].map((spelling) => [
      spelling,
      word === 'yes' || word === 'true',
    ]),
  ),
);

const share = (values: readonly string[], passes: (value: string) => boolean) =>
  values.filter(passes).length / Math.max(values.length, 1);

/** "Hat 1", "Blue bag 12": a word and its turn. "Nr 5" and "PO 12" are codes. */
const numberedName = /^(?:\p{Lu}?\p{Ll}{2,} )+\d{1,3}$/u;
/** A digit in every value, few words and no sentence: case numbers, article numbers, rooms. */
function areCodes(values: readonly string[]): boolean {
  const isCode = (value: string) =>
    value.length <= 40 &&
    !numberedName.test(value) &&
    /\d/.test(value) &&
    (value.match(/\d/g) ?? []).length * 5 >= value.length &&
    (value.match(/\p{Ll}{4,}/gu) ?? []).length <= 1;
  return values.length > 1 && share(values, isCode) >= 0.9 && new Set(values).size > values.length / 2;
}

const addressKey = /(?:url|uri|href|link)$/i;
const isAddress = (value: string) =>
  /^(?:https?:)?\/\/\S+$/.test(value) || /^\/[\w%~-][\w%/.~?=&+-]*$/.test(value);
const isImageFile = (value: string) => /\.(?:png|jpe?g|webp|gif|svg|avif)(?:[?#]|$)/i.test(value);
const imageKey = /image|img|photo|picture|thumb|cover|avatar|logo|icon/i;

function readAddresses(texts: readonly string[], name: string): ValueReading | undefined {
  const isPath = (value: string) => addressKey.test(name) && /^[\w%~-]*[/.?]\S+$/.test(value);
  if (share(texts, (value) => isAddress(value) || isPath(value)) < 0.9) return undefined;
  const isImage = imageKey.test(name) || share(texts, isImageFile) >= 0.9;
  return isImage ? toReading('image', 'image') : toReading('url', 'url');
}

/** Of texts as a page shows them. */
export function readTexts(values: readonly string[], context: DateContext, isTable = false): ValueReading {
  const present = values.filter((value) => !placeholder.test(value)).slice(0, sampled);
  if (present.length === 0) return text;
  if (present.every((value) => /^https?:\/\/[^\s/]+\.\S+$/.test(value)))
    return readAddresses(present, '') ?? text;
  // "NO" alone is as well Norway.
  if (present.every((value) => Object.hasOwn(truths, value)) && present.some((value) => value !== 'NO'))
    return { ...text, kind: 'boolean', rules: { type: 'boolean', map: truths } };
  const dates = readingOfDates(present, context);
  if (dates !== undefined) return { kind: 'date', rules: dates.rules, isCode: false, other: dates.other };
  const local = present.map((value) => localCurrency(value, context)).find((code) => code !== undefined);
  const numbers = readingOfNumbers(
    present,
    context.decimalMark,
    { isTable, writesMinus: context.writesMinus === true },
    local,
  );
  if (numbers !== undefined)
    return {
      kind: 'number',
      rules: { ...numbers.rules, ...(local !== undefined && { currency: local }) },
      unit: numbers.unit,
      isCode: false,
    };
  return { ...text, isCode: areCodes(present) };
}

const timeKey = /(?:^|_)(?:at|on|date|time|timestamp|created|updated|published)$|(?:At|Date|Time|On)$/;

/** Of JSON values; `key` is the last part of their path. */
function readJson(values: readonly unknown[], key: string, context: DateContext): ValueReading {
  if (values.every((value) => typeof value === 'boolean')) return toReading('boolean', 'boolean');
  if (values.every((value) => typeof value === 'number')) {
    const isTime = timeKey.test(key) && values.every((value) => readUnixTime(value) !== undefined);
    return isTime ? toReading('date', 'date') : toReading('number', 'number');
  }
  if (values.some((value) => typeof value === 'object')) return toReading('text', 'json');
  const texts = values.map(String);
  if (share(texts, (value) => /^https?:\/\/schema\.org\/\w+$/.test(value)) === 1)
    return { ...text, rules: { type: 'text', match: '[^/]+$' } };
  return readAddresses(texts, key) ?? readTexts(texts, context);
}

/** "Docket number", "No.": identifiers, not quantities. "Number of pages" is a quantity. */
const namesThings = /(?:^|[\s_])(?:number|no|nr|num|id|code|docket)\.?$|[a-z](?:Number|No|Id|Code)$|#$/i;

/** Of classes: "num" and "number" alone say that it is a numeral. */
const isNameOfThings = (name: string) => namesThings.test(name) && !/^num(?:ber)?$/i.test(name);
const hasDecimals = (values: readonly unknown[]) => values.some((value) => /\d[.,]\d/.test(String(value)));

/** "Version 1.10" is none of 1.1; a price is one, however many of its zeros are written. */
const namesVersions =
  /(?<!\p{L})(?:versi[oó]n|versão|versie|verze|wersja|versione|версия|版本|バージョン|releases?|revision|firmware|build|section|chapter|clause|rooms?|raum|zimmer|salle|sala|kamer)(?!\p{L})/iu;
const namesAmounts = /price|cost|fee|rate|amount|preis|prix|prezzo|precio|kurs|[$€£¥%]/i;

/** Whether numbers are the texts of versions, by the name of their column or by the zeros that they would lose. */
function areVersions(texts: readonly string[], names: readonly string[]): boolean {
  if (!texts.some((text) => /^\d+\.\d/.test(text.trim()))) return false;
  if (names.some((name) => namesVersions.test(name))) return true;
  return loseZeros(texts) && !names.some((name) => namesAmounts.test(name));
}

/** Hours and minutes with a point: `6.05`, `19.30 h`. */
const clock = /^(?:[01]?\d|2[0-4])\.[0-5]\d( ?h)?$/;
const namesClock =
  /(?<!\p{L})(?:times?|departures?|departs?|arrivals?|arrives?|doors|uhrzeit|zeit|abfahrt|ankunft|beginn|anfang|einlass|heure|horaires?|départ|arrivée|début|hora|horario|salida|llegada|inicio|horário|partida|chegada|início|ora|orario|partenza|arrivo|inizio|tijd|vertrek|aankomst|aanvang|tid|avgång|avgang|afgang|ankomst|aika|lähtö|godzina|odjazd|odjezd)(?!\p{L})/iu;

/** Whether numbers are the texts of times: by their name, their `h`, or since they rise below a number of a line. */
function areTimes(texts: readonly string[], label: string, names: readonly string[]): boolean {
  const found = texts.flatMap((text) => (/\d/.test(text) ? [clock.exec(text.trim())] : []));
  if (found.includes(null) || names.some((name) => namesAmounts.test(name))) return false;
  if (names.some((name) => namesClock.test(name)) || found.every((one) => one?.[1] !== undefined))
    return true;
  const values = found.map((one) => Number.parseFloat(one?.[0] ?? ''));
  const isRising = values.every((value, at) => at === 0 || value > (values[at - 1] ?? value));
  return values.length > 2 && isRising && !/\p{L}{3}/u.test(label);
}

/** `1.1.01`, `6.2.14`: a section or a version as often as a day, which only a name tells. */
const shortDate = /^\d{1,2}([.-])\d{1,2}\1\d{2}(?!\d|,? \d{1,2}:\d\d)/;
const longYear = /(?<!\d)\d{4}(?!\d)/;
/** Also at the end of a longer word: "Buchungsdatum". */
const namesDates = /(?:dat(?:e|um|o)|tag|termine?|frist|stand|valuta|beginn|ende|fecha)(?!\p{L})/iu;
const dated: readonly string[] = [concepts.date, concepts.time, ...['start', 'end'].map(toConcept)];

const isCalledDate = (name: string) =>
  namesDates.test(name) ||
  (!namesVersions.test(name) && toConcepts(name).some((word) => dated.includes(word)));

const mayBeCodes = (texts: readonly string[], names: readonly string[]): boolean =>
  texts.some((text) => shortDate.test(text)) &&
  !texts.some((text) => longYear.test(text)) &&
  !names.some(isCalledDate);

/** Numbers with the unit, and times with the zone, that the head of their column or their label says of all of them. */
function withHead(reading: ValueReading, { source, label }: Place, context: DateContext): ValueReading {
  const zone = reading.kind === 'date' ? zoneOfHead(source.header ?? label) : undefined;
  if (zone !== undefined) {
    const { rules, other } = reading;
    return { ...reading, rules: { ...rules, zone }, other: other && { ...other, zone } };
  }
  const isBare = reading.kind === 'number' && reading.unit === undefined;
  const unit = isBare ? headUnit(source.header ?? '') : undefined;
  if (unit === undefined) return reading;
  const currency = withLocal(findCurrency(unit), localCurrency(unit, context));
  return currency?.sign === unit
    ? { ...reading, rules: { ...reading.rules, unit: currency.code }, unit: 'currency' }
    : { ...reading, rules: { ...reading.rules, unit }, unit: 'unit' };
}

/** `values` as the recipe gives them as plain texts, or as JSON. */
export function readValues(place: Place, values: readonly unknown[], context: DateContext): ValueReading {
  const present = values.filter((value) => value !== null && value !== undefined && value !== '');
  const markup = place.source.markup === true ? { markup: true as const } : {};
  if (place.hint !== undefined) return toReading(place.hint, place.hint);
  // An address of mail, a state, or a phone's number, whose first sign is no plus of arithmetic.
  if (place.source.attribute === 'href') return { ...text, isCode: true };
  const isJson = place.source.path !== undefined;
  const key = place.source.path?.match(/[\w$]+/g)?.at(-1) ?? '';
  const isList = present.some((value) => Array.isArray(value));
  const reading = isList
    ? toReading('list', isJson ? 'json' : 'text')
    : isJson
      ? readJson(present, key, context)
      : readTexts(present.map(String), context, place.source.header !== undefined);
  const names = [place.label, ...place.names];
  const isNamed =
    !isJson && (namesThings.test(place.label) || (place.names.some(isNameOfThings) && !hasDecimals(present)));
  const written = present.filter((value) => typeof value === 'string');
  const areWritten = written.length === present.length;
  if (reading.kind === 'date' && mayBeCodes(written, names)) return { ...text, isCode: true };
  if (reading.kind === 'number' && areWritten && areTimes(written, place.label, names))
    return { ...text, isCode: true };
  if (
    reading.kind === 'number' &&
    reading.unit === undefined &&
    (isNamed || (areWritten && areVersions(written, names)))
  )
    return { ...text, isCode: true };
  return withHead({ ...reading, rules: { ...reading.rules, ...markup } }, place, context);
}

/** "Step 1", "Étape 2": a list of such names holds no values. */
export const isNumberedName = (value: unknown): boolean => /^\p{L}+\.?\s*\d+\.?$/u.test(String(value).trim());
