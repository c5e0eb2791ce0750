/** What a service's statement of a cost is read as. */
import { describe, expect, it } from 'vitest';
import { costThousandths, limitThousandths, ReportedCredits } from '../../src/contract/credits.ts';

it.each([
  [3, 3],
  [0, 0],
  [-0, 0],
  [0.07, 0.07],
  [1.005, 1.005],
  [0.0004, 0.001],
  [Number.MIN_VALUE, 0.001],
  [1.0001, 1.001],
  [0.1 + 0.2, 0.3],
  [1e9, 1e9],
  ['15', 15],
  ['15.50', 15.5],
  [' 2 ', 2],
])('%j is a cost of %d credits', (value, credits) => {
  expect(Object.is(ReportedCredits.parse(value), credits)).toBe(true);
});

const nothing = [
  undefined,
  null,
  true,
  '',
  ' ',
  'free',
  '1,5',
  '1e3',
  '0x10',
  '-1',
  '+-1',
  '3 credits',
  [3],
  {},
];
it.each([...nothing, -1, -0.0001, Number.NaN, Number.POSITIVE_INFINITY, 1e9 + 0.01, 1e16, '9999999999'])(
  '%j says nothing about the cost',
  (value) => {
    expect(ReportedCredits.parse(value)).toBeUndefined();
  },
);

describe('thousandths', () => {
  it('of every amount of up to three decimals are exact', () => {
    for (let thousandths = 0; thousandths <= 20_000; thousandths += 1) {
      const credits = Number(
        `${Math.floor(thousandths / 1000)}.${String(thousandths % 1000).padStart(3, '0')}`,
      );
      expect(costThousandths(credits)).toBe(thousandths);
      expect(limitThousandths(credits)).toBe(thousandths);
    }
  });

  it('of a cost are rounded up, those of a limit down', () => {
    expect(costThousandths(0.0101)).toBe(11);
    expect(limitThousandths(0.0109)).toBe(10);
  });
});
