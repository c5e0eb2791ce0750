/** Some clients send objects and arrays as JSON strings; where the schema wants the one, the string is read. */
import type { JsonObject } from '../outcomes.ts';
import { resolveLocal } from '../tools/portable-schema.ts';

/** References followed, and branches looked at, to find a property's type. */
const maxDepth = 4;
const maxBranches = 20;

/** A copy of `params` in which strings were read as JSON where the property's schema allows no string. */
export function repairParams(params: JsonObject, schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return params;
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      Object.hasOwn(properties, key) ? repaired(value, properties[key], schema) : value,
    ]),
  );
}

function repaired(value: unknown, property: unknown, root: JsonObject): unknown {
  if (typeof value !== 'string') return value;
  const types = typesOf(property, root, 0);
  if (types.includes('string') || !(types.includes('object') || types.includes('array'))) return value;
  const read = parsed(value);
  const fits = Array.isArray(read) ? types.includes('array') : isObject(read) && types.includes('object');
  return fits ? read : value;
}

/** The types a value may have; a branch that names none may allow a string. */
function typesOf(schema: unknown, root: JsonObject, depth: number): unknown[] {
  if (!isObject(schema) || depth > maxDepth) return ['string'];
  if (schema.type !== undefined) return Array.isArray(schema.type) ? schema.type : [schema.type];
  if (typeof schema.$ref === 'string') return typesOf(resolveLocal(root, schema.$ref), root, depth + 1);
  const branches = schema.anyOf ?? schema.oneOf;
  return Array.isArray(branches) && branches.length <= maxBranches
    ? branches.flatMap((branch) => typesOf(branch, root, depth + 1))
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
