/** Lists within the rows of JSON: whole, whatever the first rows have of them, or told. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const names = ['Emma', 'Dune', 'Ulysses', 'Beloved'];
const rowsWith = (key: string, values: readonly unknown[]) =>
  JSON.stringify({ items: names.map((title, at) => ({ id: at + 10, title, [key]: values[at] })) });

async function valuesOf(key: string, values: readonly unknown[]) {
  const { build, run } = await serve(() => rowsWith(key, values));
  const { items, missing } = await run(await build('/', `List all books with title and ${key}`), {});
  return { values: (Array.isArray(items) ? items : []).map((row) => Object(row)[key]), missing };
}

it.each<[string, string, readonly unknown[], (readonly unknown[])?]>([
  ['of several in one row alone', 'tags', [['new'], ['old'], ['old', 'signed'], ['rare']]],
  ['that is empty in some rows', 'tags', [['new'], [], ['old', 'signed'], ['rare']]],
  ['of the same texts in all rows', 'genres', names.map(() => ['Drama', 'Crime'])],
  [
    'of two equal texts in one row',
    'lines',
    [
      ['Main Street', 'Main Street'],
      ['North', 'Rome'],
      ['South', 'Oslo'],
      ['East', 'Bern'],
    ],
  ],
  [
    'of lists',
    'spans',
    names.map((_, at) => [
      [1, 2],
      [3, at],
    ]),
  ],
  [
    'of persons',
    'authors',
    [[{ name: 'Ann' }], [{ name: 'Bob' }], [{ name: 'Cleo' }, { name: 'Dora' }], [{ name: 'Eve' }]],
    [['Ann'], ['Bob'], ['Cleo', 'Dora'], ['Eve']],
  ],
  ['of objects without a name', 'cast', names.map((actor) => [{ actor }, { actor: 'Ann' }])],
  [
    'of names with values',
    'facts',
    names.map((_, at) => [
      { name: 'Pages', value: 300 + at },
      { name: 'Language', value: 'English' },
    ]),
    names.map((_, at) => [`Pages: ${300 + at}`, 'Language: English']),
  ],
])('a list %s is given whole', async (_, key, written, given = written) => {
  expect(await valuesOf(key, written)).toEqual({ values: given, missing: undefined });
});

it('a list that is always of one is its value, until there are more', async () => {
  const one = names.map((_, at) => [`tag ${'abcd'[at]}`]);
  const outcome = await valuesOf('tags', one);
  expect(outcome).toEqual({ values: one.flat(), missing: undefined });
  const { build, run } = await serve((_, times) =>
    rowsWith('tags', times < 3 ? one : [...one.slice(0, 3), ['tag d', 'tag e']]),
  );
  expect(await run(await build('/', 'List all books with title and tags'), {})).toMatchObject({
    missing: ['tags: "tags" has several entries in 1 of 4 rows; the first one is given.'],
  });
});

it('the first of several prices is told as that', async () => {
  const prices = names.map((_, at) => [
    { amount: at + 5, currency: 'EUR' },
    { amount: at + 6, currency: 'USD' },
  ]);
  expect(await valuesOf('prices', prices)).toEqual({
    values: [5, 6, 7, 8],
    missing: ['prices: "prices" has several entries in 4 of 4 rows; the first one is given.'],
  });
});
