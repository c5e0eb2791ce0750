/** What is allowed where a param is wrong: names, values, a pattern with an example, and what was probably meant. */
import { cleanText, nearestName } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Issue } from './argument-bounds.ts';

interface ExplainedIssue extends Omit<Issue, 'keyword'> {
  /** The names or values that are allowed. */
  readonly allowed?: readonly unknown[];
  readonly did_you_mean?: string;
  readonly pattern?: string;
  readonly example?: unknown;
}

const maxAllowed = 50;
const maxText = 200;

interface CheckedValue {
  readonly schema: JsonObject;
  readonly params: JsonObject;
  /** Names that the caller may give beside the params. */
  readonly otherNames: readonly string[];
}

/** Issues behind a `$ref` or a combinator are not explained further. */
export function explainIssue({ keyword, ...issue }: Issue, checked: CheckedValue): ExplainedIssue {
  const { schema, params, otherNames } = checked;
  const steps = issue.path.match(/[^.[\]]+/g) ?? [];
  const name = steps.at(-1);
  const parent = placeAt(steps.slice(0, -1), { schema, value: params });
  if (parent === undefined || name === undefined) return issue;
  if (keyword === 'false') {
    const own = Object.keys(isObject(parent.schema.properties) ? parent.schema.properties : {});
    const names = steps.length === 1 ? [...own, ...otherNames] : own;
    const allowed = names.slice(0, maxAllowed).map((key) => cleanText(key, 60));
    return { ...issue, allowed, ...suggest(name, names) };
  }
  const place = placeAt([name], parent);
  return place === undefined ? issue : { ...issue, ...allowedAt(place) };
}

interface SchemaPlace {
  readonly schema: JsonObject;
  readonly value: unknown;
}

function placeAt(steps: readonly string[], from: SchemaPlace): SchemaPlace | undefined {
  let { schema, value } = from;
  for (const step of steps) {
    const { properties, items } = schema;
    const isMember = isObject(properties) && Object.hasOwn(properties, step);
    const next = isMember ? properties[step] : Array.isArray(value) ? items : undefined;
    if (!isObject(next)) return undefined;
    schema = next;
    value = Object(value)[step];
  }
  return { schema, value };
}

/** The values that a place takes, with a pattern and an example. */
function allowedAt({ schema, value }: SchemaPlace): Partial<ExplainedIssue> {
  const values = Array.isArray(schema.enum) ? schema.enum.filter(isShort) : [];
  const { pattern } = schema;
  const example = getExample(schema);
  return {
    ...(values.length > 0 && { allowed: values.slice(0, maxAllowed).map(clean), ...suggest(value, values) }),
    ...(typeof pattern === 'string' && pattern.length <= maxText && { pattern: cleanText(pattern, maxText) }),
    ...(example !== undefined && { example }),
  };
}

function suggest(value: unknown, candidates: readonly unknown[]): { did_you_mean?: string } {
  const names = candidates.filter((candidate) => typeof candidate === 'string');
  const nearest = typeof value === 'string' ? nearestName(value, names) : undefined;
  return nearest === undefined ? {} : { did_you_mean: cleanText(nearest, 100) };
}

function getExample({ examples, default: preset }: JsonObject): unknown {
  const [example = preset] = Array.isArray(examples) ? examples : [];
  return isShort(example) ? clean(example) : undefined;
}

const clean = (value: unknown) => (typeof value === 'string' ? cleanText(value, 100) : value);
const isShort = (value: unknown): boolean =>
  typeof value === 'string' ? value.length <= 100 : typeof value === 'number' || typeof value === 'boolean';

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
