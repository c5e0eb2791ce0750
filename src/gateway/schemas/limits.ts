/** Bounds on what a caller may send, checked before anything else looks at it. */
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
