/**
 * Bounds on what a caller may send, checked before anything else looks at it, and on schemas, which are hostile input. Some
 * clients send objects, lists, numbers and booleans as text: where the schema takes no text, it is read within the bounds.
 */
import { parseJson } from '../../contract/exact-json.ts';
import { exceededLimit } from '../../contract/json-limits.ts';
import { listTypes } from '../../contract/schema-types.ts';
import { hasPassword, passwordInAddress, readTypedAddress } from '../../contract/web-address.ts';
import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';

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

const tooManyElements: Issue = { path: '', message: `more than ${maxArgumentElements} elements` };

const tooDeep = (path: string): Issue => ({
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

/**
 * Limits of a text before it is parsed. It counts a list or an object twice, as a value and where it opens, so twice
 * the elements are certainly too many; the rest is counted when it was read.
 */
const textLimits = { depth: maxArgumentDepth, elements: 2 * maxArgumentElements };

export interface RepairedParams {
  /**
   * A copy of the params in which text was read as what the property's schema takes instead, and a value of an enum
   * that differs only in case is the one that was meant. A web address may be typed as people do.
   */
  readonly params: JsonObject;
  /** Texts that exceed the limits, which were not read. */
  readonly issues: readonly Issue[];
}

/** The repaired params may be as hostile as the text, so their bounds are checked again. */
export function repairParams(params: JsonObject, schema: JsonObject): RepairedParams {
  const { properties } = schema;
  if (!isObject(properties)) return { params, issues: [] };
  const issues: Issue[] = [];
  const entries = Object.entries(params).map(([key, value]): [string, unknown] => {
    if (typeof value !== 'string' || !Object.hasOwn(properties, key)) return [key, value];
    const types = listTypes(properties[key], schema);
    if (types.includes('string')) return [key, repairText(value, properties[key])];
    const exceeded = exceededLimit(value, textLimits);
    if (exceeded !== undefined) issues.push(exceeded === 'depth' ? tooDeep(key) : tooManyElements);
    const read = exceeded === undefined ? parsed(value.trim()) : undefined;
    return [key, types.some((type) => isOfType(read, type)) ? read : value];
  });
  return { params: Object.fromEntries(entries), issues };
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return false;
  }
}

/** A web address as people type it is completed; a value of an enum may differ in case. */
function repairText(value: string, property: unknown): unknown {
  if (!isObject(property) || !takesAddress(property)) return enumValue(value, property);
  return readTypedAddress(value);
}

const takesAddress = ({ format, pattern }: JsonObject): boolean =>
  /^(?:uri|url|iri)$/.test(String(format)) ||
  (typeof pattern === 'string' && /^\^\(?(?:\?:)?https?\b/.test(pattern));

/** The one value of an enum that is the same but for case. */
function enumValue(value: string, property: unknown): unknown {
  if (!isObject(property) || !Array.isArray(property.enum) || property.enum.includes(value)) return value;
  const normalized = value.trim().toLowerCase();
  const [match, ...others] = property.enum.filter(
    (candidate) => typeof candidate === 'string' && candidate.toLowerCase() === normalized,
  );
  return match === undefined || others.length > 0 ? value : match;
}

function parsed(text: string): unknown {
  try {
    // Within a list or an object a large integer would become a text that nobody wrote: it is refused instead.
    return /^[[{]/.test(text) ? JSON.parse(text) : parseJson(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
