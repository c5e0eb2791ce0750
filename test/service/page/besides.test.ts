/** No part of a page that says more than links do is left out without a word, and asking for it gives it. */
import { describe, expect, it } from 'vitest';
import { readHarbourPage as read } from '../../support/harbour-page.ts';

const paragraphs = (from: number) =>
  Array.from(
    { length: 6 },
    (_, index) =>
      `<p>In the year ${1900 + from + index}, the harbour was rebuilt, and masons set the stones by hand.</p>`,
  ).join('');
const article = (inside: string, after = '') =>
  `<title>Harbour</title><body><main><article><h1>Harbour</h1>${paragraphs(0)}${inside}${paragraphs(6)}</article>${after}</main></body>`;

describe('a part beside the content is named, and stands at its place where the text is wanted in full', () => {
  const box =
    '<aside class="box"><h3>Fact box</h3><p>The ferry costs 5 € and leaves at 7:30 from pier 4.</p></aside>';
  const comments = `<section class="comments"><h2>Comments</h2>${['ann', 'bob', 'cyd'].map((name) => `<div class="comment"><b>${name}</b><p>I went there with ${name} in May.</p></div>`).join('')}</section>`;
  const parts = `<section class="bundle"><h2>Spare parts</h2><ul>${['Leg', 'Seat', 'Back'].map((name) => `<li><a href="/${name}">${name}</a> <b>$5.00</b> Out of stock</li>`).join('')}</ul></section>`;

  it.each([
    ['a box between the paragraphs', article(box), 'Fact box', 'leaves at 7:30'],
    [
      'a few words between the paragraphs',
      article('<div><h2>Price</h2><div class="promo">Out of stock</div><h2>Terms</h2></div>'),
      'Out of stock',
      'Out of',
    ],
    [
      'a note at the foot of the article',
      article('')
        .replace('<h1>', '<header><h1>')
        .replace('</h1>', '</h1></header><div class="entry">')
        .replace(
          '</article>',
          '</div><footer class="entry-footer"><p>Correction: the harbour was rebuilt in 1901, see <a href="/a">the list</a> and <a href="/b">the map</a>.</p></footer></article>',
        ),
      'Correction: the harbour was rebuilt in 1901, see…',
      'rebuilt in 1901, see',
    ],
    ['comments after the article', article('', comments), 'Comments', 'with bob in May'],
    ['comments outside of main', article('').replace('</body>', comments), 'Comments', 'with bob in May'],
    [
      'two rows with prices and few words',
      article('').replace(
        '</body>',
        '<div><b>Top</b><ul><li><a href="/l">Lamp</a> 5 €</li><li><a href="/s">Sofa</a> 60 €</li></ul></div></body>',
      ),
      'Top Lamp 5 € Sofa 60 €',
      'Sofa',
    ],
    ['a list of rows', article('').replace('</body>', parts), 'Spare parts', 'Out of stock'],
    [
      'a part without a heading',
      article('', '<div><p>The pier is closed on all days from May to June of this year.</p></div>'),
      'The pier is closed on all days from May to June o…',
      'days from May to June of',
    ],
  ])('%s', async (_, markup, name, text) => {
    const short = await read(markup);
    expect(short.main).not.toContain(text);
    expect(short.missing).toEqual([
      expect.stringMatching(/^Parts beside the content are left out: .* Ask for parts \["main"\]\.$/),
    ]);
    expect(String(short.missing)).toMatch(new RegExp(`"${name}" \\(\\d+ characters\\)`));
    const full = await read(markup, ['main']);
    expect(full.main).toContain(text);
    expect(full.missing).toBeUndefined();
  });

  it('at its place', async () => {
    const { main } = await read(article(box, comments), ['main']);
    const places = ['year 1905', 'Fact box', 'year 1906', 'year 1911', '## Comments'].map((text) =>
      main.indexOf(text),
    );
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
  });

  it('with a box inside of a part beside the content', async () => {
    const markup = article('', `<div>${comments}${box}</div>`);
    expect((await read(markup)).missing).toEqual([
      expect.stringMatching(/"Comments" \(\d+ characters\), "Fact box" \(\d+ characters\)/),
    ]);
    const { main } = await read(markup, ['main']);
    expect(main.match(/leaves at 7:30/g)).toHaveLength(1);
    expect(main.match(/with bob in May/g)).toHaveLength(1);
  });

  it('with a box inside of a part that holds nothing else', async () => {
    const { main } = await read(article('', `<div class="sidebar"><a href="/x">More</a>${box}</div>`), [
      'main',
    ]);
    expect(main.match(/leaves at 7:30/g)).toHaveLength(1);
  });

  it('in time, however many there are', async () => {
    const boxes = Array.from({ length: 10_000 }, (_, index) => box.replace('7:30', `7:30 as boat ${index}`));
    const started = process.cpuUsage();
    const { main } = await read(article(boxes.slice(0, 100).join(''), boxes.join('')), ['main']);
    expect(main.match(/as boat/g)).toHaveLength(10_100);
    // Of the processor: other tests may run beside this one.
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(20_000);
  }, 120_000);

  it('and at most five are named', async () => {
    const boxes = [1, 2, 3, 4, 5, 6, 7].map((index) => box.replace('Fact', `Fact ${index} of the`)).join('');
    expect(String((await read(article(boxes))).missing)).toMatch(/(?:"Fact \d[^"]*" [^"]*){5}2 more\./);
  });
});

describe('nothing is said of', () => {
  it.each([
    [
      'menus, headers and footers of the site',
      `<nav>${'<a href="/x">Home</a> The way to the harbour, and the ways back. '.repeat(3)}</nav>`,
    ],
    ['a copy of the content', `<div>${paragraphs(2)}</div>`],
    ['parts that are hidden', `<div style="display:none">${'Wait for a moment, please. '.repeat(12)}</div>`],
    ['lists of links', `<aside>${'<a href="/x">All of the harbours of the lake</a> '.repeat(5)}</aside>`],
  ])('%s', async (_, after) => {
    expect((await read(article('', after))).missing).toBeUndefined();
  });
});

describe('a frame in the content', () => {
  const frame = (attributes: string) =>
    article(`<iframe src="https://v.example/embed" ${attributes}></iframe>`);

  it('is named where the text has no link to it', async () => {
    expect((await read(frame(''))).missing).toEqual([
      expect.stringContaining('not read: https://v.example/embed.'),
    ]);
    const named = await read(frame('title="The lock"'));
    expect(named.main).toContain('[The lock](https://v.example/embed)');
    expect(named.missing).toBeUndefined();
  });

  it.each(['width="1" height="1"', 'style="display:none"', 'hidden'])(
    'is not named with %s',
    async (look) => {
      expect((await read(frame(look))).missing).toBeUndefined();
    },
  );

  it('is not named in the surroundings', async () => {
    const markup = article('').replace('</main>', '</main><footer><iframe src="/x"></iframe></footer>');
    expect((await read(markup)).missing).toBeUndefined();
  });
});

describe('the head and foot of a site', () => {
  const menu = `<a href="/"><img src="l.png" alt="Harbour"></a><nav>${'<a href="/x">Alpha</a> '.repeat(4)}</nav>`;
  const page = (head: string, foot = '') =>
    `<title>Harbour</title><body><header>${menu}${head}</header><h1>Harbour</h1>${paragraphs(0)}<footer>${foot}</footer></body>`;

  it.each([
    [
      'a notice',
      page('<div>Closed on 31 December!</div><p>We open again in January.</p>'),
      'We open again in',
    ],
    [
      'an alert',
      page('', '').replace('<h1>', '<div role="alert">Strike: no ferries at all.</div><h1>'),
      'Strike',
    ],
    [
      'facts',
      page('', `<div><h4>Hours</h4><p>Monday to Friday from 9 to 17, else to 19.</p></div>`),
      'Hours',
    ],
  ])('%s is named, and stands in the full text without the menus', async (_, markup, name) => {
    const { missing } = await read(markup);
    expect(missing).toEqual([expect.stringMatching(/^Parts beside the content/)]);
    expect(String(missing)).toContain(`"${name}`);
    const { main } = await read(markup, ['main']);
    expect(main).toContain(name);
    expect(main).not.toContain('Alpha');
  });

  it('the slogan, the owner and praise are not', async () => {
    const slogan = '<p class="tagline">The best harbour of the whole lake, since 1898</p>';
    const owner = '<p>© 2024 The harbour of the lake. All rights reserved.</p>';
    const praise = '<p>Let us grow together, and reach for the stars.</p>';
    expect((await read(page(slogan, `${owner}${praise}`))).missing).toBeUndefined();
  });
});

it('what looks like a menu, but is a part of something, stays in the content', async () => {
  const heads = ['City', 'Price', 'Date']
    .map((name) => `<th><a href="?sort=${name}">${name}</a></th>`)
    .join('');
  const table = `<table><thead><tr>${heads}</tr></thead><tr><td>Aa<td>5<td>2 May<tr><td>Bb<td>7<td>3 May</table>`;
  const links = ['Red', 'Fern', '€ 5'].map((name) => `<a href="/r">${name}</a>`).join(' ');
  const list = `<ul><li>${links}<li>Blue fern, in the shade, for € 7<li>Old moss, in the sun, for € 9</ul>`;
  const title = `<h2><a href="/a">All harbours</a> <a href="/b">(site)</a> <a href="/c">36</a></h2>`;
  const { main, missing } = await read(article(table + list + title));
  for (const name of ['City', 'Date', 'Red', 'All harbours', '36']) expect(main).toContain(name);
  expect(missing).toBeUndefined();
});

describe('blocks of links in the content', () => {
  const block = (href: (index: number) => string, names: readonly string[]) =>
    `<ul class="links">${names.map((name, index) => `<li><a href="${href(index)}">${name}</a></li>`).join('')}</ul>`;
  const documents = ['Annual report', 'Tariff 2026', 'Map of berths'];

  it.each([
    ['documents', block((index) => `/files/${index}.pdf?v=2`, documents)],
    ['addresses', block((index) => `mailto:${index}@x.example`, documents)],
  ])('stay where they offer %s', async (_, offer) => {
    const { main, missing } = await read(article('', offer).replaceAll(/<\/?(?:main|article)>/g, ''));
    for (const name of documents) expect(main).toContain(name);
    expect(missing).toBeUndefined();
  });

  it('stay where the page has nothing else to say', async () => {
    const cards = documents.map(
      (name) =>
        `<div><h3><a href="/${name}">${name}</a></h3><a href="/m">Mail</a> <a href="/f">Follow</a></div>`,
    );
    const { main } = await read(`<body><h1>People</h1>${cards.join('')}`);
    for (const name of documents) expect(main).toContain(name);
  });

  it('are named once where they look alike, and not where they lead around the site or in the page', async () => {
    const rows = documents.map((name) => block((index) => `/${name}/${index}`, [name, 'Profile', 'Posts']));
    const text = '<p>They were read in the spring of last year.</p>';
    expect((await read(article(rows.join(text)))).missing).toEqual([
      expect.stringContaining('"Annual report Profile Posts" (3 links, and 2 more like it). Ask'),
    ]);
    for (const menu of [
      block((index) => (index === 0 ? '/' : `/${index}`), documents),
      block((index) => `#${index}`, documents),
      block((index) => `/${index}`, documents).replace('"links"', '"page-menu-2 submenu"'),
    ])
      expect((await read(article(`${text}${menu}${text}`))).missing).toBeUndefined();
  });

  it('are named by their few words in a foot of a post or a box named so, and not in a menu', async () => {
    const likes = '<footer class="post-foot"><a href="/likes">anna, bert and 4 others</a></footer>';
    const others = block((index) => `/${index}`, ['Boats', 'Masts']).replace('links', 'related');
    const posts = [0, 6].map((from) => `<section>${paragraphs(from)}${likes}</section>`).join('');
    const markup = `<title>Harbour</title><body><main><h1>Harbour</h1>${posts}${others}</main></body>`;
    const { missing } = await read(markup);
    expect(missing).toEqual([
      'Blocks of links in the content are left out: "anna, bert and 4 others" (1 link), "Boats Masts" (2 links). Ask for parts ["main"].',
    ]);
    const full = await read(markup, ['main']);
    expect(full.main.match(/anna, bert/g)).toHaveLength(2);
    expect(full.main).toContain('Masts');
    const menu = markup.replaceAll('footer', 'nav').replace('related', 'share related-menu');
    expect((await read(menu)).missing).toBeUndefined();
  });

  it('are named where they are left out, once each, and stand in the full text', async () => {
    const menu = block((index) => `/${index}`, documents);
    const markup = article(`<h2>Sources</h2>${menu}<p>They were read in the spring of last year.</p>${menu}`);
    const short = await read(markup);
    expect(short.main).not.toContain('Tariff');
    expect(short.missing).toEqual([
      'Blocks of links in the content are left out: "Annual report Tariff 2026 Map of berths" (3 links). Ask for parts ["main"].',
    ]);
    const full = await read(markup, ['main']);
    expect(full.main.match(/Tariff 2026/g)).toHaveLength(2);
    expect(full.missing).toBeUndefined();
  });
});
