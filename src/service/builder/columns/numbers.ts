/** Which rules of a recipe read the texts of a column as numbers. */

import type { ValueRules } from '../../recipes/schema.ts';
import { findDecimalMark, wellFormed } from '../../recipes/values.ts';

const currency =
  /[$€£¥₹₽₩₺₴฿]|(?<!\p{L})(?:usd|eur|gbp|jpy|chf|aud|cad|sek|nok|dkk|pln|czk|huf|inr|cny|rub|brl|kr|zł|kč)(?!\p{L})/iu;
const numeral = /[-+−]?\d[\d.,'’\u00a0\u202f]*(?: \d{3}(?!\d))*/;

interface Parsed {
  readonly digits: string;
  readonly unit: string;
  readonly isMoney: boolean;
}

/** One number with a short unit or currency beside it; undefined for anything else. */
function parseOne(value: string): Parsed | undefined {
  const digits = numeral.exec(value)?.[0].replace(/[.,'’\s]+$/, '');
  if (digits === undefined || !wellFormed.test(digits) || /^[-+−]?0\d/.test(digits)) return undefined;
  const at = value.indexOf(digits);
  const [before, after] = [value.slice(0, at).trim(), value.slice(at + digits.length).trim()];
  // "7A", "A7" and "571527/24" name things; "1.2M" is not 1.2.
  if (/[\p{L}/#-]$/u.test(value.slice(0, at)) && !currency.test(before)) return undefined;
  if (/^[\p{Lu}/]/u.test(value.slice(at + digits.length)) && !currency.test(after)) return undefined;
  // "1581(c)" is a section number.
  if (/^\(/.test(value.slice(at + digits.length)) || /\d/.test(before + after)) return undefined;
  const isMoney = currency.test(before) || currency.test(after);
  if (before !== '' && !isMoney && !/^[~≈(+]$/.test(before)) return undefined;
  const unit = after
    .replace(/^[.,]?[-–—]+/, '')
    .replace(/[().]/g, '')
    .trim();
  if (unit.length > 14 || unit.split(/\s+/).length > 2) return undefined;
  return { digits, unit, isMoney };
}

/** Long digit strings without separators are identifiers: dockets, article numbers, telephone numbers. */
const areNames = (values: readonly string[]) =>
  values.length > 0 && values.every((value) => /^\d{5,}$/.test(value.trim()));

/** Undefined if the texts are not numbers, or are identifiers. */
export function readingOfNumbers(
  values: readonly string[],
  language: string,
): { readonly rules: ValueRules; readonly unit: 'currency' | 'unit' | undefined } | undefined {
  if (areNames(values)) return undefined;
  const parsed = values.flatMap((value) => parseOne(value) ?? []);
  if (parsed.length === 0 || parsed.length < values.length * 0.9) return undefined;
  const units = new Set(parsed.map(({ unit }) => unit.toLowerCase().replace(/s$/, '')));
  const isMoney = parsed.filter((value) => value.isMoney).length * 2 >= parsed.length;
  if (!isMoney && units.size > Math.max(2, parsed.length * 0.3)) return undefined;
  const numerals = parsed.map(({ digits }) => digits);
  const decimal = findDecimalMark(numerals, language);
  const hasUnit = parsed.some(({ unit }) => unit !== '');
  return {
    rules: { type: 'number', ...(decimal === ',' ? { decimal } : {}) },
    unit: isMoney ? 'currency' : hasUnit ? 'unit' : undefined,
  };
}
