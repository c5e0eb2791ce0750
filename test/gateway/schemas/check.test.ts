import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/gateway/interface/outcomes.ts';
import { checkParams } from '../../../src/gateway/schemas/check.ts';

/** A value of `v` that the keywords allow, and one that they do not. */
const keywords: readonly [
  name: string,
  schema: unknown,
  valid: readonly unknown[],
  invalid: readonly unknown[],
][] = [
  ['type string', { type: 'string' }, ['', 'a'], [1, null, [], {}, true]],
  ['type integer', { type: 'integer' }, [1, 1.0, -5], [1.5, '1', null]],
  ['type number', { type: 'number' }, [1, 1.5], ['1', null]],
  ['type boolean', { type: 'boolean' }, [true, false], [0, 'true', null]],
  ['type null', { type: 'null' }, [null], [0, '', false]],
  ['type array', { type: 'array' }, [[]], [{}, '[]']],
  ['type object', { type: 'object' }, [{}], [[], null]],
  ['several types', { type: ['string', 'null'] }, ['a', null], [1]],
  ['enum', { enum: ['a', 1, null, { b: [1] }] }, ['a', 1, null, { b: [1] }], ['b', '1', { b: [2] }]],
  ['const', { const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }, null]],
  ['const false is not 0', { const: false }, [false], [0, null, '']],
  ['minimum', { minimum: 1.1 }, [1.1, 2, 'x'], [1]],
  ['maximum', { maximum: 3 }, [3, -1, 'x'], [3.01]],
  ['exclusiveMinimum', { exclusiveMinimum: 1 }, [1.01], [1, 0]],
  ['exclusiveMaximum', { exclusiveMaximum: 3 }, [2.99], [3, 4]],
  ['multipleOf', { multipleOf: 0.01 }, [0.07, 1, 4.35], [0.005]],
  ['minLength counts characters', { minLength: 2 }, ['ab', '😀😀', 1], ['a', '😀']],
  ['maxLength counts characters', { maxLength: 2 }, ['', '😀😀'], ['abc', '😀😀😀']],
  ['pattern is not anchored', { pattern: 'b+' }, ['abc', 1], ['ac']],
  ['pattern with letters of any language', { pattern: '^\\p{L}+$' }, ['äß'], ['1']],
  ['items', { items: { type: 'integer' } }, [[], [1, 2], 'x'], [[1, 'a']]],
  ['prefixItems', { prefixItems: [{ type: 'integer' }], items: false }, [[], [1]], [['a'], [1, 2]]],
  ['minItems and maxItems', { minItems: 1, maxItems: 2 }, [[1], [1, 2]], [[], [1, 2, 3]]],
  [
    'uniqueItems',
    { uniqueItems: true },
    [
      [1, 2],
      [{ a: 1 }, { a: 2 }],
      [1, true],
    ],
    [
      [1, 1],
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
  ],
  ['contains', { contains: { const: 5 } }, [[1, 5]], [[], [1]]],
  ['minContains', { contains: { const: 1 }, minContains: 2 }, [[1, 1]], [[1, 2]]],
  ['properties', { properties: { a: { type: 'integer' } } }, [{ a: 1 }, { b: 'x' }, {}], [{ a: 'x' }]],
  ['required', { required: ['a'] }, [{ a: null }], [{}, { b: 1 }]],
  ['required of an inherited name', { required: ['toString'] }, [{ toString: 1 }], [{}]],
  [
    'additionalProperties false',
    { properties: { a: {} }, additionalProperties: false },
    [{ a: 1 }],
    [{ b: 1 }],
  ],
  ['additionalProperties schema', { additionalProperties: { type: 'boolean' } }, [{ x: true }], [{ x: 1 }]],
  [
    'patternProperties',
    { patternProperties: { '^n_': { type: 'number' } } },
    [{ n_a: 1, b: 'x' }],
    [{ n_a: 'x' }],
  ],
  ['propertyNames', { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  [
    'minProperties and maxProperties',
    { minProperties: 1, maxProperties: 1 },
    [{ a: 1 }],
    [{}, { a: 1, b: 2 }],
  ],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
  ['allOf', { allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
  ['anyOf', { anyOf: [{ type: 'integer' }, { minLength: 2 }] }, [1, 'ab'], ['a']],
  ['oneOf', { oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3], [6, 5]],
  ['not', { not: { type: 'string' } }, [1], ['a']],
  [
    'if, then and else',
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    { if: { minimum: 10 }, then: { multipleOf: 10 }, else: { multipleOf: 2 } },
    [20, 4],
    [15, 3],
  ],
  ['boolean schemas', { properties: { yes: true, no: false } }, [{ yes: 1 }, {}], [{ no: 1 }]],
  ['format date', { type: 'string', format: 'date' }, ['2026-02-28'], ['2026-02-30', 'today']],
  ['format date-time', { format: 'date-time' }, ['2026-01-01T00:00:00Z'], ['2026-01-01 00:00']],
  ['format email', { format: 'email' }, ['a@b.example'], ['a.b.example']],
  ['format uri', { format: 'uri' }, ['https://a.example/x?y#z'], ['//a.example', 'no uri']],
  ['format uuid', { format: 'uuid' }, ['2eb8aa08-aa98-11ea-b4aa-73b441d16380'], ['2eb8aa08']],
  ['format ipv4', { format: 'ipv4' }, ['192.168.0.1'], ['256.1.1.1']],
  ['an unknown format', { format: 'color-of-the-day' }, ['anything'], []],
  ['unknown keywords', { 'x-anything': { type: 'string' }, currency: 'EUR' }, [1], []],
  ['$ref', { $ref: '#/$defs/small' }, [1], [11]],
  ['$ref beside other keywords', { $ref: '#/$defs/small', minimum: 5 }, [6], [1, 11]],
  ['$ref to a name with a slash', { $ref: '#/$defs/a~1b' }, ['x'], [1]],
  ['$anchor', { $ref: '#tiny' }, [1], [3]],
  ['recursion', { $ref: '#/$defs/tree' }, [{ next: { next: {} } }], [{ next: { next: 1 } }]],
];

describe('each keyword that actions use', () => {
  const $defs = {
    small: { type: 'integer', maximum: 10 },
    'a/b': { type: 'string' },
    tiny: { $anchor: 'tiny', maximum: 2 },
    tree: { type: 'object', properties: { next: { $ref: '#/$defs/tree' } } },
  };
  it.each(keywords)('%s', (_, schema, valid, invalid) => {
    const whole: JsonObject = { type: 'object', properties: { v: schema }, $defs };
    for (const v of valid) expect({ v, ...checkParams(whole, { v }) }).toEqual({ v, kind: 'valid' });
    for (const v of invalid) {
      expect({ v, ...checkParams(whole, { v }) }).toEqual({ v, kind: 'invalid', issues: expect.any(Array) });
    }
  });
});

describe('other dialects', () => {
  it('has items as a list, definitions and boolean exclusiveMinimum where they had it', () => {
    const draft7 = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: {
        v: { items: [{ type: 'integer' }], additionalItems: false },
        w: { $ref: '#/definitions/d' },
      },
      definitions: { d: { type: 'string' } },
    };
    expect(checkParams(draft7, { v: [1], w: 'a' }).kind).toBe('valid');
    expect(checkParams(draft7, { v: [1, 2] }).kind).toBe('invalid');
    expect(checkParams(draft7, { w: 1 }).kind).toBe('invalid');
    const draft4 = {
      $schema: 'http://json-schema.org/draft-04/schema#',
      properties: { v: { minimum: 1, exclusiveMinimum: true } },
    };
    expect(checkParams(draft4, { v: 2 }).kind).toBe('valid');
    expect(checkParams(draft4, { v: 1 }).kind).toBe('invalid');
  });
});

describe('issues', () => {
  const issuesOf = (schema: JsonObject, params: JsonObject) => {
    const verdict = checkParams(schema, params);
    return verdict.kind === 'invalid' ? verdict.issues : expect.fail(`It is ${verdict.kind}`);
  };

  it('say what is wrong and where, without errors of the enclosing schema', () => {
    const schema = {
      properties: {
        items: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      },
      required: ['id'],
    };
    const issues = issuesOf(schema, { items: [{ name: 'a' }, { name: 5 }] });
    expect(issues.map(({ path }) => path).sort()).toEqual(['id', 'items[1].name']);
  });

  it('are ten at most and repeat nothing that could hide', () => {
    const required = Array.from({ length: 50 }, (_, index) => `a\u200b${index}<IMPORTANT>`);
    const issues = issuesOf({ required }, {});
    expect(issues.length).toBeLessThanOrEqual(10);
    expect(JSON.stringify(issues)).not.toMatch(/\u200b|IMPORTANT/);
  });
});

describe('a schema that cannot be used', () => {
  it.each([
    ['refers to nothing', { properties: { v: { $ref: '#/$defs/none' } } }],
    ['refers to itself', { $ref: '#' }],
    ['refers to another host', { properties: { v: { $ref: 'http://127.0.0.1:1/x.json' } } }],
    ['has a broken pattern', { properties: { v: { pattern: '(' } } }],
  ])('leaves the decision to the service where it %s', (_, schema) => {
    expect(checkParams(schema, { v: 'x' })).toEqual({ kind: 'unchecked', reason: expect.any(String) });
  });

  it('does not share anything with another one of the same $id', () => {
    const $id = 'https://schemas.example/same';
    expect(checkParams({ $id, properties: { v: { type: 'string' } } }, { v: 'x' }).kind).toBe('valid');
    expect(checkParams({ $id, properties: { v: { type: 'integer' } } }, { v: 'x' }).kind).toBe('invalid');
    expect(checkParams({ $id, properties: { v: { type: 'string' } } }, { v: 'x' }).kind).toBe('valid');
  });

  it('with the same $id twice inside itself does not stop the call', () => {
    const $id = 'https://schemas.example/twice';
    const schema = { properties: { a: { $id, type: 'string' }, b: { $id, type: 'string' } } };
    expect(checkParams(schema, { a: 'x', b: 'y' }).kind).not.toBe('invalid');
  });
});
