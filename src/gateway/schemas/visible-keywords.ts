/**
 * The keywords of a foreign schema as they may be shown. Their values reach the model and, through it, the provider:
 * a value with hidden or overlong text is left out, and so is one that some provider refuses, since a single bad
 * keyword fails the whole list of tools. Every other keyword stays as the catalog wrote it.
 */

import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';

const maxDescription = 1_000;
const maxValueChars = 200;
const maxListed = 20;

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const counts = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']);
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;

/** The description, with the values in it that no provider takes as `enum` or `const`. */
export function describeSchema(schema: JsonObject): string {
  const description =
    typeof schema.description === 'string' ? cleanText(schema.description, maxDescription) : '';
  const values = describeValues(schema);
  if (values === undefined || mentions(description, values.texts)) return description;
  const { sentence } = values;
  if (description === '') return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
  return `${description} (${sentence})`;
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
export function toVisibleKeyword(key: string, value: unknown): unknown {
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
      return nonEmpty(Array.isArray(value) ? value.slice(0, maxListed).filter(isCleanValue) : []);
    case 'format':
      return typeof value === 'string' && /^[a-z][a-z-]{0,39}$/.test(value) ? value : undefined;
    case 'pattern':
      return typeof value === 'string' && isCleanValue(value) && isEcmaScript(value) ? value : undefined;
    case 'title':
      return typeof value === 'string' ? cleanText(value, maxDescription) : undefined;
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
        return isNumber(value) && Number.isInteger(value) && value >= 0 ? value : undefined;
      return isBound(key) && isNumber(value) ? value : undefined;
  }
}

function toVisibleType(value: unknown): unknown {
  if (!Array.isArray(value)) return typeof value === 'string' && types.has(value) ? value : undefined;
  const typeNames = value.filter((type) => typeof type === 'string' && types.has(type));
  return nonEmpty([...new Set(typeNames)]);
}

/** Providers take enums of strings only; the values of any other are listed in the description. */
function toVisibleEnum(value: unknown): unknown[] | undefined {
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string')) return undefined;
  return nonEmpty([...new Set(value)].filter(isCleanValue));
}

/** Draft 4 has `exclusiveMinimum: true` beside `minimum`; later drafts have the number itself. */
export function withNumericBounds(schema: JsonObject): JsonObject {
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

/** Values that are no strings, in words; undefined: none that must be said. */
function describeValues(schema: JsonObject): { sentence: string; texts: readonly string[] } | undefined {
  const { const: constant, enum: values } = schema;
  if (constant !== undefined && typeof constant !== 'string' && isCleanValue(constant)) {
    const text = JSON.stringify(constant);
    return { sentence: `always ${text}`, texts: [text] };
  }
  if (!Array.isArray(values) || values.every((value) => typeof value === 'string')) return undefined;
  const texts = values
    .filter(isCleanValue)
    .slice(0, maxListed)
    .map((value) => JSON.stringify(value));
  if (texts.length === 0) return undefined;
  return { sentence: `one of ${texts.join(', ')}${texts.length < values.length ? ', …' : ''}`, texts };
}

/** Clients compile patterns with and without the flag. */
function isEcmaScript(pattern: string): boolean {
  try {
    new RegExp(pattern);
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

const isBound = (key: string) => bounds.some((bound) => bound === key);
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const nonEmpty = <Value>(values: Value[]) => (values.length === 0 ? undefined : values);
