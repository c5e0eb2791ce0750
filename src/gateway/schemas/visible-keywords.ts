/**
 * The keywords of a foreign schema as they may be shown. Their values reach the model and, through it, the provider:
 * a value with hidden or overlong text is left out, and so is one that some provider refuses, since a single bad
 * keyword fails the whole list of tools. Constraints that some clients drop stand in the description instead of
 * their keywords: every conversation pays for each character.
 */

import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';

const maxDescription = 1_000;
const maxValueChars = 200;
const maxListed = 20;

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const counts = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties']);
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;

/** A description with constraints in it, and the keywords that it makes superfluous. */
interface Described {
  readonly description: string;
  readonly replaced: ReadonlySet<string>;
}

/** The description with the constraints that a client may drop: values it cannot take, bounds, pattern, default, example. */
export function describeConstraints(schema: JsonObject): Described {
  const description =
    typeof schema.description === 'string' ? cleanText(schema.description, maxDescription) : '';
  const facts = [valuesFact, boundsFact, patternFact, defaultFact, exampleFact]
    .map((toFact) => toFact(schema))
    .filter((fact) => fact !== undefined)
    .filter((fact) => !mentions(description, fact));
  const text = facts.map((fact) => fact.text).join('; ');
  const replaced = new Set(facts.flatMap(({ keywords }) => keywords));
  // The values say all that an example of one could.
  if (Array.isArray(schema.enum)) replaced.add('examples');
  if (text === '') return { description, replaced };
  const described =
    description === '' ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : `${description} (${text})`;
  return { description: described, replaced };
}

/** A value that cleaning would change, or a long one, is not shown: it could hold instructions. */
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

/** A constraint in words, the keywords that say the same, and the texts that show that a description has it already. */
interface Fact {
  readonly text: string;
  readonly keywords: readonly string[];
  readonly values: readonly string[];
}

const mentions = (description: string, { values }: Fact) =>
  values.every(
    (value) =>
      description.includes(value) && new RegExp(`(?<![\\w.])${escaped(value)}(?![\\w])`).test(description),
  );
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

function valuesFact(schema: JsonObject): Fact | undefined {
  const { const: constant, enum: values } = schema;
  if (constant !== undefined && typeof constant !== 'string' && isCleanValue(constant)) {
    const text = JSON.stringify(constant);
    return { text: `always ${text}`, keywords: [], values: [text] };
  }
  if (!Array.isArray(values) || values.every((value) => typeof value === 'string')) return undefined;
  const visibleValues = values
    .filter(isCleanValue)
    .slice(0, maxListed)
    .map((value) => JSON.stringify(value));
  if (visibleValues.length === 0) return undefined;
  const text = `one of ${visibleValues.join(', ')}${visibleValues.length < values.length ? ', …' : ''}`;
  return { text, keywords: [], values: visibleValues };
}

function boundsFact(schema: JsonObject): Fact | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = isNumber(minimum)
    ? `${minimum}`
    : isNumber(exclusiveMinimum)
      ? `above ${exclusiveMinimum}`
      : '';
  const high = isNumber(maximum)
    ? `${maximum}`
    : isNumber(exclusiveMaximum)
      ? `below ${exclusiveMaximum}`
      : '';
  const values = [minimum, exclusiveMinimum, maximum, exclusiveMaximum].filter(isNumber).map(String);
  // "At least 1" is what everybody assumes.
  const isPlainMinimum = high === '' && (low === '0' || low === '1');
  if ((low === '' && high === '') || isPlainMinimum) return undefined;
  const fact = (text: string): Fact => ({ text, keywords: bounds, values });
  if (low !== '' && high !== '') return fact(`${low} to ${high}`);
  if (low !== '') return fact(low.startsWith('above') ? low : `at least ${low}`);
  return fact(high.startsWith('below') ? high : `at most ${high}`);
}

function patternFact({ pattern }: JsonObject): Fact | undefined {
  if (typeof pattern !== 'string' || pattern.length > maxValueChars || !isClean(pattern)) return undefined;
  return { text: `pattern ${pattern}`, keywords: ['pattern'], values: [pattern] };
}

function defaultFact(schema: JsonObject): Fact | undefined {
  const value = schema.default;
  if (value === undefined || value === null || value === '' || !isCleanValue(value)) return undefined;
  const visibleText = toText(value);
  return { text: `default ${visibleText}`, keywords: ['default'], values: [visibleText] };
}

function exampleFact({ examples, enum: values }: JsonObject): Fact | undefined {
  if (!Array.isArray(examples) || values !== undefined) return undefined;
  const example: unknown = examples.find((value) => isCleanValue(value) && value !== null && value !== '');
  if (example === undefined) return undefined;
  const visibleText = toText(example);
  return { text: `e.g. ${visibleText}`, keywords: ['examples'], values: [visibleText] };
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

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
