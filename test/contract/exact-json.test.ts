import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, writeJson } from '../../src/contract/exact-json.ts';
import { withLargeIntegers } from '../../src/contract/schema-types.ts';
import { timeOf } from '../support/stalls.ts';

describe('JSON without loss', () => {
  it.each([
    ['{"id": 4611686018427387905}', { id: '4611686018427387905' }],
    [
      '[-9007199254740993, 9007199254740991, 12345678901234567890]',
      ['-9007199254740993', 9007199254740991, '12345678901234567890'],
    ],
    [
      '{"a": 0.1234567890123456, "b": 1e300, "c": 1E400, "d": -1e999}',
      { a: 0.1234567890123456, b: 1e300, c: '1E400', d: '-1e999' },
    ],
    [
      '{"x": NaN, "y": -Infinity, "z": Infinity, "t": "NaN 1234567890123456789"}',
      { x: 'NaN', y: '-Infinity', z: 'Infinity', t: 'NaN 1234567890123456789' },
    ],
    ['"\\ud83d\\ude00 \\ud83d! \\ude00 \\\\ud83d"', '\u{1f600} \ufffd! \ufffd \\ud83d'],
    ['\ufeff{"a": 1}', { a: 1 }],
    ['"a\\"1234567890123456789\\\\"', 'a"1234567890123456789\\'],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
  });

  it.each(['01234567890123456789', '{"a": 12345678901234567 8}', '"1234567890123456', '[NaNa]', 'nul', ''])(
    'no JSON stays none: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  it('is what JSON.parse reads of everything else', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}/.test(text));
        expect(parseJson(`[${text}, 1234567890123456789]`)).toEqual([
          JSON.parse(text),
          '1234567890123456789',
        ]);
      }),
    );
  });

  it('costs time in proportion to the text, whatever stands in it', () => {
    const texts = [
      '"\\"'.repeat(700_000),
      `"${'\\ud83d'.repeat(300_000)}"`,
      '1'.repeat(2_000_000),
      '-'.repeat(2_000_000),
    ];
    for (const text of texts) {
      const spent = timeOf(() => {
        try {
          parseJson(text);
        } catch {}
      });
      expect(spent).toBeLessThan(2_000);
    }
  });

  it('is written with the digits of a large integer, and every text as it is', () => {
    const text = writeJson({ id: 12345678901234567890n, of: ['12345678901234567890', -9007199254740993n] });
    expect(text).toBe('{"id":12345678901234567890,"of":["12345678901234567890",-9007199254740993]}');
  });
});

it('large integers are found where the schema wants integers, also behind references', () => {
  const schema = {
    properties: {
      id: { type: 'integer' },
      name: { type: ['string', 'integer'] },
      list: { type: 'array', items: { $ref: '#/$defs/ref' } },
      free: {},
    },
    $defs: { ref: { type: 'object', properties: { n: { type: 'number' } } } },
  };
  const large = '9007199254740993';
  const params = { id: large, name: large, list: [{ n: large, m: large }], free: large, other: large };
  expect(withLargeIntegers(params, schema, BigInt)).toEqual({
    ...params,
    id: 9007199254740993n,
    list: [{ n: 9007199254740993n, m: large }],
  });
});
