/** Columns of a table that have other headers are other columns, though their values be equal on the page that is read. */
import { expect, it } from 'vitest';
import { findRepair } from '../../../src/service/builder/matching/prove-repair.ts';
import { candidatesOf, documentOf } from './best-choice.ts';
import { serve } from './serve-pages.ts';

const tableOf = (headers: readonly string[], cells: (at: number) => readonly string[]) => {
  const head = headers.map((header) => `<th>${header}</th>`).join('');
  const rows = [...'ABCDEF'].map(
    (letter, at) =>
      `<tr><td>Lamp ${letter}</td>${cells(at)
        .map((text) => `<td>${text}</td>`)
        .join('')}</tr>`,
  );
  return `<!doctype html><html lang="en"><title>Lamps</title><h1>Lamps</h1><table><tr><th>Item</th>${head}</tr>${rows.join('')}</table></html>`;
};

async function labelsOf(page: string) {
  const { preview } = await serve(() => page);
  const outcome = await preview('/', 't1');
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.candidates.flatMap(({ columns }) => columns.map(({ label }) => label));
}

it.each([
  [
    ['List price', 'Sale price', 'Stock A', 'Stock B'],
    (at: number) => [`$${at + 5}.50`, `$${at + 5}.50`, `${at + 1}`, `${at + 1}`],
  ],
  [['Price CHF', 'Price EUR'], (at: number) => [`${at + 5}.50`, `${at + 5}.50`]],
  [['Home', 'Away'], (at: number) => [`Team ${at}`, `Team ${at}`]],
])('%j stay', async (headers, cells) => {
  expect(await labelsOf(tableOf(headers, cells))).toEqual(['Item', ...headers]);
});

it('an action for both gives each of them, when they differ later', async () => {
  const headers = ['List price', 'Sale price'];
  let sale = 5;
  const { build, run } = await serve(() => tableOf(headers, (at) => [`$${at + 5}.50`, `$${at + sale}.50`]));
  const built = await build('/', 'List items with list price and sale price');
  sale = 2;
  expect(await run(built, {})).toMatchObject({
    items: [{ price: 5.5, sale_price: 2.5 }, {}, {}, {}, {}, {}],
  });
});

it('what has the same header, or none, is one column', async () => {
  const linked = (at: number) => [`Maker ${at}`, `Maker ${at}`];
  expect(await labelsOf(tableOf(['Maker', ''], linked))).toEqual(['Item', 'Maker']);
});

it('a repair takes the column that is called as before', async () => {
  const page = tableOf(['List price', 'Sale price'], (at) => [`$${at + 5}.50`, `$${at + 5}.50`]);
  const set = { file: 'lamps.html', type: 'text/html', address: '/', many: true, goal: '', fields: [] };
  const candidates = await candidatesOf(documentOf({ ...set, truth: [], body: Buffer.from(page) }));
  const keptAs = (label: string, kind: string) => ({ label, kind, path: 'elsewhere', samples: [] });
  const kept = {
    candidate: { id: 't1', kind: 'table', layout: 'other' },
    fields: { item: keptAs('Item', 'text'), sale_price: keptAs('Sale price', 'number') },
  };
  const rows = [...'ABCDEF'].map((letter, at) => ({ item: `Lamp ${letter}`, sale_price: at + 5.5 }));
  expect(findRepair(candidates, kept, rows)).toMatchObject({
    chosen: { fields: [{}, { name: 'sale_price', column: { label: 'Sale price' } }] },
  });
});

const listOf = (card: (amount: number) => string) =>
  `<!doctype html><html lang="en"><title>Lamps</title><h1>Lamps</h1><ul>${[...'ABCDEF']
    .map((letter, at) => `<li><h3>Lamp ${letter}</h3>${card(at + 5)}</li>`)
    .join('')}</ul></html>`;
const labelledPrices = (list: string, sale: string) =>
  `<dl><dt>List price</dt><dd>${list}</dd><dt>Sale price</dt><dd>${sale}</dd></dl>`;

it.each([
  ['labelled in the rows of a list', (at: number) => labelledPrices(`$${at}.50`, `$${at}.50`)],
  ['labelled, and different', (at: number) => labelledPrices(`$${at}.50`, `$${at - 1}.50`)],
  ['of one class', (at: number) => `<span class="price">$${at}</span> <span class="price">$${at}</span>`],
  [
    'of one class, the second in some rows only',
    (at: number) =>
      `<span class="price">$${at}</span> ${at % 2 === 0 ? '' : `<span class="price">$${at - 1}</span>`}`,
  ],
])('which of two prices is meant is asked where they are %s', async (_, card) => {
  const { build } = await serve(() => listOf(card));
  expect(await build('/', 'List all lamps with name and price')).toMatchObject({
    built: false,
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('price'),
  });
});

it('labels tell two equal prices of a list apart, and two equal dates', async () => {
  let sale = 5;
  const { build, run } = await serve(() => listOf((at) => labelledPrices(`${at}.50`, `${at - 5 + sale}.50`)));
  const built = await build('/', 'List all lamps with name, list price and sale price');
  sale = 2;
  expect(await run(built, {})).toMatchObject({
    items: [{ list_price: 5.5, sale_price: 2.5 }, {}, {}, {}, {}, {}],
  });
});

it('texts that are equal today keep the names of their own', async () => {
  let guest = 'Team';
  const { build, run } = await serve(() =>
    listOf((at) => `<p><b>Home:</b> <span>Team ${at}</span> <b>Away:</b> <span>${guest} ${at}</span></p>`),
  );
  const built = await build('/', 'List all lamps with name, home and away');
  guest = 'Guest';
  expect(await run(built, {})).toMatchObject({
    items: [{ home: 'Team 5', away: 'Guest 5' }, {}, {}, {}, {}, {}],
  });
});

it('a guess names two columns of one name by their turn', async () => {
  const { preview } = await serve(() =>
    listOf((at) => `<span class="price">$${at}</span> <span class="price">$${at}</span>`),
  );
  // The goal names no field.
  const outcome = await preview('/');
  if (!outcome.ok) throw new Error(outcome.message);
  const [first] = outcome.candidates;
  expect(first?.columns.map(({ label }) => label)).toEqual(['', 'price', 'price']);
});

it('two labelled values of one page are two, though they be equal', async () => {
  const { preview } = await serve(
    () => `<!doctype html><html lang="en"><title>Lamp</title><h1>Lamp A</h1>${labelledPrices('10', '10')}
      <p><b>Width</b> 10 <b>Height</b> 10</p></html>`,
  );
  const outcome = await preview('/');
  if (!outcome.ok) throw new Error(outcome.message);
  expect(outcome.candidates[0]?.columns).toMatchObject([
    { label: 'Heading' },
    { label: 'List price', samples: ['10'] },
    { label: 'Sale price', samples: ['10'] },
    { label: 'Width', samples: ['10'] },
    { label: 'Height', samples: ['10'] },
  ]);
});

it('of a table in two halves, side by side, the first columns are not taken for all', async () => {
  const rows = [...'ABCDEF'].map(
    (letter, at) => `<tr><td>Aa${letter}</td><td>${at + 20}</td><td>Bb${letter}</td><td>${at + 40}</td></tr>`,
  );
  const head = '<th>City</th><th>Population</th>';
  const page = `<h1>Cities</h1><table><tr>${head}${head}</tr>${rows.join('')}</table>`;
  const { build } = await serve(() => page);
  expect(await build('/', 'cities with city and population')).toMatchObject({
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('none for city, population'),
  });
});
