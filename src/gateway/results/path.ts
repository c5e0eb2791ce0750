/**
 * JMESPath as callers write it. A leading `data.` is dropped where the data has no such member; bare numbers, and text
 * in double quotes that names no member, are values in comparisons. Strict JMESPath keeps its meaning.
 */

import { compile, tokenize } from '@jmespath-community/jmespath';
import { PathError } from '../errors/errors.ts';

export type PathNode = ReturnType<typeof compile>;
type Token = ReturnType<typeof tokenize>[number];

const maxPathChars = 1_000;
const maxKeys = 200_000;
const comparators = ['EQ', 'NE', 'LT', 'LTE', 'GT', 'GTE', 'Assign'];

export interface ReadPath {
  /** The expression in strict JMESPath. */
  readonly text: string;
  readonly node: PathNode;
}

/** `data` decides what is meant; absent: only the syntax is checked. Rejects with a `PathError`. */
export function readPath(path: string, data?: unknown): ReadPath {
  if (path.length > maxPathChars) throw new PathError(`longer than ${maxPathChars} characters`);
  try {
    const text = strictPath(path.trim() || '@', data);
    return { text, node: compile(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'not a JMESPath expression';
    const name = unquotedName(path);
    const advice = name === undefined ? '' : `; the name ${name} must be in double quotes: "${name}"`;
    throw new PathError(`${reason}${advice}`);
  }
}

/** A name that JMESPath takes only in quotes, such as one with an umlaut, outside of quotes. */
function unquotedName(path: string): string | undefined {
  const bare = path.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""');
  return bare
    .match(/[\p{L}\p{M}\p{N}_]+/gu)
    ?.find((name) => /[^\w]/.test(name) || /^\d+[A-Za-z_]/.test(name));
}

function strictPath(path: string, data: unknown): string {
  const tokens = tokenize(path);
  const keys = collectKeys(data);
  const parentheses: string[] = [];
  let text = '';
  let end = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.start < end) continue;
    text += path.slice(end, token.start);
    end = tokens[index + 1]?.start ?? path.length;
    const part = path.slice(token.start, end);
    const { type } = token;
    if (type === 'Lparen' || type === 'Lbracket' || type === 'Lbrace' || type === 'Filter')
      parentheses.push(type);
    if (type === 'Rparen' || type === 'Rbracket' || type === 'Rbrace') parentheses.pop();
    const context = { before: tokens[index - 1], after: tokens[index + 1], inside: parentheses.at(-1) };
    if (type === 'Number' && !isPosition(context)) {
      const number = /^-?\d+(\.\d+)?([eE][+-]?\d+)?/.exec(path.slice(token.start))?.[0] ?? part;
      end = token.start + number.length;
      text += `\`${number}\``;
    } else if (type === 'QuotedIdentifier' && !keys.has(String(token.value)) && isValue(context)) {
      text += `\`${JSON.stringify(token.value).replaceAll('`', '\\`')}\``;
    } else if (type === 'Assign' && context.before?.type !== 'Variable') {
      text += part.replace('=', '==');
    } else text += part;
  }
  return keys.has('data') ? text : withoutData(text);
}

interface TokenContext {
  readonly before: Token | undefined;
  readonly after: Token | undefined;
  /** The bracket that is open. */
  readonly inside: string | undefined;
}

/** `[0]` and `[1:5]`; elsewhere a number is a value. */
const isPosition = ({ before, after }: TokenContext): boolean =>
  (before?.type === 'Lbracket' || before?.type === 'Colon') &&
  (after?.type === 'Rbracket' || after?.type === 'Colon');

/** The right side of a comparison, or a further argument of a function. */
const isValue = ({ before, inside }: TokenContext): boolean =>
  comparators.includes(before?.type ?? '') || (before?.type === 'Comma' && inside === 'Lparen');

const withoutData = (text: string): string =>
  text === 'data' ? '@' : text.replace(/^data\./, '').replace(/^data(?=\[)/, '');

/** Every member's name in the data, as many as are looked at. */
function collectKeys(data: unknown): Set<string> {
  const keys = new Set<string>();
  const pending: unknown[] = [data];
  for (let visited = 0; visited < maxKeys && pending.length > 0; visited += 1) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value)) for (const key of Object.keys(value)) keys.add(key);
    for (const member of Object.values(value)) if (typeof member === 'object') pending.push(member);
  }
  return keys;
}
