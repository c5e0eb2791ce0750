/** What stands in the text of a field in few rows only is part of its value, and is told. */
import { expect, it } from 'vitest';
import { readExtracted } from '../../support/extract.ts';

const told = (text: string) => [
  `name: in few rows its text has a further one in it, such as a badge, which is part of the value: "${text}".`,
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
