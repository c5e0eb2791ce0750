/** Some clients send objects, lists, numbers and booleans as text; where the schema takes no text, it is read. */
import { parseJson } from '../../contract/exact-json.ts';
import { exceededLimit } from '../../contract/json-limits.ts';
import { listTypes } from '../../contract/schema-types.ts';
import { readTypedAddress } from '../../contract/web-address.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import {
  type Issue,
  maxArgumentDepth,
  maxArgumentElements,
  tooDeep,
  tooManyElements,
} from './argument-bounds.ts';

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
