/** A column that says of what the numbers beside it are is told where it is not read. */
import { expect, it } from 'vitest';
import { readExtracted } from '../../support/extract.ts';

const rates = (units: readonly string[], head = 'Units') =>
  `<table><tr><th>Currency<th>${head}<th>Buy</tr>${units
    .map((unit, at) => `<tr><td>C${at}<td>${unit}<td>0.${at + 5}1</tr>`)
    .join('')}</table>`;
const buy = { header: 'Buy', type: 'number' };
const doubtsOf = async (page: string, columns: object = { currency: { header: 'Currency' }, buy }) =>
  (await readExtracted(page, { kind: 'table', table: 'table', columns }))?.doubts;

it.each([
  ['1', '100', '1', '10'],
  ['1,000', '1', '1'],
  ['100', '100', '100'],
])('exchange rates for %s units', async (...units) => {
  const said = [...new Set(units)].join(', ');
  expect(await doubtsOf(rates(units))).toEqual([
    `buy: the column "Units", which is not read, has ${said}: it may say their unit, or for how many they are.`,
  ]);
});

it.each(['Unit', 'je Einheit', 'Mengeneinheit', 'Unidades'])('units below "%s"', async (head) => {
  expect(await doubtsOf(rates(['t', 'kg', 'kg'], head))).toEqual([
    `buy: the column "${head}", which is not read, has t, kg: it may say their unit, or for how many they are.`,
  ]);
});

it.each<[string, string, object?]>([
  ['whose head says another thing', rates(['12', '100', '1'], 'Units in stock')],
  ['of other numbers', rates(['1', '100', '12'], 'Size')],
  ['of ones alone', rates(['1', '1', '1'], 'Size')],
  ['of two rows', rates(['1', '100'], 'Size')],
  ['beside texts', rates(['1', '100', '1']), { currency: { header: 'Currency' } }],
  [
    'that is read',
    rates(['1', '100', '1']),
    { buy, units: { header: 'Units', type: 'number' }, currency: { header: 'Currency' } },
  ],
])('nothing is told of a column %s', async (_, page, columns) => {
  expect(await doubtsOf(page, columns)).toBeUndefined();
});
