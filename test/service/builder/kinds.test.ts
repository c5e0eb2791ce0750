/** Values of a wrong kind never leave the builder: neither those of the page as it was read nor of the page fetched anew. */
import { expect, it } from 'vitest';
import { readPage, serve } from './serve-pages.ts';

it.each([
  [
    'a date that is no date any more',
    'sittings-with-dates-of-the-united-states.html',
    'sittings-whose-dates-are-open-now.html',
    'List all sittings with committee and date',
  ],
  [
    'a number that became a mark, of which only the digits would be left',
    'fees-as-numbers.html',
    'fees-as-marks.html',
    'List all fees with case and fee',
  ],
  [
    'instructions that became "Step 1"',
    'a-recipe-whose-steps-are-called-by-numbers.html',
    'a-recipe-whose-steps-became-numbers.html',
    'Get the recipe: name, ingredients, instructions',
  ],
])('%s is not published', async (_, first, later, goal) => {
  const [before, after] = [first, later].map((file) => {
    const folder = file === 'fees-as-numbers.html' || file === later ? 'sites' : 'pages';
    return readPage(`${folder}/${file}`);
  });
  if (before === undefined || after === undefined) throw new Error('no pages');
  const same = await serve(() => before);
  expect(await same.build('/', goal)).toMatchObject({ built: true });
  const { build } = await serve((_path, times) => (times === 1 ? before : after));
  expect(await build('/', goal)).toMatchObject({ built: false, errorType: 'TEST_FAILED' });
});

it.each([
  ['concerts-without-dates.html', 'List all concerts with concert and date'],
  [
    'a-recipe-whose-steps-say-nothing-but-their-numbers.html',
    'Get the recipe: name, ingredients, instructions',
  ],
])('%s: nothing is published for a field that the page fills with another kind', async (file, goal) => {
  const { build } = await serve(() => readPage(`pages/${file}`));
  const outcome = await build('/', goal);
  expect(outcome.built).toBe(false);
  // The caller sees what else the page has to choose from.
  if (!outcome.built) expect(outcome.errorType).toBe('CHOICE_NEEDED');
});

it('a docket number is never cut to a number, however its column is called', async () => {
  const { build } = await serve(() => readPage('sites/fees-as-marks.html'));
  const outcome = await build('/', 'Fees', { candidate: 't1', fields: { docket: 'c2' } });
  expect(outcome.built && outcome.sample?.[0]).toEqual({ docket: '571527/24' });
});

it('yes and no are what the cell says, and an empty cell is neither', async () => {
  const rows = ['–', 'Yes', 'No', 'Yes', 'No', 'Yes'].map(
    (stock, index) => `<tr><td>Part ${'ABCDEF'[index]}</td><td>${stock}</td></tr>`,
  );
  const page = `<h1>Parts</h1><table><tr><th>Part</th><th>In stock</th></tr>${rows.join('')}</table>`;
  const { build } = await serve(() => page);
  const outcome = await build('/', 'Parts', { candidate: 't1', fields: { part: 'c1', in_stock: 'c2' } });
  expect(outcome).toMatchObject({ built: true });
  expect(outcome.built && outcome.sample?.map(({ in_stock }) => in_stock)).toEqual([null, true, false]);
});

const people = [
  { id: '9007199254740993', name: 'Ada' },
  { id: '3', name: 'Eve' },
  { id: '4', name: 'Bo' },
];
it.each([
  ['JSON', `{"results": [${people.map(({ id, name }) => `{"id": ${id}, "name": "${name}"}`).join()}]}`],
  [
    'a table',
    `<table><tr><th>Id</th><th>Name</th></tr>${people.map(({ id, name }) => `<tr><td>${id}</td><td>${name}</td></tr>`).join('')}</table>`,
  ],
])('ids of %s, of which some are larger than a number can hold, are texts in all rows', async (_, page) => {
  const { build, preview } = await serve(() => page);
  const shown = await preview('/');
  const column = shown.ok && shown.candidates[0]?.columns.find(({ label }) => /^id$/i.test(label));
  expect(column).toMatchObject({ kind: 'text' });
  const outcome = await build('/', 'Give id and name');
  expect(outcome.built && outcome.sample).toEqual(people);
});

it('a goal that names the header of a column means it, whatever its values are', async () => {
  const rows = [
    ['Row 1', 'on request', '$ 13.90'],
    ['Row 2', '€ 1.234,00', '$ 1,350.00'],
    ['Row 3', '£ 99', '$ 8.00'],
  ].map(([name, retail, foreign]) => `<tr><td>${name}</td><td>${retail}</td><td>${foreign}</td></tr>`);
  const { build } = await serve(
    () => `<table><tr><th>Name</th><th>Retail price</th><th>Export price</th></tr>${rows.join('')}</table>`,
  );
  const outcome = await build('/', 'List items with name, retail price and export price');
  expect(outcome.built && outcome.sample).toMatchObject([
    { name: 'Row 1', retail_price: 'on request', export_price: 13.9 },
    { name: 'Row 2', retail_price: '€ 1.234,00', export_price: 1350 },
    { name: 'Row 3', retail_price: '£ 99', export_price: 8 },
  ]);
});

it('a column of a table whose numbers all stand in brackets stays a text: they may be counts or losses', async () => {
  const rows = [...'ABCDEF'].map(
    (letter, index) =>
      `<tr><td>Branch ${letter}x</td><td>(${index * 7 + 12})</td><td>${index + 20}</td></tr>`,
  );
  const page = `<h1>Branches</h1><table><tr><th>Branch</th><th>Result</th><th>Staff</th></tr>${rows.join('')}</table>`;
  const { build } = await serve(() => page);
  const outcome = await build('/', 'All branches', {
    candidate: 't1',
    fields: { branch: 'c1', result: 'c2', staff: 'c3' },
  });
  expect(outcome.built && outcome.sample?.[0]).toEqual({ branch: 'Branch Ax', result: '(12)', staff: 20 });
});

it('numbers in brackets stay texts where the page writes a minus: they may be of less worth', async () => {
  const row = (branch: string, staff: string, change: string) =>
    `<tr><td>${branch}</td><td>${staff}</td><td>${change}</td></tr>`;
  const page = (change: string) =>
    `<h1>Branches</h1><table><tr><th>Branch</th><th>Staff</th><th>Change</th></tr>${row('Ash', '5.4', '1.9')}${row('Birch', '(7.4)', change)}${row('Cedar', '4.8', '6.3')}${row('Dill', '2.1', '0.4')}</table>`;
  let change = '–4.5';
  const { build } = await serve(() => page(change));
  const task = { candidate: 't1', fields: { branch: 'c1', staff: 'c2', change: 'c3' } };
  const staffOf = async () => {
    const outcome = await build('/', 'All branches', task);
    return outcome.built && outcome.sample?.[1]?.staff;
  };
  expect(await staffOf()).toBe('(7.4)');
  change = '4.5';
  expect(await staffOf()).toBe(-7.4);
});

it.each([
  ['2, 11, 4a', 'Platform', ['2', '11', '4a', '5', '7', '3', '8', '9', '12', '1b', '6'], '2'],
  ['numbers of sections', 'Section', ['1.1.01', '1.2.05', '2.1.10', '3.6.01', '4.2.04'], '1.1.01'],
  ['versions', 'Release', ['6.2.14', '6.2.11', '6.1.30', '5.12.26', '5.10.02'], '6.2.14'],
  ['numbers of sections with names', 'Part', ['1-1-01 Bolt', '1-2-05 Nut', '2-1-10 Pin'], '1-1-01 Bolt'],
  ['a day and an hour', 'Begins', ['04.12.19:00', '12.12.20:00', '03.01.21:00'], '04.12.19:00'],
])('%s stay texts', async (_, head, values, first) => {
  const rows = values.map((value, at) => `<tr><td>Train ${'abcdefghijk'[at]}x</td><td>${value}</td></tr>`);
  const page = `<h1>Trains</h1><table><tr><th>Train</th><th>${head}</th></tr>${rows.join('')}</table>`;
  const { build } = await serve(() => page);
  const built = await build('/', 'Trains', { candidate: 't1', fields: { train: 'c1', value: 'c2' } });
  expect(built.built && built.sample?.[0]).toEqual({ train: 'Train ax', value: first });
});

it.each([
  ['a header that names dates', 'Buchungstag', ['1.1.26', '2.1.26', '3.2.26'], '2026-01-01'],
  ['hours beside', 'Gate', ['1.1.26 10:00', '2.1.26 11:30', '3.2.26 12:00'], '2026-01-01T10:00:00Z'],
  ['years of four digits', 'Seen', ['1.1.26', '2.1.2026', '3.2.26'], '2026-01-01'],
])('%s tell days with short years', async (_, head, values, first) => {
  const rows = values.map((value, at) => `<tr><td>Train ${'abc'[at]}x</td><td>${value}</td></tr>`);
  const { build } = await serve(
    () => `<table><tr><th>Train</th><th>${head}</th></tr>${rows.join('')}</table>`,
  );
  const built = await build('/', 'Trains', { candidate: 't1', fields: { train: 'c1', value: 'c2' } });
  expect(built.built && built.sample?.[0]).toEqual({ train: 'Train ax', value: first });
});

it.each([
  ['versions by their header', 'Version', ['1.9', '1.2', '1.3', '2.4'], '1.9'],
  ['versions by the zeros that they would lose', 'Milestone', ['1.9', '1.2', '1.10', '2.4'], '1.9'],
  ['measures with a zero at their end', 'Width', ['1.50', '1.25', '2.75', '3.10'], 1.5],
  ['whole numbers of releases', 'Release', ['9', '10', '11', '12'], 9],
  ['prices without some of their zeros', 'Price', ['1.10', '1.2', '1.95', '3'], 1.1],
  ['weights with a unit', 'Weight', ['1.10 kg', '1.2 kg', '1.95 kg', '3 kg'], 1.1],
  ['more digits than a number holds', 'Balance', ['1e-8', '0.5', '12345678901234567.89', '7'], '1e-8'],
  ['more cents than a number holds', 'Debt', ['$0.50', '$1.25', '$12,345,678,901,234,567.89'], '$0.50'],
])('%s', async (_, header, cells, first) => {
  const rows = cells.map((cell, index) => `<tr><td>Row ${'ABCD'[index]}</td><td>${cell}</td></tr>`);
  const { build } = await serve(
    () => `<h1>Rows</h1><table><tr><th>Name</th><th>${header}</th></tr>${rows.join('')}</table>`,
  );
  const outcome = await build('/', 'All rows', { candidate: 't1', fields: { name: 'c1', value: 'c2' } });
  expect(outcome.built && outcome.sample?.[0]).toMatchObject({ name: 'Row A', value: first });
});

it.each([
  ['PEN', { value: 1204.5 }],
  ['Revenue (€ m)', { value: 1204.5, value_unit: '€ m' }],
  ['Umsatz in Tsd. €', { value: 1204.5, value_unit: 'Tsd. €' }],
  ['NO2 (ppb)', { value: 1204.5, value_unit: 'ppb' }],
  ['Staff (000)', { value: 1204.5, value_unit: '000' }],
  ['Price (€)', { value: 1204.5, value_currency: 'EUR' }],
  ['kg', { value: 1204.5, value_unit: 'kg' }],
  ['Speed km/h', { value: 1204.5, value_unit: 'km/h' }],
  ['10 km', { value: 1204.5 }],
  ['Population (2020)', { value: 1204.5 }],
  ['Temp min', { value: 1204.5 }],
])('the head of a column says the unit of its numbers: %s', async (head, expected) => {
  const rows = ['1,204.5', '1,057.25', '', '1,300.75'].map(
    (cell, index) => `<tr><td>Firm ${'ABCD'[index]}<td>${cell}`,
  );
  const { build } = await serve(() => `<h1>Firms</h1><table><tr><th>Firm<th>${head}${rows.join('')}</table>`);
  const outcome = await build('/', 'All firms', { candidate: 't1', fields: { firm: 'c1', value: 'c2' } });
  expect(outcome.built && outcome.sample?.[0]).toEqual({ firm: 'Firm A', ...expected });
});

it.each([
  ['counts', ['(8,021)', '(12)', '(2.3K)', '(98,112)', '0', '(451)'], [8021, 12, 2300, 98112, 0, 451]],
  ['counts or losses', ['(8,021)', '12', '(451)', '7'], ['(8,021)', '12', '(451)', '7']],
  ['losses', ['(8,021.50)', '12', '(451)', '7'], [-8021.5, 12, -451, 7]],
  [
    'cells of which some end in the next one',
    ['12,345', '(7,201', '1,201', '(77'],
    ['12,345', '(7,201', '1,201', '(77'],
  ],
])('numbers in brackets of a list are %s', async (_, texts, expected) => {
  const rows = texts.map(
    (text, at) =>
      `<li class="card"><h3 class="title"><a href="/h/${at}">Kettle ${'ABCDEF'[at]}x</a></h3><span class="reviews">${text}</span></li>`,
  );
  const { build } = await serve(() => `<h1>Kettles</h1><ul class="list">${rows.join('')}</ul>`);
  const outcome = await build('/', 'List title and reviews');
  expect(outcome.built && outcome.sample?.map(({ reviews }) => reviews)).toEqual(expected.slice(0, 3));
});

it.each([
  ['es-MX', '$1,200.00', 'MXN'],
  ['es-AR', '$ 1.200,00', 'ARS'],
  ['en-AU', '$1,200.00', 'AUD'],
  ['fr-CA', '1 200,00 $', 'CAD'],
  ['es', '$1.200,00', '$'],
  ['en-US', '$1,200.00', 'USD'],
  ['en', '$1,200.00', 'USD'],
  ['es-MX', 'US$1,200.00', 'USD'],
  ['es-MX', '$1,200.00 USD', 'USD'],
  ['zh-CN', '¥1,200.50', 'CNY'],
  ['ja', '¥1,200', 'JPY'],
  ['en', '¥1,200', '¥'],
  ['sv', '1 200 kr', 'SEK'],
  ['de', '1 200 kr', 'kr'],
])('on a page in %s, %s is in %s', async (language, price, currency) => {
  const rows = ['Oak', 'Elm', 'Ash'].map((name) => `<tr><td>${name}<td>${price}`);
  const { build } = await serve(
    () => `<html lang="${language}"><h1>Trees</h1><table><tr><th>Name<th>Price${rows.join('')}</table>`,
  );
  const fields = { name: 'c1', price: 'c2' };
  const outcome = await build('/', 'Trees with name, price and currency', { candidate: 't1', fields });
  const whole = /0[.,]50/.test(price) ? 1200.5 : 1200;
  expect(outcome.built && outcome.sample?.[0]).toEqual({
    name: 'Oak',
    price: whole,
    [/^\w{3}$/.test(currency) ? 'price_currency' : 'price_unit']: currency,
  });
});

it('a header "Day" means the names of days, which are no dates', async () => {
  const rows = ['Monday', 'Tuesday', 'Friday'].map((day) => `<tr><td>${day}</td><td>09:00</td></tr>`);
  const { build } = await serve(() => `<table><tr><th>Day</th><th>Opens</th></tr>${rows.join('')}</table>`);
  const outcome = await build('/', 'List all days with day and opens');
  expect(outcome.built && outcome.sample?.[0]).toEqual({ day: 'Monday', opens: '09:00' });
});
