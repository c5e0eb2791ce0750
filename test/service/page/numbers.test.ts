/** Which of two readings a number of a page has: its field tells, else the page, else nobody. */
import { expect, it } from 'vitest';
import { findPageMark } from '../../../src/service/page/numbers.ts';
import { extracted } from '../../support/extract.ts';

const listOf = (...texts: readonly string[]) => `<ul>${texts.map((text) => `<li>${text}`).join('')}</ul>`;
const read = async (page: string) => {
  const rows = await extracted(page, {
    kind: 'html',
    list: 'li',
    fields: { n: { type: 'number', unit_field: 'unit' } },
  });
  return Array.isArray(rows) ? rows.map(({ n }) => n) : rows;
};

it.each([
  [
    ['0,999 €', '1,299 €', '2,199 €'],
    [0.999, 1.299, 2.199],
  ],
  [
    ['1.234 kr', '12,50 kr'],
    [1234, 12.5],
  ],
  [
    ['(1,234)', '1,700', '(900)'],
    [-1234, 1700, -900],
  ],
  // Brackets mean a minus beside numbers without them; alone they are a count, an error or a note as often.
  [
    ['(1.234)', '2.500,00', '(900)'],
    [-1234, 2500, -900],
  ],
  [
    ['(1.234)', '0.75'],
    [-1.234, 0.75],
  ],
  [
    ['(1.234)', '5'],
    ['(1.234)', 5],
  ],
  [['(1.234)'], ['(1.234)']],
  [
    ['(0.12)', '(0.034)'],
    ['(0.12)', '(0.034)'],
  ],
  [
    ['(128)', '(95)'],
    ['(128)', '(95)'],
  ],
  [
    ['($1,234)', '(5 %)'],
    [-1234, -5],
  ],
  [['1.234-'], ['1.234-']],
  [
    ['1,234', '5,678'],
    ['1,234', '5,678'],
  ],
  [
    ['1.234', '10 – 20'],
    ['1.234', '10 – 20'],
  ],
  [
    ['10<sup>6</sup>', '12<sup>99</sup> €', '30<sup>2</sup>'],
    [1_000_000, 12.99, '30²'],
  ],
])('%j are %j', async (texts, values) => expect(await read(listOf(...texts))).toEqual(values));

it('the page decides where the field does not', async () => {
  const about = (text: string) => `${listOf('1.234 €', '5.678 €')}<p>${text}</p>`;
  expect(await read(about('Delivery from 4,90 €.'))).toEqual([1234, 5678]);
  expect(await read(about('Delivery from 4.90 €.'))).toEqual([1.234, 5.678]);
  expect(await read(about('Chapter 2.3, open from 14.30 to 18.00.'))).toEqual(['1.234 €', '5.678 €']);
});

it.each([
  ['de', [1234, 5678]],
  ['pt-BR', [1234, 5678]],
  ['de-CH', ['1.234 €', '5.678 €']],
  ['en', ['1.234 €', '5.678 €']],
  ['es', ['1.234 €', '5.678 €']],
  ['not a language', ['1.234 €', '5.678 €']],
])('the language %s decides where no number does', async (language, values) => {
  expect(await read(`<html lang="${language}">${listOf('1.234 €', '5.678 €')}`)).toEqual(values);
});

it.each([
  [
    ['79.900 €', '1.200 €'],
    [79_900, 1200],
  ],
  [
    ['$79.900', '$1.200'],
    ['$79.900', '$1.200'],
  ],
  [
    ['79.900 €/km', '1.200 €/km'],
    ['79.900 €/km', '1.200 €/km'],
  ],
])('Spanish with the amounts %j', async (texts, values) => {
  expect(await read(`<html lang="es">${listOf(...texts)}`)).toEqual(values);
});

it('brackets mean a minus in all fields of rows that have numbers with and without them in one', async () => {
  const row = (one: string, other: string) => `<tr><td>${one}<td>${other}`;
  const read = (...rows: string[]) =>
    extracted(`<table><tr><th>Gain<th>Loss${rows.join('')}</table>`, {
      kind: 'table',
      table: 'table',
      columns: { gain: { header: 'Gain', type: 'number' }, loss: { header: 'Loss', type: 'number' } },
    });
  expect(await read(row('20', '(15)'), row('(3)', '(8)'))).toEqual([
    { gain: 20, loss: -15 },
    { gain: -3, loss: -8 },
  ]);
  expect(await read(row('20', '(15)'), row('3', '(8)'))).toEqual([
    { gain: 20, loss: '(15)' },
    { gain: 3, loss: '(8)' },
  ]);
});

it('each number of a list of values is decided, and attributes write numbers for programs', async () => {
  const page = '<div data-price="1.234"><b>1.234 €</b><b>4,50 €</b></div>';
  const fields = {
    all: { select: 'b', all: true, type: 'number' },
    stated: { select: 'div', attribute: 'data-price', type: 'number' },
  };
  expect(await extracted(page, { kind: 'html', fields })).toEqual({ all: [1234, 4.5], stated: 1.234 });
});

it.each([
  ['12,5 m and 3,20 €', ','],
  ['$ 3.50', '.'],
  ['1.234.567', ','],
  ['1,234,567', '.'],
  ['Version 1.2, 14.30 Uhr, 24.12.2024, 10.0.0.1', undefined],
  ['3,50 € and 3.50 €', undefined],
  ['1.234', undefined],
  ['48,200 miles, £16,995', '.'],
  ['48.200 km, 16.995 €', undefined],
  ['Sail 1.5 TSX at 22.490 €', undefined],
])('%s tells %s', (text, mark) => expect(findPageMark(text).told).toBe(mark));

it('a number in a name tells nothing against the language of the page', async () => {
  const boats = listOf('22.490 €', '9.999 €');
  expect(await read(`<html lang="de"><h1>Sail 1.5 TSX</h1><h2>Sail 2.0 l</h2>${boats}`)).toEqual([
    22490, 9999,
  ]);
});

it('cents that are raised behind an amount in an element of its own are its cents', async () => {
  expect(await read(listOf('<b>£12</b><sup>99</sup>', '<b>€1.299</b><sup>50</sup>'))).toEqual([
    12.99, 1299.5,
  ]);
});
