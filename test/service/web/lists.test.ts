/** `parts: ["lists"]` gives the records of a page, with all that each shows. */
import { load } from 'cheerio/slim';
import { expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { findSlots, groupSlots } from '../../../src/service/page/slots.ts';
import { readLinks, readLists } from '../../../src/service/web/read-records.ts';

const read = (body: string, contentType = 'text/html', missing: string[] = []) =>
  readLists(
    new Document({
      url: 'https://x.example/shop/',
      status: 200,
      contentType,
      link: '',
      body: Buffer.from(body),
    }),
    missing,
  );

const row = (name: string, price: string, tags: readonly string[]) =>
  `<li class="boat"><img data-src="${name}.png"><h3><a href="${name}">${name}</a></h3><b class="price">${price}</b>
   <span class="stock">in stock</span> ${tags.map((tag) => `<i class="tag">${tag}</i>`).join(' ')} <a href="${name}">Read more</a></li>`;

it('keeps what all rows say alike, but not the labels of links', async () => {
  const boats = `${row('Ada', '£ 12', ['wood'])}${row('Grace', '£ 14', [])}${row('Edith', '£ 9', ['steel', 'sail'])}`;
  const [list] = read(`<body><main><h2>Boats</h2><ul>${boats}</ul></main>`);
  expect(list).toMatchObject({
    about: 'Boats',
    rows: [
      { price: '£ 12', stock: 'in stock', tag: ['wood'] },
      { price: '£ 14', stock: 'in stock', tag: [] },
      { price: '£ 9', stock: 'in stock', tag: ['steel', 'sail'] },
    ],
  });
  expect(Object.values(list?.rows[0] ?? {})).toEqual(
    expect.arrayContaining(['Ada', 'https://x.example/shop/Ada', 'https://x.example/shop/Ada.png']),
  );
  expect(list?.rows.flatMap((one) => Object.values(one))).not.toContain('Read more');
});

it('leaves out hidden rows beside others, also where their parts are lists', () => {
  const item = (name: string, price: number, more = '') =>
    `<li class=i ${more}><h3 class=title>${name}</h3> <span class=price>€ ${price}</span></li>`;
  const shown = ['Ada', 'Grace', 'Edith', 'Joan'].map((name, at) => item(name, at + 5)).join('');
  const hidden = [item('{{title}}', 0, 'style="display:none"'), item('Old', 77, 'hidden')];
  const lists = read(`<body><h1>Boats</h1><ul>${hidden[0]}${shown}${hidden[1]}</ul>`);
  expect(lists.map(({ rows }) => rows.length)).toEqual([4]);
  expect(JSON.stringify(lists)).not.toMatch(/title\}|Old/);
  // A list that waits as a whole, such as a panel's.
  expect(read(`<body><h1>Boats</h1><div hidden><ul>${shown}</ul></div>`)[0]?.rows).toHaveLength(4);
});

it('names a list inside of one row of JSON by its place', () => {
  const orders = [
    { no: 1, lines: [{ sku: 'x' }, { sku: 'y' }] },
    { no: 2, lines: [{ sku: 'z' }] },
  ];
  const lists = read(JSON.stringify({ orders }), 'application/json');
  expect(lists.map(({ about }) => about)).toEqual(['orders', 'orders[0].lines']);
});

it('leaves the rows and cells of tables with headers to the tables', () => {
  const table = (heads: string, cells: readonly string[]) =>
    `<table><tr>${heads}</tr>${cells.map((cell) => `<tr><td>${cell}</td><td>${cell.length}</td></tr>`).join('')}</table>`;
  const tables = `${table('<th>Room</th><th>Seats</th>', ['Attic', 'Hall', 'Cellar'])}${table('<th>Plan</th><th>Fee</th>', ['Basic', 'Plus', 'Extra'])}`;
  const missing: string[] = [];
  expect(read(tables, 'text/html', missing)).toEqual([]);
  expect(missing).toEqual(['The rows of its tables are no lists: ask for parts ["tables"].']);
  const boats = ['Ada', 'Grace', 'Edith'].map((name) => row(name, '£ 12', [])).join('');
  expect(read(`${tables}<ul>${boats}</ul>`)).toHaveLength(1);
  // Without headers a table may only lay out what is a list.
  expect(
    read(
      `<table>${['Ada', 'Eve', 'Ida'].map((name) => `<tr><td><a href="${name}">${name}</a></td><td>in stock</td></tr>`).join('')}</table>`,
    ),
  ).not.toEqual([]);
});

it('reads the lists that scripts hold, with integers exactly and of one kind', () => {
  const state =
    '{"boats":[{"id":4611686018427388001,"owner":{"name":"Ada"}},{"id":2,"owner":{"name":"Eve"}}]}';
  expect(read(`<body><p>Boats</p><script type="application/json">${state}</script>`)).toMatchObject([
    {
      about: 'boats',
      columns: ['id', 'owner.name'],
      rows: [{ id: '4611686018427388001', 'owner.name': 'Ada' }, { id: '2' }],
    },
  ]);
});

it('reads the JSON that scripts keep in texts', () => {
  const state = JSON.stringify(
    JSON.stringify({ boats: [{ name: 'Ada "A"' }, { name: 'Eve' }, { name: 'Ivy' }] }),
  );
  for (const name of ['window.__STATE__', 'window["state"]', 'const state'])
    expect(read(`<body><p>Boats</p><script>${name} = JSON.parse(${state});</script>`)).toMatchObject([
      { about: 'boats', rows: [{ name: 'Ada "A"' }, { name: 'Eve' }, { name: 'Ivy' }] },
    ]);
});

it('reads a sitemap as rows', () => {
  const addresses = [1, 2].map(
    (page) => `<url><loc>https://x.example/${page}</loc><lastmod>2024-09-0${page}</lastmod></url>`,
  );
  const sitemap = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${addresses.join('')}</urlset>`;
  const rows = [
    { loc: 'https://x.example/1', lastmod: '2024-09-01' },
    { loc: 'https://x.example/2', lastmod: '2024-09-02' },
  ];
  for (const type of ['application/xml', 'text/xml; charset=utf-8', 'text/html'])
    expect(read(sitemap, type)).toMatchObject([{ rows }]);
});

it('a menu is no list of records', () => {
  const links = ['Home', 'Boats', 'Harbours', 'About'].map(
    (name) => `<li><a href="/${name}">${name}</a></li>`,
  );
  expect(read(`<body><div class="menu"><ul>${links.join('')}</ul></div><p>One text.</p>`)).toEqual([]);
});

it('a date that is only a text is read, and what all rows state alike', () => {
  const article = (name: string) =>
    `<article><h2>${name}</h2><time>3 May 2026</time><p><time datetime="2026-05-01">last Friday</time></p><meta itemprop="priceCurrency" content="EUR"></article>`;
  const [list] = read(`<body><main>${['Ada', 'Grace', 'Edith', 'Hedy'].map(article).join('')}</main>`);
  const values = Object.values(list?.rows[0] ?? {});
  expect(values).toEqual(expect.arrayContaining(['3 May 2026', '2026-05-01', 'EUR']));
});

it('rows of which each has a place of its own are grouped in time for all of them', () => {
  const name = (index: number) =>
    `row${[...String(index)].map((digit) => 'aeiouyaeio'.charAt(Number(digit)).toUpperCase()).join('b')}`;
  const [[slot] = []] = findSlots([load('<li><b>Ada</b></li>')('li').toArray()]);
  if (slot === undefined) throw new Error('No slot');
  const started = performance.now();
  const rows = Array.from({ length: 8_000 }, (_, index) => [
    slot,
    { ...slot, attribute: name(index) + index },
  ]);
  expect(groupSlots(rows)).toHaveLength(1);
  expect(performance.now() - started).toBeLessThan(10_000);
});

it('more rows than a call takes arguments', () => {
  const [slots = []] = findSlots([load('<li><p>Ada</p><p>Eve</p></li>')('li').toArray()]);
  expect(groupSlots(Array.from({ length: 150_000 }, () => slots.slice(-1)))).not.toEqual([]);
});

it('reads signs that have no text, and leaves out what no reader sees', () => {
  const row = (name: string, stars: number) =>
    `<li class="boat"><b>${name}</b> <div class="stars" aria-label="${stars} of 5 stars"></div> <p class="votes" aria-label="${stars}.5 of 5"><u>(${stars}8)</u></p> <i class="state" title="${stars > 3 ? 'sold' : 'free'}"></i>
     <span class="price"><span style="display: none">0${stars}00</span>${stars} €</span></li>`;
  const [list] = read(`<body><ul>${row('Ada', 3)}${row('Grace', 4)}${row('Edith', 5)}</ul></body>`);
  expect(list?.rows).toMatchObject([
    { stars: '3 of 5 stars', votes: '3.5 of 5', 'votes 2': '(38)', state: 'free', price: '3 €' },
    { stars: '4 of 5 stars', state: 'sold', price: '4 €' },
    { stars: '5 of 5 stars', state: 'sold', price: '5 €' },
  ]);
});

it.each([
  [
    '<dl><dt>List price</dt><dd>@</dd><dt>Sale price</dt><dd>@</dd></dl>',
    { 'List price': '10', 'Sale price': '10' },
  ],
  ['<i class="price">@</i> <i class="price">@</i>', { price: '10', 'price 2': '10' }],
  ['<span>@</span><span>@</span>', { 'column 2': '10', 'column 3': '10' }],
  ['<b>Home:</b> <i>Team @</i> <b>Away:</b> <i>Team @</i>', { Home: 'Team 10', Away: 'Team 10' }],
])('shows both of two values that are equal in all rows: %s', (card, expected) => {
  const rows = [10, 12, 15].map(
    (amount) => `<li><h3>Lamp ${amount}</h3>${card.replaceAll('@', String(amount))}</li>`,
  );
  const lists = read(`<body><main><ul>${rows.join('')}</ul></main></body>`);
  expect(lists.flatMap((list) => list.rows)).toContainEqual(expect.objectContaining(expected));
});

it('shows a name once that stands in a link and below it', () => {
  const card = (name: string) =>
    `<li><a href="/${name}"><img src="${name}.png" alt="${name}"></a><h3><a href="/${name}">${name}</a></h3></li>`;
  const [list] = read(`<body><main><ul>${['Ada', 'Eve', 'Zoe'].map(card).join('')}</ul></main></body>`);
  expect(Object.values(list?.rows[0] ?? {}).filter((value) => value === 'Ada')).toHaveLength(1);
});

it('a column is filled where a card shows nothing else beside its value', () => {
  const card = (name: string, price: string) =>
    `<div class="card"><h3>${name}</h3><div class="price">${price}</div></div>`;
  const sale = (name: string) => card(name, '<i class="was">€49.00</i> <span class="now">€39.00</span>');
  const plain = card('Vase', '<span class="now">€15.00</span>');
  const [list] = read(`<main>${sale('Lamp')}${sale('Table')}${sale('Chair')}${plain}</main>`);
  expect(list?.rows.map(({ now }) => now)).toEqual(['€39.00', '€39.00', '€39.00', '€15.00']);
});

it('tells no parts of rows that another list has, and no heading of a box beside it', () => {
  const card = (name: string, stars: number, old: string) =>
    `<div class="card"><a href="/${name}"><h2>${name}</h2></a><div class="rating"><b>${stars} stars</b></div><div class="box">${old}<i>${stars}0 €</i></div></div>`;
  const box =
    '<aside><h3>Filter</h3><ul><li>Brand A (4)</li><li>Brand B (2)</li><li>Brand C (7)</li></ul></aside>';
  const cards = card('Ada', 3, '<s>50 €</s>') + card('Eve', 4, '') + card('Ida', 5, '<s>70 €</s>');
  const lists = read(`<main><h1>Boats</h1>${box}<div>${cards}</div></main>`);
  expect(lists.map(({ about, total }) => [about, total])).toEqual([
    ['Boats', 3],
    ['Filter', 3],
  ]);
});

it('a day of a row is called as its line calls it', () => {
  const card = (title: string, days: string) =>
    `<article class="card"><h3><a href="/${title}">${title}</a></h3><p>${days}</p></article>`;
  const day = (label: string, date: string) => `${label} <time datetime="2025-${date}">${date}</time>`;
  const [list] = read(
    `<main><h1>Grants</h1>${card('Roofs', `${day('Posted', '11-03')} · ${day('Closes', '11-24')}`)}${card('Bikes', `${day('Posted', '11-05')} · ${day('Closes', '11-28')}`)}${card('Trees', `${day('Posted', '11-07')} · ${day('Closes', '12-01')}`)}</main>`,
  );
  expect(list?.rows.map(({ Posted, Closes }) => [Posted, Closes])).toEqual([
    ['2025-11-03', '2025-11-24'],
    ['2025-11-05', '2025-11-28'],
    ['2025-11-07', '2025-12-01'],
  ]);
  const inText = (label: string, date: string) => `<time datetime="2025-${date}">${label} ${date}</time>`;
  const [mixed] = read(
    `<main><h1>Grants</h1>${card('Roofs', inText('Posted', '11-03'))}${card('Bikes', inText('Posted', '11-05'))}${card('Trees', inText('Closes', '12-01'))}</main>`,
  );
  expect(mixed?.rows.map(({ date }) => date)).toEqual([
    'Posted: 2025-11-03',
    'Posted: 2025-11-05',
    'Closes: 2025-12-01',
  ]);
});

it.each([
  ['<p>30 boats</p>', '', '30 boats'],
  ['<div><span>1,200 Artikel</span></div>', '', '1,200 Artikel'],
  ['<h2>Boats (30)</h2>', '', 'Boats (30)'],
  ['', '<p>+20 more</p>', '+20 more'],
  ['', '<p>und 20 weitere</p>', 'und 20 weitere'],
  ['<p>3 boats</p>', '', undefined],
  ['<p>Since 1998 we build boats</p>', '', undefined],
  ['<p>30 boats</p>', '<p>40 members</p>', undefined],
  ['<aside><p>30 boats</p></aside>', '', undefined],
])('what the page says beside the rows, %s%s, tells that there are more', (head, foot, said) => {
  const boats = ['Ada', 'Grace', 'Edith'].map((name) => row(name, '£ 12', [])).join('');
  const [list] = read(`<main><h1>Yard</h1><div>${head}</div><ul>${boats}</ul><div>${foot}</div></main>`);
  expect(list?.said).toBe(said);
});

it('items of a list within a row are one value, by the name of the list', () => {
  const job = (title: string, tags: readonly string[]) =>
    `<div class="job"><h3>${title}</h3><ul class="tags">${tags.map((tag) => `<li>${tag}</li>`).join('')}</ul></div>`;
  const lists = read(
    `<main><h1>Jobs</h1>${job('Gardener', ['parks', 'full time'])}${job('Roofer', ['roofs'])}${job('Mason', ['walls', 'piers', 'steps'])}</main>`,
  );
  expect(lists).toHaveLength(1);
  expect(lists[0]?.rows.map(({ tags }) => tags)).toEqual([
    ['parks', 'full time'],
    ['roofs'],
    ['walls', 'piers', 'steps'],
  ]);
});

it('a link text that only most rows share names no column', () => {
  const post = (title: string, tag: string) =>
    `<article class="post"><h3>${title}</h3><p>Text of ${title}</p> <a rel="tag" href="/t/${tag}">${tag}</a></article>`;
  const [list] = read(
    `<main><h1>Posts</h1>${post('One', 'roofs')}${post('Two', 'roofs')}${post('Three', 'beds')}</main>`,
  );
  expect(list?.columns).not.toContain('roofs');
});

it('tells values that are struck out in some rows, but not a price of before', () => {
  const talk = (name: string) =>
    `<li class="talk"><h3>${name}</h3><span class="room">Room of ${name}</span> <s class="old">${name} 1</s></li>`;
  const talks = `${talk('Tides')}${talk('<del>Kelp</del>')}${talk('Marsh')}${talk('Dunes')}`;
  const [list] = read(`<body><main><h2>Talks</h2><ul>${talks}</ul></main>`);
  expect(list?.doubts).toEqual([
    expect.stringMatching(/^.+: struck out in 1 of 4 rows, such as "Kelp": it may not hold any more\.$/),
  ]);
});

it('links of pictures and signs are called as those are', () => {
  const links =
    '<a href="/a"><img src="a.png" alt="Boats"></a><a href="/b" aria-label="Piers"></a><a href="/c" title="Fares"></a>';
  const page = { url: 'https://x.example/', status: 200, contentType: 'text/html', link: '' };
  expect(readLinks(new Document({ ...page, body: Buffer.from(links) })).map(({ text }) => text)).toEqual([
    'Boats',
    'Piers',
    'Fares',
  ]);
});

it('rows under several headings say which is theirs, and cards with headings of their own do not', () => {
  const boats = (...names: string[]) =>
    `<ul>${names.map((name) => `<li class="boat"><a href="/${name}">${name}</a> <b>9 m</b> <i>blue</i></li>`).join('')}</ul>`;
  const sections = `<section><h3>Quay</h3>${boats('Ada')}</section><section><h3>Mole</h3>${boats('Grace', 'Joan', 'Edith')}</section>`;
  const [list] = read(`<h2>Fleet</h2>${sections}`);
  expect(list?.about).toBeNull();
  expect(list?.rows.map(({ section }) => section)).toEqual(['Quay', 'Mole', 'Mole', 'Mole']);
  const [one] = read(`<h2>Fleet</h2>${sections.replaceAll(/<h3>.*?<\/h3>/g, '')}`);
  expect(one?.about).toBe('Fleet');
  expect(one?.columns).not.toContain('section');
  const card = (name: string) =>
    `<div class="col"><h3>${name}</h3><div class="boat"><b>9 m</b> <i>blue</i></div></div>`;
  const cards = read(`<h2>Fleet</h2>${['Ada', 'Grace', 'Joan', 'Edith'].map(card).join('')}`);
  expect(cards.flatMap(({ columns }) => columns)).not.toContain('section');
});
