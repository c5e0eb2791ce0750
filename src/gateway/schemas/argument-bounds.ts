/** Bounds on what a caller may send, checked before anything else looks at it; and on schemas, which are hostile input. */
import { hasPassword, passwordInAddress } from '../../contract/web-address.ts';
import { cleanText } from '../foundation/text.ts';

export interface Issue {
  /** Where, as in `params.items[3].name`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** Of the schema, that fails there. */
  readonly keyword?: string | undefined;
}

/** A path for an answer, which must not repeat a huge name. */
export const toVisiblePath = (path: string): string => cleanText(path, 200);

export const maxArgumentDepth = 64;
export const maxArgumentElements = 10_000;
/** Names that reach an object's prototype where code is careless. */
const dangerousNames = new Set(['__proto__', 'constructor', 'prototype']);

const inexact =
  'an integer beyond 2^53 loses digits when it is read; send it as a string if the action accepts one';

/** `1e999` is read as infinity, and would be sent as null. */
const isInexact = (value: unknown): boolean =>
  typeof value === 'number' &&
  !Number.isSafeInteger(value) &&
  (Number.isInteger(value) || !Number.isFinite(value));

export const tooManyElements: Issue = { path: '', message: `more than ${maxArgumentElements} elements` };

export const tooDeep = (path: string): Issue => ({
  path,
  message: `nested more than ${maxArgumentDepth} levels deep`,
});

/** The first reason not to accept the arguments; undefined where they are within the bounds. */
export function argumentIssue(value: unknown): Issue | undefined {
  let elements = 0;
  const pending: { value: unknown; path: string; depth: number }[] = [{ value, path: '', depth: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    elements += 1;
    if (elements > maxArgumentElements) return tooManyElements;
    if (isInexact(next.value)) return { path: next.path, message: inexact };
    if (typeof next.value === 'string' && hasPassword(next.value))
      return { path: next.path, message: passwordInAddress };
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > maxArgumentDepth) return tooDeep(next.path);
    const isArray = Array.isArray(next.value);
    for (const [key, element] of Object.entries(next.value)) {
      const path = isArray ? `${next.path}[${key}]` : next.path === '' ? key : `${next.path}.${key}`;
      if (!isArray && dangerousNames.has(key)) return { path, message: `the name "${key}" is not allowed` };
      pending.push({ value: element, path, depth: next.depth + 1 });
    }
  }
  return undefined;
}

export interface SchemaSize {
  readonly nodes: number;
  readonly depth: number;
  /** Whether checking could take long: a pattern, combinators within combinators, several references. */
  readonly slow: boolean;
}

const maxNodes = 20_000;
const maxDepth = 64;
const combinators = new Set(['anyOf', 'oneOf', 'allOf', 'not', 'if']);
const slowKeywords = new Set([
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  // Compares every element with every other.
  'uniqueItems',
]);
/** Formats whose check takes time in proportion to the text. */
const quickFormats = new Set(['date', 'time', 'date-time', 'uuid', 'ipv4']);
const references = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
/** Checks of this many nodes are quick even when every one of them is visited many times. */
const smallNodes = 2_000;
const shallowCombinators = 2;
/** Two references may name each other, or the schema around them, and double the work at every level. */
const harmlessReferences = 1;

/**
 * Measures a schema, or says why it is not usable: too large, too deep, or with a cycle that JSON cannot have.
 * A `$ref` counts as a combinator, because following it repeats what it names.
 */
export function measureSchema(schema: unknown): SchemaSize | { readonly unusable: string } {
  let nodes = 0;
  let depth = 0;
  let slow = false;
  let followedCount = 0;
  const pending: { value: unknown; depth: number; combined: number }[] = [
    { value: schema, depth: 0, combined: 0 },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes += 1;
    depth = Math.max(depth, next.depth);
    if (depth > maxDepth) return { unusable: `its schema is nested more than ${maxDepth} levels deep` };
    if (typeof next.value !== 'object' || next.value === null) continue;
    const members = Object.keys(next.value).length;
    // Checked before they are visited: a schema may have millions.
    if (nodes + pending.length + members > maxNodes) {
      return { unusable: `its schema has more than ${maxNodes} parts` };
    }
    for (const [key, value] of Object.entries(next.value)) {
      const refers = references.has(key) && typeof value === 'string';
      if (refers) followedCount += 1;
      const combined = next.combined + (combinators.has(key) || refers ? 1 : 0);
      if (isSlow(key, value) || combined > shallowCombinators) slow = true;
      pending.push({ value, depth: next.depth + 1, combined });
    }
  }
  return { nodes, depth, slow: slow || followedCount > harmlessReferences || nodes > smallNodes };
}

function isSlow(keyword: string, value: unknown): boolean {
  if (keyword === 'pattern') return typeof value !== 'string' || !isLinear(value);
  if (keyword === 'format') return typeof value !== 'string' || !quickFormats.has(value);
  return slowKeywords.has(keyword);
}

const atom = String.raw`(?:\\[dDwWsS.\/-]|\\p\{\w{1,20}\}|\[(?:[^\]\\]|\\.){1,200}\]|[^\\^$.*+?()[\]{}|]|\.)`;
const fixedPart = new RegExp(String.raw`${atom}(?:\{(\d{1,2})\})?`, 'y');
const variablePart = new RegExp(String.raw`${atom}(?:[*+?]|\{\d{1,4},(?:\d{1,4})?\})`, 'y');
const maxFixedLength = 100;

/**
 * Whether the pattern is proved to need time in proportion to the text: a sequence of single characters and character
 * classes from the start of the text, of which at most one repeats a variable number of times; or one of them anywhere.
 */
export function isLinear(pattern: string): boolean {
  const anchored = pattern.startsWith('^');
  let position = anchored ? 1 : 0;
  let fixed = 0;
  let variable = 0;
  while (position < pattern.length && pattern.slice(position) !== '$') {
    const part = matchAt(variablePart, pattern, position) ?? matchAt(fixedPart, pattern, position);
    if (part === undefined) return false;
    position += part[0].length;
    if (part.length === 1) variable += 1;
    else fixed += Number(part[1] ?? 1);
  }
  if (anchored) return variable <= 1 && fixed <= maxFixedLength;
  // Without an anchor the match is tried at each character: nothing may follow the repetition.
  return variable + fixed <= 1 && !pattern.endsWith('$') && !pattern.endsWith('}');
}

function matchAt(expression: RegExp, text: string, position: number): RegExpExecArray | undefined {
  expression.lastIndex = position;
  return expression.exec(text) ?? undefined;
}
