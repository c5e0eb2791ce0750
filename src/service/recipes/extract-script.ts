/** JSON inside of an HTML page's scripts: JSON-LD, the state that an application starts from, and the like. */
import { type Document, type Json, ParseError } from './document.ts';

/** The index after the JSON object or list that starts at `start`; undefined where it does not end. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The script's JSON: all of it, or what its first assignment assigns, as text too: `x = JSON.parse("…")`. */
export function scriptValue(script: string): Json | undefined {
  const text = script.trim().replace(/^<!--|-->$|^\/\*<!\[CDATA\[\*\/|\/\*\]\]>\*\/$/g, '');
  const whole = parsed(text);
  if (whole !== undefined) return whole;
  const assigned = /^[^={}"']{0,200}=\s*(?:JSON\.parse\(\s*)?/.exec(text)?.[0].length;
  if (assigned === undefined) return undefined;
  const start = assigned;
  if (text[start] === '"') {
    const literal = /^"(?:[^"\\\n]|\\.)*"/.exec(text.slice(start))?.[0];
    const inner = literal === undefined ? undefined : parsed(literal);
    return typeof inner === 'string' ? parsed(inner) : undefined;
  }
  if (text[start] !== '{' && text[start] !== '[') return undefined;
  const end = endOfValue(text, start);
  return end === undefined ? undefined : parsed(text.slice(start, end));
}

/** What each matching script holds; scripts without JSON are left out. */
export function scriptValues(document: Document, selector: string): Json {
  const { html } = document;
  const values = html(selector)
    .toArray()
    .map((script) => scriptValue(html(script).text()))
    .filter((value) => value !== undefined);
  if (values.length === 0)
    throw new ParseError('The page has no such script with JSON; the page may have changed');
  return values;
}
