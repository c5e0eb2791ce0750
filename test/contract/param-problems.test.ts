import { type Schema, Validator } from '@cfworker/json-schema';
import { expect, it } from 'vitest';
import { describeSchemaErrors } from '../../src/contract/param-problems.ts';

const schema: Schema = {
  type: 'object',
  properties: {
    repository: {},
    max_pages: { type: 'integer', minimum: 1, maximum: 5 },
    price: { exclusiveMinimum: 0, multipleOf: 0.5 },
    sort: { enum: ['price', 'name', ''] },
    kind: { const: 'book' },
    q: { type: 'string', minLength: 1, maxLength: 4 },
    code: { pattern: '^[A-Z]{3}$' },
    day: { format: 'date' },
    host: { format: 'hostname' },
    tags: { type: 'array', minItems: 1, maxItems: 2, uniqueItems: true, items: { $ref: '#/$defs/tag' } },
    owner: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    both: { type: ['number', 'boolean'] },
    filter: { type: 'object', additionalProperties: false },
    many: { enum: Array.from({ length: 12 }, (_, index) => index) },
    'a/b c': { type: 'string' },
  },
  required: ['repository'],
  additionalProperties: false,
  $defs: { tag: { type: 'string', maxLength: 3 } },
};
const validator = new Validator(schema, '2020-12', false);
const messagesFor = (params: Record<string, unknown>): string[] =>
  describeSchemaErrors(schema, validator.validate(params).errors).map(({ message }) => message);

it.each<[string, unknown, string]>([
  ['max_pages', 500, 'max_pages: at most 5'],
  ['max_pages', 0, 'max_pages: at least 1'],
  ['max_pages', '3', 'max_pages must be a whole number'],
  ['price', 0, 'price: more than 0'],
  ['price', 0.7, 'price: a multiple of 0.5'],
  ['sort', 'x', 'sort: one of price, name, ""'],
  ['many', 99, 'many: one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, and 2 more'],
  ['kind', 'x', 'kind must be book'],
  ['q', '', 'q must not be empty'],
  ['q', 'too long', 'q: at most 4 characters'],
  ['code', 'abc', 'code does not match the pattern ^[A-Z]{3}$'],
  ['day', 'soon', 'day is not a date such as 2026-01-31'],
  ['host', '-', 'host is not of the format hostname'],
  ['tags', [], 'tags: at least 1 item'],
  ['tags', ['a', 'b', 'c'], 'tags: at most 2 items'],
  ['tags', ['a', 'a'], 'tags has an item twice'],
  ['tags', ['a', 'long'], 'tags[1]: at most 3 characters'],
  ['owner', {}, 'owner.name is missing'],
  ['owner', { name: 5 }, 'owner.name must be text'],
  ['either', 5, 'either must be text or null'],
  ['both', 'x', 'both must be a number or true or false'],
  ['filter', { x: 1 }, 'There is no param "x"'],
  ['a/b c', 5, 'a/b c must be text'],
  ['other', 1, 'There is no param "other"'],
])('%s = %j: %s', (name, value, message) => {
  expect(messagesFor({ repository: 'a', [name]: value })).toEqual([message]);
});

it('a required param that is missing is the problem, at its own path', () => {
  const [problem] = describeSchemaErrors(schema, validator.validate({}).errors);
  expect(problem).toEqual({ path: 'repository', message: 'repository is missing', keyword: 'required' });
});

it('a keyword whose value has another form keeps the words of the validator', () => {
  const error = {
    keyword: 'maximum',
    keywordLocation: '#/properties/none/maximum',
    instanceLocation: '#/a',
    error: '9 is greater than 5.',
  };
  expect(describeSchemaErrors({}, [error])[0]?.message).toBe('a: 9 is greater than 5');
});
