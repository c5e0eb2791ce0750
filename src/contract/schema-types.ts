/** What a JSON Schema says of the types of values, and integers that only a text holds, in the places where it wants integers. */
import { isLargeInteger } from './exact-json.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** References followed, and branches looked at, to find a property's type. */
const maxDepth = 4;
const maxBranches = 20;
/** Levels of the params that are looked at; they are bounded before. */
const maxLevels = 64;

/** The types a value may have; a branch that names none may allow a string. */
export function listTypes(schema: unknown, root: JsonObject, depth = 0): unknown[] {
  if (!isObject(schema) || depth > maxDepth) return ['string'];
  if (schema.type !== undefined) return Array.isArray(schema.type) ? schema.type : [schema.type];
  if (typeof schema.$ref === 'string') return listTypes(resolveLocal(root, schema.$ref), root, depth + 1);
  const branches = schema.anyOf ?? schema.oneOf;
  return Array.isArray(branches) && branches.length <= maxBranches
    ? branches.flatMap((branch) => listTypes(branch, root, depth + 1))
    : ['string'];
}

/**
 * The params with each text of a large integer, in a place of an integer or a number, as `toInteger` makes it: a number to
 * check it, a `bigint` to send it.
 */
export function withLargeIntegers(
  params: JsonObject,
  schema: JsonObject,
  toInteger: (digits: string) => number | bigint,
): Record<string, unknown> {
  const walk = (value: unknown, part: unknown, level: number): unknown => {
    if (isLargeInteger(value)) {
      const types = listTypes(part, schema);
      const isNumber = types.includes('integer') || types.includes('number');
      return isNumber && !types.includes('string') ? toInteger(value) : value;
    }
    if (typeof value !== 'object' || value === null || level > maxLevels) return value;
    const { items, properties } = follow(part, schema);
    if (Array.isArray(value)) return value.map((element) => walk(element, items, level + 1));
    return toMembers(value, properties, level);
  };
  const toMembers = (value: object, properties: unknown, level: number) =>
    Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const part = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
        return [name, walk(member, part, level + 1)];
      }),
    );
  return toMembers(params, follow(schema, schema).properties, 0);
}

function follow(schema: unknown, root: JsonObject): JsonObject {
  if (!isObject(schema)) return {};
  const target = typeof schema.$ref === 'string' ? resolveLocal(root, schema.$ref) : undefined;
  return isObject(target) ? { ...target, ...schema } : schema;
}

/** A JSON pointer within the same document; anything else is never followed. */
export function resolveLocal(root: JsonObject, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let value: unknown = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const key = decodePointer(part);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Object.entries(value).find(([name]) => name === key)?.[1];
  }
  return value;
}

function decodePointer(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
