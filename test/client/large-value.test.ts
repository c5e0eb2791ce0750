import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { readLargeData } from '../../src/client/large-value.ts';
import { preview } from '../../src/gateway/results/preview.ts';

const pieceChars = 20;

function read(text: string, keptChars: number) {
  const steps = readLargeData(text, keptChars, { pieceChars });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function parsed(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) return SyntaxError;
    throw error;
  }
}

const values = fc.jsonValue({ maxDepth: 6 });
const spaces = fc.constantFrom(undefined, 1, '\t', '\n  ');

it('a value that is kept whole equals what the JSON parser reads, however it is written', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), values), values, spaces, (others, data, space) => {
      const text = JSON.stringify({ ...others, data, status: 'completed' }, null, space);
      const { value, totals } = read(text, Number.POSITIVE_INFINITY);
      expect(value).toEqual(JSON.parse(text));
      expect(totals.size).toBe(0);
    }),
    { numRuns: 500 },
  );
});

it('only a text that is not JSON is refused', () => {
  const cut = fc.tuple(
    values,
    spaces,
    fc.nat(),
    fc.constantFrom('', ',', ']', '}', '"', ':', '1', ' ', '\\'),
  );
  fc.assert(
    fc.property(cut, ([data, space, place, character]) => {
      const whole = JSON.stringify({ status: 'completed', data }, null, space);
      const at = place % whole.length;
      const text = whole.slice(0, at) + character + whole.slice(at + 1);
      const expected = parsed(() => JSON.parse(text));
      const actual = parsed(() => read(text, Number.POSITIVE_INFINITY).value);
      expect(actual).toEqual(expected);
    }),
    {
      numRuns: 3_000,
      // Data that begin with a 1 in place of their bracket.
      examples: [[[[{ name: 'a long enough text' }], undefined, 29, '1']]],
    },
  );
});

it('a preview of the kept part equals the preview of the whole', () => {
  const row = fc.record({
    name: fc.string(),
    price: fc.float({ noNaN: true, noDefaultInfinity: true }),
    tags: fc.array(fc.string()),
  });
  const data = fc.record({ total: fc.nat(), rows: fc.array(row, { minLength: 5, maxLength: 60 }) });
  fc.assert(
    fc.property(data, spaces, fc.integer({ min: 20, max: 400 }), (rows, space, budget) => {
      const text = JSON.stringify({ status: 'completed', data: rows, more: 'x'.repeat(50) }, null, space);
      const { value, totals } = read(text, 400);
      const { data: kept } = Object(value);
      expect(preview(kept, budget, totals)).toEqual(preview(JSON.parse(text).data, budget));
    }),
    { numRuns: 500 },
  );
});

it('members beside the data are not shortened', () => {
  const log = Array.from({ length: 100 }, (_, line) => ({ line }));
  const text = JSON.stringify({ log, data: log, status: 'completed', log2: log });
  const { value, totals } = read(text, 50);
  expect(value).toMatchObject({ log, log2: log, status: 'completed' });
  expect([...totals.values()]).toEqual([100]);
});

it('deep data are measured once, not again at each level', () => {
  const levels = 200;
  const rows = Array.from({ length: 100 }, (_, index) => ({ index, name: 'a row of some length' }));
  const text = `{"data":${'['.repeat(levels)}${JSON.stringify(rows)}${']'.repeat(levels)}}`;
  const stringify = vi.spyOn(JSON, 'stringify');
  try {
    const { value } = read(text, text.length * 2);
    const measured = stringify.mock.results.reduce((sum, { value: json }) => sum + String(json).length, 0);
    expect(measured).toBeLessThan(2 * text.length);
    expect(value).toEqual(JSON.parse(text));
  } finally {
    stringify.mockRestore();
  }
});
