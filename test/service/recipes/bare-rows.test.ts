/** Rows that lack most of what nearly all others have are told: an advertisement may have markup of its own. */
import { expect, it } from 'vitest';
import { parse } from '../../../src/service/recipes/parse.ts';
import { Extract } from '../../../src/service/recipes/recipe-schema.ts';

const card = (name: string, price: number) =>
  `<li><b class="name">${name}</b><i class="price">€${price}.00</i><u class="stock">in stock</u></li>`;
const cards = ['Ann', 'Bo', 'Cy', 'Di'].map((name, at) => card(name, at + 10));

async function doubtsOf(rows: readonly string[], built?: object) {
  const number = { type: 'number', unit_field: 'price_currency' };
  const extract = Extract.parse({
    kind: 'html',
    list: 'li',
    ...(built && { built }),
    fields: {
      name: { select: '.name' },
      price: { select: '.price', ...number },
      stock: { select: '.stock' },
      ad: { select: '.ad' },
    },
  });
  const page = {
    url: 'https://shop.example/',
    status: 200,
    contentType: 'text/html',
    link: '',
    body: Buffer.from(`<!doctype html><h1>Shop</h1><ul>${rows.join('')}</ul>`),
  };
  return (await parse({ page, extract })).extracted?.doubts;
}

it('a row of other markup is told, with the fields that it lacks', async () => {
  const ad = '<li><p>Bike €79.00</p><i class="ad">AD</i></li>';
  expect(await doubtsOf([...cards, ad])).toEqual([
    '1 of 5 rows lack what nearly all others have (name, price, stock): their markup may be another.',
  ]);
});

it('a row without its price alone is not', async () => {
  const soldOut = '<li><b class="name">Eve</b><u class="stock">sold out</u></li>';
  expect(await doubtsOf([...cards, soldOut])).toBeUndefined();
});

it('entries of other markup that have none of the fields are told by what somebody built', async () => {
  const moved = '<li><p>Fay</p><p>€14.00</p></li>';
  expect(await doubtsOf([...cards, moved, moved, '<li> </li>'], {})).toEqual([
    '2 entries of the list have none of the fields and are not given, such as "Fay €14.00": the markup may be another.',
  ]);
  expect(await doubtsOf([...cards, moved])).toBeUndefined();
});
