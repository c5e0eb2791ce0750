/** Some clients send objects and arrays as JSON strings; where the schema wants the one, the string is read. */
import type { JsonObject } from '../outcomes.ts';

/** A copy of `params` in which strings were read as JSON where the property's schema allows no string. */
export function repairParams(params: JsonObject, schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return params;
  return Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      Object.hasOwn(properties, key) ? repaired(value, properties[key]) : value,
    ]),
  );
}

function repaired(value: unknown, schema: unknown): unknown {
  if (typeof value !== 'string' || !isObject(schema)) return value;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (types.includes('string') || !(types.includes('object') || types.includes('array'))) return value;
  const read = parsed(value);
  const fits = Array.isArray(read) ? types.includes('array') : isObject(read) && types.includes('object');
  return fits ? read : value;
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
