/** What is allowed where a param is wrong: names, values, a pattern with an example, and what was probably meant. */
import { nearestName } from '../foundation/nearest.ts';
import { cleanText } from '../foundation/text.ts';
import type { JsonObject } from '../interface/outcomes.ts';
import type { Issue } from './limits.ts';

export interface ExplainedIssue extends Issue {
  /** The names or values that are allowed. */
  readonly allowed?: readonly unknown[];
  readonly did_you_mean?: string;
  readonly pattern?: string;
  readonly example?: unknown;
}

const maxAllowed = 50;
const maxText = 200;

interface Checked {
  readonly schema: JsonObject;
  readonly params: JsonObject;
}

/** How the validator names a property that the schema does not allow. */
const unknownProperty = /^Property "(.{1,80})" does not match additional properties schema/;

/** What lies behind a `$ref` or a combinator is not explained: it keeps the validator's message. */
export function explainIssue(issue: Issue, { schema, params }: Checked): ExplainedIssue {
  const extra = unknownProperty.exec(issue.message)?.[1];
  const owner = parsePlace(issue.path, extra === undefined);
  const parent = placeAt(owner.steps, { schema, value: params });
  const name = extra ?? owner.name;
  if (parent === undefined || name === undefined) return issue;
  const properties = isObject(parent.schema.properties) ? parent.schema.properties : {};
  const names = Object.keys(properties);
  if (extra !== undefined || (owner.steps.length === 0 && !Object.hasOwn(properties, name))) {
    return {
      path: extra === undefined || issue.path === '' ? name : `${issue.path}.${extra}`,
      message: `There is no param ${JSON.stringify(cleanText(name, 60))}.`,
      allowed: names.slice(0, maxAllowed).map((key) => cleanText(key, 60)),
      ...suggest(name, names),
    };
  }
  const place = placeAt([name], parent);
  return place === undefined ? issue : { ...issue, ...allowedAt(place) };
}

interface Place {
  readonly schema: JsonObject;
  readonly value: unknown;
}

/** The steps of a path such as `items[3].name`; `parting`: without the last one, which is the name. */
function parsePlace(path: string, parting: boolean): { steps: string[]; name?: string | undefined } {
  const steps = path.match(/[^.[\]]+/g) ?? [];
  return parting ? { steps: steps.slice(0, -1), name: steps.at(-1) } : { steps };
}

function placeAt(steps: readonly string[], from: Place): Place | undefined {
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
function allowedAt({ schema, value }: Place): Partial<ExplainedIssue> {
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
