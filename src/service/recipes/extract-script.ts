/** JSON inside of an HTML page's scripts: JSON-LD, the state that an application starts from, and the like. */
import { type Document, type Json, ParseError } from './document.ts';

/** The index after the object or list that starts at `start`; undefined where it does not end. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  let quote = '';
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
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

/** Of the text of a literal in JavaScript what JSON says otherwise: quotes, escapes, names, `undefined`, `!0`. */
const otherwise =
  /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\b(?:undefined|NaN|Infinity|void 0)\b|![01]\b|[A-Za-z_$][\w$]*(?=\s*:)|,(?=\s*[}\]])/g;

/** A string in JavaScript as JSON has it. */
const stringOf = (literal: string) =>
  `"${literal
    .slice(1, -1)
    .replace(/\\x([\da-fA-F]{2})|\\(['`$\-/])|\\\n|(\\[\s\S])|(")|\t/g, (found, code, plain, kept, quote) =>
      code !== undefined
        ? `\\u00${code}`
        : (plain ?? kept ?? (quote !== undefined ? '\\"' : found === '\t' ? '\\t' : '')),
    )}"`;

function asJson(token: string): string {
  if (/^["']/.test(token)) return stringOf(token);
  if (token === ',') return '';
  if (token === '!0') return 'true';
  if (token === '!1') return 'false';
  return /^(?:undefined|NaN|Infinity|void 0)$/.test(token) ? 'null' : `"${token}"`;
}

/** JSON, or what is nearly so: an object of JavaScript that holds values alone. */
const literal = (text: string): Json | undefined => parsed(text) ?? parsed(text.replace(otherwise, asJson));

/** What is assigned in a script, and to what. */
export interface Assigned {
  readonly value: Json;
  /** Undefined where the script is JSON. */
  readonly variable: string | undefined;
}

/** Assignments looked at in one script; a bound on the work. */
const maxAssignments = 30;
const assignment =
  /([A-Za-z_$][\w$.]*(?:\[["'][\w-]+["']\])?)\s*=\s*(?:(?=[{[])|JSON\.parse\(\s*(?:decodeURIComponent\(\s*)?(?=["']))/g;

/** The text in JSON that `JSON.parse` is given. */
function quotedValue(text: string, encoded: boolean): { value: Json | undefined; end: number } | undefined {
  const quoted = /^(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/.exec(text)?.[0];
  if (quoted === undefined) return undefined;
  const inner = parsed(stringOf(quoted));
  if (typeof inner !== 'string') return undefined;
  try {
    return { value: parsed(encoded ? decodeURIComponent(inner) : inner), end: quoted.length };
  } catch {
    return undefined;
  }
}

/** The script's JSON: all of it, or the longest that it assigns, as text too: `x = JSON.parse("…")`. */
export function scriptState(script: string): Assigned | undefined {
  const text = script.trim().replace(/^<!--|-->$|^\/\*<!\[CDATA\[\*\/|\/\*\]\]>\*\/$/g, '');
  const whole = parsed(text);
  if (whole !== undefined) return { value: whole, variable: undefined };
  let longest: Assigned | undefined;
  let most = 0;
  let from = 0;
  for (let count = 0; count < maxAssignments; count++) {
    assignment.lastIndex = from;
    const found = assignment.exec(text);
    if (found === null) break;
    const [head, variable] = found;
    const start = found.index + head.length;
    from = start;
    let value: Json | undefined;
    let end = start;
    if (/["']/.test(text[start] ?? '')) {
      const quoted = quotedValue(text.slice(start), head.includes('decodeURIComponent'));
      if (quoted === undefined) continue;
      value = quoted.value;
      end = start + quoted.end;
    } else {
      end = endOfValue(text, start) ?? start;
      if (end === start || end - start <= most) {
        from = Math.max(from, end);
        continue;
      }
      value = literal(text.slice(start, end));
    }
    // Inside of a function nothing is assigned that says more than it.
    if (value === undefined) continue;
    from = end;
    if (typeof value !== 'object' || value === null || end - start <= most) continue;
    most = end - start;
    longest = { value, variable };
  }
  return longest;
}

/** The same without the name. */
export const scriptValue = (script: string): Json | undefined => scriptState(script)?.value;

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
