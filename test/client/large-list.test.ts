import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementTexts } from '../../src/client/large-list.ts';

const read = (text: string) =>
  [...elementTexts(text, 'results')].map((element): unknown => JSON.parse(element));

describe('the elements of a large list', () => {
  it('are those that a JSON parser reads', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(
        fc.array(json),
        fc.dictionary(fc.string(), json),
        fc.constantFrom(0, 1, 2),
        (results, more, indent) => {
          const { results: _, ...before } = more;
          const text = JSON.stringify(
            { ...before, results, after: [1, { results: [2] }] },
            undefined,
            indent,
          );
          expect(read(text)).toEqual(JSON.parse(text).results);
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
  ])('of %s are none', (text) => {
    expect(() => read(text)).toThrow(SyntaxError);
  });
});
