/** A column of amounts stays one where a row says something else in place of its amount. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const list = (prices: readonly string[]) =>
  `<!doctype html><html lang="en"><title>List</title><h1>Boats</h1><ul>${prices
    .map((price, at) => `<li class="row"><h3>Boat ${'ABCDEFGHI'[at]}</h3><p class="price">${price}</p></li>`)
    .join('\n')}</ul></html>`;

async function rowsOf(prices: readonly string[]) {
  const { build, run } = await serve(() => list(prices));
  return run(await build('/', 'List boats with name and price'), {});
}

it.each([
  [
    ['€1,200', '€950', 'on request', '€2,100', '€80'],
    [1200, 950, 'on request', 2100, 80],
  ],
  [
    ['58 400,00', '1 250,50', '99,00', 'по запросу', '12,00'],
    [58400, 1250.5, 99, 'по запросу', 12],
  ],
  [
    ['٤٠٨٫٥', 'غائب', '٣٩٠٫٢', '٣٧٧٫٠', '٤٠٠٫١'],
    [408.5, 'غائب', 390.2, 377, 400.1],
  ],
  [
    ['$5', 'Sold out', '$12', '$7', '$8', '$99', 'Sold out', '$3', '$2'],
    [5, 'Sold out', 12, 7, 8, 99, 'Sold out', 3, 2],
  ],
])('the words of the odd row are kept and told: %j', async (prices, values) => {
  const { items, missing } = await rowsOf(prices);
  expect(items).toMatchObject(values.map((price) => ({ price })));
  expect(missing).toEqual([expect.stringContaining('price: some values are not clearly one number')]);
});

it.each([
  [
    ['12k', '2.4m', '850'],
    ['12k', '2.4m', '850'],
  ],
  [
    ['12k views', '2.4m views', '850 views'],
    [12_000, 2_400_000, 850],
  ],
  [
    ['12 m', '2.4 m', '850 m'],
    [12, 2.4, 850],
  ],
])('an m is metres, millions behind what is counted, and open beside a k: %j', async (prices, values) => {
  const { items } = await rowsOf(prices);
  expect(items).toMatchObject(values.map((price) => ({ price })));
});

it('amounts that are grouped by both marks stay texts, also on a page that tells one', async () => {
  const prices = ['€ 189', '€ 1,120', '€ 1.500', '€ 45'];
  const { build, run } = await serve(() => `${list(prices)}<p>Tax € 2.50, € 3.75`);
  const { items } = await run(await build('/', 'List boats with name and price'), {});
  expect(items).toMatchObject(prices.map((price) => ({ price })));
});

it.each([
  [['(1999)', '(2003, with Ann)', '(2005)', '(2007)']],
  [['4', '12', 'many', '7', '9']],
  [['€1,200', 'on request', 'sold out', '€2,100', '€90']],
  [['€1,200', '£950', 'on request', '€2,100', '€80']],
  [['€10', '€25', '3 for €50', '€40', '€80']],
])('nothing is made a number that only some rows prove: %j', async (prices) => {
  const { items } = await rowsOf(prices);
  expect(items).toMatchObject(prices.map((price) => ({ price })));
});

it.each([
  ['called so', 'Beginn', ['19.30', '20.00', '8.50']],
  ['called so, in words of a room', 'Room', ['1.05', '2.10', '3.30']],
  ['with an h', 'Show', ['19.30 h', '8.50 h', '20.00 h']],
  ['with their word', 'Show', ['19.30 Uhr', '20 Uhr', '8.15 Uhr']],
  ['that rise below the number of a line', '103', ['6.35', '|', '6.42', '6.47', '7.50']],
  ['that do not rise', '103', [6.35, 6.3, 6.5]],
  ['that are amounts', 'Start price', [6.05, 6.2, 7.5]],
  ['beyond an hour', 'Time', [6.05, 6.75, 7.5]],
  ['that rise below a word', 'Width', [6.05, 6.2, 7.5]],
])('hours and minutes with a point are texts: %s', async (_, header, values) => {
  const rows = values.map((value, at) => {
    const written = typeof value === 'number' ? value.toFixed(2) : value;
    return `<tr><td>Stop ${'ABCDE'[at]}<td>${written}`;
  });
  const page = `<h1>Line</h1><table><tr><th>Stop<th>${header}${rows.join('')}</table>`;
  const { build, run } = await serve(() => page);
  const built = await build('/', 'Line', { candidate: 't1', fields: { stop: 'c1', shown: 'c2' } });
  expect((await run(built, {})).items).toMatchObject(values.map((shown) => ({ shown })));
});
