/** Who wrote a page, when, and under which title: what stands near is not taken for it. */
import { describe, expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { readWebPage } from '../../../src/service/web/read-web-page.ts';

const prose =
  '<p>The council discussed the plans for a new bridge, and heard many speakers of both banks.</p>';
const read = (body: string, title = 'A bridge') =>
  readBody(`<article>${body}${prose.repeat(8)}</article>`, title);

function readBody(body: string, title = 'A bridge') {
  const page = {
    url: 'https://site.example/bridge',
    status: 200,
    contentType: 'text/html',
    link: '',
    body: Buffer.from(`<html><head><title>${title}</title></head><body>${body}</body></html>`),
  };
  const result = readWebPage(new Document(page), {
    page,
    reading: 'page',
    parts: undefined,
    maxRows: 100,
    browser: 'absent',
  });
  return 'data' in result ? result.data : {};
}
const below = (text: string) => `<h1>A bridge</h1>${text}`;

it.each([
  ['<p>By Ann Doe</p>', 'Ann Doe'],
  ['<p>3 May 2024 by Ann Doe</p>', 'Ann Doe'],
  ['<p>Written by Ann Doe</p>', 'Ann Doe'],
  ['<p>Photo by Ann Doe</p>', undefined],
  ['<p>Veröffentlicht am 4. Mai 2021 von Stadtarchiv Emden</p><p>Autor: Enno Harms</p>', 'Enno Harms'],
  ['<p>Stand by Me is shown again</p>', undefined],
  [
    '<div class="post-author"><a href="/u/7">Ann Doe</a><span class="rank">Member</span><span>Posts: 37</span></div>',
    'Ann Doe',
  ],
  [
    '<p class="byline">By <a rel="author" href="/a">Ann Doe</a> and <a rel="author" href="/b">Bo Li</a></p>',
    'Ann Doe, Bo Li',
  ],
  ['<p class="byline">By <a href="/a">Ann Doe</a> in <a href="/politics">Politics</a></p>', 'Ann Doe'],
  ['<p class="byline-line">By Ann Doe, <a href="/politics">Politics</a></p>', 'Ann Doe, Politics'],
])('the author beside %s', (text, author) => expect(read(below(text)).author).toBe(author));

it.each([
  ['<p>3 May 2024</p>', '2024-05-03'],
  ['<p>3 May 2024 23:30 IST</p>', '2024-05-03'],
  ['<p>3 May 2024, 11:30 pm EST</p>', '2024-05-03'],
  [
    '<p class="updated">Updated <time datetime="2024-06-01">1 June</time></p><time datetime="2024-05-03">3 May</time>',
    '2024-05-03',
  ],
  ['<p class="event-date">12 December 2999</p>', undefined],
  [
    '<p>Closes <time datetime="2024-06-01">1 June</time> · Posted <time datetime="2024-05-03">3 May</time></p>',
    '2024-05-03',
  ],
  [
    '<ul><li>Bewerbungsfrist: <time datetime="2024-06-01">1. Juni</time></li><li>Veröffentlicht: <time datetime="2024-05-03">3. Mai</time></li></ul>',
    '2024-05-03',
  ],
  ['<p>Ann Doe, 3 May 2024 · Updated 1 June 2024</p>', '2024-05-03'],
  ['<p>Doors shut 1 June 2024 · Doors open 3 May 2024</p>', undefined],
  ['<time datetime="1403-06-15">15 Shahrivar</time>', undefined],
  ['<p>Ann Doe (born 3 May 1950) builds bridges.</p>', undefined],
  ['<p>On 4 July 1976 the old bridge fell.</p>', undefined],
])('the date beside %s', (text, date) => expect(read(below(text)).date).toBe(date));

const releases = ['2024-03-01', '2024-02-01', '2024-01-01'];
const rowsOf = (tag: string, inner: (day: string) => string) =>
  releases.map((day) => `<${tag} class="row">${inner(day)}</${tag}>`).join('');
it.each([
  ['a table', `<table>${rowsOf('tr', (day) => `<td>${day}</td><td>Fixes</td>`)}</table>`],
  [
    'a table with times',
    `<table>${rowsOf('tr', (day) => `<td><time datetime="${day}">${day}</time></td><td>A</td>`)}</table>`,
  ],
  [
    'one row of a table',
    '<table><tr><td>Bridge</td><td>Old</td></tr><tr><td>Opened</td><td>2024-03-01</td></tr></table>',
  ],
  ['a list', `<ul>${rowsOf('li', (day) => `${day}: Fixes`)}</ul>`],
  ['a list with classes', `<ol>${rowsOf('li', (day) => `<span class="date">${day}</span> Fixes`)}</ol>`],
  [
    'one item of a list',
    `<ul><li>2024-03-01 The old bridge was closed, because of ice, to all but those on foot</li><li>More</li></ul>`,
  ],
  ['a list of definitions', `<dl>${rowsOf('dd', (day) => `Fixes of ${day}`)}</dl>`],
  ['repeated blocks', `<div>${rowsOf('div', (day) => `<a href="/x">Fixes</a> <time>${day}</time>`)}</div>`],
])('a date in %s is not that of the page', (_, rows) => {
  expect(read(below(rows))).not.toHaveProperty('date');
  expect(read(below(`<p>${prose}</p>${rows}`))).not.toHaveProperty('date');
  expect(read(below(`${rows}<time datetime="2024-05-03">3 May</time>`)).date).toBe('2024-05-03');
});

it.each([
  '<ul><li>By Ann Doe</li> <li>3 May 2024</li> <li>City</li></ul>',
  '<ul><li class="date">3 May 2024</li><li>Updated on 1 June 2024</li></ul>',
  '<dl><dt>Published</dt> <dd>3 May 2024</dd></dl>',
  '<table><tr><td>By Ann Doe</td> <td>3 May 2024</td></tr></table>',
])('the date of a byline in %s is that of the page', (byline) =>
  expect(read(below(byline)).date).toBe('2024-05-03'),
);

it.each([
  ['user4711', '<div>asked <span itemprop="author" itemscope>user4711</span></div>'],
  [
    'user4711',
    '<span itemprop="author" itemscope><b style="display:none" itemprop="name">user4711</b></span>',
  ],
  [undefined, '<div>asked by nobody known</div>'],
])('who answers is not who asked: %s', (author, asker) => {
  const answer = (name: string) =>
    `<div itemprop="suggestedAnswer" itemscope>${prose}<div itemprop="author" itemscope><a href="/users/${name}">${name}</a></div></div>`;
  const question = `<div itemprop="mainEntity" itemscope itemtype="https://schema.org/Question"><h1 itemprop="name">A bridge</h1>${prose}${asker}`;
  expect(readBody(`${question}${['kurt', 'mia', 'ann'].map(answer).join('')}</div>`).author).toBe(author);
});

it('the author of the one work that a page states is told, and no publisher among its facts', () => {
  const book = { '@type': 'Book', name: 'A bridge', author: [{ '@type': 'Person', name: 'Ann Doe' }] };
  const stated = (...works: readonly unknown[]) =>
    `<script type="application/ld+json">${JSON.stringify(works)}</script>`;
  const facts =
    '<dl><div><dt>Published</dt><dd><div><p>May 4, 2021 by Harbor Press</p></div></dd></div><dt>ISBN</dt><dd>978</dd></dl>';
  expect(read(below(`${stated(book)}${facts}`)).author).toBe('Ann Doe');
  expect(read(below(`${stated(book, book)}${facts}`)).author).toBeUndefined();
});

it('a bar may be part of a title', () => {
  const title = 'A | B testing explained';
  expect(read(`<h1>${title}</h1>`, `${title} | Blog`).title).toBe(title);
  expect(read(`<h1>${title}</h1>`, title).title).toBe('A');
});

const labelled = (label: string, day: string) =>
  `<div class="field"><div class="field__label">${label}</div><div class="field__item"><time datetime="${day}T12:00:00Z">${day}</time></div></div>`;
const inAYear = `${new Date().getUTCFullYear() + 1}-05-03`;
it.each([
  ['Closing', '2024-05-03', undefined],
  ['Sluitingsdatum', inAYear, undefined],
  ['Published', '2024-05-03', '2024-05-03'],
  ['Datum', '2024-05-03', '2024-05-03'],
])('a date that is called %s: %s', (label, day, date) => {
  expect(read(below(labelled(label, day))).date).toBe(date);
});

it.each([
  ['Born <time datetime="1961-04-03">3 April 1961</time> in Porto.', undefined],
  ['End of support: <time datetime="2024-06-30">30 June 2024</time>', undefined],
  ['Published on <time datetime="2024-06-30">30 June 2024</time>', '2024-06-30'],
  ['Ann Doe, <time datetime="2024-06-30">30 June 2024</time>', '2024-06-30'],
])('a date behind other words: %s', (line, date) => {
  expect(read(below(`<p>${line}</p>`)).date).toBe(date);
});

it('days of which all are called another than that of publication are not it', () => {
  expect(read(below('<p>Updated 3 Nov 2025 · Expires 24 Nov 2025</p>'))).not.toHaveProperty('date');
});

it('the day that a job was posted is that of its page', () => {
  const job = '{"@type":"JobPosting","title":"Nurse","datePosted":"2024-04-01"}';
  const markup = `<script type="application/ld+json">${job}</script>${labelled('Closing', '2024-05-03')}`;
  expect(read(below(markup)).date).toBe('2024-04-01');
});

it('a date in a list of facts is that of the fact', () => {
  const facts = '<dl><dt>Price</dt><dd>9,99 €</dd><dt>Available</dt><dd>from 3 May 2026</dd></dl>';
  const body = Buffer.from(`<main><h1>Boat</h1><p>It has a sail and two oars.</p>${facts}</main>`);
  const page = { url: 'https://site.example/', status: 200, contentType: 'text/html', link: '', body };
  const task = { page, reading: 'page', parts: undefined, maxRows: 100, browser: 'absent' } as const;
  expect(readWebPage(new Document(page), task)).not.toHaveProperty('data.date');
});

it('a date below a review of a reader is none of the page', () => {
  const review = (name: string, day: number) =>
    `<div class="review"><p>It floats.</p><span>${name}, ${day}.11.2024</span></div>`;
  const body = `<h1>Boat</h1><p>It has a sail and two oars.</p><h2>Reviews</h2>${review('Ann', 3)}${review('Ben', 1)}`;
  expect(readBody(body)).not.toHaveProperty('date');
});

it('blocks of topics are no thread, and the last post of the first topic is not theirs', () => {
  const topic = (name: string, at: number) =>
    `<li class="row"><dl><dt><a href="/t/${at}">${name}</a><br><div>by <a href="/u/1" class="username">rower</a></div></dt><dd>${at} <dfn>Replies</dfn></dd><dd>by <a href="/u/2" class="username">warden</a><br><time>Fri Nov 2${at}, 2026 9:14 am</time></dd></dl></li>`;
  const block = (...names: string[]) =>
    `<div class="block"><ul><li class="header"><dl><dt>Topics</dt><dd>Replies</dd><dd>Last post</dd></dl></li></ul><ul class="topics">${names.map(topic).join('')}</ul></div>`;
  const topics = ['Which rope?', 'Old oars', 'Silent engines', 'Paint for hulls', 'A cheap mooring'];
  const data = readBody(`<h2>Boats</h2>${block('Please read this first: the rules')}${block(...topics)}`);
  expect(data).toMatchObject({ kind: 'listing' });
  expect(data).not.toHaveProperty('author');
  expect(data).not.toHaveProperty('date');
});

it('a page that sells one thing is one of a product, and the day of a review is not its date', async () => {
  const page = (cards: number) =>
    readBody(
      `<main><h1>Oak board</h1><p class="price">£38.50</p>${'<form><button>Add to basket</button></form>'.repeat(cards)}<p>Solid oak, oiled by hand.</p><ol><li class="review"><time datetime="2026-09-01">1 September</time><p>Beautiful grain.</p></li></ol></main>`,
    );
  expect(page(1)).toMatchObject({ kind: 'product', data: { price: 38.5, currency: 'GBP' } });
  expect(page(1)).not.toHaveProperty('date');
  expect(page(3)).not.toMatchObject({ kind: 'product' });
});

it('a page that marks a dated text as an article is one, however short its paragraphs are', () => {
  const page = (tag: string) =>
    readBody(
      `<main><${tag}><h1>A bridge</h1><p>3 May 2024</p><p>It was opened today.</p><table><tr><td>Length<td>40 m</table></${tag}></main>`,
    );
  expect(page('article')).toMatchObject({ kind: 'article', date: '2024-05-03' });
  expect(page('div')).toMatchObject({ kind: 'other' });
});

describe('the kind of a page', () => {
  const sentences =
    '<p>The harbour was rebuilt in the spring, and masons from three valleys set the stones.</p>'.repeat(5);
  const post = (name: string, at: number) =>
    `<div class="post" ${name}="p${at}"><b>ann</b> <time>2${at} May 2026, 09:14</time>${sentences}</div>`;
  const posts = (name: string) => [1, 2, 3].map((at) => post(name, at)).join('');
  it.each([
    ['documentation', 'code and no date', `<h1>Limits</h1><p>Use it so:</p><pre>get</pre>`],
    [
      'documentation',
      'headings that lead to themselves',
      '<h1>Limits</h1><h2>By key<a href="#k">¶</a></h2><p>300</p>',
    ],
    ['article', 'code and a date', `<h1>Limits</h1><p>3 May 2024</p>${sentences}<pre>get</pre>`],
    ['other', 'text of which nothing says more', `<h1>Harbour</h1>${sentences}`],
    ['other', 'a text in a shop', `<h1>Cups</h1>${sentences}<a href="/cart">0</a><a href="tel:12">12</a>`],
    ['service', 'a text, and where to call', `<h1>Harbour</h1>${sentences}<a href="tel:12">12</a>`],
    ['forum', 'dated contributions with numbers', `<h1>Harbour</h1>${posts('id')}`],
    ['article', 'dated parts of a text', `<h1>Harbour</h1>${posts('title')}`],
  ])('is %s: %s', (kind, _, body) => {
    expect(readBody(`<main>${body}</main>`)).toMatchObject({ kind });
  });

  it('is no product where the page says that it is a group of them', () => {
    const cards = [1, 2, 3, 4, 5, 6]
      .map((at) => `<li><a href="/${at}"><h3>Cup ${at}</h3></a> $${at}.00</li>`)
      .join('');
    const page = `<head><meta property="og:type" content="product.group"></head><h1>Cups</h1><ul>${cards}</ul>`;
    expect(readBody(page)).toMatchObject({ kind: 'collection' });
  });
});
