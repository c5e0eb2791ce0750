/** Some clients send objects, lists, numbers and booleans as text; where the schema takes no text, it is read. */
import type { JsonObject } from '../interface/outcomes.ts';
import { resolveLocal } from '../schemas/portable-schema.ts';

/** References followed, and branches looked at, to find a property's type. */
const maxDepth = 4;
const maxBranches = 20;

/**
 * A copy of `params` in which text was read as what the property's schema takes instead, and a value of an enum that
 * differs only in case is the one that was meant.
 */
export function repairParams(params: JsonObject, schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return params;
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      Object.hasOwn(properties, key) ? repair(value, properties[key], schema) : value,
    ]),
  );
}

function repair(value: unknown, property: unknown, root: JsonObject): unknown {
  if (typeof value !== 'string') return value;
  const types = listTypes(property, root, 0);
  if (types.includes('string')) return enumValue(value, property);
  const read = parsed(value.trim());
  return types.some((type) => isOfType(read, type)) ? read : value;
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
