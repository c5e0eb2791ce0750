/** What an answer says to be in doubt or left out. */
import { expect, it } from 'vitest';
import { answerReading } from '../../../src/service/web/answer-reading.ts';
import type { ReadingTask } from '../../../src/service/web/readings.ts';

async function readOf(
  reading: 'page' | 'feed',
  body: Buffer | string,
  contentType: string,
  url = 'https://x.example/',
  parts?: ReadingTask['parts'],
) {
  const page = { url, status: 200, contentType, link: '', body: Buffer.from(body) };
  const result = await answerReading({ page, reading, parts, maxRows: 100, browser: 'absent' });
  return Object('data' in result ? result.data : {});
}
const missingOf = async (...page: Parameters<typeof readOf>) => (await readOf(...page)).missing;
const text =
  '<p>The harbour was rebuilt in the spring, and masons from three valleys came to set its stones.</p>';

it('a feed whose encoding is not the one that its server says is read by a guess, which is told', async () => {
  const [head, word, tail] = [
    '<?xml version="1.0" encoding="windows-1251"?><rss version="2.0"><channel><title>F</title><item><title>',
    Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
    '</title></item></channel></rss>',
  ];
  const feed = Buffer.concat([Buffer.from(head), word, Buffer.from(tail)]);
  expect(await missingOf('feed', feed, 'text/xml; charset=utf-8')).toEqual([
    expect.stringContaining('read as windows-1251'),
  ]);
  expect(await missingOf('feed', feed, 'text/xml')).toBeUndefined();
});

it('a picture that waits for a script has the address of its copy for readers without scripts', async () => {
  const figure =
    '<figure><span><img alt="A boat" src="data:image/gif;base64,R0"></span><noscript><img alt="A boat" src="/a.jpg"></noscript></figure>';
  const { main } = await readOf('page', `<main><h1>Harbour</h1>${text}${figure}</main>`, 'text/html');
  expect(main).toContain('![A boat](https://x.example/a.jpg)');
});

it('a page that states that it is not free to read', async () => {
  const page = (isFree: string) =>
    `<main><h1>Harbour</h1>${text}</main><script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":${isFree}}</script>`;
  for (const isFree of ['false', '"False"'])
    expect(await missingOf('page', page(isFree), 'text/html')).toEqual([
      expect.stringContaining('free to read'),
    ]);
  expect(await missingOf('page', page('true'), 'text/html')).toBeUndefined();
  const tier = '<meta property="article:content_tier" content="locked">';
  expect(
    await missingOf('page', `<head>${tier}</head><main><h1>A</h1>${text.repeat(4)}</main>`, 'text/html'),
  ).toEqual([expect.stringContaining('free to read')]);
});

it('a product whose button is switched off is out of stock, and offers in two currencies have no range', async () => {
  const offers = ['EUR', 'USD'].map((priceCurrency, at) => ({
    '@type': 'Offer',
    price: 5 + at,
    priceCurrency,
  }));
  const stated = JSON.stringify({ '@type': 'Product', name: 'Lamp', offers });
  const product = `<meta property="og:type" content="product"><h1>Lamp</h1>${text}<p class="price">€5.00</p>
    <button name="add" disabled>Add to cart</button>`;
  const { data } = await readOf('page', `<main>${product}</main>`, 'text/html');
  expect(data).toMatchObject({ price: 5, availability: 'OutOfStock' });
  const both = `<main>${product}</main><script type="application/ld+json">${stated}</script>`;
  expect((await readOf('page', both, 'text/html')).data).toMatchObject({ price: 5, currency: 'EUR' });
  expect((await readOf('page', both, 'text/html')).data).not.toHaveProperty('high_price');
});

it('a price that is the lowest of several, or that cannot be read', async () => {
  const read = (shown: string) =>
    readOf(
      'page',
      `<main><h1>Chair</h1>${text}<span class="price">${shown}</span></main><script type="application/ld+json">{"@type":"Product","name":"Chair"}</script>`,
      'text/html',
    );
  const begins = [expect.stringContaining('where prices begin: the page shows')];
  for (const shown of ['fra 199 kr', 'ab 199 €', '199 € ~'])
    expect(await read(shown)).toMatchObject({ data: { price: 199 }, missing: begins });
  for (const shown of ['299,- / stk', '299 kr/stk.', '€ 299']) {
    const { data, missing } = await read(shown);
    expect(data).toMatchObject({ price: 299 });
    expect(missing).toBeUndefined();
  }
  expect(await read('ring 123')).toMatchObject({
    missing: [expect.stringContaining('left open: the page shows "ring 123"')],
  });
});

it('facts of other things than products are in the statements', async () => {
  const pageOf = (thing: object) =>
    `<main><h1>Harbour</h1>${text}</main><script type="application/ld+json">${JSON.stringify(thing)}</script>`;
  const rated = pageOf({ '@type': 'Hotel', name: 'Harbour', aggregateRating: { ratingValue: 8.9 } });
  expect(String(await missingOf('page', rated, 'text/html'))).toMatch(
    /something else \(Hotel\): ask for parts \["data"\]/,
  );
  const { missing, statements } = await readOf('page', rated, 'text/html', undefined, ['main', 'data']);
  expect(statements).toMatchObject([{ aggregateRating: { ratingValue: 8.9 } }]);
  expect(String(missing)).not.toContain('something else');
  for (const thing of [
    { '@type': 'Hotel', name: 'Harbour' },
    { '@type': 'Product', name: 'Harbour', aggregateRating: { ratingValue: 4, reviewCount: 2 } },
  ])
    expect(String(await missingOf('page', pageOf(thing), 'text/html'))).not.toContain('something else');
});

it('JSON with values that are no numbers', async () => {
  const read = (json: string) => missingOf('page', json, 'application/json');
  expect(await read('{"v": NaN}')).toEqual([expect.stringContaining('given as null')]);
  expect(await read('{"v": "NaN", "w": "a \\"NaN\\" b"}')).toBeUndefined();
});

it('keeps the lines of a calendar', async () => {
  const calendar = 'BEGIN:VCALENDAR\nSUMMARY:Regatta\nEND:VCALENDAR';
  expect((await readOf('page', calendar, 'text/calendar; charset=utf-8')).main).toBe(calendar);
  expect((await readOf('page', `<p>${calendar}</p>`, 'text/html')).main).not.toBe(calendar);
});

it('a page of a few words that say nothing that is known', async () => {
  const read = (title: string, body: string) =>
    missingOf('page', `<title>${title}</title><main><h1>${title}</h1>${body}</main>`, 'text/html');
  const notice = [expect.stringContaining('may be a notice')];
  expect(await read('Lost at sea', '<p>Nothing to see here. Let us take you to the shore.</p>')).toEqual(
    notice,
  );
  const longer = `<p>${'You sailed past the edge of the map, and there are dragons. '.repeat(3)}</p>`;
  expect(await read('Dragons', longer)).toBeUndefined();
  expect(await read('Dragons!', longer)).toEqual(notice);
  expect(await read('Dragons', `${longer}<a href="/">Home</a>`)).toEqual(notice);
  expect(
    await read('Hours', '<p>Monday to Friday from 9 to 17, and in the summer to 19.</p>'),
  ).toBeUndefined();
});

it('a part that asks readers to pay or to sign up, by its name or its words', async () => {
  const read = (after: string, before = '') =>
    missingOf('page', `${before}<main><h1>Harbour</h1>${text}${text}${after}</main>`, 'text/html');
  const paid = (words: string) => [expect.stringContaining(`says "${words}"`)];
  expect(await read('<div class=paywall><h2>Weiterlesen mit Plus</h2></div>')).toEqual(
    paid('Weiterlesen mit Plus'),
  );
  expect(await read('<section id="article-paywall"><p>Réservé aux abonnés</p></section>')).toEqual(
    paid('Réservé aux abonnés'),
  );
  expect(await read('<div><h3>Per continuare a leggere abbonati</h3></div>')).toEqual(
    paid('Per continuare a leggere abbonati'),
  );
  for (const words of ['この記事は有料会員限定です。', 'Contenido exclusivo para suscriptores'])
    expect(await read(`<div><p>${words}</p></div>`)).toEqual(paid(words));
  const part =
    '<script type="application/ld+json">{"@type":"NewsArticle","hasPart":{"@type":"WebPageElement","isAccessibleForFree":false}}</script>';
  expect(await read('', part)).toEqual([expect.stringContaining('free to read')]);
  const free = [
    `<div class="paywall">${text.repeat(8)}</div>`,
    '<div class="paywall" hidden>Subscribe</div>',
    '<h3>Subscribe to our newsletter to read more</h3>',
    `<h3>Subscribe to continue reading</h3>${text}`,
  ];
  for (const after of free) expect(await read(after)).toBeUndefined();
});

it('a product that is stated to be in stock and shown to be sold out', async () => {
  const page = (offer: string) =>
    `<main><h1>Chair</h1>${text}${offer}</main><script type="application/ld+json">{"@type":"Product","name":"Chair","offers":{"price":5,"priceCurrency":"EUR","availability":"https://schema.org/InStock"}}</script>`;
  const soldOut = [
    '<p>Currently unavailable</p><button disabled>Add to cart</button>',
    '<p class="stock">Out of stock</p>',
  ];
  for (const offer of soldOut)
    expect(await missingOf('page', page(offer), 'text/html')).toEqual([
      expect.stringContaining('shows no way to buy'),
    ]);
  expect(await missingOf('page', page('<button>Add to cart</button>'), 'text/html')).toBeUndefined();
});

const tee = (variants: readonly [string, number, string][], said?: number) => {
  const hasVariant = variants.map(([sku, price, state]) => ({
    '@type': 'Product',
    name: 'Tee',
    sku,
    offers: { price, priceCurrency: 'USD', availability: `https://schema.org/${state}` },
  }));
  const meta = `<meta property="og:price:amount" content="${said}"><meta property="og:price:currency" content="USD">`;
  const stated = JSON.stringify({ '@type': 'ProductGroup', name: 'Tee', hasVariant });
  return `<head>${said === undefined ? '' : meta}<script type="application/ld+json">${stated}</script></head><body><h1>Tee</h1>
    ${text}<p class="price">$${said ?? variants[0]?.[1]}</p><button name="add">Add to cart</button></body>`;
};

it.each([
  [62.3, { price: 62.3, high_price: 69 }, []],
  [undefined, { price: 62.3, high_price: 69 }, []],
  [69, { price: 69, high_price: undefined }, [expect.stringContaining('begin at 62.3')]],
])(
  'the prices of variants stay beside the price %s that the page states for itself',
  async (said, prices, more) => {
    const page = tee(
      [
        ['T-S', 62.3, 'InStock'],
        ['T-L', 62.3, 'OutOfStock'],
        ['T-XL', 69, 'InStock'],
      ],
      said,
    );
    const { data, missing } = await readOf('page', page, 'text/html');
    expect({ price: data.price, high_price: data.high_price }).toEqual(prices);
    expect(data.availability).toBe('InStock');
    expect(missing).toEqual([
      expect.stringContaining('1 of 3 offers, which are not InStock: T-L (OutOfStock)'),
      ...more,
    ]);
  },
);

it('variants that are all in stock, and a single offer, need no sentence', async () => {
  const all: [string, number, string][] = [
    ['T-S', 5, 'InStock'],
    ['T-L', 5, 'InStock'],
  ];
  for (const variants of [all, all.slice(1)])
    expect(await missingOf('page', tee(variants, 5), 'text/html')).toBeUndefined();
});

it('values beside the lists of JSON, and the page after it', async () => {
  const json = (value: unknown, url?: string) =>
    readOf('page', JSON.stringify(value), 'application/json', url);
  const images = [{ u: 'a' }, { u: 'b' }];
  expect((await json({ name: 'X', price: 5, images })).missing).toEqual([
    expect.stringContaining('Values beside the lists'),
  ]);
  expect((await json({ images })).missing).toBeUndefined();
  expect(await json({ images, next: 'https://x.example/?page=2' })).toMatchObject({
    missing: [expect.stringContaining('Values beside'), expect.stringContaining('`next`')],
    next: 'https://x.example/?page=2',
  });
});

it('a counter of JSON leads on only where its name in the address is known', async () => {
  const counted = JSON.stringify({ currentPage: 1, totalPages: 5, rows: [{ a: 1 }, { a: 2 }] });
  const read = (query: string) =>
    readOf('page', counted, 'application/json', `https://x.example/list${query}`);
  expect((await read('?p=1')).next).toBe('https://x.example/list?p=2');
  const unknown = await read('');
  expect(unknown.next).toBeUndefined();
  expect(unknown.missing).toContainEqual(expect.stringContaining('may go on'));
});

it('RDF that is no feed is read as data', async () => {
  const boat = (name: string) => `<x:Boat><x:name>${name}</x:name></x:Boat>`;
  const rdf = `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="https://x.example/#">${boat('Ada')}${boat('Eve')}</rdf:RDF>`;
  const { missing, lists } = await readOf('page', rdf, 'application/rdf+xml');
  expect(missing).toBeUndefined();
  expect(lists).toMatchObject([{ rows: [{ 'x:name': 'Ada' }, { 'x:name': 'Eve' }] }]);
});

it('a class of many digits takes no square of time', async () => {
  const started = performance.now();
  await readOf('page', `<main><p class="${'1'.repeat(100_000)}a">${text}</p></main>`, 'text/html');
  expect(performance.now() - started).toBeLessThan(8_000);
});

it('a feed with a text that is cut', async () => {
  const feed = (length: number) =>
    `<rss version="2.0"><channel><title>F</title><item><description><![CDATA[<p>${'a '.repeat(length)}</p>]]></description></item></channel></rss>`;
  expect(await missingOf('feed', feed(60_000), 'text/xml')).toEqual([expect.stringContaining('are cut')]);
  expect(await missingOf('feed', feed(10), 'text/xml')).toBeUndefined();
});

it('columns, lists and values of JSON past what an answer holds', async () => {
  const wide = Object.fromEntries(Array.from({ length: 43 }, (_, index) => [`c${index}`, index]));
  const list = [...Array.from({ length: 20 }, () => wide), 'note'];
  const small = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e'].map((name) => [name, [{ name }, { name: 'x' }]]),
  );
  const { missing, lists } = await readOf('page', JSON.stringify({ list, ...small }), 'application/json');
  expect(lists).toHaveLength(5);
  expect(lists[0]).not.toHaveProperty('leftOut');
  expect(missing).toEqual([
    expect.stringContaining('Further lists'),
    '3 columns of lists[0] are left out.',
    '1 values that are no objects of lists[0] are left out.',
  ]);
});

it('tables and lists of a page past what an answer holds', async () => {
  const table = (index: number) => `<table><tr><th>A<th>B<tr><td>${index}<td>x</table>`;
  const list = (name: string) =>
    `<section class="${name}"><h2>${name}</h2><ul>${[1, 2, 3].map((index) => `<li class="${name}"><b>${name} ${index}</b><p>Of ${name}, ${index} of three.</p></li>`).join('')}</ul></section>`;
  const lists = ['boats', 'piers', 'masts', 'sails', 'ropes', 'knots', 'crews'].map(list);
  const tables = Array.from({ length: 42 }, (_, index) => table(index));
  const missing = async (part: 'lists' | 'tables', body: readonly string[]) =>
    (await readOf('page', `<main>${text}${body.join('')}</main>`, 'text/html', undefined, [part])).missing;
  expect(await missing('tables', tables)).toEqual([expect.stringContaining('2 further tables')]);
  expect(await missing('lists', lists)).toEqual([expect.stringContaining('Further lists')]);
});

it.each([
  [
    'behind words',
    '<p>Choose: <select><option>Linux<option selected>macOS</select></p>',
    'Choose (Linux; macOS [chosen])',
  ],
  [
    'in a cell that shows one of them',
    '<table><tr><th>Ring<th>Number<tr><td>Gold<td><select><option>1<option selected>2</select></table>',
    '(1; 2 [chosen])',
  ],
  [
    'of a shop',
    '<form><label>Size <select name="size"><option value="">Please choose<option>52<option disabled>54 (sold out)</select></label></form>',
    'Size (52; 54 (sold out) [disabled])',
  ],
  [
    'of which one is ticked',
    '<fieldset><legend>Colour</legend><label><input type="radio" name="c">Gold</label><label><input type="radio" name="c">Rose</label></fieldset>',
    'Colour (Gold; Rose)',
  ],
  [
    'with labels beside them',
    '<input type="radio" name="c" id="g"><label for="g">Gold</label><input type="radio" name="c" id="r"><label for="r">Rose</label>',
    'c (Gold; Rose)',
  ],
  [
    'of which one is sold out',
    '<form><input type="radio" name="w" id="2" checked><label for="2">2 m</label><input type="radio" name="w" id="4" disabled><label for="4">4 m</label></form>',
    'w (2 m [chosen]; 4 m [disabled])',
  ],
  [
    'without a name',
    '<form><input type="radio" id="2"><label for="2">2 m</label><input type="radio" id="4"><label for="4">4 m</label></form>',
    '(2 m; 4 m)',
  ],
  [
    'with texts for those who hear the page',
    `<fieldset><legend>Size</legend>${['S', 'M', 'L'].map((size) => `<input type="radio" name="s" id="${size}"${size === 'M' ? ' class="disabled"' : ''}><label for="${size}">${size}<span class="visually-hidden">Variant sold out</span>${size === 'L' ? '<span class="sr-only">wide</span>' : ''}</label>`).join('')}</fieldset>`,
    'Size (S; M [disabled]; L (wide))',
  ],
])('choices %s are told', async (_, choice, told) => {
  const page = `<nav><select><option>English<option>Deutsch</select></nav><main><h1>Ring</h1>${text.repeat(3)}${choice}</main>`;
  expect(await missingOf('page', page, 'text/html')).toEqual([
    `Choices that the content offers are left out: ${told}.`,
  ]);
});

it.each([
  [
    'pressed buttons',
    '<button aria-pressed="false">Monthly</button><button aria-pressed="true">Annual</button>',
    '(Monthly; Annual [chosen])',
  ],
  [
    'buttons of which only the pressed one says so',
    '<b>Billing:</b><button aria-pressed="true">Monthly</button><button>Annual</button>',
    'Billing (Monthly [chosen]; Annual)',
  ],
  [
    'a group of radios',
    '<ul role="radiogroup" aria-label="Billing"><li><a role="radio" aria-checked="true">Monthly</a><li><a role="radio" aria-checked="false">Annual</a></ul>',
    'Billing (Monthly [chosen]; Annual)',
  ],
  [
    'tabs without panels',
    '<ul role="tablist"><li role="tab" aria-selected="true">Monthly<li role="tab" aria-selected="false">Annual</ul>',
    '(Monthly [chosen]; Annual)',
  ],
])('%s and the prices of the choice that is not made are told', async (_, choice, told) => {
  const plan = (shown: number, hidden: string) =>
    `<div class="plan"><h3>Plan ${shown}</h3><p><span>$${shown}</span>${hidden} /user/month</p>${text}</div>`;
  const page = `<main><h1>Pricing</h1><div class="toggle">${choice}</div>${plan(12, '<span style="display:none">$15</span>')}${plan(20, '<span hidden>$25.50</span>')}${plan(0, '<span hidden>$0</span>')}${plan(7, '<span hidden>1 297,67 €, or</span>')}</main>`;
  expect(await missingOf('page', page, 'text/html')).toEqual([
    `Choices that the content offers are left out: ${told}.`,
    'Amounts that the page hides beside those it shows are left out: $15, $25.50, 1 297,67 €.',
  ]);
});

it('choices around the content are told', async () => {
  const select = '<select name="size"><option>Small<option>Large</select>';
  const page = `<nav><a href="/">Home</a></nav><div>${select}<div class="content"><h1>Jar</h1>${text.repeat(8)}</div></div>`;
  expect(await missingOf('page', page, 'text/html')).toContainEqual(
    expect.stringContaining('Choices that the content offers are left out: size (Small; Large)'),
  );
});

it('a button that says how much more it shows is told', async () => {
  const page = (button: string) =>
    `<article><h1>Storm</h1>${text.repeat(3)}<button>${button}</button></article>`;
  expect(await missingOf('page', page('Show 4 more updates'), 'text/html')).toEqual([
    'What buttons would show is left out: "Show 4 more updates".',
  ]);
  expect(await missingOf('page', page('Read more'), 'text/html')).toBeUndefined();
  const cut = (shown: string) =>
    `<article><h1>Jar</h1>${text.repeat(8)}<p>${shown}<span style="display:none"> with a lid</span><a href="#">Read more</a></p></article>`;
  expect(await missingOf('page', cut('White porcelain'), 'text/html')).toEqual([
    'What buttons would show is left out: "Read more".',
  ]);
  expect(await missingOf('page', cut(''), 'text/html')).toBeUndefined();
  const fold = (before: string) =>
    `<article><h1>Jar</h1>${text.repeat(8)}${before}<div style="display:none"><p>It has a lid.</p></div><a href="#">More on it</a></article>`;
  expect(await missingOf('page', fold('<p>White porcelain.</p>'), 'text/html')).toEqual([
    'What buttons would show is left out: "More on it".',
  ]);
  expect(await missingOf('page', fold('<img>'), 'text/html')).toBeUndefined();
});

it('hidden items of a list are told', async () => {
  for (const look of ['hidden', 'style="display: none"']) {
    const page = `<main><h1>Crew</h1>${text.repeat(3)}<ul><li>Ann<li>Ben<li ${look}>Eva</ul><button aria-expanded="false">Show 1 more</button></main>`;
    expect(await missingOf('page', page, 'text/html')).toEqual([
      '1 hidden item of lists in the content is left out.',
    ]);
  }
});

it('hidden parts beside such as are shown are told, but for copies of what is', async () => {
  const part = (words: string, look = '') => `<div class="pane tall"${look}>${words}</div>`;
  const hidden = ' style="display:none"';
  const page = (other: string) =>
    `<main><h1>Lamp</h1>${text.repeat(3)}<section>${part('Made of brass.')}${other}</section></main>`;
  expect(await missingOf('page', page(part('Nobody has said anything of it.', hidden)), 'text/html')).toEqual(
    ['Hidden parts beside such as are shown are left out: "Nobody has said anything of it.".'],
  );
  for (const other of [
    part('Made of brass.', hidden),
    part('', hidden),
    part('Sold.', hidden).replace('pane tall', 'dialog'),
    part('Sold.', hidden).replaceAll('div', 'p'),
  ])
    expect(await missingOf('page', page(other), 'text/html')).toBeUndefined();
});

it('hidden rows of a table are told, with the amounts of their cells', async () => {
  const row = (name: string, spend: string, share: string, look = '') =>
    `<tr${look}><td>${name}</td><td>${spend}</td><td>${share} %</td></tr>`;
  const hidden = ' style="display:none"';
  const rows = `${row('Bread', '£120', '4.1')}${row('Milk', '£95', '3.2')}${row('Tea', '£18', '0.6', hidden)}${row('Rice', '£33', '1.1', hidden)}`;
  const page = `<main><h1>Basket</h1>${text.repeat(3)}<table><tr><th>Product<th>Spend<th>Share</tr>${rows}</table></main>`;
  expect(await missingOf('page', page, 'text/html')).toEqual([
    'Amounts that the page hides beside those it shows are left out: £18, £33.',
    '2 hidden rows of tables in the content are left out.',
  ]);
});

const stated = (value: object) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

it.each([
  [{ '@type': 'Event', startDate: '2026-05-03' }, 'Event'],
  [{ '@type': 'MusicAlbum', albumRelease: [{ offers: { price: 8, priceCurrency: 'GBP' } }] }, 'MusicAlbum'],
  [{ '@type': 'WebPage', about: { '@type': 'Product', offers: { price: 8 } } }, undefined],
  [{ '@type': 'Museum', address: { '@type': 'PostalAddress', postalCode: '8' } }, undefined],
])('a price, a rating or a day that is stated of %j is told', async (thing, type) => {
  const missing = await missingOf('page', `<h1>Harbour</h1>${text.repeat(8)}${stated(thing)}`, 'text/html');
  const told = `The page states a price, a rating or a day of something else (${type ?? ''}): ask for parts ["data"].`;
  expect(missing ?? []).toEqual(type === undefined ? [] : [told]);
});

it.each([
  ['899,00 kr', ['`data.price` is 799 as the page states it for programs, but it shows 899.']],
  ['799,- kr', undefined],
  ['799 kr', undefined],
  ['kr 799.00', undefined],
])('a product that states 799 and shows %s', async (shown, missing) => {
  const product = { '@type': 'Product', name: 'Lamp', offers: { price: '799.00', priceCurrency: 'DKK' } };
  const page = `<main><h1>Lamp</h1><p class="price">${shown}</p>${text.repeat(3)}</main>${stated(product)}`;
  expect(await missingOf('page', page, 'text/html')).toEqual(missing);
});

const told = (what: string) => `\`data.${what}`;
it.each([
  [
    'another price where one stands',
    { price: '95.00' },
    '<p>Lowest price in 30 days: €95,00</p>',
    [told('price` is 95 as the page states it for programs, but it shows 99.')],
  ],
  [
    'one of several prices',
    { lowPrice: '95.00', highPrice: '120.00' },
    '<p class="price">€95,00</p>',
    undefined,
  ],
  [
    'another currency',
    { price: '99.00', priceCurrency: 'USD' },
    '',
    [told('currency` is USD as the page states it for programs, but it shows €.')],
  ],
  [
    'that it is in stock',
    { price: '99.00', availability: 'OutOfStock' },
    '<p class="stock">Only 2 left in stock</p>',
    [told('availability` is OutOfStock as the page states it, but the page shows that it is in stock.')],
  ],
  [
    'another number of reviews',
    { price: '99.00' },
    '<p>(5 customer reviews)</p>',
    [told('reviews` is 7 as the page states it for programs, but it shows "5 customer reviews".')],
  ],
  ['the number of reviews', { price: '99.00' }, '<p>7 reviews</p>', undefined],
  ['a price above its reviews', { price: '99.00' }, '<p>Next: €18,50</p><h2>Reviews</h2>', undefined],
])('a product page that shows %s', async (_, offer, shown, missing) => {
  const offers = { priceCurrency: 'EUR', ...offer };
  const product = {
    '@type': 'Product',
    name: 'Shoe',
    offers,
    aggregateRating: { ratingValue: 4, reviewCount: 7 },
  };
  const page = `<main><h1>Shoe</h1><p class="price">€99,00</p>${shown}${text.repeat(3)}</main>${stated(product)}`;
  expect(await missingOf('page', page, 'text/html')).toEqual(missing);
});

it.each([
  [1234.5, '1.234,50 €'],
  [12.9, '12⁹⁰ €'],
  [12.9, '12<sup>90</sup> €'],
  [1234, "€ 1'234.–"],
])('a product that states %s and shows %s', async (price, shown) => {
  const product = { '@type': 'Product', name: 'Lamp', offers: { price, priceCurrency: 'EUR' } };
  const page = `<main><h1>Lamp</h1><p class="price">${shown}</p>${text.repeat(3)}</main>${stated(product)}`;
  expect(await missingOf('page', page, 'text/html')).toBeUndefined();
});

it.each([
  ['Jette Møller', '2026-03-05', 2],
  ['Redaktionen Fyn', '2026-03-07', 0],
  ['Redaktionen', '2026-03-09', 0],
])('an article by %s of %s that states another author or day', async (name, day, count) => {
  const article = {
    '@type': 'NewsArticle',
    author: 'Redaktionen',
    datePublished: '2026-03-07',
    dateModified: '2026-03-09',
  };
  const page = `<article><h1>Harbour</h1><p class="byline">Af <a rel="author" href="/a">${name}</a>, <time datetime="${day}">${day}</time></p>${text.repeat(9)}</article>${stated(article)}`;
  const { author, date, missing = [] } = await readOf('page', page, 'text/html');
  expect({ author, date }).toEqual({ author: 'Redaktionen', date: '2026-03-07' });
  expect(missing).toHaveLength(count);
});

it('the day of an event is no day of publication', async () => {
  const event = { '@type': 'MusicEvent', name: 'Fête', startDate: '2026-07-18' };
  const page = `<main><h1>Fête</h1><p><time datetime="2026-07-18">18 July 2026</time></p>${text.repeat(5)}</main>${stated(event)}`;
  expect(await readOf('page', page, 'text/html')).not.toHaveProperty('date');
});

it('what was not asked for is not said to be missing, but a further page is', async () => {
  const rows = ['Attic', 'Hall', 'Cellar'].map((name) => `<tr><td>${name}</td><td>12</td></tr>`).join('');
  const table = `<table><tr><th>Room</th><th>Seats</th></tr>${rows}</table>`;
  const page = (more: string) =>
    `<html><head><meta property="og:type" content="article"></head><article><h1>Harbour</h1>${text.repeat(6)}${table}<div class="comments">${text}</div></article><aside><p>${'The house is open from eight to ten. '.repeat(3)}</p></aside>${more}</html>`;
  const url = 'https://x.example/harbour';
  expect(await missingOf('page', page(''), 'text/html', url)).toHaveLength(2);
  expect(await missingOf('page', page(''), 'text/html', url, ['tables'])).toBeUndefined();
  const next = (address: string) => page(`<a rel="next" href="${address}">Next</a>`);
  for (const address of ['/harbour?page=2', '/harbour/2'])
    expect(await readOf('page', next(address), 'text/html', url, ['tables'])).toMatchObject({
      kind: 'article',
      next: `https://x.example${address}`,
    });
  expect(await readOf('page', next('/ferries-2025'), 'text/html', url)).not.toHaveProperty('next');
});

it('amounts of a hidden panel that stand in the text are not told as left out', async () => {
  const panel =
    '<a data-toggle="collapse" href="#bulk">Buy in bulk</a><div id="bulk" style="display:none"><p>Buy 10 and pay only £6.59 each</p></div>';
  const page = `<main><h1>Gloves</h1><p class="price">£7.19</p>${panel}${text.repeat(3)}</main>`;
  expect(await missingOf('page', page, 'text/html')).toBeUndefined();
});

it('a price that the page shows as one is no other one, though another stands before it', async () => {
  const offers = { '@type': 'Offer', price: 10, priceCurrency: 'EUR' };
  const stated = JSON.stringify({ '@type': 'Product', name: 'Lamp', offers });
  const page = (member: string) =>
    `<script type="application/ld+json">${stated}</script><main><h1>Lamp</h1>${text}
    <div><p class="price">€12.00</p></div><section><b class="${member}">€10.00</b></section></main>`;
  expect(await missingOf('page', page('member-price'), 'text/html')).toBeUndefined();
  expect(await missingOf('page', page('member'), 'text/html')).toEqual([
    expect.stringContaining('it shows 12'),
  ]);
});

it('a box of facts in an article stays in its text', async () => {
  const facts = ['Built: 1931', 'Length: 412 m', 'Architect: Ann Doe', 'Opened: 3 May 1932'];
  const box = `<aside><h2>At a glance</h2><ul>${facts.map((fact) => `<li>${fact}</li>`).join('')}</ul></aside>`;
  const article = `<article><h1>Bridge</h1>${text.repeat(4)}${box}<footer></footer></article>`;
  const { main, missing } = await readOf('page', `<main>${article}</main>`, 'text/html');
  expect(main).toContain('Architect: Ann Doe');
  expect(missing).toBeUndefined();
});
