/** For how much an amount is, where the page says it beside, is told with the rows. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const hotels = ['Sol', 'Mar', 'Luna', 'Rio'];
const listOf = (priceOf: (amount: string) => string) =>
  `<ul>${hotels
    .map(
      (name, at) =>
        `<li class="hotel"><h3><a href="/hotels/${name}">${name}</a></h3>${priceOf(`€${160 + at * 11}`)}</li>`,
    )
    .join('')}</ul>`;
const tableOf = (head: string) =>
  `<table><tr><th>Hotel</th><th>${head}</th></tr>${hotels
    .map((name, at) => `<tr><td>${name}</td><td>€${160 + at * 11}</td></tr>`)
    .join('')}</table>`;

async function run(content: string, fields: string) {
  const page = `<!doctype html><html lang="en"><title>Hotels</title><body><main><h1>Hotels</h1>${content}</main></body></html>`;
  const { build, run: runAction } = await serve(() => page);
  const { items, missing = [] } = await runAction(await build('/', `List all hotels with ${fields}`), {});
  const prices = (Array.isArray(items) ? items : []).map((row) => Object(row).price);
  return { prices, missing };
}

const amounts = [160, 171, 182, 193];
const told = (beside: string) => [`price: beside its amounts the page says what they are for: "${beside}".`];

it.each([
  [
    'before it in its text',
    (amount: string) => `<div class="price">2 nights, 2 adults: ${amount}</div>`,
    '2 nights, 2 adults:',
  ],
  [
    'in an element behind it',
    (amount: string) =>
      `<div class="box"><b class="price">${amount}</b> <span class="period">for 3 nights</span></div>`,
    'for 3 nights',
  ],
  [
    'in an element before it',
    (amount: string) => `<p><b>3 noches</b> desde <span class="price">${amount}</span></p>`,
    '3 noches desde',
  ],
])('a price with a term %s', async (_, priceOf, beside) => {
  expect(await run(listOf(priceOf), 'name and price')).toEqual({ prices: amounts, missing: told(beside) });
});

it('a price below a head with a term', async () => {
  expect(await run(tableOf('Price for 2 persons'), 'hotel and price')).toEqual({
    prices: amounts,
    missing: ['price: the head of its column is "Price for 2 persons"; the numbers are those of its cells.'],
  });
});

it.each([
  ['a term of another amount', (amount: string) => `<p><b class="price">${amount}</b> (€2 / 100 g)</p>`],
  ['other numbers', (amount: string) => `<p><b class="price">${amount}</b> <i>12 rooms left</i></p>`],
])('nothing is told of %s beside a price', async (_, priceOf) => {
  expect(await run(listOf(priceOf), 'name and price')).toEqual({ prices: amounts, missing: [] });
});
