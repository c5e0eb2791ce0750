/** JSON whose rows are no objects. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

it.each<[string, unknown, string, readonly unknown[]]>([
  [
    'a map of numbers',
    { base: 'EUR', date: '2026-11-26', rates: { USD: 1.08, DKK: 7.46, 'X-1': 0.85, CHF: 0.93 } },
    'rates with name and value',
    [
      { name: 'USD', value: 1.08 },
      { name: 'DKK', value: 7.46 },
      { name: 'X-1', value: 0.85 },
      { name: 'CHF', value: 0.93 },
    ],
  ],
  [
    'arrays below a head',
    {
      data: [
        ['First name', 'Age'],
        ['Ann', 31],
        ['Bob', 42],
        ['Cleo', 27],
      ],
    },
    'people with first name and age',
    [
      { first_name: 'Ann', age: 31 },
      { first_name: 'Bob', age: 42 },
      { first_name: 'Cleo', age: 27 },
    ],
  ],
])('%s', async (_, data, goal, rows) => {
  const { build, run } = await serve(() => JSON.stringify(data));
  expect((await run(await build('/', goal), {})).items).toEqual(rows);
});

it.each<[string, unknown, string, object]>([
  ['few members', { name: 'Ann', stars: 12 }, 'Get name and stars', { name: 'Ann', stars: 12 }],
  [
    'members of members',
    { city: 'Bern', now: { temp: 3.4, wind: 12 }, updated: '2026-11-27T10:00:00Z' },
    'Get city, temp and wind',
    { city: 'Bern', temp: 3.4, wind: 12 },
  ],
  [
    'a map beside them',
    { base: 'EUR', rates: { USD: 1.08, CZK: 25.31, DKK: 7.46 } },
    'Get base and CZK',
    { base: 'EUR', czk: 25.31 },
  ],
])('an answer without a list is a record: %s', async (_, data, goal, record) => {
  const { build, run } = await serve(() => JSON.stringify(data));
  expect(await run(await build('/', goal), {})).toMatchObject(record);
});

it('a goal that names the columns otherwise is asked about, with the rows', async () => {
  const { build } = await serve(() => JSON.stringify({ rates: { USD: 1.08, DKK: 7.46, GBP: 0.85 } }));
  const outcome = await build('/', 'rates with currency and rate');
  expect(outcome).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED' });
  expect(outcome).toHaveProperty(
    'candidates',
    expect.arrayContaining([expect.objectContaining({ rows: 3 })]),
  );
});

it('what is true or false is taken by its own name', async () => {
  const routes = ['Alps', 'Coast', 'Lakes', 'Moor'].map((name, at) => ({
    name,
    km: at * 3.5 + 2,
    open: at !== 1,
  }));
  const { build, run } = await serve(() => JSON.stringify({ routes }));
  const built = await build('/', 'List all routes with name, km and open');
  expect(await run(built, {})).toMatchObject({ items: routes });
});
