/** Fills `{placeholders}`: each value is encoded for its place, so it can never become structure. */
import { withoutEndSlashes } from '../../contract/web-address.ts';
import { RunError } from '../foundation/errors.ts';
import type { RecipeRequest } from './recipe-schema.ts';

export type Values = Readonly<Record<string, unknown>>;

export interface FilledRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const placeholder = /\{([A-Za-z_][\w-]*)\}/g;
const onlyPlaceholder = /^\{([A-Za-z_][\w-]*)\}$/;

/** The names of the placeholders in every text of a value. */
export function placeholdersIn(value: unknown): Set<string> {
  if (typeof value === 'string')
    return new Set(Array.from(value.matchAll(placeholder), ([, name]) => name ?? ''));
  if (typeof value !== 'object' || value === null) return new Set();
  return new Set(Object.values(value).flatMap((member) => [...placeholdersIn(member)]));
}

function lookUp(values: Values, name: string): unknown {
  return Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
}

function toText(value: unknown, name: string): string {
  if (Array.isArray(value)) return value.map((item) => toText(item, name)).join(',');
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new RunError(`The parameter ${name} must be a string, a number, true or false`);
}

function fill(text: string, values: Values, encode: (value: string) => string): string {
  return text.replace(placeholder, (_whole, name: string) => {
    const value = lookUp(values, name);
    if (value === undefined) throw new RunError(`The parameter ${name} is missing`);
    return encode(toText(value, name));
  });
}

function encodeForUrl(value: string): string {
  if (value === '') throw new RunError('A parameter that is part of the address is empty');
  try {
    return encodeURIComponent(value);
  } catch {
    throw new RunError('A parameter is not valid text');
  }
}

/** Fills an address: no value can leave its place, neither by `/`, `?` or `#` nor as a `..` segment. */
export function fillUrl(text: string, values: Values): string {
  const url = fill(text, values, encodeForUrl);
  const [path = ''] = url.replace(/^[a-z]+:\/\/[^/]*/, '').split(/[?#]/);
  if (path.split('/').some((segment) => segment === '.' || segment === '..'))
    throw new RunError('A parameter would add a path segment to the address');
  return url;
}

/**
 * The values with which an address has the origin and the path of `url`, whatever its query is; undefined where none give it,
 * or a segment has several placeholders. A slash at the end makes no other page.
 */
export function valuesIn(text: string, url: URL): Record<string, string> | undefined {
  if (!URL.canParse(text)) return undefined;
  const template = new URL(text);
  const segmentsOf = ({ pathname }: URL) => withoutEndSlashes(pathname).split('/');
  const [wanted, given] = [segmentsOf(template), segmentsOf(url)];
  if (template.origin !== url.origin || wanted.length !== given.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const present = given[index] ?? '';
    // An address has `{` and `}` encoded.
    const [before = '', name, after = '', ...others] = segment.split(/%7B([A-Za-z_][\w-]*)%7D/);
    if (name === undefined && segment === present) continue;
    const isFitting = present.startsWith(before) && present.endsWith(after) && others.length === 0;
    const value = isFitting && decodeSegment(present.slice(before.length, present.length - after.length));
    if (name === undefined || !value) return undefined;
    values[name] = value;
  }
  return values;
}

function decodeSegment(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The placeholder that a text is; undefined for every other text. */
export const placeholderOf = (text: unknown): string | undefined => onlyPlaceholder.exec(String(text))?.[1];

/** A placeholder that is the whole text keeps its value's type; it is left out if its param is absent. */
function fillJson(value: unknown, values: Values): unknown {
  if (typeof value === 'string') {
    const name = placeholderOf(value);
    return name === undefined ? fill(value, values, (text) => text) : lookUp(values, name);
  }
  if (Array.isArray(value)) return value.map((item) => fillJson(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fillJson(member, values)]));
}

/** Pairs for a query or form; a pair is left out if its only placeholder's param is absent. */
function fillPairs(
  pairs: Readonly<Record<string, string | number | boolean>>,
  values: Values,
): URLSearchParams {
  const filled = new URLSearchParams();
  for (const [key, value] of Object.entries(pairs)) {
    const name = placeholderOf(value);
    if (name !== undefined && lookUp(values, name) === undefined) continue;
    filled.append(
      key,
      fill(String(value), values, (text) => text),
    );
  }
  return filled;
}

export function fillForm(pairs: Readonly<Record<string, string>>, values: Values): URLSearchParams {
  return fillPairs(pairs, values);
}

function fillHeader(text: string, values: Values): string {
  const value = fill(text, values, (part) => part);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new RunError('A parameter has characters that a header cannot have');
  return value;
}

/** The request of a recipe with its params filled in. Rejects unsuitable params with a `RunError`. */
export function fillRequest(request: RecipeRequest, values: Values): FilledRequest {
  const url = new URL(fillUrl(request.url, values));
  for (const [key, value] of fillPairs(request.query ?? {}, values)) url.searchParams.append(key, value);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? {}))
    headers[name.toLowerCase()] = fillHeader(value, values);
  let body: string | undefined;
  if (request.form !== undefined) {
    body = fillPairs(request.form, values).toString();
    headers['content-type'] = 'application/x-www-form-urlencoded';
  } else if (request.json !== undefined) {
    body = JSON.stringify(fillJson(request.json, values));
    headers['content-type'] = 'application/json';
  }
  return { url: url.href, method: request.method, headers, body };
}
