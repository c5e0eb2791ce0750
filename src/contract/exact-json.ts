/**
 * JSON without loss, in both directions. Reading: integers that a JavaScript number cannot hold are texts, exactly; `NaN` and
 * `Infinity`, which some programs write, are texts; half of a character is U+FFFD; a byte order mark is skipped.
 * Writing: a `bigint` is its digits.
 */
import { findEndOfString } from './json-limits.ts';

/** What `JSON.parse` would round, lose or refuse, or what others could not read of what is written of it. */
const inexact = /\d{16}|[eE]\+?\d{3}|NaN|Infinity|\\u[dD][89a-fA-F]/;
const quote = 0x22;

/** Throws a `SyntaxError` for what is no JSON. */
export function parseJson(written: string): unknown {
  const text = written.charCodeAt(0) === 0xfeff ? written.slice(1) : written;
  return JSON.parse(inexact.test(text) ? toExact(text) : text);
}

const scalar = /-?(?:NaN|Infinity)|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/** The same JSON with texts in the place of what has no number. */
function toExact(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  const replace = (from: number, end: number, by: string) => {
    pieces.push(text.slice(copied, from), by);
    copied = end;
  };
  for (let at = 0; at < text.length; ) {
    if (text.charCodeAt(at) === quote) {
      const end = findEndOfString(text, at) ?? text.length;
      const string = text.slice(at, end);
      if (surrogate.test(string)) replace(at, end, string.replace(escapes, toWhole));
      at = end;
      continue;
    }
    scalar.lastIndex = at;
    const [found] = scalar.exec(text) ?? [];
    if (found !== undefined && !isExact(found)) replace(at, at + found.length, `"${found}"`);
    at += found?.length ?? 1;
  }
  return pieces.join('') + text.slice(copied);
}

/** Also for what is no JSON, such as a leading zero, which the parser refuses. */
function isExact(written: string): boolean {
  if (/^-?(?:0|[1-9]\d*)$/.test(written)) return Number.isSafeInteger(Number(written));
  return /^-?0\d/.test(written) || Number.isFinite(Number(written));
}

const surrogate = /\\u[dD][89a-fA-F]/;
/** A whole pair, one half, or any other escape. */
const escapes =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[\s\S])/g;
const toWhole = (found: string, half: string | undefined): string => (half === undefined ? found : '\\ufffd');

/** An integer that only a text holds. */
export const isLargeInteger = (value: unknown): value is string =>
  typeof value === 'string' && /^-?[1-9]\d{15,}$/.test(value) && !Number.isSafeInteger(Number(value));

/** Throws a `TypeError` for what has no JSON. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Rare: it holds a `bigint`, which is written only by way of a text.
  }
  const mark = `${crypto.randomUUID()}:`;
  const text = JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? `${mark}${part}` : part,
  );
  return text.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}
