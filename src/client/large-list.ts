/**
 * Reads a large JSON answer element by element: parsed as a whole, tens of thousands of actions would stop everything
 * else for half a second and take ten times their length in memory.
 */

/** The texts of the elements of the array that a member of the object at the root holds. Throws where there is none. */
export function* elementTexts(text: string, member: string): Generator<string> {
  let at = afterSpace(text, 0);
  if (text[at] !== '{') throw new SyntaxError('no object');
  at = afterSpace(text, at + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const isWanted = text.slice(at + 1, keyEnd - 1) === member;
    const colon = afterSpace(text, keyEnd);
    if (text[colon] !== ':') throw new SyntaxError('no member');
    at = afterSpace(text, colon + 1);
    if (isWanted && text[at] === '[') {
      yield* readElements(text, at + 1);
      return;
    }
    at = afterSpace(text, endOfValue(text, at));
    if (text[at] === ',') at = afterSpace(text, at + 1);
  }
  throw new SyntaxError(`no array ${member}`);
}

function* readElements(text: string, start: number): Generator<string> {
  let at = afterSpace(text, start);
  while (text[at] !== ']') {
    const end = endOfValue(text, at);
    yield text.slice(at, end);
    at = afterSpace(text, end);
    if (text[at] === ',') at = afterSpace(text, at + 1);
    else if (text[at] !== ']') throw new SyntaxError('an array without an end');
  }
}

const quote = 0x22;
const backslash = 0x5c;
const openers = new Set([0x5b, 0x7b]);
const closers = new Set([0x5d, 0x7d]);
const comma = 0x2c;

/** What lies between is checked where it is parsed. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
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

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  throw new SyntaxError('a string without an end');
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \n\r\t'.includes(text.charAt(at))) at += 1;
  return at;
}
