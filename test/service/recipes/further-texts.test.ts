/** What stands in the text of a field in few rows only is part of its value, and is told. */
import { expect, it } from 'vitest';
import { readExtracted } from '../../support/extract.ts';

const told = (text: string) => [
  `name: in 1 of 4 rows its value has the texts of several elements, such as a text and a badge: "${text}".`,
];
const names = ['Gnocchi', 'Risotto', 'Tagliere', 'Polpo'];
const list = (first: string) =>
  `<ul>${[first, ...names.slice(1)].map((name) => `<li><h4>${name}</h4><i>9 m</i></li>`).join('')}</ul>`;
const fields = { name: { select: 'h4' }, size: { select: 'i' } };
const doubtsOf = async (page: string, extract: unknown) => (await readExtracted(page, extract))?.doubts;

it.each([
  ['<span class="veg">V</span>', 'Gnocchi V'],
  ['<a href="/v">V</a>', 'Gnocchi V'],
])('a list with %s in one of its rows', async (sign, text) => {
  expect(await doubtsOf(list(`Gnocchi ${sign}`), { kind: 'html', list: 'li', fields })).toEqual(told(text));
});

it('a list with a sign in the element that says all of its field', async () => {
  const page = list('<span><b>Gnocchi</b> <span>V</span></span>');
  expect(await doubtsOf(page, { kind: 'html', list: 'li', fields })).toEqual(told('Gnocchi V'));
});

it('a table with a sign in one of its cells', async () => {
  const rows = ['Gnocchi <span class="veg">V</span>', ...names.slice(1)].map(
    (name) => `<tr><td>${name}<td>9 m</tr>`,
  );
  const page = `<table><tr><th>Name<th>Size</tr>${rows.join('')}</table>`;
  const columns = { name: { header: 'Name' }, size: { header: 'Size' } };
  expect(await doubtsOf(page, { kind: 'table', table: 'table', columns })).toEqual(told('Gnocchi V'));
});

it.each([
  ['a word that is set in another way', list('Gnocchi <em>al pesto</em>')],
  ['an element that says all', list('<span>Gnocchi</span>')],
  ['an element without a text', list('Gnocchi <span class="icon"></span>')],
  [
    'the same in all rows',
    `<ul>${names.map((name) => `<li><h4>${name} <span>V</span></h4></li>`).join('')}</ul>`,
  ],
])('nothing is told of %s', async (_, page) => {
  expect(await doubtsOf(page, { kind: 'html', list: 'li', fields: { name: fields.name } })).toBeUndefined();
});

it('a text that stays, where no number is, is not told to be absent', async () => {
  const lots = ['£1,657 <small>with fees</small>', 'Unsold', '£484 <small>with fees</small>', 'Withdrawn'];
  const page = `<ul>${lots.map((lot) => `<li><h4>Lot</h4><p>${lot}</p></li>`).join('')}</ul>`;
  const price = { select: 'p', own: true, type: 'number' };
  const extract = { kind: 'html', list: 'li', fields: { name: fields.name, price } };
  expect(await readExtracted(page, extract)).toMatchObject({
    rows: [{ price: 1657 }, { price: 'Unsold' }, { price: 484 }, { price: 'Withdrawn' }],
    doubts: ['price: some values are not clearly one number; they stay the texts that the page shows.'],
  });
});
