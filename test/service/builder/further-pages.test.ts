/** What a build and a run say of the pages after the first: what was tried, and what was found. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const list = (names: readonly string[], more = '') =>
  `<h1>Boats</h1><table><tr><th>Name</th><th>Length</th></tr>${names
    .map((name, index) => `<tr><td>${name}</td><td>${index + 5} m</td></tr>`)
    .join('')}</table>${more}`;
const first = ['Albatross', 'Bittern', 'Curlew', 'Dunlin'];
const link = '<a rel="next" href="/?page=2">Next</a>';

it.each<[string, string, string | number, string]>([
  ['no sign of one', '', 404, 'No further pages were found'],
  ['a next page that is missing', link, 404, 'names a next page, but it gave no further rows'],
  ['a next page that is the same', link, list(first, link), 'names a next page, but it gave no further rows'],
  ['a next page that fails', link, 500, 'names a next page, but it gave no further rows'],
  ['a button', '<p>248 boats</p><button>Load more</button>', 404, 'says that its list goes on'],
  ['a count', '<p>1–4 of 45</p>', 404, 'says that its list goes on'],
])('a build on a page with %s says what was tried', async (_, more, second, text) => {
  const { build } = await serve((path) => (path === '/' ? list(first, more) : second));
  const outcome = await build('/', 'Give name and length');
  expect(outcome.built && outcome.action.description).toContain(text);
});

it('rows that a later page repeats are counted in a note', async () => {
  const { build, run } = await serve((path) =>
    path === '/'
      ? list(first, link)
      : list(first.slice(3), '')
          .replace('5 m', '8 m')
          .replace('</table>', '<tr><td>Egret</td><td>9 m</td></tr></table>'),
  );
  const outcome = await build('/', 'Give name and length');
  const { count, missing } = await run(outcome, { max_pages: 2 });
  expect(count).toBe(6);
  expect(missing).toEqual([
    expect.stringContaining('1 row of a later page is equal to one of an earlier page'),
  ]);
  expect((await run(outcome, { max_pages: 1 })).missing).toBeUndefined();
});

it('every second row that goes on with the row above it is no row of its own, which a note says', async () => {
  const order = (at: number) =>
    `<tr><td>A${at}<td>2026-11-0${at}<td>$${at}.50<tr class="sub"><td colspan="2">Ship to: Ann<td>Shipped`;
  const table = (rows: string) => `<h1>Orders</h1><table><tr><th>Order<th>Date<th>Total${rows}</table>`;
  const { build, run } = await serve(() => table([1, 2, 3, 4].map(order).join('')));
  const { items, missing } = await run(await build('/', 'List order, date, total'), {});
  expect(items).toEqual(
    [1, 2, 3, 4].map((at) => ({
      order: `A${at}`,
      date: `2026-11-0${at}`,
      total: at + 0.5,
      total_currency: 'USD',
    })),
  );
  expect(String(missing)).toContain('Every second row');
});

it('headings of sections that are no rows are named in a note', async () => {
  const sections = list(first).replace(
    '<tr><td>Curlew',
    '<tr><th colspan="2">Large boats</th></tr><tr><td>Curlew',
  );
  const { build, run } = await serve(() => sections);
  const outcome = await build('/', 'Give name and length');
  const { count, missing } = await run(outcome, {});
  expect(count).toBe(4);
  expect(String(missing)).toContain('one cell across it');
});

it('posts of a new kind on a later page are told', async () => {
  const post = (name: string, kind: string, day: number) =>
    `<article class="${kind}"><h2><a href="/${name}">${name}</a></h2><time>${day} Nov 2026</time></article>`;
  const posts = (names: readonly string[], kind: string, more = '') =>
    `<h1>Boats</h1><main>${names.map((name, at) => post(name, at > 1 ? kind : 'post', at + 5)).join('')}</main>${more}`;
  const { build, run } = await serve((path) =>
    path === '/' ? posts(first, 'post', link) : posts(['Egret', 'Fulmar', 'Gannet', 'Heron'], 'note'),
  );
  const outcome = await build('/', 'List the boats with title and date');
  expect(await run(outcome, { max_pages: 2 })).toMatchObject({
    count: 6,
    missing: [expect.stringContaining('Among the rows stand 2 more elements (article.note)')],
  });
});

it('a field that some rows lack may be missing in the few rows of a second page', async () => {
  const rows = (names: readonly string[], more = '') =>
    `<h1>Petitions</h1><ol>${names
      .map(
        (name, at) =>
          `<li class="item"><h3>${name}</h3><p>${at + 40} signatures</p>${at % 3 === 2 || more === '' ? '' : `<p class="status">closed ${at}</p>`}</li>`,
      )
      .join('')}</ol>${more}`;
  const { build, run } = await serve((path) =>
    path === '/' ? rows(first, link) : rows(['Egret', 'Falcon']),
  );
  const outcome = await build('/', 'List petitions with title and status');
  expect((await run(outcome, { max_pages: 2 })).count).toBe(6);
});
