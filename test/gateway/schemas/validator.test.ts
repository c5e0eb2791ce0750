/** Needs `dist/`, where the worker is: `npm test` builds it first. */
import { createServer } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import { isLinear } from '../../../src/gateway/schemas/argument-bounds.ts';
import { ParamsValidator } from '../../../src/gateway/schemas/validator.ts';
import { redos, slowSchemas } from '../../support/hostile-schemas.ts';
import { expectBuilt } from '../../support/program.ts';
import { longestStall } from '../../support/stalls.ts';

let validator: ParamsValidator;
beforeEach(() => {
  expectBuilt();
  validator = new ParamsValidator('principal');
});

describe('a schema that could take for ever', () => {
  it.each(slowSchemas)('is bounded: %s', async (_, schema, params) => {
    const started = performance.now();
    let kind: string | undefined;
    const stall = await longestStall(async () => {
      kind = (await validator.check(schema, params)).kind;
    });
    expect(kind).not.toBe('invalid');
    expect(stall).toBeLessThan(250);
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('leaves its action callable, is not tried again, and does not stop the next check', async () => {
    const params = { v: `${'a'.repeat(40)}!` };
    expect(await validator.check(redos, params)).toEqual({
      kind: 'unchecked',
      reason: 'checking against its schema took longer than 250 ms',
    });
    const started = performance.now();
    expect((await validator.check(redos, { v: 'aaa' })).kind).toBe('unchecked');
    expect(performance.now() - started).toBeLessThan(50);
    const other = { properties: { v: { type: 'string', pattern: '^b$' } } };
    expect(await validator.check(other, { v: 'b' })).toEqual({ kind: 'valid' });
    expect((await validator.check(other, { v: 'a' })).kind).toBe('invalid');
  });

  it('waits its turn without using up its own time', async () => {
    const schemas = Array.from({ length: 5 }, () => structuredClone(redos));
    const stalling = schemas.map((schema) => validator.check(schema, { v: `${'a'.repeat(40)}!` }));
    const quick = validator.check({ properties: { v: { pattern: '^b$' } } }, { v: 'b' });
    expect((await Promise.all(stalling)).map(({ kind }) => kind)).toEqual(Array(5).fill('unchecked'));
    expect(await quick).toEqual({ kind: 'valid' });
  });
});

describe('a schema too large or too deep', () => {
  const nested = (depth: number) => {
    let schema: JsonObject = { type: 'string' };
    for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { a: schema } };
    return schema;
  };
  it.each<[string, JsonObject]>([
    ['20,000 levels', nested(20_000)],
    [
      '100,000 properties',
      {
        properties: Object.fromEntries(
          Array.from({ length: 100_000 }, (_, n) => [`p${n}`, { type: 'integer' }]),
        ),
      },
    ],
  ])('is not checked: %s', async (_, schema) => {
    expect(await validator.check(schema, { a: 1 })).toEqual({
      kind: 'unchecked',
      reason: expect.any(String),
    });
  });
});

it('the validator never fetches a remote reference', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end('{"type": "string"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const url = `http://127.0.0.1:${address.port}/schema.json`;
  for (const extra of [{}, { pattern: 'x' }]) {
    const schema = { $schema: url, $id: url, properties: { v: { $ref: `${url}#/other`, ...extra } } };
    expect((await validator.check(schema, { v: 1 })).kind).toBe('unchecked');
  }
  await new Promise((resolve) => server.close(resolve));
  expect(requests).toBe(0);
});

it('the validator checks formats of long texts without stalling', async () => {
  const formats = [
    'email',
    'uri',
    'uri-reference',
    'hostname',
    'ipv4',
    'ipv6',
    'date-time',
    'date',
    'time',
    'uuid',
    'duration',
    'json-pointer',
    'uri-template',
    'regex',
    'idn-email',
    'iri',
  ];
  const hostile = [
    'a'.repeat(100_000),
    `a@${'a.'.repeat(50_000)}`,
    `http://${'a:'.repeat(50_000)}`,
    '1'.repeat(100_000),
    ':'.repeat(100_000),
    `${'-'.repeat(100_000)}!`,
    `/${'~0'.repeat(50_000)}~`,
    '{'.repeat(100_000),
  ];
  for (const format of formats) {
    for (const v of hostile) {
      const stall = await longestStall(() => validator.check({ properties: { v: { format } } }, { v }));
      expect({ format, v: v.slice(0, 10), quick: stall < 250 }).toMatchObject({ quick: true });
    }
  }
});

describe('a pattern', () => {
  it.each([
    '^[a-z]+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '[0-9]+',
    '^a',
    '^#[0-9a-f]{6}$',
    '\\S',
    '^[A-Z]{2}\\d*$',
    '',
    '^$',
  ])('%s is proved linear and needs no worker', (pattern) => {
    expect(isLinear(pattern)).toBe(true);
    const text = 'a'.repeat(1_000_000);
    const started = performance.now();
    new RegExp(pattern, 'u').test(`${text}!`);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it.each([
    '^(a+)+$',
    '^a*a*$',
    '[a-z]+$',
    'a+b',
    'a{1,500}',
    '^a{99}b{99}$',
    '^(?=a)a$',
    '(a)\\1',
    '^a|b$',
    '^a+?$',
    '[',
    '^a$b',
  ])('%s is not proved linear', (pattern) => expect(isLinear(pattern)).toBe(false));
});

it('the validator ignores unknown formats, also those named like members of every object', async () => {
  for (const format of ['card-number', 'constructor', 'isPrototypeOf', '__proto__', 'valueOf']) {
    expect(await validator.check({ properties: { v: { format } } }, { v: 'x' })).toEqual({ kind: 'valid' });
  }
});

it('the validator frees the event loop while it checks a format of a long text', async () => {
  const schema = { properties: { v: { type: 'string', format: 'url' } } };
  const stall = await longestStall(() => validator.check(schema, { v: `http://${'a'.repeat(50_000)}!` }));
  expect(stall).toBeLessThan(250);
});
