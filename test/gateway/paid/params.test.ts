/** What is refused, and what is not, before anything is sent. Needs `dist/`, where the worker is. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import { callContext, closeGateways, runTool, startGateway } from '../../support/gateway.ts';
import { expectBuilt } from '../../support/program.ts';

beforeEach(expectBuilt);
afterEach(closeGateways);

const action = (parameters: unknown) => ({ action_id: 'shop-list', catalog_slug: 'shop', parameters });

async function run(parameters: unknown, params: Record<string, unknown>) {
  const { gateway, upstream } = await startGateway({ actions: [action(parameters)] });
  const { body } = await gateway.runAction({ action_id: 'shop-list', params }, callContext());
  return { body, sent: upstream.requestsTo('submitTask').map((request) => Object(request.body).params) };
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const schema = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1 },
    size: { enum: ['s', 'm'] },
    filter: { type: 'object', properties: { name: { type: 'string' } } },
    code: { type: 'string', pattern: '^[A-Z]{2}$' },
  },
  required: ['page'],
  additionalProperties: false,
};

describe('params that are refused', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['of a wrong type', { page: 'x' }, 'page'],
    ['out of range', { page: 0 }, 'page'],
    ['not of the enum', { page: 1, size: 'xl' }, 'size'],
    ['of a wrong member', { page: 1, filter: { name: 5 } }, 'filter.name'],
    ['that do not match', { page: 1, code: 'abc' }, 'code'],
    ['that are missing', {}, ''],
    ['that nobody asked for', { page: 1, other: 1 }, 'other'],
    ['100 levels deep', { page: 1, filter: deep(100) }, 'filter'],
    ['of 10,001 elements', { page: 1, filter: Array(10_001).fill(0) }, ''],
    ['named __proto__', JSON.parse('{"page": 1, "__proto__": {"x": 1}}'), '__proto__'],
    [
      'with a password in an address',
      { page: 1, filter: { name: 'https://a:hunter2@b.example' } },
      'filter.name',
    ],
    ['with a constructor inside', { page: 1, filter: { constructor: 1 } }, 'filter.constructor'],
  ])('are those %s', async (_, params, where) => {
    const { body, sent } = await run(schema, params);
    expect(body).toMatchObject({
      status: 'error',
      error: { code: 'INVALID_PARAMS', message: expect.stringContaining('Nothing was sent') },
      next: { kind: 'correct', named: 'issues' },
    });
    const issues: { path: string; message: string }[] = Object(body.error).issues;
    expect(issues.some(({ path, message }) => path.startsWith(where) || message.includes(`"${where}"`))).toBe(
      true,
    );
    expect(sent).toEqual([]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });
});

const texts = { type: 'object', properties: { l: { type: 'array' }, o: { type: 'object' } } };

describe('params that came as JSON text', () => {
  it.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['an integer beyond 2^53', { l: '[9007199254740993]' }, { l: JSON.parse('[9007199254740993]') }],
    ['a number that JSON cannot hold', { l: '[1e999]' }, { l: JSON.parse('[1e999]') }],
    ['__proto__', { o: '{"__proto__":{"admin":true}}' }, { o: JSON.parse('{"__proto__":{"admin":true}}') }],
    ['200 levels', { l: JSON.stringify(deep(200)) }, { l: deep(200) }],
    ['5,000 levels', { l: `${'['.repeat(5_000)}${']'.repeat(5_000)}` }, { l: deep(5_000) }],
    ['200,000 elements', { l: JSON.stringify(Array(200_000).fill(0)) }, { l: Array(200_000).fill(0) }],
    ['10,000 elements', { l: JSON.stringify(Array(10_000).fill([])) }, { l: Array(10_000).fill([]) }],
    ['a password', { l: '["https://user:hunter2@b.example"]' }, { l: ['https://user:hunter2@b.example'] }],
  ])('are refused for %s as the same values are', async (_, asText, asValues) => {
    const { body, sent } = await run(texts, asText);
    const { body: expected } = await run(texts, asValues);
    const messages = (refused: unknown) =>
      Object(Object(refused).error).issues?.map((issue: { message: string }) => issue.message);
    expect(messages(body)).toEqual(messages(expected));
    expect(body).toMatchObject({ status: 'error', error: { code: 'INVALID_PARAMS' } });
    expect(sent).toEqual([]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  it('may have as many elements as others', async () => {
    const list = Array(9_998).fill([]);
    expect((await run(texts, { l: JSON.stringify(list) })).sent).toEqual([{ l: list }]);
  });
});

describe('params that are sent', () => {
  it('are what was given, objects also where they came as JSON text', async () => {
    const { body, sent } = await run(schema, { page: 1, filter: '{"name": "a"}' });
    expect(body.status).toBe('completed');
    expect(sent).toEqual([{ page: 1, filter: { name: 'a' } }]);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['a boolean', false],
    ['a ring', { $ref: '#' }],
    ['a remote reference', { properties: { a: { $ref: 'http://127.0.0.1:1/x.json' } } }],
    ['a pattern that stalls', { properties: { a: { pattern: '^(a+)+$' } } }],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }],
    ['20,001 parts', { properties: { a: { enum: Array.from({ length: 20_001 }, (_, n) => n) } } }],
  ])('are not held up by a schema that is %s', async (_, parameters) => {
    const params = { a: `${'a'.repeat(40)}!` };
    const { body, sent } = await run(parameters, params);
    expect(body.status).toBe('completed');
    expect(sent).toEqual([params]);
  });
});

it('says what is allowed where a param is wrong, once', async () => {
  const parameters = {
    type: 'object',
    properties: {
      category: { type: 'string', enum: ['Travel', 'Mystery'] },
      code: { type: 'string', pattern: '^[A-Z]{3}$', examples: ['ABC'] },
    },
    additionalProperties: false,
  };
  const { gateway } = await startGateway({
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop', parameters }],
  });
  const issuesOf = async (params: JsonObject) => {
    const { body } = await gateway.runAction({ action_id: 'shop-list', params }, callContext());
    expect(JSON.stringify(body).split('Nothing was sent').length).toBe(2);
    return Object(body.error).issues;
  };
  expect(await issuesOf({ category: 'Travle' })).toMatchObject([
    { path: 'category', allowed: ['Travel', 'Mystery'], did_you_mean: 'Travel' },
  ]);
  expect(await issuesOf({ code: 'x' })).toMatchObject([
    { path: 'code', pattern: '^[A-Z]{3}$', example: 'ABC' },
  ]);
  expect(await issuesOf({ categry: 'Travel' })).toMatchObject([
    { path: 'categry', allowed: ['category', 'code'], did_you_mean: 'category' },
  ]);
  const { body } = await runTool(gateway, 'shop-list', { selct: 'a' });
  expect(Object(body.error).issues).toMatchObject([
    { path: 'selct', allowed: ['category', 'code', 'select', 'format'], did_you_mean: 'select' },
  ]);
});

const nested = {
  type: 'object',
  properties: {
    filter: {
      type: 'object',
      properties: { sort: { enum: ['price', 'name'] } },
      additionalProperties: false,
    },
    items: { type: 'array', items: { type: 'object', properties: { code: { pattern: '^[A-Z]{2}$' } } } },
  },
};

it.each<[string, Record<string, unknown>, JsonObject]>([
  [
    'an unknown name',
    { filter: { sorted: 'name' } },
    { path: 'filter.sorted', allowed: ['sort'], did_you_mean: 'sort' },
  ],
  [
    'a value that is not of the enum',
    { filter: { sort: 'prize' } },
    { path: 'filter.sort', allowed: ['price', 'name'], did_you_mean: 'price' },
  ],
  ['a pattern', { items: [{ code: 'DE' }, { code: 'x' }] }, { path: 'items[1].code', pattern: '^[A-Z]{2}$' }],
])('explains %s inside of a param', async (_, params, issue) => {
  const { body } = await run(nested, params);
  expect(Object(body.error).issues).toContainEqual(expect.objectContaining(issue));
});
