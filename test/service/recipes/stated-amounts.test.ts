/** Amounts that a page states for programs are held against those that it shows. */
import { expect, it } from 'vitest';
import { parse } from '../../../src/service/recipes/parse.ts';
import { Extract } from '../../../src/service/recipes/recipe-schema.ts';

const linked = 'script[type="application/ld+json"]';
const pans = (prices: readonly unknown[], currency = 'EUR') =>
  prices.map((price, at) => ({
    '@type': 'Product',
    name: `Pan ${at}`,
    offers: { price, priceCurrency: currency },
  }));

/** What is said of the values that are read on a page with this body. */
async function doubtsIn(body: string, extract: unknown) {
  const page = {
    url: 'https://shop.example/',
    status: 200,
    contentType: 'text/html',
    link: '',
    body: Buffer.from(body),
  };
  const { extracted } = await parse({ page, extract: Extract.parse(extract) });
  return extracted?.doubts;
}

/** What is said of the prices of a page that states and shows these. */
function doubtsOf(stated: readonly unknown[], shown: string, many = true) {
  const data = JSON.stringify(many ? { '@graph': pans(stated) } : pans(stated)[0]);
  const body = `<!doctype html><script type="application/ld+json">${data}</script><h1>Pans</h1>${shown}`;
  const price = { path: 'offers.price', type: 'number' };
  const extract = many
    ? { kind: 'json', script: linked, list: '[0]."@graph"', fields: { name: 'name', price } }
    : { kind: 'html', fields: { price: { ...price, script: linked, path: '[0].offers.price' } } };
  return doubtsIn(body, extract);
}

it.each<[string, readonly unknown[], string, boolean, string | undefined]>([
  [
    'all amounts of a list differ',
    ['17.90', '27.90'],
    '<p>€ 19,90<p>€ 29,90',
    true,
    'price: 2 of 2 amounts, such as 17.9, are',
  ],
  [
    'one amount of a list differs',
    ['17.90', '27.90'],
    '<p>€ 17,90<p>€ 29,90',
    true,
    'price: 1 of 2 amounts, such as 27.9, are',
  ],
  ['the amount of a record differs', [799], '<p>899,00 kr', false, 'price: 799 is'],
  ['prices in cents', [1790, 2790], '<p>€ 17,90<p>€ 27,90', true, 'price: 2 of 2 amounts, such as 1790, are'],
  ['all amounts are shown', ['17.90', '1299'], '<p>€ 17,90<p>€ 1.299,–', true, undefined],
  ['the page shows no amounts', ['17.90'], '<p>Write to us.', true, undefined],
  ['a time is no amount', ['20'], '<p>€ 25,00 at 20:00', true, 'price: 20 is'],
])('%s', async (_, stated, shown, many, said) => {
  const doubts = await doubtsOf(stated, shown, many);
  expect(doubts).toEqual(said === undefined ? undefined : [expect.stringContaining(said)]);
});

it.each<[string, number, string, string | undefined]>([
  [
    'another rating is shown',
    4.8,
    '<p>Rating 4.6 of 5',
    'rating: 4.8 is stated for programs; the page shows no such number.',
  ],
  ['the rating is shown rounded', 4.6667, '<p>Rating 4,7 of 5', undefined],
  [
    'only stars are shown',
    4.5,
    '<p>★★★★☆',
    'rating: 4.5 is stated for programs; the page shows no such number.',
  ],
])('%s', async (_, rating, shown, said) => {
  const data = JSON.stringify({ '@type': 'Product', name: 'Pan', aggregateRating: { ratingValue: rating } });
  const body = `<!doctype html><script type="application/ld+json">${data}</script><h1>Pan</h1>${shown}`;
  const extract = {
    kind: 'html',
    fields: { rating: { script: linked, path: '[0].aggregateRating.ratingValue', type: 'number' } },
  };
  expect(await doubtsIn(body, extract)).toEqual(said === undefined ? undefined : [said]);
});
