/** Turns values found in a page into typed values of the result. `null` means "not there". */
import { readUnixTime } from '../../compare/date.ts';
import { withoutUnseen } from '../../compare/digits.ts';
import { withLocal } from '../../compare/local-currency.ts';
import { findCurrency, isPartOfCurrency } from '../../compare/money.ts';
import { type DecimalMark, isRounded, type NumberReading, readNumber } from '../../compare/number.ts';
import { getMarkupText } from '../page/text.ts';
import { type DateForm, readDateText } from './date-values.ts';
import { toFind } from './pattern.ts';
import type { ValueRules } from './recipe-schema.ts';

export interface TypedValue {
  readonly value: unknown;
  /** The unit or currency that was removed from a number. */
  readonly unit?: string | null;
  /** Of the text of a number or a date how it was read; of a list one for each value. */
  readonly reads?: readonly TextRead[];
  /** A short text that has not the form of the part that is read. */
  readonly unmatched?: string;
  /** The time that stands behind a date which is a part of its text. */
  readonly timeBehind?: string;
}

/** A text and what it says; undefined where it is no such value. */
export interface TextRead {
  readonly text: string;
  readonly reading: NumberReading | DateForm | undefined;
}

/** Joiners at the ends of a text join nothing. */
const collapse = (text: string) =>
  withoutUnseen(text)
    .replace(/^[\s\u200c\u200d]+|[\s\u200c\u200d]+$/g, '')
    .replace(/\s+/g, ' ');

function asText(raw: unknown): string | null {
  if (typeof raw === 'string') return collapse(raw) || null;
  if (typeof raw === 'number' || typeof raw === 'boolean') return String(raw);
  return null;
}

/**
 * The text around a number is its unit; a sign alone is said as its code. A field for the currency holds nothing else:
 * "Eintritt 5 €" is in EUR, "5 points" in none.
 */
function unitAround(
  before: string,
  after: string,
  { unit_field: field, currency: local }: ValueRules,
): string | null {
  const rest = collapse(`${before} ${after}`);
  // What stands behind another number is that one's: "100 g (5 €)".
  const named = collapse(`${before} ${after.replace(/\p{Nd}[\s\S]*$/u, '')}`);
  const currency = withLocal(findCurrency(named), local);
  if (isCurrencyField(field)) return currency?.code ?? null;
  if (currency?.sign === rest) return currency.code;
  return /[^.,;:]/.test(rest) ? rest : null;
}

/** JSON and attributes write numbers for programs: `1.234` has one reading there. */
const statedNumber = /^\s*-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?\s*$/;
export function asStated(raw: unknown, { type, match, map }: ValueRules): unknown {
  if (type !== 'number' || match !== undefined || map !== undefined) return raw;
  if (typeof raw !== 'string' || !statedNumber.test(raw)) return raw;
  const value = Number(raw);
  return Number.isFinite(value) && !isRounded(raw.trim(), value) ? value : raw;
}

/** Texts that mean "no value". */
export const placeholder = /^[-–—−.·*/?\s]*$|^(?:n\/?\.?a\.?|tb[acd]|none|null|nil)$/i;

/**
 * What the mark of the recipe makes of a text holds where the text is possible under it: also where its currency is usually
 * written otherwise, which makes two readings of it.
 */
function readWith(text: string, built: DecimalMark | undefined): NumberReading | undefined {
  const free = readNumber(text);
  if (built === undefined || free?.kind !== 'one' || free.mark === undefined || free.mark === built)
    return free;
  const own = readNumber(text, built);
  if (own?.kind !== 'one' || own.mark !== built) return free;
  const values = built === '.' ? { '.': own.value, ',': free.value } : { '.': free.value, ',': own.value };
  return { kind: 'open', values, written: free.mark, before: own.before, after: own.after };
}

export const isCurrencyField = (field: string | undefined) => field !== undefined && /currency$/i.test(field);

/** A number that can be read in two ways, or is a range, stays the text that it is. */
function asNumber(raw: unknown, rules: ValueRules): TypedValue {
  const own = rules.unit ?? null;
  if (typeof raw === 'number') return { value: raw, unit: own };
  const text = asText(raw);
  if (text === null || placeholder.test(text)) return { value: null, unit: null };
  const reading = readWith(text, rules.decimal);
  const around = reading !== undefined && 'before' in reading ? reading : { before: '', after: '' };
  // Which part of the currency it is of, only its name tells.
  const isPart = isCurrencyField(rules.unit_field) && isPartOfCurrency(around.after);
  if (reading === undefined || isPart)
    return { value: null, unit: null, reads: [{ text, reading: undefined }] };
  const reads = [{ text, reading }];
  if (reading.kind === 'range' || reading.kind === 'unclear') return { value: text, unit: own, reads };
  const unit = unitAround(around.before, around.after, rules) ?? own;
  if (reading.kind === 'one') return { value: reading.value, unit, reads };
  return { value: rules.decimal === undefined ? text : reading.values[rules.decimal], unit, reads };
}

function asDate(raw: unknown, rules: ValueRules): TypedValue {
  const unix = typeof raw === 'number' || rules.format === undefined ? readUnixTime(raw) : undefined;
  if (unix !== undefined || typeof raw === 'number') return { value: unix ?? null };
  const text = asText(raw);
  if (text === null || placeholder.test(text)) return { value: null };
  const { value, reading } = readDateText(text, rules);
  return { value, reads: [{ text, reading }] };
}

function asAddress(raw: unknown, base: string): string | null {
  const text = asText(raw);
  if (text === null || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
}

/** An empty text says neither, nor does a member that is not there. */
function asBoolean(raw: unknown, rules: ValueRules): boolean | null {
  if (rules.contains !== undefined)
    return asText(raw)?.toLowerCase().includes(rules.contains.toLowerCase()) ?? false;
  if (typeof raw === 'boolean') return raw;
  if (raw === null || raw === undefined || (typeof raw === 'string' && raw.trim() === '')) return null;
  const text = asText(raw)?.toLowerCase();
  if (text === undefined) return true;
  return !['false', 'no', 'n', 'f', '0', 'off', 'none'].includes(text);
}

const withoutMarkup = (raw: unknown): unknown =>
  typeof raw === 'string' ? getMarkupText(raw) : Array.isArray(raw) ? raw.map(withoutMarkup) : raw;

/** Longer ones hold more than one value: it is no wonder if one of them is absent. */
const maxUnmatched = 40;

/** "à 12h00", ", 6 pm" behind a date, after two words at most. */
const timeAfter = /^\W{0,4}(?:\p{L}{1,4}\W{1,2}){0,2}(\d{1,2}(?:[:h]\d\d(?!\d)| ?[ap]\.?m\b))/iu;

function findTimeBehind(part: unknown, text: string | null): Pick<TypedValue, 'timeBehind'> {
  const at = typeof part === 'string' && text !== null ? text.indexOf(part) : -1;
  const [, timeBehind] = at < 0 ? [] : (timeAfter.exec(text?.slice(at + String(part).length) ?? '') ?? []);
  return timeBehind === undefined ? {} : { timeBehind };
}

/** Turns one found value into its type; `base` is the base of relative links. */
export function toTyped(raw: unknown, rules: ValueRules, base: string): TypedValue {
  let value = rules.markup === true ? withoutMarkup(raw) : raw;
  const text = rules.match === undefined ? null : asText(value);
  for (const pattern of [rules.match ?? []].flat()) value = toFind(pattern)(asText(value) ?? '') ?? null;
  const isLost = value === null && text !== null && text.length <= maxUnmatched && !placeholder.test(text);
  if (isLost && (rules.type === 'number' || rules.type === 'date')) return { value: null, unmatched: text };
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
      return { ...asDate(value, rules), ...findTimeBehind(value, text) };
    case 'url':
    case 'image':
      return { value: asAddress(value, base) };
    case 'boolean':
      return { value: asBoolean(value, rules) };
    case 'json':
      return { value: value ?? null };
  }
}
