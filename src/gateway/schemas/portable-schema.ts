/**
 * A schema as every client and model provider accepts it: an object at the root, no combinators there, local
 * references inlined, no vendor keywords, `items` on every array. It is only shown; arguments are checked
 * against the original.
 *
 * The values of its keywords reach the model and, through it, the provider: a value with hidden or overlong text is left
 * out, and so is one that some provider refuses, since a single bad keyword fails the whole list of tools. Every other
 * keyword stays as the catalog wrote it; descriptions stand in quotes where a model would take them for ours.
 */

import { resolveLocal } from '../../contract/schema-types.ts';
import { cleanText, quoted } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import { isQuickPattern } from './listed-pattern.ts';

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

/** How a text of the catalog is shown: `quoted` where it stands among words of ours, else `cleanText`. */
export type ShowText = (text: string, maxLength: number) => string;

export function portableSchema(original: JsonObject, show: ShowText = cleanText): PortableSchema {
  const walk = { root: original, show, nodes: 0 };
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
  readonly show: ShowText;
  nodes: number;
}

function toVisibleSchema(value: unknown, walk: Walk, depth: number): JsonObject {
  walk.nodes += 1;
  if (!isObject(value) || walk.nodes > maxNodes || depth > 32) return {};
  const schema = withOwnKeywords(withNumericBounds(flatten(value, walk, depth)));
  const description = describeSchema(schema, walk.show);
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

const includesType = (type: unknown, name: string) =>
  type === name || (Array.isArray(type) && type.includes(name));
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const maxDescription = 1_000;
const maxTitle = 120;
const maxValueChars = 200;
/** Longer values of an enum are said in the description, quoted and cut: a list of sentences reads as instructions. */
const maxEnumChars = 60;
const maxExamples = 20;
const maxValuesChars = 2_000;

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const counts = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']);
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;

/** The description, with the values and the pattern in it that no provider or client takes as keywords. */
function describeSchema(schema: JsonObject, show: ShowText): string {
  const description =
    typeof schema.description === 'string' ? cleanText(schema.description, maxDescription) : '';
  const sentence = [describeValues(schema), describePattern(schema)]
    .flatMap((said) => (said === undefined || mentions(description, said.texts) ? [] : [said.sentence]))
    .join(', ');
  if (description === '') return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
  const shown = show(description, maxDescription);
  return sentence === '' ? shown : `${shown} (${sentence})`;
}

/** Values that cleaning would change, and long ones, are not shown: they could hold instructions. */
function isCleanValue(value: unknown): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text !== undefined && text.length <= maxValueChars && toTexts(value).every(isClean);
}

const isClean = (text: string) => cleanText(text, maxValueChars) === text;

function toTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...toTexts(member)]);
}

/** One plain keyword as it may be shown; undefined: not at all. Subschemas and descriptions are the caller's. */
function toVisibleKeyword(key: string, value: unknown): unknown {
  switch (key) {
    case 'type':
      return toVisibleType(value);
    case 'enum':
      return toVisibleEnum(value);
    case 'const':
      // Providers without `const` make an enum of it, and take strings only.
      return typeof value === 'string' && isCleanValue(value) ? value : undefined;
    case 'default':
      return isCleanValue(value) ? value : undefined;
    case 'examples':
      return nonEmpty(Array.isArray(value) ? value.slice(0, maxExamples).filter(isCleanValue) : []);
    case 'format':
      return typeof value === 'string' && /^[a-z][a-z-]{0,39}$/.test(value) ? value : undefined;
    case 'pattern':
      return isListedPattern(value) ? value : undefined;
    case 'title':
      return typeof value === 'string' ? cleanText(value, maxTitle) : undefined;
    case 'required':
      return Array.isArray(value) ? value : undefined;
    case 'additionalProperties':
    case 'deprecated':
    case 'uniqueItems':
      return typeof value === 'boolean' ? value : undefined;
    case 'multipleOf':
      return isNumber(value) && value > 0 ? value : undefined;
    default:
      if (counts.has(key))
        return isNumber(value) && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
      // A client that holds numbers as doubles or as 64 bits must read the same bound.
      return isBound(key) && isNumber(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
        ? value
        : undefined;
  }
}

/** A map: a schema may name a keyword like a member that every object has. */
const typesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ...forEach(['minLength', 'maxLength', 'pattern'], ['string']),
  ...forEach(['format'], ['string', 'number', 'integer']),
  ...forEach([...bounds, 'multipleOf'], ['number', 'integer']),
  ...forEach(['items', 'minItems', 'maxItems', 'uniqueItems'], ['array']),
  ...forEach(
    ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
    ['object'],
  ),
]);

function forEach(keywords: readonly string[], typeNames: readonly string[]) {
  return keywords.map((keyword) => [keyword, typeNames] as const);
}

/** Without the keywords and values that say something of another type than the schema's: some providers refuse them. */
function withOwnKeywords(schema: JsonObject): JsonObject {
  const own = asArray(Array.isArray(schema.type) ? schema.type : [schema.type]).filter(
    (type) => typeof type === 'string' && types.has(type),
  );
  if (own.length === 0) return schema;
  const takes = (typeNames: readonly string[]) => typeNames.some((type) => own.includes(type));
  return Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) => {
      if (keyword === 'default' || keyword === 'const') return takes(jsonTypes(value));
      if (keyword === 'enum') return !Array.isArray(value) || value.some((entry) => takes(jsonTypes(entry)));
      return takes(typesOf.get(keyword) ?? own.map(String));
    }),
  );
}

function jsonTypes(value: unknown): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [typeof value];
}

function toVisibleType(value: unknown): unknown {
  if (!Array.isArray(value)) return typeof value === 'string' && types.has(value) ? value : undefined;
  const typeNames = value.filter((type) => typeof type === 'string' && types.has(type));
  return nonEmpty([...new Set(typeNames)]);
}

/** The values of any other enum are said in the description: none is left out. */
function toVisibleEnum(value: unknown): unknown[] | undefined {
  if (!Array.isArray(value) || !value.every(isEnumValue)) return undefined;
  // Gemini refuses every request with an empty text in an enum: it is said in words.
  return nonEmpty([...new Set(value)].filter((entry) => entry !== ''));
}

/** Providers take enums of strings only. */
const isEnumValue = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= maxEnumChars && isClean(value);

/** Draft 4 has `exclusiveMinimum: true` beside `minimum`; later drafts have the number itself. */
function withNumericBounds(schema: JsonObject): JsonObject {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof exclusiveMinimum !== 'boolean' && typeof exclusiveMaximum !== 'boolean') return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'minimum' && exclusiveMinimum === true) return [['exclusiveMinimum', minimum]];
      if (key === 'maximum' && exclusiveMaximum === true) return [['exclusiveMaximum', maximum]];
      return isBound(key) && typeof value === 'boolean' ? [] : [[key, value]];
    }),
  );
}

const mentions = (description: string, texts: readonly string[]) =>
  texts.every(
    (text) =>
      description.includes(text) && new RegExp(`(?<![\\w.])${escaped(text)}(?![\\w])`).test(description),
  );
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The values that no enum lists, in words; undefined: none that must be said. */
function describeValues(schema: JsonObject): { sentence: string; texts: readonly string[] } | undefined {
  const { const: constant, enum: values } = schema;
  if (constant !== undefined && typeof constant !== 'string' && isCleanValue(constant)) {
    const text = JSON.stringify(constant);
    return { sentence: `always ${text}`, texts: [text] };
  }
  if (!Array.isArray(values)) return undefined;
  if (values.every(isEnumValue))
    return values.includes('') ? { sentence: 'may also be an empty text', texts: ['empty'] } : undefined;
  const texts: string[] = [];
  let length = 0;
  for (const value of values) {
    const text = toWords(value);
    length += text.length + 2;
    if (length > maxValuesChars) break;
    texts.push(text);
  }
  const more = values.length - texts.length;
  return { sentence: `one of ${texts.join(', ')}${more === 0 ? '' : `, and ${more} more`}`, texts };
}

function toWords(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '""' : quoted(value, maxEnumChars);
  return isCleanValue(value) ? JSON.stringify(value) : 'a value too long to list';
}

/** Any other pattern is said in the description, where no client runs it. A long one with blanks could be a sentence. */
const isListedPattern = (value: unknown): boolean =>
  typeof value === 'string' &&
  isCleanValue(value) &&
  !(value.length > maxEnumChars && value.includes(' ')) &&
  isQuickPattern(value);

function describePattern({
  pattern,
}: JsonObject): { sentence: string; texts: readonly string[] } | undefined {
  if (typeof pattern !== 'string' || !isCleanValue(pattern) || isListedPattern(pattern)) return undefined;
  const text = quoted(pattern, maxValueChars);
  return { sentence: `matches the pattern ${text}`, texts: [text] };
}

const isBound = (key: string) => bounds.some((bound) => bound === key);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const nonEmpty = <Value>(values: Value[]) => (values.length === 0 ? undefined : values);
