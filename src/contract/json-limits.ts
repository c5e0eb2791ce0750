/** Bounds on JSON before it is parsed: 10 MB of `[` keep `JSON.parse` busy for seconds. */

export interface JsonLimits {
  readonly depth: number;
  /** Values in the whole text; absent: any number. */
  readonly elements?: number;
}

/** Deeper than data of any service. */
export const maxJsonDepth = 1_000;

const quote = 0x22;
const backslash = 0x5c;

/**
 * The first limit that the text exceeds, in one pass. A text that is no JSON may be within the limits: the parser
 * rejects it.
 */
export function exceededLimit(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  const { depth: maxDepth, elements: maxElements = Number.POSITIVE_INFINITY } = limits;
  let depth = 0;
  let elements = 1;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = (findEndOfString(text, at) ?? text.length) - 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        elements += 1;
        if (depth > maxDepth) return 'depth';
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
      case 0x2c: // ,
        elements += 1;
        break;
    }
    if (elements > maxElements) return 'elements';
  }
  return undefined;
}

/** The place behind the string that starts at `start`; undefined where it has no end. */
export function findEndOfString(text: string, start: number): number | undefined {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return undefined;
}
