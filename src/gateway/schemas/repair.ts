/** Some clients send objects, lists, numbers and booleans as text; where the schema takes no text, it is read. */
import { exceededLimit } from '../../contract/json-limits.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import {
  type Issue,
  maxArgumentDepth,
  maxArgumentElements,
  tooDeep,
  tooManyElements,
} from './argument-bounds.ts';
import { resolveLocal } from './portable-schema.ts';

/** References followed, and branches looked at, to find a property's type. */
const maxDepth = 4;
const maxBranches = 20;

/**
 * Limits of a text before it is parsed. It counts a list or an object twice, as a value and where it opens, so twice
 * the elements are certainly too many; the rest is counted when it was read.
 */
const textLimits = { depth: maxArgumentDepth, elements: 2 * maxArgumentElements };

export interface RepairedParams {
  /**
   * A copy of the params in which text was read as what the property's schema takes instead, and a value of an enum
   * that differs only in case is the one that was meant.
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
    const types = listTypes(properties[key], schema, 0);
    if (types.includes('string')) return [key, enumValue(value, properties[key])];
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

/** The one value of an enum that is the same but for case. */
function enumValue(value: string, property: unknown): unknown {
  if (!isObject(property) || !Array.isArray(property.enum) || property.enum.includes(value)) return value;
  const normalized = value.trim().toLowerCase();
  const [match, ...others] = property.enum.filter(
    (candidate) => typeof candidate === 'string' && candidate.toLowerCase() === normalized,
  );
  return match === undefined || others.length > 0 ? value : match;
}

/** The types a value may have; a branch that names none may allow a string. */
function listTypes(schema: unknown, root: JsonObject, depth: number): unknown[] {
  if (!isObject(schema) || depth > maxDepth) return ['string'];
  if (schema.type !== undefined) return Array.isArray(schema.type) ? schema.type : [schema.type];
  if (typeof schema.$ref === 'string') return listTypes(resolveLocal(root, schema.$ref), root, depth + 1);
  const branches = schema.anyOf ?? schema.oneOf;
  return Array.isArray(branches) && branches.length <= maxBranches
    ? branches.flatMap((branch) => listTypes(branch, root, depth + 1))
    : ['string'];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
