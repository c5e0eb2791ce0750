/** Finds values in JSON text without parsing them: what lies between is checked where it is parsed. */

const quote = 0x22;
const backslash = 0x5c;
const openers = new Set([0x5b, 0x7b]);
const closers = new Set([0x5d, 0x7d]);
const comma = 0x2c;

/**
 * The place behind the value that starts at `start`; undefined for an array or object of more than `maxChars`
 * characters. Throws a `SyntaxError` where there is no end.
 */
export function endOfValue(text: string, start: number, maxChars: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (at - start > maxChars && depth > 0) return undefined;
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (openers.has(code)) depth += 1;
    else if (closers.has(code)) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (code === comma && depth === 0) return at;
  }
  throw new SyntaxError('a value without an end');
}

/** The place behind the string that starts at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  throw new SyntaxError('a string without an end');
}

export function afterSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \n\r\t'.includes(text.charAt(at))) at += 1;
  return at;
}
