/**
 * A schema as every client and model provider accepts it: an object at the root, no combinators there, local
 * references inlined, no vendor keywords, `items` on every array. It is only shown; arguments are checked
 * against the original.
 */

import type { JsonObject } from '../interface/outcomes.ts';
import { describeSchema, toVisibleKeyword, withNumericBounds } from './visible-keywords.ts';

export interface PortableSchema {
  readonly type: 'object';
  readonly [keyword: string]: unknown;
}

const maxInlineDepth = 6;
const maxNodes = 3_000;
/** Anthropic's rule for property names; one property outside it fails every request of a session. */
const portableName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** What an object at the root may say of itself; everything else there describes what no call can send. */
const rootKeywords = new Set([
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
]);

export function portableSchema(original: JsonObject): PortableSchema {
  const walk = { root: original, nodes: 0 };
  const { anyOf, oneOf, ...root } = flatten(original, walk, 0);
  // The branches of a root combinator become optional properties: shown is a superset of what is allowed.
  const branches = [...asArray(anyOf), ...asArray(oneOf)].filter(isObject);
  const optional = Object.fromEntries(
    branches.flatMap((branch) => Object.entries(asObject(flatten(branch, walk, 1).properties))),
  );
  const merged =
    branches.length === 0 ? root : { ...root, properties: { ...optional, ...asObject(root.properties) } };
  const object = Object.entries({ ...merged, type: 'object' }).filter(([key]) => rootKeywords.has(key));
  return { ...toVisibleSchema(Object.fromEntries(object), walk, 0), type: 'object' };
}

export const isPortableName = (name: string): boolean => portableName.test(name);

/** Property names that no provider would take; `run_action` still does. */
export function unportableProperties(original: JsonObject): string[] {
  return Object.keys(asObject(original.properties)).filter((name) => !portableName.test(name));
}

interface Walk {
  readonly root: JsonObject;
  nodes: number;
}

function toVisibleSchema(value: unknown, walk: Walk, depth: number): JsonObject {
  walk.nodes += 1;
  if (!isObject(value) || walk.nodes > maxNodes || depth > 32) return {};
  const schema = withNumericBounds(flatten(value, walk, depth));
  const description = describeSchema(schema);
  const visible: Record<string, unknown> = {};
  for (const [key, keyword] of Object.entries(schema)) {
    if (key === 'properties') visible.properties = toVisibleProperties(asObject(keyword), walk, depth);
    else if (key === 'items')
      visible.items = isObject(keyword) ? toVisibleSchema(keyword, walk, depth + 1) : {};
    else if (key === 'additionalProperties' && isObject(keyword))
      visible.additionalProperties = toVisibleSchema(keyword, walk, depth + 1);
    else if (key === 'anyOf' || key === 'oneOf')
      visible.anyOf = [
        ...asArray(visible.anyOf),
        ...asArray(keyword).map((branch) => toVisibleSchema(branch, walk, depth + 1)),
      ];
    else {
      const visibleValue = key === 'description' ? description || undefined : toVisibleKeyword(key, keyword);
      if (visibleValue !== undefined) visible[key] = visibleValue;
    }
  }
  if (description !== '') visible.description = description;
  if (includesType(visible.type, 'array') && visible.items === undefined) visible.items = {};
  if (Array.isArray(visible.required)) {
    const names = asObject(visible.properties);
    visible.required = visible.required.filter(
      (name) => typeof name === 'string' && Object.hasOwn(names, name),
    );
  }
  return visible;
}

function toVisibleProperties(properties: JsonObject, walk: Walk, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => portableName.test(name))
      .map(([name, schema]) => [name, toVisibleSchema(schema, walk, depth + 1)]),
  );
}

/** The schema with its local `$ref` followed and its `allOf` merged into it. */
function flatten(schema: JsonObject, walk: Walk, depth: number): JsonObject {
  if (schema.$ref === undefined && schema.allOf === undefined) return schema;
  const { $ref, allOf, ...keywords } = schema;
  if (depth > maxInlineDepth) return keywords;
  const target = typeof $ref === 'string' ? resolveLocal(walk.root, $ref) : undefined;
  const parts = [target, ...asArray(allOf)].filter(isObject).map((part) => flatten(part, walk, depth + 1));
  return [...parts, keywords].reduce(merge, {});
}

function merge(into: JsonObject, part: JsonObject): JsonObject {
  const merged = { ...into, ...part };
  if (into.properties !== undefined && part.properties !== undefined)
    merged.properties = { ...asObject(into.properties), ...asObject(part.properties) };
  if (into.required !== undefined && part.required !== undefined)
    merged.required = [...new Set([...asArray(into.required), ...asArray(part.required)])];
  return merged;
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

const includesType = (type: unknown, name: string) =>
  type === name || (Array.isArray(type) && type.includes(name));
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
