import fc from 'fast-check';
import { expect, it } from 'vitest';
import { repairParams } from '../../../src/gateway/schemas/argument-bounds.ts';

const properties = {
  object: { type: 'object' },
  array: { type: 'array' },
  either: { type: ['array', 'object', 'null'] },
  text: { type: 'string' },
  textOrObject: { type: ['string', 'object'] },
  optional: { anyOf: [{ type: 'object' }, { type: 'null' }] },
  optionalText: { anyOf: [{ type: 'object' }, { type: 'string' }] },
  named: { $ref: '#/$defs/box' },
  open: {},
};
const schema = { type: 'object', properties, $defs: { box: { type: 'object' } } };

it.each([
  ['object', '{"a": [1]}', { a: [1] }],
  ['array', ' [1, "x"] ', [1, 'x']],
  ['either', '[]', []],
  ['either', '{}', {}],
  ['optional', '{"a": 1}', { a: 1 }],
  ['named', '{"a": 1}', { a: 1 }],
])('the repair reads %s from the text %s', (name, text, value) => {
  expect(repairParams({ [name]: text }, schema).params).toEqual({ [name]: value });
});

it.each([
  ['text', '{"a": 1}'],
  ['textOrObject', '{"a": 1}'],
  ['optionalText', '{"a": 1}'],
  ['open', '{"a": 1}'],
  ['unknown', '{"a": 1}'],
  ['object', '[1]'],
  ['array', '{"a": 1}'],
  ['object', '{"a": '],
  ['object', 'null'],
  ['object', '5'],
])('the repair leaves %s as %s', (name, text) => {
  expect(repairParams({ [name]: text }, schema).params).toEqual({ [name]: text });
});

it('the repair changes only texts', () => {
  fc.assert(
    fc.property(
      fc.record({ object: fc.object(), array: fc.array(fc.jsonValue()), open: fc.jsonValue() }),
      (params) => {
        expect(repairParams(params, schema).params).toEqual(params);
      },
    ),
  );
});

it('the repair changes neither the given params nor those of a schema without properties', () => {
  const params = Object.freeze({ object: '{}' });
  repairParams(params, schema);
  expect(params.object).toBe('{}');
  expect(repairParams(params, {}).params).toBe(params);
  expect(repairParams(params, { properties: null }).params).toBe(params);
});

it.each([
  [{ type: 'integer' }, '5', 5],
  [{ type: 'integer' }, ' -5 ', -5],
  [{ type: 'number' }, '4.5', 4.5],
  [{ type: 'boolean' }, 'true', true],
  [{ type: ['boolean', 'null'] }, 'false', false],
  [{ type: 'string', enum: ['EUR', 'GBP'] }, 'eur', 'EUR'],
  [{ type: 'string', pattern: '^https?://[^\\s/]' }, 'site.example/page', 'https://site.example/page'],
  [
    { type: 'string', pattern: '^https?://[^\\s/]' },
    'HTTPS://site.example/Page',
    'https://site.example/Page',
  ],
  [
    { type: 'string', pattern: '^https?://[^\\s/]' },
    ' <https://site.example/page> ',
    'https://site.example/page',
  ],
  [{ type: 'string', format: 'uri' }, '"www.bücher.example?q=1"', 'https://www.bücher.example?q=1'],
  [{ type: 'string', format: 'uri' }, 'localhost:3000/list', 'http://localhost:3000/list'],
])('the repair reads what %j takes from the text %j', (property, text, value) => {
  expect(repairParams({ x: text }, { type: 'object', properties: { x: property } }).params).toEqual({
    x: value,
  });
});

it.each([
  [{ type: 'integer' }, '4.5'],
  [{ type: 'integer' }, '9007199254740993'],
  [{ type: 'number' }, '1e999'],
  [{ type: 'number' }, 'five'],
  [{ type: 'number' }, ''],
  [{ type: 'boolean' }, 'yes'],
  [{ type: ['string', 'number'] }, '5'],
  [{ type: 'string', enum: ['a', 'A'] }, 'Á'],
  [{ type: 'string', enum: ['ab', 'AB'] }, 'Ab'],
  [{ type: 'string', format: 'uri' }, 'ftp://site.example/'],
  [{ type: 'string', format: 'uri' }, 'a garden shop'],
  [{ type: 'string', format: 'uri' }, 'someone@site.example'],
  [{ type: 'string' }, 'site.example/page'],
])('the repair leaves alone what %j does not take: %j', (property, text) => {
  expect(repairParams({ x: text }, { type: 'object', properties: { x: property } }).params).toEqual({
    x: text,
  });
});

it.each([
  ['object', 5_000, 'nested more than 64 levels deep'],
  ['array', 100_000, 'more than 10000 elements'],
])('the repair does not read the text of an %s that exceeds a limit', (name, size, message) => {
  const text = name === 'array' ? JSON.stringify(Array(size).fill(0)) : '{"a":'.repeat(size);
  const { params, issues } = repairParams({ [name]: text }, schema);
  expect(params).toEqual({ [name]: text });
  expect(issues).toMatchObject([{ message }]);
});
