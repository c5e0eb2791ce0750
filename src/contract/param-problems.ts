/** Problems of params, each in one sentence made from the schema's keyword that failed. */

type Schema = Readonly<Record<string, unknown>>;

/** An error as a JSON Schema validator reports it (the specification's "detailed" output). */
export interface SchemaError {
  readonly keyword: string;
  /** Such as `#/properties/max_pages/maximum`. */
  readonly keywordLocation: string;
  /** Such as `#/max_pages`. */
  readonly instanceLocation: string;
  /** The validator's own words, for keywords without a sentence here. */
  readonly error: string;
}

export interface ParamProblem {
  /** Where, such as `items[3].name`; empty for the params as a whole. */
  readonly path: string;
  /** Names the place itself: `max_pages: at most 5`. It may quote the schema and the params. */
  readonly message: string;
  readonly keyword: string;
}

/** Wrapper keywords repeat the errors of their children, so they are skipped. */
const wrappers = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems'],
  ...['allOf', 'anyOf', 'oneOf', '$ref', '$recursiveRef', 'if'],
]);

/** Each problem once; alternatives of a type become one sentence. */
export function describeSchemaErrors(schema: Schema, errors: readonly SchemaError[]): ParamProblem[] {
  const precise = errors.filter(({ keyword }) => !wrappers.has(keyword));
  const problems = new Map<string, ParamProblem>();
  for (const error of precise.length > 0 ? precise : errors) {
    const problem = describe(error, findValue(schema, error.keywordLocation));
    const key = error.keyword === 'type' ? `type ${problem.path}` : problem.message;
    const known = problems.get(key);
    const message = known === undefined ? problem.message : joinTypes(known.message, problem.message);
    problems.set(key, { ...problem, message });
  }
  return [...problems.values()];
}

const mustBe = ' must be ';

function joinTypes(one: string, other: string): string {
  const type = other.slice(other.indexOf(mustBe) + mustBe.length);
  return one.endsWith(type) ? one : `${one} or ${type}`;
}

function describe({ keyword, instanceLocation, error }: SchemaError, value: unknown): ParamProblem {
  const steps = parsePointer(instanceLocation);
  const missing = /^Instance does not have required property "(.*)"\.$/s.exec(error)?.[1];
  if (keyword === 'required' && missing !== undefined) {
    const path = toPath([...steps, missing]);
    return { path, message: `${path} is missing`, keyword };
  }
  const path = toPath(steps);
  // An unknown param fails against the schema `false`.
  if (keyword === 'false')
    return { path, message: `There is no param ${JSON.stringify(cut(steps.at(-1) ?? ''))}`, keyword };
  const sentence = Object.hasOwn(sentences, keyword) ? sentences[keyword]?.(value) : undefined;
  const name = path === '' ? 'params' : path;
  return {
    path,
    message: sentence === undefined ? `${name}: ${error.replace(/\.$/, '')}` : `${name}${sentence}`,
    keyword,
  };
}

/** The text after the name of the place; undefined if the keyword's value is malformed. */
const sentences: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  type: (value) => `${mustBe}${[value].flat().map(nameType).join(' or ')}`,
  enum: (value) => (Array.isArray(value) ? `: one of ${listValues(value)}` : undefined),
  const: (value) => `${mustBe}${showValue(value)}`,
  minimum: bound('at least'),
  maximum: bound('at most'),
  exclusiveMinimum: bound('more than'),
  exclusiveMaximum: bound('less than'),
  multipleOf: bound('a multiple of'),
  minLength: (value) => (value === 1 ? ' must not be empty' : bound('at least', 'character')(value)),
  maxLength: bound('at most', 'character'),
  minItems: bound('at least', 'item'),
  maxItems: bound('at most', 'item'),
  minProperties: bound('at least', 'member'),
  maxProperties: bound('at most', 'member'),
  uniqueItems: () => ' has an item twice',
  pattern: (value) =>
    typeof value === 'string'
      ? ` does not match the pattern ${value.includes(' ') ? JSON.stringify(cut(value, 100)) : cut(value, 100)}`
      : undefined,
  format: (value) =>
    typeof value === 'string' ? ` is not ${formats[value] ?? `of the format ${cut(value)}`}` : undefined,
  not: () => ' has a value that is not allowed',
};

function bound(words: string, unit?: string) {
  return (value: unknown): string | undefined => {
    if (typeof value !== 'number') return undefined;
    return unit === undefined
      ? `: ${words} ${value}`
      : `: ${words} ${value} ${unit}${value === 1 ? '' : 's'}`;
  };
}

const types: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};
const nameType = (type: unknown): string => types[String(type)] ?? cut(String(type));

const formats: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-01-31',
  time: 'a time such as 12:30:00Z',
  'date-time': 'a moment such as 2026-01-31T12:30:00Z',
  email: 'an email address',
  uri: 'an address such as https://shop.example/',
  url: 'an address such as https://shop.example/',
  uuid: 'a UUID',
};

const maxListed = 10;

function listValues(values: readonly unknown[]): string {
  const more = values.length > maxListed ? `, and ${values.length - maxListed} more` : '';
  return values.slice(0, maxListed).map(showValue).join(', ') + more;
}

/** A text with blanks in quotes: it could read as a sentence of ours. */
function showValue(value: unknown): string {
  if (typeof value !== 'string') return cut(JSON.stringify(value) ?? '');
  const text = cut(value);
  return /^[^\s"]+$/.test(text) ? text : JSON.stringify(text);
}

const cut = (text: string, length = 60): string =>
  text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** The keyword's value; undefined if the pointer leaves the schema. */
function findValue(schema: Schema, location: string, depth = 0): unknown {
  let value: unknown = schema;
  for (const step of parsePointer(location)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Object.entries(value).find(([name]) => name === step)?.[1];
    if (step !== '$ref' || typeof value !== 'string') continue;
    if (!value.startsWith('#') || depth > 20) return undefined;
    value = findValue(schema, value, depth + 1);
  }
  return value;
}

/** Validators write both pointers URI-encoded, after `#`. */
const parsePointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'));

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const toPath = (steps: readonly string[]): string =>
  steps.reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`),
    '',
  );
