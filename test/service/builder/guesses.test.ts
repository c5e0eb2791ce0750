/** What the builder takes without being told, and what it proposes: columns that hold what was asked for, or none. */
import { expect, it } from 'vitest';
import { toChosen, toGuess } from '../../../src/service/builder/matching/choice.ts';
import { clearMatch, matchGoal } from '../../../src/service/builder/matching/match.ts';
import { readGoal } from '../../../src/service/catalog/read-goal.ts';
import { candidatesOf, documentOf } from './best-choice.ts';
import { ownPages, type PageSet, readPageSets } from './page-sets.ts';
import { type Field, type Row, scoreRows } from './scoring.ts';
import { readPage, serve } from './serve-pages.ts';

/** Whether a value is one of the true ones, or a text that has one in it. */
const isTrue = (value: unknown, field: Field, truth: readonly Row[]) =>
  truth.some(
    (row) =>
      scoreRows([{ [field.name]: value }], [row], [field]).f1 === 1 ||
      (typeof value === 'string' && value.includes(String(row[field.name] ?? '\0'))),
  );

/** The columns that are taken or proposed for the goal of a page, and hold something else. */
async function wrongColumns(set: PageSet): Promise<string[]> {
  const goal = readGoal(set.goal);
  const matches = matchGoal(await candidatesOf(documentOf(set)), goal);
  const clear = clearMatch(matches, goal);
  const [first] = matches;
  const taken = clear === undefined ? undefined : toChosen(clear).fields.map(({ name }) => name);
  const proposed = taken ?? Object.keys((first && toGuess(first)?.fields) ?? {});
  const { fields = [] } = clear ?? first ?? {};
  return fields.flatMap(({ field, column }) => {
    const truth = set.fields.find(({ name }) => name === field.name);
    if (column === undefined || truth === undefined || !proposed.includes(field.name)) return [];
    const values = column.values.slice(0, 20);
    const right = values.filter((value) => isTrue(value, truth, set.truth)).length;
    return right >= values.length / 2 ? [] : [`${set.file}: ${field.name} = ${column.values[0]}`];
  });
}

it('no page of ours is given a wrong column for a field of its goal', async () => {
  const sets = readPageSets(ownPages).filter(({ truth }) => truth.length > 0);
  expect((await Promise.all(sets.map(wrongColumns))).flat()).toEqual([]);
});

it('a guess leaves out fields without a clear column, and the answer names them', async () => {
  const { build } = await serve(() => readPage('pages/news-rows-of-siblings.html'));
  const outcome = await build('/', 'List the stories with title, number of comments and publication date');
  expect(outcome).toMatchObject({
    built: false,
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('none for number_of_comments, publication_date'),
    choose: { fields: { title: expect.any(String) } },
  });
  if (outcome.built || outcome.choose === undefined) throw new Error('no guess');
  expect(Object.keys(outcome.choose.fields)).toEqual(['title']);
  const built = await build('/', 'Stories', outcome.choose);
  // Not the user, whose name is the first link of a row that is called nothing.
  expect(built).toMatchObject({ sample: [{ title: 'Bridge reopens after two years' }, {}, {}] });
});

it.each(['List all cars with price and mileage', 'Show me the cars'])(
  'a page that lacks the data gets no guess: %s',
  async (goal) => {
    const { build } = await serve(() => readPage('sites/welcome.html'));
    const outcome = await build('/', goal);
    expect(outcome.built).toBe(false);
    if (!outcome.built) expect(outcome.choose).toBeUndefined();
  },
);

it('values side by side are not glued to a number or a text that the page does not show', async () => {
  const { preview } = await serve(() => readPage('sites/values-side-by-side.html'));
  const outcome = await preview('/');
  const samples = outcome.ok
    ? outcome.candidates.flatMap(({ columns }) => columns.flatMap((column) => column.samples))
    : [];
  expect(samples).toContain('900');
  expect(samples.filter((sample) => /90030|4\.501|1\$|m²\d|5Sold/.test(sample))).toEqual([]);
});

it.each([
  [
    ['#', 'Name', '%', 'Δ'],
    ['number', 'name', 'percent', 'delta'],
  ],
  [
    ['', 'Name', '2024', 'Price', 'Price'],
    ['column_1', 'name', 'column_2024', 'price', 'price_5'],
  ],
])('a guess names the columns %j by words, each once', async (headers, names) => {
  const rows = [...'ABCDE'].map((letter, at) =>
    headers.map((_, column) => (column === 1 ? `Part ${letter}` : `${at * (column + 1) + column}`)),
  );
  const toRow = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  const { previewGoal } = await serve(
    () =>
      `<!doctype html><html lang="en"><title>Parts</title><body><main><h1>Parts</h1><table><thead>${toRow(headers, 'th')}</thead><tbody>${rows.map((row) => toRow(row, 'td')).join('')}</tbody></table></main></body></html>`,
  );
  const outcome = await previewGoal('/', 'Parts');
  expect(outcome.ok ? Object.keys(outcome.guess?.fields ?? {}) : outcome.message).toEqual(names);
});

const lamps = [
  ['Luna', '2 kg', 'red', '£20.00'],
  ['Sol', '3 kg', 'blue', '£30.00'],
  ['Mars', '4 kg', 'grey', '£40.00'],
] as const;
const card = (name: string, pairs: readonly string[]) =>
  `<div class="card"><h2>${name}</h2><dl>${pairs.join('')}</dl></div>`;
const pairsOf = ([, weight, colour, price]: (typeof lamps)[number]) => [
  `<dt>Weight<dd>${weight}`,
  `<dt>Colour<dd>${colour}`,
  `<dt>Price<dd>${price}`,
];

it('cards with labels of their own are rows, and not one record of the first values', async () => {
  const cards = lamps.map((lamp) => card(lamp[0], pairsOf(lamp)));
  const { build } = await serve(() => `<h1>Lamps</h1>${cards.join('')}`);
  expect(await build('/', 'products with name, weight, colour and price')).toMatchObject({
    sample: lamps.map(([name, weight, colour, price]) => ({
      name,
      weight: Number.parseInt(weight, 10),
      colour,
      price: Number(price.slice(1)),
    })),
  });
});

it('cards that each lack another label have null there', async () => {
  const cards = lamps.map((lamp, index) => card(lamp[0], pairsOf(lamp).toSpliced(index, 1)));
  const { build } = await serve(() => `<h1>Lamps</h1>${cards.join('')}`);
  expect(await build('/', 'products with name, weight, colour and price')).toMatchObject({
    sample: [
      { name: 'Luna', weight: null, colour: 'red', price: 20 },
      { name: 'Sol', weight: 3, colour: null, price: 30 },
      { name: 'Mars', weight: 4, colour: 'grey', price: null },
    ],
  });
});

it('sections that each have a table of labels are rows', async () => {
  const sections = ['Alma', 'Berta', 'Cora'].map(
    (name, index) =>
      `<section><h2>${name}</h2><table><tr><th>Length<td>${index + 8} m<tr><th>Price<td>€ ${index + 12},50</table></section>`,
  );
  const { build } = await serve(() => `<h1>Boats</h1>${sections.join('')}`);
  expect(await build('/', 'boats with name, length and price')).toMatchObject({
    sample: [
      { name: 'Alma', length: 8, price: 12.5 },
      { name: 'Berta', length: 9, price: 13.5 },
      { name: 'Cora', length: 10, price: 14.5 },
    ],
  });
});

it('a guess gives no field the column of another, of whose words it has only one', async () => {
  const job = (name: string, company: string, kind: string, at: number) =>
    `<li class="css-1ac"><h2 class="jobTitle css-1ps"><a class="jcs-JobTitle" href="/j/${at}"><span title="${name}">${name}</span></a></h2>
    <span class="companyName">${company}</span><ul class="metadataContainer"><li><div>${kind}</div></li><li><div>Day shift</div></li></ul></li>`;
  const jobs = [
    ['Nurse', 'Ward & Co', 'Permanent'],
    ['Carpenter', 'Oak Ltd', 'Contract'],
    ['Baker', 'Rye Bros', 'Permanent'],
    ['Tailor', 'Fine Seams', 'Temporary'],
  ].map(([name = '', company = '', kind = ''], at) => job(name, company, kind, at));
  const { build } = await serve(() => `<h1>Jobs</h1><ul class="jobs">${jobs.join('')}</ul>`);
  const goal = 'List all jobs with title, company, salary, posted date, job type and url';
  const outcome = await build('/', goal);
  if (outcome.built || outcome.choose === undefined) throw new Error('no guess');
  const columns = Object.values(outcome.choose.fields);
  expect(outcome.choose.fields).toHaveProperty('title');
  expect(new Set(columns).size).toBe(columns.length);
});

it('a guess gives the name of the rows to the field that asks for it, beside one for their title', async () => {
  const people = [
    ['Björn Ek', 'Nurse', 'Surgery'],
    ['Anna Al', 'Doctor', 'Emergency'],
    ['Cilla Bo', 'Head', 'Surgery'],
  ].map(
    ([name, title, ward]) =>
      `<div class="person"><h3>${name}</h3><p class="title">${title}</p><dl><dt>Ward</dt><dd>${ward}</dd></dl></div>`,
  );
  const { build } = await serve(() => `<h1>Staff</h1>${people.join('')}`);
  const outcome = await build('/', 'List staff with name, title, phone and ward');
  if (outcome.built || outcome.choose === undefined) throw new Error('no guess');
  expect(Object.keys(outcome.choose.fields)).toEqual(['name', 'title', 'ward']);
});

it('measures with the flags of statistics name no rows: the first column does', async () => {
  const rows = ['Belgium,5.9,5.3', 'Bulgaria,4.3 b,3.9', 'Czechia,5.5 e,3.2', 'Denmark,5.1,5.2'].map(
    (row) =>
      `<tr>${row
        .split(',')
        .map((cell) => `<td>${cell}</td>`)
        .join('')}</tr>`,
  );
  const page = `<h1>Rates</h1><table><tr><th>GEO</th><th>Men</th><th>Women</th></tr>${rows.join('')}</table>`;
  const { build } = await serve(() => page);
  const { sample } = { sample: [], ...(await build('/', 'List geo with men, women')) };
  expect(sample[0]).toMatchObject({ geo: 'Belgium', men: '5.9', women: 5.3 });
});

it('shares such as "18/24" name no rows: the title stands beside them', async () => {
  const rows = [
    ['Hochgurgl', 45, '18/24'],
    ['Fiss', 30, '25/31'],
    ['Galtür', 60, '9/11'],
  ].map(([name, snow, lifts]) => `<tr><td><a href="/${name}/">${name}</a><td>${snow} cm<td>${lifts}</tr>`);
  const page = `<h1>Snow</h1><table><tr><th>Resort<th>Valley<th>Lifts</tr>${rows.join('')}</table>`;
  const { build } = await serve(() => page);
  const { sample } = { sample: [], ...(await build('/', 'List all resorts with valley and lifts')) };
  expect(sample[0]).toMatchObject({ resort: 'Hochgurgl', valley: 45, lifts: '18/24' });
});
