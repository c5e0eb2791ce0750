/** Finds values in JSON text without parsing them: what lies between is checked where it is parsed. */
import { DepthError } from './errors.ts';

const quote = 0x22;
const backslash = 0x5c;

/**
 * The place behind the value that starts at `start`; undefined for an array or object of more than `maxChars`
 * characters. Throws a `SyntaxError` where there is no end, and a `DepthError` for more than `maxDepth` levels.
 */
export function endOfValue(
  text: string,
  start: number,
  { maxChars, maxDepth }: { readonly maxChars: number; readonly maxDepth: number },
): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (at - start > maxChars && depth > 0) return undefined;
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at) - 1;
        if (depth === 0) return at + 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > maxDepth) throw new DepthError();
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (depth === 0) return at;
        depth -= 1;
        if (depth === 0) return at + 1;
        break;
      case 0x2c: // ,
        if (depth === 0) return at;
        break;
    }
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
