/** A built action whose page writes its values otherwise later: they are read as the page writes them then, and it is said. */
import { describe, expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const names = ['Albatross', 'Bittern', 'Curlew', 'Dunlin', 'Egret'];
const table = (header: string, values: readonly string[], after = '') =>
  `<h1>Things</h1><table><tr><th>Name</th><th>${header}</th></tr>${values
    .map((value, index) => `<tr><td>${names[index]}</td><td>${value}</td></tr>`)
    .join('')}</table>${after}`;

/** The values and notes of a run on `later` of what was built on `first`. */
async function readLater(header: string, first: readonly string[], later: string) {
  let page = table(header, first);
  const { build, run } = await serve(() => page);
  const outcome = await build('/', `Give name and ${header}`);
  page = later;
  const { items, missing = [] } = await run(outcome, {});
  const name = header.toLowerCase();
  const values = Array.isArray(items) ? items.map((row: Record<string, unknown>) => row[name]) : [];
  return { values, missing: String(missing) };
}

const mark = 'another decimal mark than when the action was built';
const order = 'another order of day and month than when the action was built';

it.each<[string, string, readonly string[], string, readonly unknown[], string]>([
  [
    'a comma where a point was',
    'Price',
    ['€ 1.20', '€ 12.50', '€ 3.00'],
    table('Price', ['€ 1,20', '€ 12,50', '€ 1.234,50']),
    [1.2, 12.5, 1234.5],
    mark,
  ],
  [
    'a point where a comma was',
    'Weight',
    ['1,5 kg', '12,25 kg', '3,0 kg'],
    table('Weight', ['1.5 kg', '12.25 kg', '1.200 kg']),
    [1.5, 12.25, 1.2],
    mark,
  ],
  [
    'a comma in one value, which decides for the others',
    'Price',
    ['€ 1.20', '€ 12.50', '€ 3.00'],
    table('Price', ['€ 1,20', '€ 1.200', '€ 2,500']),
    [1.2, 1200, 2.5],
    mark,
  ],
  [
    'a comma in the rest of the page',
    'Weight',
    ['1.25 kg', '12.5 kg', '3.75 kg'],
    table('Weight', ['1.250 kg', '2,500 kg'], '<p>Deposit: 14,90 €</p>'),
    [1250, 2.5],
    mark,
  ],
  [
    'both marks, of which one value tells nothing',
    'Price',
    ['€ 1.20', '€ 12.50', '€ 3.00'],
    table('Price', ['€ 1,20', '€ 3.50', '€ 1.200']),
    [1.2, 3.5, '€ 1.200'],
    mark,
  ],
  [
    'nothing that tells otherwise',
    'Price',
    ['€ 1.20', '€ 12.50', '€ 3.00'],
    table('Price', ['€ 1,200', '€ 2,500']),
    [1200, 2500],
    '',
  ],
  [
    'words and several amounts in place of numbers',
    'Price',
    ['€ 1.20', '€ 12.50', '€ 3.00'],
    table('Price', ['€ 1.30', 'sold out', '2 for € 5.00', '50 ct', '–']),
    [1.3, 'sold out', '2 for € 5.00', '50 ct', null],
    'price: some values are not clearly one number',
  ],
  [
    'nothing but words in place of numbers',
    'Price',
    ['€ 1.20', '€ 12.50', '€ 3.00'],
    table('Price', ['on request', 'on request']),
    ['on request', 'on request'],
    'price: no value is clearly one number',
  ],
  [
    'the month first',
    'Date',
    ['25/12/2025', '04/03/2026', '13/02/2026'],
    table('Date', ['04/03/2026', '02/11/2026', '12/25/2025', '08/07/2026']),
    ['2026-04-03', '2026-02-11', '2025-12-25', '2026-08-07'],
    order,
  ],
  [
    'the day first',
    'Date',
    ['12/25/2025', '04/03/2026', '02/13/2026'],
    table('Date', ['04/03/2026', '25/12/2025']),
    ['2026-03-04', '2025-12-25'],
    order,
  ],
  [
    'dates in both orders',
    'Date',
    ['25/12/2025', '04/03/2026', '13/02/2026'],
    table('Date', ['12/25/2025', '25/12/2025', '04/03/2026']),
    ['2025-12-25', '2025-12-25', '04/03/2026'],
    order,
  ],
  [
    'strokes where points were: the order of those is another one as often',
    'Date',
    ['25.12.2025', '04.03.2026', '13.02.2026'],
    table('Date', ['11/03/2026', '12/02/2026', '12/12/2026']),
    ['11/03/2026', '12/02/2026', '2026-12-12'],
    'date: some values are not clearly one date',
  ],
  [
    'strokes where points were, on a page of a language that has the day first',
    'Date',
    ['25.12.2025', '04.03.2026', '13.02.2026'],
    `<!doctype html><html lang="de">${table('Date', ['11/03/2026', '12/02/2026'])}`,
    ['2026-03-11', '2026-02-12'],
    'date: its dates have no points as when the action was built',
  ],
  [
    'strokes where points were, with the month first',
    'Date',
    ['25.12.2025', '04.03.2026', '13.02.2026'],
    table('Date', ['11/03/2026', '12/22/2025']),
    ['2026-11-03', '2025-12-22'],
    order,
  ],
  [
    'dates of other forms',
    'Date',
    ['25/12/2025', '04/03/2026', '13/02/2026'],
    table('Date', ['2025-12-25', '3 April 2026', '04/03/2026', 'soon']),
    ['2025-12-25', '2026-04-03', '2026-03-04', 'soon'],
    'date: some values are not clearly one date',
  ],
])('%s', async (_, header, first, later, values, note) => {
  const read = await readLater(header, first, later);
  expect(read.values).toEqual(values);
  if (note === '') expect(read.missing).toBe('');
  else expect(read.missing).toContain(note);
});

describe('elements among the rows', () => {
  const card = (name: string) =>
    `<div class="card"><a href="/${name}"><h3>${name}</h3></a><span class="price">£7.50</span></div>`;
  const tile = (name: string) =>
    `<div class="tile"><a href="/${name}"><h3>${name}</h3></a><span class="amount">£7.50</span></div>`;
  const note = '<aside class="note"><a href="/sale"><h3>Sale</h3></a></aside>';
  const trees = ['Oak', 'Elm', 'Ash', 'Fir', 'Yew', 'Box'];
  const grid = (rows: readonly string[]) =>
    `<!doctype html><html lang="en"><title>Trees</title><main><h1>Trees</h1><div class="grid">${rows.join('')}</div></main></html>`;
  const first = [...trees.map(card), note];

  it.each<[string, readonly string[], string | undefined]>([
    ['of which none is new are not told', [...trees.slice(1).map(card), note, note], undefined],
    [
      'that may be rows of a new kind are told',
      [...trees.map((name, at) => (at % 2 === 0 ? card(name) : tile(name))), note],
      'Among the rows stand 3 more elements (div.tile)',
    ],
    ['with nothing of what rows have are not told', [...trees.map(card), '<p class="ad">Buy</p>'], undefined],
  ])('%s', async (_, later, text) => {
    let rows = first;
    const { build, run } = await serve(() => grid(rows));
    const outcome = await build('/', 'List the trees with name and price');
    expect(await run(outcome, {})).not.toHaveProperty('missing');
    rows = [...later];
    const data = await run(outcome, {});
    if (text === undefined) expect(data).not.toHaveProperty('missing');
    else expect(data).toMatchObject({ missing: [expect.stringContaining(text)] });
  });
});

it.each([
  [
    'beside the value',
    (label: string, value: number) => `<b class="label">${label}</b> <i class="n">${value}</i>`,
  ],
  ['before the value', (label: string, value: number) => `<i class="n">${label} ${value}</i>`],
])('a label %s that is another one is said', async (_, shown) => {
  let label = 'Free:';
  const { build, run } = await serve(
    () =>
      `<h1>Docks</h1><ul>${names.map((name, at) => `<li class="dock"><h3><a href="/${at}">${name}</a></h3><div class="room">${shown(label, at * 7 + 12)}</div></li>`).join('')}</ul>`,
  );
  const outcome = await build('/', 'List all docks with name and free');
  const missingOf = async () => String((await run(outcome, {})).missing ?? '');
  label = 'Free now:';
  expect(await missingOf()).not.toContain('when the action was built');
  label = 'Taken:';
  expect(await missingOf()).toContain(
    'the page says "Taken:" beside it, and said "Free:" when the action was built',
  );
});
