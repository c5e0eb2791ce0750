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
