/** What is allowed where a param is wrong: names, values, a pattern with an example, and what was probably meant. */
import { nearestName } from '../discovery/nearest.ts';
import type { JsonObject } from '../outcomes.ts';
import { cleanText } from '../text.ts';
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

/** Only the schema's own first level is explained; deeper places keep the validator's message. */
export function explainIssue(issue: Issue, { schema, params }: Checked): ExplainedIssue {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const extra = issue.path === '' ? unknownProperty.exec(issue.message)?.[1] : undefined;
  const name = extra ?? issue.path;
  const names = Object.keys(properties);
  if (name !== '' && !name.includes('.') && !Object.hasOwn(properties, name.replace(/\[.*$/, ''))) {
    return {
      path: name,
      message: `There is no param ${JSON.stringify(cleanText(name, 60))}.`,
      allowed: names.slice(0, maxAllowed).map((key) => cleanText(key, 60)),
      ...meant(name, names),
    };
  }
  const property = properties[name];
  if (!isObject(property)) return issue;
  const values = Array.isArray(property.enum) ? property.enum.filter(isShort) : [];
  const { pattern } = property;
  const example = exampleOf(property);
  return {
    ...issue,
    ...(values.length > 0 && {
      allowed: values.slice(0, maxAllowed).map(clean),
      ...meant(params[name], values),
    }),
    ...(typeof pattern === 'string' && pattern.length <= maxText && { pattern: cleanText(pattern, maxText) }),
    ...(example !== undefined && { example }),
  };
}

function meant(given: unknown, candidates: readonly unknown[]): { did_you_mean?: string } {
  const names = candidates.filter((candidate) => typeof candidate === 'string');
  const nearest = typeof given === 'string' ? nearestName(given, names) : undefined;
  return nearest === undefined ? {} : { did_you_mean: cleanText(nearest, 100) };
}

function exampleOf({ examples, default: preset }: JsonObject): unknown {
  const [example = preset] = Array.isArray(examples) ? examples : [];
  return isShort(example) ? clean(example) : undefined;
}

const clean = (value: unknown) => (typeof value === 'string' ? cleanText(value, 100) : value);
const isShort = (value: unknown): boolean =>
  typeof value === 'string' ? value.length <= 100 : typeof value === 'number' || typeof value === 'boolean';

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
