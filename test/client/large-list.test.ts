import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf } from '../../src/client/large-list.ts';

/** In chunks of `size` bytes, so that elements, strings and characters are cut anywhere. */
function read(text: string, size = 7): unknown[] {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return [...elementsOf(chunks, 'results')].map((element) => JSON.parse(Buffer.from(element).toString()));
}

describe('the elements of a large list', () => {
  it('are those that a JSON parser reads', () => {
    const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
    fc.assert(
      fc.property(
        fc.array(json),
        fc.dictionary(fc.string({ unit: 'binary' }), json),
        fc.constantFrom(0, 1, 2),
        fc.integer({ min: 1, max: 100 }),
        (results, more, indent, size) => {
          const { results: _, ...before } = more;
          const text = JSON.stringify(
            { ...before, results, after: [1, { results: [2] }] },
            undefined,
            indent,
          );
          expect(read(text, size)).toEqual(JSON.parse(text).results);
        },
      ),
    );
  });

  it.each([
    '',
    '[]',
    '{}',
    '{"results":5}',
    '{"results":[1',
    '{"results":[1 2]}',
    '{"results":["a]}',
    '{"a":[{]}',
  ])('do not exist in %s', (text) => {
    expect(() => read(text)).toThrow(SyntaxError);
  });
});
