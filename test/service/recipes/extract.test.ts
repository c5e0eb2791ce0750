/** What each kind of extraction takes from a page. */
import { describe, expect, it } from 'vitest';
import { Extract } from '../../../src/service/recipes/recipe-schema.ts';
import { readExtracted, extracted as rows } from '../../support/extract.ts';

it('a row of siblings ends where the next one starts', async () => {
  const page =
    '<div><p>intro</p><h3>One</h3><p class="a">1</p><b>x</b><h3>Two</h3><b>y</b><h3>Three</h3><p class="a">3</p></div>';
  const fields = { name: { select: 'h3' }, number: { select: '.a', type: 'number' }, letter: 'b' };
  expect(await rows(page, { kind: 'html', list: 'h3', siblings: true, fields })).toEqual([
    { name: 'One', number: 1, letter: 'x' },
    { name: 'Two', number: null, letter: 'y' },
    { name: 'Three', number: 3, letter: null },
  ]);
});

it('a row in which nothing was found is left out', async () => {
  const list =
    '<ul><li class="head">Boats</li><li><b>Albatross</b><i>9 m</i></li><li></li><li><b>Dunlin</b></li></ul>';
  const fields = { name: 'b', length: 'i', tags: { select: 'u', all: true } };
  expect(await rows(list, { kind: 'html', list: 'li', fields })).toEqual([
    { name: 'Albatross', length: '9 m', tags: [] },
    { name: 'Dunlin', length: null, tags: [] },
  ]);
  const table =
    '<table><tr><th>Name<th>Berth</tr><tr><td>Albatross<td>C</tr><tr><td><td></tr><tr><td>Dunlin<td></tr></table>';
  expect(await rows(table, { kind: 'table' })).toEqual([
    { Name: 'Albatross', Berth: 'C' },
    { Name: 'Dunlin', Berth: null },
  ]);
});

it('rows of one cell and repeated headers are no data of a table', async () => {
  const page =
    '<table><tr><th>A<th>B</tr><tr><td>1<td>2</tr><tr><td colspan=2>Buy now</tr><tr><th>A<th>B</tr><tr><td>3<td>3</tr></table>';
  expect(await rows(page, { kind: 'table' })).toEqual([
    { A: '1', B: '2' },
    { A: '3', B: '3' },
  ]);
});

it('a field above the rows holds up to the next of its kind', async () => {
  const page =
    '<h1>All</h1><ul><li>first</ul><section><h2>Soups <b>hot</b></h2><ul><li>Leek<li>Beet</ul></section>' +
    '<section><h2>Cakes</h2><ul><li class="note">All with nuts<li>Plum</ul></section><h2>End</h2>';
  const fields = {
    name: { own: true },
    section: { above: 'section > h2', own: true },
    how: { above: 'section > h2', select: 'b' },
    note: { above: 'li.note' },
  };
  expect(await rows(page, { kind: 'html', list: 'li', fields })).toEqual([
    { name: 'first', section: null, how: null, note: null },
    { name: 'Leek', section: 'Soups', how: 'hot', note: null },
    { name: 'Beet', section: 'Soups', how: 'hot', note: null },
    { name: 'Plum', section: 'Cakes', how: null, note: 'All with nuts' },
  ]);
});

it('what is around a row stands above it too', async () => {
  const page =
    '<ul class="tree"><li data-code="f">Fruit<ul><li>Plum<li>Pear</ul></li><li data-code="n">Nuts<ul><li>Hazel</ul></li></ul>';
  const fields = {
    name: {},
    group: { above: '.tree > li', own: true },
    code: { above: '.tree > li', attribute: 'data-code' },
  };
  expect(await rows(page, { kind: 'html', list: '.tree li li', fields })).toEqual([
    { name: 'Plum', group: 'Fruit', code: 'f' },
    { name: 'Pear', group: 'Fruit', code: 'f' },
    { name: 'Hazel', group: 'Nuts', code: 'n' },
  ]);
});

it('above is allowed only for the rows of a list', () => {
  const field = { above: 'h2' };
  expect(Extract.safeParse({ kind: 'html', fields: { day: field } }).success).toBe(false);
  expect(Extract.safeParse({ kind: 'html', list: 'li', fields: { day: field } }).success).toBe(true);
  const columns = (column: object) => Extract.safeParse({ kind: 'table', columns: { day: column } }).success;
  expect([
    columns({}),
    columns(field),
    columns({ header: 'Day' }),
    columns({ ...field, header: 'Day' }),
  ]).toEqual([false, true, true, false]);
});

it('rows of a table stand under its sections, several tables under their captions', async () => {
  const table = (caption: string, row: string) =>
    `<table><caption>${caption}</caption><tr><th>At<th>Who</tr><tr><th colspan=2>Monday</tr><tr><td>9<td>A</tr>` +
    `<tr class=day><td>Tuesday<td></tr>${row}<tfoot><tr><td>Sum<td>2</tfoot></table>`;
  const page = `${table('Hall', '<tr><td>10<td>B</tr>')}<table><tr><th>At<th>Price</tr><tr><td>1<td>2</tr></table>${table('Foyer', '<tr><td>11<td>C</tr>')}`;
  const columns = {
    place: { above: 'caption' },
    day: { above: 'tr.day, tr:has(> :only-child)' },
    at: { header: 'At', type: 'number' },
    who: { header: 'Who' },
  };
  expect(await rows(page, { kind: 'table', columns })).toEqual([
    { place: 'Hall', day: 'Monday', at: 9, who: 'A' },
    { place: 'Hall', day: 'Tuesday', at: 10, who: 'B' },
    { place: 'Foyer', day: 'Monday', at: 9, who: 'A' },
    { place: 'Foyer', day: 'Tuesday', at: 11, who: 'C' },
  ]);
  await expect(rows(page, { kind: 'table', columns: { x: { header: 'X' } } })).rejects.toThrow('no column X');
});

it('of two header rows the upper one tells repeated headers apart', async () => {
  const page =
    '<table><thead><tr><th colspan=5>Season</tr><tr><th rowspan=2>Team<th colspan=2>Home<th colspan=2>Away</tr><tr><th>W<th>L<th>W<th>L</tr></thead>' +
    '<tr><th scope=row>Ayr<td>1<td>2<td>3<td>4</tr><tr><th>Team<th>W<th>L<th>W<th>L</tr><tr><th scope=row>Bo<td>5<td>6<td>7<td>8</tr></table>';
  expect(await rows(page, { kind: 'table' })).toEqual([
    { Team: 'Ayr', 'Home W': '1', 'Home L': '2', 'Away W': '3', 'Away L': '4' },
    { Team: 'Bo', 'Home W': '5', 'Home L': '6', 'Away W': '7', 'Away L': '8' },
  ]);
  const columns = { home: { header: 'W' }, away: { header: 'away w' }, lost: { header: 'L 5' } };
  await expect(rows(page, { kind: 'table', columns })).rejects.toThrow('no column L 5');
  expect(await rows(page, { kind: 'table', columns: { home: columns.home, away: columns.away } })).toEqual([
    { home: '1', away: '3' },
    { home: '5', away: '7' },
  ]);
});

it('a title over a table and cells that claim to span everything are no headers', async () => {
  const page =
    '<table><tr><td colspan=2><b>Prices</b></tr><tr><td>Item<td>Cost</tr><tr><td rowspan=99>Tea<td>2</tr><tr><td>3</tr></table>';
  expect(await rows(page, { kind: 'table' })).toEqual([
    { Item: 'Tea', Cost: '2' },
    { Item: 'Tea', Cost: '3' },
  ]);
});

it('of a feed only some of the common fields are taken', async () => {
  const page =
    '<rss version="2.0"><channel><title>F</title><item><title>One</title><link>https://site.example/1</link></item></channel></rss>';
  const fields = { headline: { path: 'title', type: 'text' } };
  expect(await rows(page, { kind: 'feed', only: ['url'], fields })).toEqual([
    { url: 'https://site.example/1', headline: 'One' },
  ]);
});

it('an article is found between the rest of the page', async () => {
  const paragraph =
    'The harbour was rebuilt after the storm, and it took the town, which had little money, eleven years. ';
  const page =
    `<title>Harbour</title><nav><a href="/">Home</a></nav><main><h1>The harbour</h1><p class="byline">By Ann Lee</p>` +
    `<time datetime="2024-05-06">6 May</time><div>${`<p>${paragraph.repeat(4)}</p>`.repeat(5)}</div></main><footer>Contact</footer>`;
  const record = await rows(page, {
    kind: 'article',
    fields: { headline: 'title', body: 'text', published: 'published' },
  });
  expect(record).toMatchObject({ headline: 'The harbour', published: '2024-05-06' });
  expect(JSON.stringify(record)).toContain('eleven years');
  expect(JSON.stringify(record)).not.toContain('Contact');
  await expect(rows('<p>', { kind: 'article' })).rejects.toThrow('no article');
});

it('text is what a reader sees: no signs of fonts, no titles of drawings, cents as decimals', async () => {
  const fields = {
    text: { select: 'p' },
    price: { select: '.price', type: 'number', unit_field: 'currency' },
  };
  const read = (body: string) => rows(`<div>${body}</div>`, { kind: 'html', list: 'div', fields });
  expect(await read('<p><i class="material-icons">place</i> Leeds</p>')).toMatchObject([{ text: 'Leeds' }]);
  expect(await read('<p><svg><title>Beds</title></svg>3</p>')).toMatchObject([{ text: '3' }]);
  expect(await read('<p>10<sup>12</sup> and 2020<sup>[3]</sup></p>')).toMatchObject([
    { text: '10¹² and 2020' },
  ]);
  const raised =
    '2,755,309<sup>a</sup>, 45.3%<sup>b, c</sup>; 1<sup>a</sup>, 18<sup>e</sup>, 12<sup>h</sup>, x<sup>a</sup>';
  expect(await read(`<p>${raised}, 30 m<sup>2</sup>, 5 m<sup>3</sup></p>`)).toMatchObject([
    { text: '2,755,309, 45.3%; 1a, 18e, 12h, xa, 30 m², 5 m³' },
  ]);
  const notes =
    'Soup <sup>9</sup>, Mixed board<sup>1,7</sup>, Schnitzel <sup>(a,c,g)</sup>, Tea<sup>A1, C</sup>';
  expect(await read(`<p>${notes}, 07:30<sup>a)</sup>, Pie<sup>(2)</sup></p>`)).toMatchObject([
    { text: 'Soup , Mixed board, Schnitzel , Tea, 07:30, Pie' },
  ]);
  const counts = '1,586,659<sup>1,3</sup>, 5,550,203<sup>1</sup>, 1,000<sup>2</sup>, 10<sup>1,5</sup>';
  expect(await read(`<p>${counts}</p>`)).toMatchObject([{ text: '1,586,659, 5,550,203, 1,000², 10^1,5' }]);
  const powers = '5 feet<sup>2</sup>, sin<sup>2</sup>, carbon <sup>14</sup>C, Prof<sup>a</sup>';
  expect(await read(`<p>${powers}, Brand<sup>(R)</sup></p>`)).toMatchObject([
    { text: '5 feet², sin², carbon ¹⁴C, Profa, Brand(R)' },
  ]);
  const priced = (body: string) => read(`<span class="price">${body}</span>`);
  expect(await priced('<b>12,500.75</b><sup>a</sup>')).toMatchObject([{ price: 12_500.75, currency: null }]);
  expect(await priced('<span>£</span><span>12</span><sup>99</sup>')).toMatchObject([
    { price: 12.99, currency: 'GBP' },
  ]);
  expect(await priced('<b>12</b><span class="price-cents">50</span> €')).toMatchObject([
    { price: 12.5, currency: 'EUR' },
  ]);
  expect(await read('<p>1,204<sup><a href="#1">[note 1]</a><a href="#2">[2]</a></sup></p>')).toMatchObject([
    { text: '1,204' },
  ]);
  expect(await priced('18.990,50 €<sup>1</sup>')).toMatchObject([{ price: 18_990.5, currency: 'EUR' }]);
  expect(await priced('120.50<sup>2)</sup>')).toMatchObject([{ price: 120.5, currency: null }]);
  const deep = `${'<div class="price">$1<sup>99</sup>'.repeat(400)}`;
  expect(await read(deep)).toHaveLength(400);
  expect(await priced('<b>12<i>.</i></b><span class="fraction">50</span>')).toMatchObject([{ price: 12.5 }]);
});

it('the value of a control is what it shows, not all that it offers', async () => {
  const fields = { qty: { select: 'td' } };
  const read = (cell: string) => rows(`<table><tr><td>${cell}</table>`, { kind: 'html', list: 'tr', fields });
  const options = '<option>1</option><option selected>2</option><option>3</option>';
  expect(await read(`<select>${options}</select> each`)).toEqual([{ qty: '2 each' }]);
  expect(await read('<select><option>1<option>2</select>')).toEqual([{ qty: '1' }]);
  expect(await read('<div><input type="number" value="3"></div>')).toEqual([{ qty: '3' }]);
  expect(await read('$3 <input value="1"><input type="hidden" value="77">')).toEqual([{ qty: '$3' }]);
  const offers = '<option>Small $5</option><option>Large $7</option>';
  expect(await read(`<select>${offers}</select>`)).toEqual([{ qty: 'Small $5 Large $7' }]);
});

it('an element or an attribute that is not there says no, a member of JSON nothing', async () => {
  const page = '<ul><li data-new="yes">Ann<b>!</b></li><li>Bo</li></ul>';
  const fields = {
    name: { own: true },
    is_new: { attribute: 'data-new', type: 'boolean' },
    is_marked: { select: 'b', type: 'boolean' },
  };
  expect(await rows(page, { kind: 'html', list: 'li', fields })).toEqual([
    { name: 'Ann', is_new: true, is_marked: true },
    { name: 'Bo', is_new: false, is_marked: false },
  ]);
  const found = rows('[{"name":"Ann","active":true},{"name":"Bo"}]', {
    kind: 'json',
    list: '@',
    fields: { name: 'name', active: { path: 'active', type: 'boolean' } },
  });
  expect(await found).toEqual([
    { name: 'Ann', active: true },
    { name: 'Bo', active: null },
  ]);
});

it('a field may be one line of a text', async () => {
  const page = '<ul><li><p>Ann<br>Warden<br>Leeds</p></li><li><p>Bo</p></li></ul>';
  const fields = {
    name: { select: 'p', line: 1 },
    role: { select: 'p', line: 2 },
  };
  expect(await rows(page, { kind: 'html', list: 'li', fields })).toEqual([
    { name: 'Ann', role: 'Warden' },
    { name: 'Bo', role: null },
  ]);
});

it('one record may come from elements and from scripts', async () => {
  const page =
    '<script type="application/ld+json">{"@type":"Product","sku":"A-7","offers":{"price":"12.50"}}</script><h1>Lamp</h1><s class="was">£15.00</s>';
  const script = 'script[type="application/ld+json"]';
  const fields = {
    name: 'h1',
    was: { select: '.was', type: 'number' },
    sku: { script, path: '[0].sku' },
    price: { script, path: '[0].offers.price', type: 'number' },
    absent: { script: 'script.none', path: '[0].sku' },
  };
  expect(await rows(page, { kind: 'html', fields })).toEqual({
    name: 'Lamp',
    was: 15,
    sku: 'A-7',
    price: 12.5,
    absent: null,
  });
  expect(Extract.safeParse({ kind: 'html', list: 'li', fields }).success).toBe(false);
});

it('a lazily loaded image is found, and a clickable footnote is left out of the text', async () => {
  const blank = 'data:image/svg+xml,%3Csvg%3E%3C/svg%3E';
  const page = `<ul><li><img src="${blank}" data-lazy-src="/a.webp"><b>€ 890<sup><button>1</button></sup></b></li><li><img src="${blank}" srcset="/b-1.webp 1x, /b-2.webp 2x"><b>€ 75</b></li><li><img src="${blank}"><b>€ 5<sup>2</sup></b></li></ul>`;
  const fields = { image: { select: 'img', type: 'image' }, price: { select: 'b', type: 'text' } };
  expect(await rows(page, { kind: 'html', list: 'li', fields })).toEqual([
    { image: 'https://site.example/a.webp', price: '€ 890' },
    { image: 'https://site.example/b-1.webp', price: '€ 75' },
    { image: null, price: '€ 5²' },
  ]);
});

const dated = (dates: readonly string[], around = '') =>
  `<html${around}<ul>${dates.map((date) => `<li><b>x</b><i>${date}</i></li>`).join('')}</ul></html>`;

it.each([
  [['1/2/2024', '13/2/2024'], '>', ['2024-02-01', '2024-02-13']],
  [['1/2/2024', '2/13/2024'], '>', ['2024-01-02', '2024-02-13']],
  [['1/2/24', '13/2/24'], '>', ['2024-02-01', '2024-02-13']],
  [['1-2-2024 10:30', '13-2-2024 11:30'], '>', ['2024-02-01T10:30:00Z', '2024-02-13T11:30:00Z']],
  [['1/2/2024'], '><p>Updated 25/12/2023</p>', ['2024-02-01']],
  [['1/2/2024'], ' lang="de">', ['2024-02-01']],
  [['1/2/2024'], ' lang="en-US">', ['2024-01-02']],
  // Nothing tells the order, or the dates disagree.
  [['1/2/2024', '3/4/2024'], ' lang="en">', ['1/2/2024', '3/4/2024']],
  [['1/2/2024', '13/2/2024', '2/13/2024'], ' lang="de">', ['1/2/2024', '2024-02-13', '2024-02-13']],
  [['13/3/24', '3/13/24'], '>', ['13/3/24', '3/13/24']],
  [['1.2.2024', '3/4/2024'], '>', ['2024-02-01', '3/4/2024']],
])('%j: the other dates tell the order of day and month', async (dates, around, expected) => {
  const fields = { name: 'b', date: { select: 'i', type: 'date' } };
  const items = await rows(dated(dates, around), { kind: 'html', list: 'li', fields });
  expect(items).toEqual(expected.map((date) => ({ name: 'x', date })));
});

it('a list of dates in one field is read in one order', async () => {
  const fields = { dates: { select: 'i', type: 'date', all: true } };
  expect(await rows(dated(['1/2/2024', '13/2/2024'], '>'), { kind: 'html', list: 'ul', fields })).toEqual([
    { dates: ['2024-02-01', '2024-02-13'] },
  ]);
});

it.each([
  [
    ['Hotel|300', 'Train|120', 'Food|80', 'Subtotal|500', 'Bar|20', 'Total|520'],
    ['row 4 ("Subtotal"), row 6 ("Total")'],
  ],
  [['Jan|300', 'Feb|120', 'Mar|90', 'Ø|170'], ['row 4 ("Ø")']],
  [
    ['A|10.5', 'B|20', 'Total North|30.5', 'C|12', 'Total South|12', 'Grand total|42.5'],
    ['row 3 ("Total North"), row 5 ("Total South"), row 6 ("Grand total")'],
  ],
  [['Hotel|300', 'Train|120', 'Food|420'], ['The last row may be a total']],
  // Names alone, and sums in between that are not named so, tell nothing.
  [['Chess|30', 'Total War|50', 'Go|20'], undefined],
  [['Hotel|300', 'Train|120', 'Food|420', 'Bar|20'], undefined],
])('rows that may be totals among %j are told', async (texts, told) => {
  const rows = texts.map((row) => `<tr><td>${row.replace('|', '<td>')}`);
  const columns = { what: { header: 'What' }, cost: { header: 'Cost', type: 'number' } };
  const page = `<table><tr><th>What<th>Cost${rows.join('')}</table>`;
  const outcome = await readExtracted(page, { kind: 'table', columns });
  expect(outcome?.doubts).toEqual(told?.map((text) => expect.stringContaining(text)));
});

it('a total that adds up groups is told, with a change beside it, and is in no group', async () => {
  const group = (name: string) => `<tr class="grp"><th colspan="3">${name}`;
  const rows = ['Wages|1350|12.5 %', 'Training|20|-15.7 %', 'Subtotal staff|1370|', 'Rent|200|0 %'];
  const more = ['Energy|120|36.4 %', 'Subtotal rooms|320|', 'Total|1690|8.3 %'];
  const toRows = (texts: readonly string[]) =>
    texts.map((text) => `<tr><td>${text.replaceAll('|', '<td>')}`).join('');
  const page = `<table><tr><th>Item<th>2026<th>Change${group('Staff')}${toRows(rows.slice(0, 3))}${group('Rooms')}${toRows([...rows.slice(3), ...more])}</table>`;
  const columns = {
    item: { header: 'Item' },
    cost: { header: '2026', type: 'number' },
    change: { header: 'Change', type: 'number' },
    section: { above: '.grp' },
  };
  const outcome = await readExtracted(page, { kind: 'table', columns });
  expect(outcome?.doubts).toEqual([
    'Some rows may be totals or averages of others and no further entries: row 3 ("Subtotal staff"), row 6 ("Subtotal rooms"), row 7 ("Total"; its section is only that of the row above).',
  ]);
});

it.each([
  [undefined, [expect.stringContaining('copies: null in 1 of 2 rows')]],
  // The recipe says what it means.
  [0, undefined],
])('a text without the number of the others is told, with the default %j', async (value, doubts) => {
  const copies = {
    type: 'number',
    match: '(\\d+) available',
    ...(value !== undefined && { default: value }),
  };
  const outcome = await readExtracted('<ul><li>5 available<li>sold out</ul>', {
    kind: 'html',
    list: 'li',
    fields: { state: {}, copies },
  });
  expect(outcome?.doubts).toEqual(doubts);
});

it.each([
  [{}, 'at: the page has times behind its dates that the rows do not hold, such as "12h00".'],
  [{ hour: { match: '\\d+h\\d+' } }, undefined],
])(
  'times behind dates that are cut out of a text are told where rows with %j lack them',
  async (more, said) => {
    const at = { type: 'date', match: '\\d+/\\d+/\\d+' };
    const outcome = await readExtracted('<ul><li>15/12/2026 à 12h00<li>closed<li>20/12/2026 à 9h30</ul>', {
      kind: 'html',
      list: 'li',
      fields: { at, ...more },
      built: {},
    });
    const doubts = outcome?.doubts?.filter((doubt) => doubt.includes('times behind')) ?? [];
    expect(doubts).toEqual(said === undefined ? [] : [said]);
  },
);

it('a line whose label rows may lack is read behind its own label, and never behind another', async () => {
  const lines = [
    ['Owner: City', 'Units: 4', 'Roof: Slate'],
    ['Units: 5', 'Roof: Tile'],
    ['Church', '6', 'Note'],
  ].map((some) => `<li>${some.join('<br>')}`);
  const extracted = await readExtracted(`<ul>${lines.join('')}</ul>`, {
    kind: 'html',
    list: 'li',
    fields: {
      owner: { line: 1, match: '^(?:Owner:\\s*)?(.+)$' },
      units: { line: 2, type: 'number', match: ['^(?:Units:\\s*)?(.+)$', '^(.+)$'] },
    },
  });
  expect(extracted).toMatchObject({
    rows: [
      { owner: 'City', units: 4 },
      { owner: null, units: 5 },
      { owner: 'Church', units: 6 },
    ],
  });
});

describe('zones of times', () => {
  const read = async (...texts: string[]) =>
    (
      await readExtracted(`<ul>${texts.map((text) => `<li>${text}`).join('')}</ul>`, {
        kind: 'html',
        list: 'li',
        fields: { at: { type: 'date' } },
      })
    )?.doubts;
  it('that some times lack are told', async () => {
    expect(await read('2026-03-28 23:15 CET', '29 Mar 2026 01:30')).toEqual([
      expect.stringContaining('at: some times name their zone'),
    ]);
    expect(await read('2026-03-28 23:15 CET', '2026-03-28T23:15:00+01:00', '3 May 2026')).toBeUndefined();
    expect(await read('2026-03-28', '29 Mar 2026')).toBeUndefined();
  });
  it('that all times lack are told', async () => {
    expect(await read('2026-03-28 23:15', '29 Mar 2026 01:30')).toEqual([
      'at: its times name no time zone that is known; they are given as if they were in UTC.',
    ]);
  });
  it('are those of the recipe where a text names none', async () => {
    const extracted = await readExtracted(
      '<ul><li>2026-01-28 00:15<li>2026-07-28 12:15 Z<li>29 Jul 2026</ul>',
      {
        kind: 'html',
        list: 'li',
        fields: { at: { type: 'date', zone: 'CET' } },
      },
    );
    expect(extracted).toMatchObject({
      rows: [{ at: '2026-01-27T23:15:00Z' }, { at: '2026-07-28T12:15:00Z' }, { at: '2026-07-29' }],
      doubts: [expect.stringContaining('of another day than the page says, such as "2026-01-28 00:15"')],
    });
  });
  it('that move a time into another day are told', async () => {
    expect(await read('2026-12-05T20:00:00-05:00', '2026-12-06')).toEqual([
      expect.stringContaining('of another day than the page says, such as "2026-12-05T20:00:00-05:00"'),
    ]);
    expect(await read('2026-12-05T18:00:00-05:00', '2026-12-05T20:00:00Z')).toBeUndefined();
  });
});

describe('what a page says beside its numbers', () => {
  const read = (cells: readonly string[], rules: object, head = 'Price') => {
    const rows = cells.map((cell, index) => `<tr><td>Row ${index}<td>${cell}`);
    const columns = { name: { header: 'Name' }, price: { header: head, type: 'number', ...rules } };
    return readExtracted(`<table><tr><th>Name<th>${head}${rows.join('')}</table>`, {
      kind: 'table',
      table: 'table',
      columns,
    });
  };
  const currency = { unit_field: 'price_currency' };

  it.each([
    ['a unit behind the currency', ['€ 13 / month', '€ 15 / month'], currency, ['"€ 13 / month"']],
    ['zeros', ['1.10', '1.2', '1.9'], {}, ['1.10 is 1.1']],
  ])('%s is told', async (_, cells, rules, told) => {
    expect((await read(cells, rules))?.doubts).toEqual(told.map((text) => expect.stringContaining(text)));
  });

  it.each([
    ['a currency', ['€ 13', '€ 15'], currency],
    ['a currency that is said twice', ['$13 USD', '$15 USD'], currency],
    ['a unit that nobody asked for', ['13 kg', '15 kg'], {}],
    ['a unit of its own field', ['13 kg', '15 kg'], { unit_field: 'price_unit' }],
    ['as many decimals throughout', ['1.10', '1.25'], {}],
  ])('%s is not', async (_, cells, rules) => {
    expect((await read(cells, rules))?.doubts).toBeUndefined();
  });

  it.each([
    [['€ 13', '€ 15'], currency, 'Revenue (m)', ['"Revenue (m)"']],
    [['13', '15'], { unit: '€ m', unit_field: 'price_unit' }, 'Revenue (€ m)', undefined],
    [['€ 13', '€ 15'], currency, 'Revenue (€)', undefined],
  ])('the scale of a head is told where no field says it: %j %j %s', async (cells, rules, head, told) => {
    expect((await read(cells, rules, head))?.doubts).toEqual(
      told?.map((text) => expect.stringContaining(text)),
    );
  });

  it.each([
    ['<table><caption>in € million</caption>', 'Item', {}, 'in € million'],
    [
      '<p>(in thousands, except per share data)</p><table>',
      'Item',
      {},
      '(in thousands, except per share data)',
    ],
    ['<table>', 'in Mio. €', {}, 'in Mio. €'],
    ['<table><caption>in € million</caption>', 'Item', { unit: '€ million' }, undefined],
    ['<h2>Cities of more than a million</h2><table>', 'City', {}, undefined],
  ])('a scale of all numbers of a table is told: %s %s', async (start, head, rules, told) => {
    const read = await readExtracted(`<body>${start}<tr><th>${head}<th>2025<tr><td>Ships<td>12.6`, {
      kind: 'table',
      table: 'table',
      columns: { ships: { header: '2025', type: 'number', ...rules } },
    });
    expect(read?.doubts).toEqual(told && [`The table says "${told}"; its numbers are those of its cells.`]);
  });
});
