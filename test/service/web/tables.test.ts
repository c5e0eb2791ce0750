/** `parts: ["tables"]` gives every table of a page. */
import { describe, expect, it } from 'vitest';
import { Document } from '../../../src/service/page/document.ts';
import { readTables } from '../../../src/service/web/read-records.ts';
import { readWebPage } from '../../../src/service/web/read-web-page.ts';
import { extracted, readExtracted } from '../../support/extract.ts';

const pageOf = (body: string) => ({
  url: 'https://x.example/',
  status: 200,
  contentType: 'text/html',
  link: '',
  body: Buffer.from(`<body>${body}</body>`),
});
const read = (body: string) => readTables(new Document(pageOf(body)));
function readText(body: string) {
  const page = pageOf(body);
  const result = readWebPage(new Document(page), {
    reading: 'page',
    page,
    parts: ['main'],
    maxRows: 10,
    browser: 'used',
  });
  if (!('data' in result)) throw new Error('No data');
  return result.data;
}
const prices = '<main><table><tr><th>Boat<th>Price<tr><td>Ada<td>12<tr><td>Grace<td>14</table></main>';

it('a table beside the content, whose columns have no names, is read as well', async () => {
  const contact =
    '<aside><table><caption>Contact</caption><tr><td>Phone<td>555 01<tr><td>Mail<td>a@x.example</table></aside>';
  expect(await read(`${prices}${contact}`)).toMatchObject([
    { columns: ['Boat', 'Price'] },
    {
      about: 'Contact',
      rows: [
        { 'column 1': 'Phone', 'column 2': '555 01' },
        { 'column 1': 'Mail', 'column 2': 'a@x.example' },
      ],
    },
  ]);
});

it('a picture that is the sign of the number beside it is a value of its own', () => {
  const change = (sign: string, seats: string) => `<td><span><img alt="${sign}"></span>${seats}`;
  const [table] = read(
    `<table><tr><th>Party<th>Seats<tr><td><img alt="Flag">Red${change('Decrease', '5')}<tr><td>Blue${change('Increase', '3')}</table>`,
  );
  expect(table?.rows).toEqual([
    { Party: 'Red', 'Party label': 'Flag', Seats: '5', 'Seats label': 'Decrease' },
    { Party: 'Blue', 'Party label': null, Seats: '3', 'Seats label': 'Increase' },
  ]);
});

it('what icons in a text say is a value of its own, all of them, but for what the text says', () => {
  const dish = (name: string, ...icons: string[]) =>
    `<tr><td>${name} ${icons.map((title) => `<i class="icon" title="${title}"></i>`).join('')}<td>5 €`;
  const rows = [
    dish('Soup', 'Vegan'),
    dish('Curry', 'Vegan', 'Hot'),
    dish('Rice'),
    dish('Vegan roll', 'Vegan'),
  ];
  const [table] = read(`<table><tr><th>Dish<th>Price${rows.join('')}</table>`);
  expect(table?.rows.map((row) => row['Dish label'])).toEqual(['Vegan', 'Vegan, Hot', null, null]);
});

it.each([
  ['<i class="fas fa-caret-up"></i>', '<i class="fas fa-caret-down"></i>', 'caret-up', 'caret-down'],
  ['<svg><use href="#up"></use></svg>', '<svg><use href="#down"></use></svg>', 'up', 'down'],
])('the icons %s and %s of numbers are values of their own', (first, second, up, down) => {
  const icons = `<table><tr><th>Coin<th>Day<tr><td>A<td>${first}0.8%<tr><td>B<td>${second}1%</table>`;
  expect(read(icons)[0]?.rows).toEqual([
    { Coin: 'A', Day: '0.8%', 'Day label': up },
    { Coin: 'B', Day: '1%', 'Day label': down },
  ]);
  expect(read(icons.replace(second, first))[0]?.columns).toEqual(['Coin', 'Day']);
});

it('values that are struck out in some rows are told', () => {
  const talk = (cells: readonly string[], line = '') =>
    `<tr>${cells.map((cell) => `<td>${line === '' ? cell : `<${line}>${cell}</${line}>`}`).join('')}`;
  const rows = [talk(['Tides', '10:00']), talk(['Kelp', '11:00'], 's'), talk(['Marsh', '12:00'])];
  const [table] = read(`<table><tr><th>Talk<th>Start${rows.join('')}</table>`);
  expect(table?.doubts).toEqual([
    'Talk: struck out in 1 of 3 rows, such as "Kelp": it may not hold any more.',
    'Start: struck out in 1 of 3 rows, such as "11:00": it may not hold any more.',
  ]);
});

it('a table is not read twice', async () => {
  expect(await read(prices)).toHaveLength(1);
});

it('the columns have the names of their groups, and cells beyond the names are kept', async () => {
  const fees =
    '<table><tr><th rowspan="2">Course<th colspan="2">Fee<tr><th>2025<th>2026<tr><td>Sailing<td>10<td>12<tr><td>Rowing<td>8<td>9<td>full</table>';
  expect(await read(fees)).toMatchObject([
    {
      columns: ['Course', 'Fee 2025', 'Fee 2026', 'column 4'],
      rows: [
        { Course: 'Sailing', 'Fee 2025': '10', 'Fee 2026': '12', 'column 4': null },
        { Course: 'Rowing', 'Fee 2025': '8', 'Fee 2026': '9', 'column 4': 'full' },
      ],
    },
  ]);
});

it('the headings between rows, and those of tables that are one list, stand beside their rows', async () => {
  const head = '<tr><th>Boat<th>Price';
  const north = `<table><caption>North</caption>${head}<tr><td colspan=2>Sail<tr><td>Ada<td>12<tr><td colspan=2>Steam<tr><td>Grace<td>14</table>`;
  const south = `<table><caption>South</caption>${head}<tr><td>Edith<td>9</table>`;
  expect(read(north)).toMatchObject([
    {
      about: 'North',
      rows: [
        { Boat: 'Ada', section: 'Sail' },
        { Boat: 'Grace', section: 'Steam' },
      ],
    },
  ]);
  expect(read(north + south)).toMatchObject([
    {
      about: null,
      rows: [{ section: 'North: Sail' }, { section: 'North: Steam' }, { Boat: 'Edith', section: 'South' }],
    },
  ]);
  expect(read(prices)[0]?.columns).toEqual(['Boat', 'Price']);
});

it.each([
  ['<tfoot><tr><td>Sum<td>26</tfoot>', ''],
  ['', '<tr><td colspan=2>Without harbour dues'],
])('that something stands below the rows is said', (foot, note) => {
  const table = `<table>${foot}<tr><th>Boat<th>Price<tr><td>Ada<td>12<tr><td>Grace<td>14${note}</table>`;
  expect(read(table)[0]?.leftOut).toEqual(['Rows and notes below the data']);
  expect(read(prices)[0]?.leftOut).toEqual([]);
});

it('the text of a page, its tables and an action read the cells of a table alike', async () => {
  const body =
    '<main><table><tr><th>Day<th>From<th>To<tr><td>Monday<td>9<td>17<tr style="display:none"><td>Easter<td>8<td>12<tr><td>Sunday<td colspan="2">closed</table></main>';
  const rows = [
    { Day: 'Monday', From: '9', To: '17' },
    { Day: 'Sunday', From: 'closed', To: 'closed' },
  ];
  const [table] = read(body);
  expect(table?.rows).toEqual(rows);
  expect(table?.leftOut).toEqual(['Hidden rows']);
  expect(await extracted(body, { kind: 'table' })).toEqual(rows);
  expect(readText(body).main).toContain('| Monday | 9 | 17 |\n| Sunday | closed | closed |');
});

it('a very large table keeps its columns in the text', () => {
  const row = (at: number) => `<tr><td>${at}<td>Person ${at}<td>${at === 3 ? '' : '555'}<td>R${at}`;
  const rows = Array.from({ length: 5_100 }, (_, at) => row(at)).join('');
  const { main, missing } = readText(
    `<main><table><tr><th>Nr<th>Name<th>Phone<th>Room${rows}</table></main>`,
  );
  expect(main).toContain('| 3 | Person 3 |  | R3 |\n| 4 | Person 4 | 555 | R4 |');
  expect(main).toContain('| 5099 | Person 5099 |');
  expect(missing).toBeUndefined();
});

it('what the text leaves out of a table is told', () => {
  const wide = `<tr>${Array.from({ length: 60 }, (_, at) => `<th>C${at}`).join('')}`;
  const narrow = Array.from({ length: 1_250 }, (_, at) => `<tr><td>${at}<td>x`).join('');
  const { main, missing } = readText(`<main><table>${wide}${narrow}</table></main>`);
  expect(main).toContain('| 1199 | x |');
  expect(main).not.toContain('| 1200 | x |');
  expect(missing).toEqual(
    expect.arrayContaining([
      '10 of 60 columns of a table are left out of the text.',
      '50 of 1251 rows of a table are left out of the text.',
    ]),
  );
});

it.each([
  [
    'words above digits',
    '<tr><th>Day<td>Morning<td>Evening<tr><th>Friday<td>9–12<td>14–18<tr><th>Sunday<td>10–13<td>closed',
    ['Day', 'Morning', 'Evening'],
  ],
  [
    'rows of words',
    '<tr><th>Day<td>Swim<td>Row<tr><th>Friday<td>Ada<td>Grace<tr><th>Sunday<td>Edith<td>Mary',
    ['column 1', 'column 2', 'column 3'],
  ],
])(
  'a first row of one header and plain cells names the columns only above other values: %s',
  (_, rows, columns) => {
    expect(read(`<main><table>${rows}</table></main>`)[0]?.columns).toEqual(columns);
  },
);

it('cells say what their controls say', () => {
  const rows = [
    '<td>Name<td><input readonly value="Ada">',
    '<td>Land<td><select disabled><option>Peru<option selected>Chile</select>',
    '<td>Done<td><meter value="0.25"></meter>',
  ];
  const [table] = read(`<table><tr><th>What<th>Is${rows.map((row) => `<tr>${row}`).join('')}</table>`);
  expect(table?.rows.map(({ Is }) => Is)).toEqual(['Ada', 'Chile', '25 %']);
});

describe('a table of other elements that say so by their roles', () => {
  const row = (role: string, ...texts: readonly string[]) =>
    `<div role="row">${texts.map((text) => `<span role="${role}">${text}</span>`).join('')}</div>`;
  const grid = (more = '') =>
    `<div role="table" aria-label="Boats"${more}><div role="rowgroup">${row('columnheader', 'Boat', 'Price')}</div>
    <div role="rowgroup">${row('cell', 'Ada', '12 €')}${row('cell', 'Grace', '14 €')}</div></div>`;

  it('has rows, names of columns and a caption', async () => {
    expect(await read(grid())).toEqual([
      {
        about: 'Boats',
        columns: ['Boat', 'Price'],
        rows: [
          { Boat: 'Ada', Price: '12 €' },
          { Boat: 'Grace', Price: '14 €' },
        ],
        total: 2,
        leftOut: [],
        doubts: [],
      },
    ]);
  });

  it('is written as a table', () => {
    expect(readText(`<main><h1>Boats</h1>${grid()}</main>`).main).toContain(
      '| Boat | Price |\n| --- | --- |\n| Ada | 12 € |\n| Grace | 14 € |',
    );
  });

  it('is read by recipes, which say what it has not loaded', async () => {
    const columns = { boat: { header: 'Boat' }, price: { header: 'Price', type: 'number' } };
    const page = grid(' aria-rowcount="120"');
    const outcome = await readExtracted(page, { kind: 'table', table: '[role=table]', columns });
    expect(outcome).toMatchObject({
      rows: [
        { boat: 'Ada', price: 12 },
        { boat: 'Grace', price: 14 },
      ],
      doubts: [expect.stringContaining('117 more rows are in the table')],
    });
  });

  it('has nested cells, spans and no rows of tables in it', async () => {
    const wide = `<div role="grid"><div role="row"><div><b role="columnheader">Pier</b><b role="columnheader" aria-colspan="2">Fee</b></div></div>
      <div role="row"><i role="gridcell">North<table><tr><td>x<td>y</table></i><i role="gridcell">1</i><i role="gridcell">2</i></div></div>`;
    expect((await read(wide))[0]).toMatchObject({ rows: [{ Pier: 'North x y', Fee: '1', 'Fee 3': '2' }] });
  });
});

it('equal tables in the panels of tabs say which tab shows their rows', async () => {
  const panel = (name: string, price: number) =>
    `<div role="tabpanel" id="${name}"><table><tr><th>Size<th>Price<tr><td>S<td>${price} €</table></div>`;
  const tabs = ['Monthly', 'Yearly'].map(
    (name) => `<button role="tab" aria-controls="${name}">${name}</button>`,
  );
  const page = `<div role="tablist">${tabs.join('')}</div>${panel('Monthly', 9)}${panel('Yearly', 90)}`;
  expect(await read(page)).toMatchObject([
    {
      rows: [
        { Price: '9 €', section: 'Monthly' },
        { Price: '90 €', section: 'Yearly' },
      ],
    },
  ]);
});

it('tables of the same texts are two under other headings or in other columns, and one as copies', () => {
  const hours = (head: string) =>
    `${head}<table><tr><th>Day<th>Hours<tr><td>Mon<td>9–17<tr><td>Tue<td>9–17</table>`;
  const rowsOf = (page: string) => read(page)[0]?.rows.length;
  expect(rowsOf(`${hours('<h3>Quay</h3>')}${hours('<h3>Mole</h3>')}`)).toBe(4);
  expect(rowsOf(`<h3>Quay</h3>${hours('')}<div class="mobile">${hours('')}</div>`)).toBe(2);
  const days = (cells: string) => `<table><tr><th>Mon<th>Tue<th>Wed<tr>${cells}</table>`;
  expect(rowsOf(`${days('<td><td>1<td>2')}${days('<td>1<td>2<td>')}`)).toBe(2);
});

it('a number and the link beside it are two in a cell', () => {
  const page = `<table><tr><th>Topic<th>Replies<tr><td>Oars<td><span>1</span><a href="#u" class="badge">2</a></table>`;
  expect(read(page)[0]?.rows).toEqual([expect.objectContaining({ Replies: '1 2' })]);
});

it('a row across the table that goes on with the one above it heads none', () => {
  const row = (name: string, text: string) => `<tr><td>${name}<td>1<tr><td colspan=2>${text}`;
  const parts = `${row('Ada', 'Built 1901')}${row('Grace', 'Built 1906')}${row('Joan', 'Built 1912')}`;
  const missing: string[] = [];
  const [records] = readTables(
    new Document(pageOf(`<table><tr><th>Boat<th>Berths${parts}</table>`)),
    missing,
  );
  expect(records?.columns).toEqual(['Boat', 'Berths']);
  expect(records?.rows.map(({ Boat }) => Boat)).toEqual(['Ada', 'Grace', 'Joan']);
  expect(missing).toEqual([expect.stringContaining('Every second row')]);
});

it('rows across the table below only some rows are told, and head none', () => {
  const note = '<tr><td colspan=2>Detained';
  const [records] = read(`<table><tr><th>Boat<th>Berths<tr><td>Ada<td>1${note}<tr><td>Joan<td>2</table>`);
  expect(records).toMatchObject({
    columns: ['Boat', 'Berths'],
    leftOut: ['Rows that are one cell across'],
  });
});

it.each([
  '<p>Results limited to 2. <a href="/all">Show all</a></p>',
  '<p>Es werden nur die ersten 2 Treffer angezeigt.</p>',
])('a table that is cut has what the page says of it: %s', (said) => {
  expect(read(`<main>${said}${prices}</main>`)[0]?.said).toContain('2');
  expect(read(`<main><p>2 boats</p>${prices}</main>`)[0]?.said).toBeUndefined();
});

it('marks of notes that the cells are without are told', () => {
  const table = (price: string) =>
    `<table><tr><th>Boat<th>Price<tr><td>Ada<td>${price}<tr><td>Grace<td>14</table>`;
  const [marked] = read(table('60<sup>[1]</sup>'));
  expect(marked).toMatchObject({ rows: [{ Price: '60' }, {}], leftOut: ['Marks of notes in the cells'] });
  expect(read(table('60'))[0]?.leftOut).toEqual([]);
});

it('rows that may be totals of others are told', () => {
  const rows = ['Hotel|300', 'Train|120', 'Food|80', 'Zwischensumme|500', 'Bar|20', 'Summe|520'].map(
    (row) => `<tr><td>${row.replace('|', '<td>')}`,
  );
  const page = pageOf(`<table><tr><th>What<th>Cost${rows.join('')}</table>`);
  const task = { reading: 'page', page, parts: ['tables'], maxRows: 10, browser: 'used' } as const;
  expect(readWebPage(new Document(page), task)).toMatchObject({
    data: {
      missing: [
        'tables[0]: Some rows may be totals or averages of others and no further entries: row 4 ("Zwischensumme"), row 6 ("Summe").',
      ],
    },
  });
});

it('letters raised behind a time are marks of notes, and no part of it', async () => {
  const rows = ['10:00<sup>A</sup>', '10:10<sup>am</sup>'].map((time) => `<tr><td>Pier<td>${time}`);
  const table = `<table><tr><th>Stop<th>Time${rows.join('')}</table>`;
  expect((await read(table))[0]?.rows.map((row) => row.Time)).toEqual(['10:00^A', '10:10am']);
  expect(readText(`<main><h1>Times</h1><p>At 10:00<sup>A</sup>.</p>${table}</main>`).main).toMatch(
    /At 10:00\^A\.[\s\S]*10:00\^A/,
  );
});

it('drawn stars say what their label says', async () => {
  const rows = ['3 out of 5 stars|★★★☆☆', '|★★'].map((row) => {
    const [label, stars] = row.split('|');
    return `<tr><td>Plan<td><span${label === '' ? '' : ` aria-label="${label}"`}>${stars}</span>`;
  });
  expect(await read(`<table><tr><th>Plan<th>Rating${rows.join('')}</table>`)).toMatchObject([
    { rows: [{ Rating: '3 out of 5 stars' }, { Rating: '★★' }] },
  ]);
});

it.each([
  ['a label', (name: string) => `<svg role="img" aria-label="${name}"><path d="M0"/></svg>`],
  ['a title', (name: string) => `<svg><title>${name}</title><path d="M0"/></svg>`],
])('a drawing with %s beside a number is a column', (_, draw) => {
  const rows = ['down', 'up', 'down'].map((name, at) => `<tr><td>${at}h<td>${draw(name)} ${at}.5`).join('');
  const [table] = read(`<table><tr><th>Hour<th>Change${rows}</table>`);
  expect(table?.rows.map((row) => row['Change label'])).toEqual(['down', 'up', 'down']);
});

it('what a table has not loaded, and second rows that go on with those above, are told to be left out', async () => {
  const missing: string[] = [];
  const row = (boat: string) => `<tr><td>${boat}<td>12<td>14<tr><td colspan="2">Built by Ann<td>Oak`;
  const head = '<thead><tr><td>Boat<td>Length<td>Width</thead>';
  const table = `<table aria-rowcount="40">${head}${['Ada', 'Grace', 'Mary'].map(row).join('')}</table>`;
  expect(await readTables(new Document(pageOf(table)), missing)).toMatchObject([
    { columns: ['Boat', 'Length', 'Width'], total: 3 },
  ]);
  expect(missing).toEqual([
    'The page says that 33 more rows are in the table, which it has not loaded.',
    expect.stringContaining('Every second row'),
  ]);
});

it('a second row of names below some of the first belongs to the names', async () => {
  const head = '<tr><td rowspan="2"><b>Boat</b><td rowspan="2"><b>Port</b><td><b>Price</b><tr><td><b>EUR</b>';
  expect(
    await read(`<table>${head}<tr><td>Ada<td>Linz<td>12<tr><td>Mary<td>Wien<td>14</table>`),
  ).toMatchObject([{ columns: ['Boat', 'Port', 'Price EUR'], total: 2 }]);
});
