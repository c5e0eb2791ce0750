/** What a page says about the page after it. */
import { expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { findFurtherPage } from '../../../src/service/page/further-page.ts';
import { jsonPaging } from '../../../src/service/page/json-paging.ts';

const site = 'https://site.example';
const find = (body: string, path: string, contentType: string) =>
  findFurtherPage(
    new Document({ url: `${site}${path}`, status: 200, contentType, link: '', body: Buffer.from(body) }),
  );
const links = (query: string, numbers: readonly number[]) =>
  numbers.map((number) => `<a href="?${query}=${number}">${number}</a>`).join(' ');

it.each([
  ['start', [0, 40], 20, 40],
  ['start', [0, 20, 200], 40, 60],
  ['start', [20, 40], undefined, 20],
  ['start', [20], 0, 20],
  ['start', [20], undefined, 20],
  ['start', [1, 21, 41], undefined, 21],
  ['page', [4, 6], 5, 6],
  ['page', [1, 4, 6, 20], 5, 6],
  ['page', [1, 2, 3], 0, 1],
  ['page', [2, 3], undefined, 2],
  ['page', [2, 10], undefined, 2],
  ['page', [1], undefined, 1],
])('links to %s %j on %s: the next one is %i', (query, numbers, current, next) => {
  const path = current === undefined ? '/list' : `/list?${query}=${current}`;
  expect(find(links(query, numbers), path, 'text/html')).toEqual({
    url: `${site}/list?${query}=${next}`,
    isCertain: true,
  });
});

const pager = (...hrefs: readonly (readonly [string, string])[]) =>
  hrefs.map(([text, href]) => `<a href="${href}">${text}</a>`).join(' | ');

it.each([
  [pager(['2', '?side=2'], ['3', '?side=3']), '?side=2'],
  [pager(['2', '?off=10'], ['3', '?off=20'], ['4', '?off=30']), '?off=10'],
  [pager(['Далее', '?d=2']), '?d=2'],
  [pager(['次へ', '?t=2']), '?t=2'],
])('a pager in any language leads on: %s', (body, next) => {
  expect(find(body, '/list', 'text/html')).toEqual({ url: `${site}/list${next}`, isCertain: true });
});

it('a pager of any parameter leads on from a later page, and not behind the last', () => {
  const second = pager(['1', '/list'], ['3', '?side=3']);
  expect(find(second, '/list?side=2', 'text/html')).toEqual({ url: `${site}/list?side=3`, isCertain: true });
  expect(find(pager(['1', '/list'], ['2', '?side=2']), '/list?side=3', 'text/html')).toBeUndefined();
});

it.each([
  pager(['2', '?p_id=57']),
  pager(['2', '?note=2']),
  pager(['3 comments', '?id=3'], ['4 comments', '?id=4']),
  pager(['2026', '?year=2026'], ['1', '?side=1']),
  `<table>${['Lamp', 'Rope', 'Gulls'].map((name, at) => `<tr><td><a href="/track/${at + 1}">${at + 1}</a><td>${name}`).join('')}</table>`,
  `<ol>${['Lamp', 'Rope', 'Gulls'].map((name, at) => `<li><a href="/track/${at + 1}">${at + 1}</a> <a href="/${name}">${name}</a>`).join('')}</ol>`,
])('links with numbers that are no pages lead nowhere: %s', (body) => {
  expect(find(body, '/list', 'text/html')).toBeUndefined();
});

it.each([
  ['<ul><li class="active"><a href="/latest">Latest</a></li><li><a href="/top">Top</a></li></ul>', undefined],
  ['<nav><a href="/" aria-current="page">Home</a><a href="/about">About</a></nav>', undefined],
  [
    '<ul><li class="active"><a href="/m">Open 6</a></li><li><a href="/m?s=m">Merged 40</a></li></ul>',
    undefined,
  ],
  [
    '<ul><li class="active"><a href="?year=2026">2026</a></li><li><a href="?year=2025">2025</a></li><li><a href="?year=2024">2024</a></li></ul>',
    undefined,
  ],
  [
    '<ul><li class="active"><a href="/d">Sat. 28</a></li><li><a href="/d/29">Sun. 29</a></li></ul>',
    undefined,
  ],
  ['<ul><li class="active"><a href="/list">1</a></li><li><a href="/list/2">2</a></li></ul>', '/list/2'],
  ['<nav><b aria-current="page">1</b><a href="/list/b">Page 2</a></nav>', '/list/b'],
])('behind the current one only a page is the next page: %s', (body, next) => {
  expect(find(body, '/latest', 'text/html')?.url).toBe(next && `${site}${next}`);
});

const radio = (page: number, isCurrent = false) =>
  `<li${isCurrent ? ' class="active"' : ''}><input type="radio" name="p" value="${page}"><label>${page}</label></li>`;

it.each([
  ['<p>Viser 8 af 20</p>', true],
  ['<p>Mostrando 10 de 40 resultados</p>', true],
  ['<p>Показано 10 из 40</p>', true],
  ['<p>10 of 40 items</p>', true],
  ['<button data-next="/l?start=8">…</button>', true],
  ['<button>Vis flere</button>', true],
  ['<select name="page"><option>1<option>2</select>', true],
  [
    '<table><tr><td><span>1</span><td><a href="javascript:go(2)">2</a><td><a href="javascript:go(3)">3</a>',
    true,
  ],
  ['<ul><li><a href="#">1</a><li><b>2</b><li><a href="#">3</a></ul>', true],
  ['<ul><li><a href="#">1</a><li><a href="#">2</a><li><b>3</b></ul>', false],
  ['<div><button>1</button><button>2</button><button>3</button></div>', false],
  [`<ul class="pagination">${radio(1, true)}${radio(2)}${radio(3)}</ul>`, true],
  [`<ul class="pagination">${radio(1)}${radio(2)}${radio(3, true)}</ul>`, false],
  ['<nav><button aria-current="page">1</button><button>2</button><button>3</button></nav>', true],
  ['<nav><button>1</button><button>2</button><button aria-current="page">3</button></nav>', false],
  ['<ul class="pager"><li><a href="javascript:go(2)">2</a><li><a href="javascript:go(3)">3</a></ul>', true],
  [
    '<fieldset><input type="radio" checked><label>1</label><input type="radio"><label>2</label></fieldset>',
    false,
  ],
  ['<form method="post"><button name="page" value="2">Next page</button></form>', true],
  ['<form method="post"><button name="page" value="2">Previous page</button></form>', false],
  ['<form method="post"><button name="step" value="2">Next</button></form>', false],
  ['<p>Viser 20 af 20</p>', false],
  ['<p>4 of 5 stars</p>', false],
  ['<select name="quantity"><option>1<option>2</select>', false],
  ['<p>11–20 of 1,234 results</p>', true],
  ['<p>11 – 20 von 1.234 Treffern</p>', true],
  ['<p>1.001–1.020 de 1.234</p>', true],
  ['<p>Page 2 of 7</p>', true],
  ['<p>11–20 of 20 results</p>', false],
  ['<p>1,001–1,234 of 1,234 results</p>', false],
  ['<p>Page 2 of 2</p>', false],
  ['<nav data-testid="pagination-parent"><ul><li>1 of 3</li></ul></nav>', true],
  ['<nav class="pagination"><button aria-label="Next Page"></button></nav>', true],
  ['<nav class="pagination">3 of 3 <button disabled aria-label="Next Page"></button></nav>', false],
  ['<div><button aria-label="Nächste Seite"></button></div>', true],
  ['<div><a role="button" aria-label="Page suivante"></a></div>', true],
  ['<div><button disabled aria-label="Next page"></button></div>', false],
  ['<div class="swiper"><div class="swiper-pagination">1 / 5</div></div>', false],
  ['<div class="carousel">1 of 3 <button aria-label="Next"></button></div>', false],
])('%s: the list may go on: %s', (body, goesOn) => {
  expect(find(body, '/list', 'text/html')).toEqual(goesOn ? { isCertain: false } : undefined);
});

const ten = Array.from({ length: 10 }, (_, at) => ({ name: `n${at}`, price: at }));
const seven = ten.slice(3);
it.each([
  [{ total: 57, page: 1, data: ten }, true],
  [{ meta: { total: 57, per_page: 10 }, items: ten }, true],
  [{ object: 'list', has_more: true, data: ten }, true],
  [{ results: ten, next_page: 2 }, true],
  [{ content: ten, totalElements: 57, totalPages: 6, last: false, number: 0, size: 10 }, true],
  [{ hits: { total: { value: 57 }, hits: ten } }, true],
  [{ count: 10, total_count: 57, items: ten }, true],
  [{ items: ten, meta: { pagination: { total: 57 } } }, true],
  [{ numberMatched: 57, numberReturned: 10, features: ten }, true],
  [{ items: ten, pagination: { current: 1, last: 9 } }, true],
  [{ incomplete_results: true, total_count: 10, items: ten }, true],
  [{ IsTruncated: true, items: ten }, true],
  [{ incomplete_results: false, total_count: 57, items: ten }, true],
  [{ items: ten, pagination: { current: 9, last: 9 } }, false],
  [{ items: ten, facets: { brands: { total: 57 } } }, false],
  [{ content: seven, totalElements: 57, totalPages: 6, last: true, number: 5, size: 10 }, false],
  [{ object: 'list', has_more: false, total: 57, data: seven }, false],
  [{ total: 57, offset: 50, data: seven }, false],
  [{ total: 57, page: 6, per_page: 10, data: seven }, false],
  [{ page: 6, pages: 6, total: 57, data: seven }, false],
  [{ total: 10, data: ten }, false],
  [{ total: 99, tags: ['a', 'b'], name: 'Boat' }, false],
])('JSON %j goes on: %s', (answer, isFurther) => {
  const further = find(JSON.stringify(answer), '/api', 'application/json');
  expect(further === undefined ? false : further.url === undefined ? true : 'by an address').toBe(isFurther);
});

it('a cursor of GraphQL is found where its answers have it', () => {
  const answer = (hasNextPage: boolean) =>
    JSON.stringify({
      data: { boats: { edges: [{ node: {} }], pageInfo: { hasNextPage, endCursor: 'abc' } } },
    });
  expect(find(answer(true), '/graphql', 'application/json')).toEqual({ isCertain: false });
  expect(find(answer(false), '/graphql', 'application/json')).toBeUndefined();
});

it('"more" leads on where it leads to more of this page, and not to what a note is about', () => {
  expect(find('<a href="/list?p=2">More</a>', '/list', 'text/html')).toMatchObject({
    url: `${site}/list?p=2`,
  });
  expect(find('<div>Works. <a href="/works">More</a></div>', '/list', 'text/html')).toBeUndefined();
  expect(find('<a href="/news?p=2">More</a>', '/', 'text/html')).toMatchObject({ url: `${site}/news?p=2` });
});

it.each(['»', '>', '→'])('a link of each row is none to the next page: %s', (sign) => {
  const rows = [1, 2, 3, 4].map(
    (at) => `<li><a href="/topic/${at}">Topic ${at}</a> <a href="/topic/${at}/last">${sign}</a></li>`,
  );
  const list = `<ul>${rows.join('')}</ul>`;
  expect(find(list, '/forum', 'text/html')).toBeUndefined();
  expect(find(`${list}<a href="/forum/2">Next</a>`, '/forum', 'text/html')?.url).toBe(`${site}/forum/2`);
});

it('the next page is the one of a list of links in JSON that is called so', () => {
  const links = [
    { rel: 'self', href: '/api' },
    { rel: 'next', href: '/api?offset=10' },
  ];
  expect(find(JSON.stringify({ features: [{ id: 1 }], links }), '/api', 'application/json')).toEqual({
    url: `${site}/api?offset=10`,
    isCertain: true,
  });
});

it('the parameter of the next cursor is the one that the address has, else a usual one', () => {
  const queriesOf = (address: string) =>
    jsonPaging({ items: [{ id: 1 }], next_page_token: 'b' }, { url: `${site}${address}`, link: '' }).map(
      (way) => way.kind === 'cursor' && way.query,
    );
  expect(queriesOf('/api?pageToken=a')).toEqual(['pageToken']);
  expect(queriesOf('/api')).toEqual(['page_token', 'after']);
});
