/** Finds values in JSON text without parsing them: what lies between is checked where it is parsed. */
import { findEndOfString } from '../contract/json-limits.ts';
import { DepthError } from './errors.ts';

const quote = 0x22;

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

/** The place behind the string that starts at `start`. Throws a `SyntaxError` where it has no end. */
export function endOfString(text: string, start: number): number {
  const end = findEndOfString(text, start);
  if (end === undefined) throw new SyntaxError('a string without an end');
  return end;
}

export function afterSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \n\r\t'.includes(text.charAt(at))) at += 1;
  return at;
}
