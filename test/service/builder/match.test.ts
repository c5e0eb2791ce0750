/** Which column a field of a goal means, on lists whose columns have similar names or none. */
import { describe, expect, it } from 'vitest';
import { toGuess } from '../../../src/service/builder/matching/choice.ts';
import { clearMatch, matchGoal } from '../../../src/service/builder/matching/match.ts';
import { readGoal } from '../../../src/service/catalog/read-goal.ts';
import { candidatesOf, documentOf } from './best-choice.ts';
import { ownPages, readPageSets } from './page-sets.ts';
import { serve } from './serve-pages.ts';

/** For each field the label of its column; undefined where it is open. */
const labelsOf = (goal: string, rows: readonly unknown[]) =>
  labelsOfPage(goal, JSON.stringify({ rows }), { file: 'list.json', type: 'application/json' });

async function matchesOf(goal: string, body: string, kind: Readonly<Record<'file' | 'type', string>>) {
  const set = { ...kind, address: '/list', many: true, goal, fields: [], truth: [] };
  const document = documentOf({ ...set, body: Buffer.from(body) });
  const [match] = matchGoal(await candidatesOf(document), readGoal(goal));
  return match?.fields ?? [];
}
const htmlPage = { file: 'page.html', type: 'text/html' };

async function labelsOfPage(
  goal: string,
  body: string,
  kind = htmlPage,
): Promise<Record<string, string | undefined>> {
  const fields = await matchesOf(goal, body, kind);
  return Object.fromEntries(
    fields.map(({ field, column, isClear }) => [field.name, isClear ? column?.label : undefined]),
  );
}

/** The values of the column that is clearly meant by a field. */
async function valuesOfPage(goal: string, body: string, name: string): Promise<unknown> {
  const found = (await matchesOf(goal, body, htmlPage)).find(({ field }) => field.name === name);
  return found?.isClear ? found.column?.values : undefined;
}

const ships = [
  'Anna of Hull v. Port of Leith',
  'Brigg Salvage v. Harbour Board',
  'Crown v. Master of the Dora',
];

it('the exact words of a field rank before their synonyms', async () => {
  const rows = ships.map((caption, at) => ({
    caseCaption: caption,
    docketEntryId: `a${at}-77${at}`,
    docketNumber: `2${at}-10${at}`,
  }));
  expect(await labelsOf('all cases: docket number, case name', rows)).toEqual({
    docket_number: 'docketNumber',
    case_name: 'caseCaption',
  });
});

it('a phrase that joins the names of two columns is clearly neither', async () => {
  const rows = ships.map((loď, at) => ({ loď, cena: 10 + at, datum: `2026-11-0${at + 1}` }));
  expect(await labelsOf('Lodě: loď, cena a datum', rows)).toEqual({ lod: 'loď', cena_a_datum: undefined });
});

it('a head that begins with a digit is meant in small and in capital letters', async () => {
  const html = `<table><tr><th>Fund<th>1Y<th>24h</tr>${ships.map((name, at) => `<tr><td>${name}<td>1.${at}%<td>3.${at}%</tr>`).join('')}</table>`;
  expect(await labelsOfPage('List fund, 1y, 24H', html)).toEqual({ fund: 'Fund', _1y: '1Y', _24h: '24h' });
});

it('a value is meant, and not the mark of a note behind it', async () => {
  const rows = (mark: (at: number) => string) =>
    `<table><thead><tr><th>Port<th>Ships</thead>${ships.map((name, at) => `<tr><td>${name}<td>1,${at}04,717${mark(at)}</tr>`).join('')}</table>`;
  const linked = rows((at) => `<sup><a href="#note-${at}">[${at + 1}]</a></sup>`);
  expect(await valuesOfPage('List port, ships', linked, 'ships')).toEqual([1_004_717, 1_104_717, 1_204_717]);
  const raised = rows((at) => `<sup>[# ${at + 1}]</sup>`);
  expect(await valuesOfPage('List port, ships', raised, 'ships')).toEqual([1_004_717, 1_104_717, 1_204_717]);
  // A second text in the cell is no reason to leave the number for it.
  const named = rows((at) => `<i><a href="#${at}">note ${'abc'[at]}</a></i>`);
  expect(await valuesOfPage('List port, ships', named, 'ships')).not.toContain('note a');
});

it('what stands in the controls of a list is a column', async () => {
  const list = `<ul>${ships.map((name, at) => `<li><h3>${name}</h3><input class="qty" type="number" value="${at + 4}"></li>`).join('')}</ul>`;
  expect(await valuesOfPage('List name, qty', list, 'qty')).toEqual([4, 5, 6]);
});

it('the addresses behind links to mail and phones are columns, whatever the links say', async () => {
  const list = `<ul>${ships.map((name, at) => `<li><h3>${name}</h3>${at === 1 ? '' : `<a href="mailto:port${at}@sea.example?subject=Hi">Mail</a> `}<a href="tel:+44120${at}">Call</a></li>`).join('')}</ul>`;
  const goal = 'List name, email, phone';
  expect(await valuesOfPage(goal, list, 'email')).toEqual(['port0@sea.example', null, 'port2@sea.example']);
  expect(await valuesOfPage(goal, list, 'phone')).toEqual(['+441200', '+441201', '+441202']);
});

it('a text that is the same in all rows is a column where a link holds the row, but not as all that the link says', async () => {
  const rows = ships.map(
    (name, at) =>
      `<a class="ship" href="/s/${at}"><h3>${name}</h3><span class="port">Hull</span><b class="at">1${at}</b></a>`,
  );
  expect(await valuesOfPage('List name, port', `<div>${rows.join('')}</div>`, 'port')).toEqual([
    'Hull',
    'Hull',
    'Hull',
  ]);
  const linked = ships.map((name, at) => `<li><h3>${name}</h3><a class="port" href="/s/${at}">Hull</a></li>`);
  expect(await valuesOfPage('List name, port', `<ul>${linked.join('')}</ul>`, 'port')).toBeUndefined();
});

it('a state that microdata say by an address alone is a column of the list', async () => {
  const list = ships.map(
    (name, at) =>
      `<li><h3>${name}</h3><p itemprop="offers"><b itemprop="price">€1${at}.50</b><link itemprop="availability" href="https://schema.org/${at === 1 ? 'OutOfStock' : 'InStock'}"></p></li>`,
  );
  const goal = 'List name, price, availability';
  const values = await valuesOfPage(goal, `<ul>${list.join('')}</ul>`, 'availability');
  expect(values).toEqual(['InStock', 'OutOfStock', 'InStock']);
});

it('the head above several columns of a table is clearly none of them', async () => {
  const html = `<table><tr><th rowspan=2>Athlete<th colspan=2>Run<th colspan=2>Swim</tr>
    <tr><th>Time<th>Rank<th>Time<th>Rank</tr>${ships.map((name, at) => `<tr><td>${name}<td>31:2${at}<td>${at + 1}<td>5:1${at}<td>${3 - at}</tr>`).join('')}</table>`;
  expect(await labelsOfPage('results with athlete, run and swim rank', html)).toEqual({
    athlete: 'Athlete',
    run: undefined,
    swim_rank: 'Swim Rank',
  });
});

it('an id is no docket number, and an hour of publishing no time of cooking', async () => {
  const rows = ships.map((caption, at) => ({ caption, itemId: 9_000 + at, time: `1${at}:30` }));
  expect(await labelsOf('all cases: docket number, cooking time', rows)).toEqual({
    docket_number: undefined,
    cooking_time: undefined,
  });
});

it('a label ends where the next one begins', async () => {
  const rows = ships.map((ship, at) => ({
    text: `Title: ${ship} Parish: ${['Caddo', 'Rapides', 'Winn'][at]} Lower Court: ${['First', 'Ninth', 'Eighth'][at]} District`,
  }));
  expect(await labelsOf('all cases: parish, lower court', rows)).toEqual({
    parish: 'Parish',
    lower_court: 'Lower Court',
  });
});

it('a date that all rows share stays a column', async () => {
  const rows = ships.map((style) => ({ style, filed: '2025-12-05' }));
  expect(await labelsOf('all cases: date filed', rows)).toEqual({ date_filed: 'filed' });
});

it('a date of the decision comes before the date of its posting, a document before a page', async () => {
  const rows = ships.map((caption, at) => ({
    caption,
    posted: `2025-03-1${at}`,
    decided: `2025-02-1${at}`,
    page: `https://court.example/cases/${at}`,
    file: `https://court.example/files/${at}.pdf`,
  }));
  expect(await labelsOf('all cases: date filed, link to the PDF', rows)).toEqual({
    date_filed: 'decided',
    link_to_the_pdf: 'file',
  });
});

it('the judge is the author of an opinion where nothing else is called a judge', async () => {
  const judges = ['Ann Poe', 'Bob Roe', 'Cy Doe'];
  const rows = ships.map((caption, at) => ({ caption, author: judges[at] }));
  expect(await labelsOf('all cases: judge', rows)).toEqual({ judge: 'author' });
  const both = ships.map((caption, at) => ({
    caption,
    authoringJudge: judges[at],
    trialJudge: judges[2 - at],
  }));
  expect(await labelsOf('all cases: judges, author', both)).toEqual({
    judges: 'authoringJudge',
    author: 'authoringJudge',
  });
  expect(await labelsOf('all cases: judges', both)).toEqual({ judges: undefined });
});

it('instructions in one text are no list, a broken duration is no time, and a whole time is no time of cooking', async () => {
  const rows = ships.map((name, at) => ({
    name,
    instructions: `1. Mix ${at} eggs. 2. Bake them.`,
    totalTime: `PTH${at}0MS`,
    cookTime: `PT1${at}M`,
  }));
  expect(await labelsOf('all recipes: instructions, total time, cook time', rows)).toEqual({
    instructions: undefined,
    total_time: undefined,
    cook_time: 'cookTime',
  });
});

it('a property of the row itself comes before that of a thing in it', async () => {
  const rows = ships.map((name, at) => ({ video: { name: `Video ${at} of ships`, id: at }, name }));
  expect(await labelsOf('all recipes: name', rows)).toEqual({ name: 'name' });
});

const candidatesIn = async (file: string) => {
  const set = readPageSets(ownPages).find((one) => one.file === file);
  if (set === undefined) throw new Error('no such page');
  return candidatesOf(documentOf(set));
};

it('the numbers of dockets stay texts', async () => {
  const [table] = await candidatesIn('cases-with-docket-numbers-of-two-digits.html');
  expect(table?.columns.find(({ label }) => label === 'Docket Number')?.values).toEqual(['15', '16', '17']);
});

it('the record of a page has what the page states and what it shows, labels in one text apart', async () => {
  const candidates = await candidatesIn('a-recipe-with-labels-in-one-text.html');
  const record = candidates.find(({ kind }) => kind === 'record');
  const firstOf = (label: string) => record?.columns.find((column) => column.label === label)?.values[0];
  expect(firstOf('recipeIngredient')).toEqual(['rye', 'water & salt']);
  expect([firstOf('Prep'), firstOf('Cook'), firstOf('Serves')]).toEqual([10, 25, 4]);
});

it('a picture is the one that the page shows of itself, before the crops that structured data list', async () => {
  const candidates = await candidatesIn('a-recipe-whose-structured-data-list-crops-of-its-picture.html');
  const goal = readGoal('the recipe: name, ingredients, picture');
  const match = clearMatch(matchGoal(candidates, goal), goal);
  expect(match?.fields.map(({ column }) => column?.values[0])).toEqual([
    'Seed crackers',
    ['80 g sunflower seeds', '60 g linseed', '100 ml water'],
    'https://site.example/pictures/seed-crackers-on-a-tray.jpg',
  ]);
});

it('without a goal the names of the guess are the words of the labels', async () => {
  const rows = ships.map((ship, at) => ({ caseCaption: ship, 'Filed on': `2025-12-0${at + 1}` }));
  const set = {
    file: 'list.json',
    type: 'application/json',
    address: '/list',
    many: true,
    goal: '',
    fields: [],
  };
  const document = documentOf({ ...set, truth: [], body: Buffer.from(JSON.stringify({ rows })) });
  const [match] = matchGoal(await candidatesOf(document), readGoal(''));
  expect(match && Object.keys(toGuess(match)?.fields ?? {})).toEqual(['case_caption', 'filed_on']);
});

describe('a column that a list itself calls as the goal does', () => {
  const pageOf = (
    rows: readonly (readonly [string, string, string])[],
    [one, other]: readonly [string, string],
  ) =>
    `<main><h1>Ads</h1>${rows.map(([title, text, more]) => `<div class="ad"><h3 class="title">${title}</h3> <span class="${one}">${text}</span> <span class="${other}">${more}</span></div>`).join('')}</main>`;
  const prices = [
    ['Red bike', 'VB 50 €', '4,90 €'],
    ['Old lamp', 'to give away', '2,90 €'],
    ['Wood table', '30 € or more', '19,00 €'],
    ['Big sofa', '1.200 € VB', '49,00 €'],
  ] as const;
  const texts = ['today, 10:15', 'yesterday, 9:00', '3 days ago', 'Monday, 8:00'];
  const dates = prices.map(([title], at) => [title, texts[at] ?? '', `1${at}.02.2025`] as const);

  it.each([
    ['price', 'shipping', prices, 'VB 50 €'],
    ['date', 'membersince', dates, 'today, 10:15'],
  ] as const)('%s is it, though %s has the kind', async (name, other, rows, value) => {
    const { build } = await serve(() => pageOf(rows, [name, other]));
    const built = await build('/', `ads with title and ${name}`);
    expect(built.built && built.sample?.[0]).toEqual({ title: 'Red bike', [name]: value });
  });

  it('is left open, and no other is taken for it, where it cannot be that', async () => {
    const some = prices.map(([title, , more], at) => [title, at > 1 ? 'on request' : 'free', more] as const);
    const { build } = await serve(() => pageOf(some, ['price', 'shipping']));
    expect(await build('/', 'ads with title and price')).toMatchObject({ errorType: 'CHOICE_NEEDED' });
  });

  it('a start is no day of posting', async () => {
    const { build } = await serve(() => pageOf(dates, ['hours', 'start']));
    expect(await build('/', 'jobs with title and posted')).toMatchObject({ errorType: 'CHOICE_NEEDED' });
  });

  it('has a name that is no word of meaning', async () => {
    const records = ['Lamp', 'Rope', 'Sail'].map((name, at) => ({
      name,
      at: `2024-0${at + 1}-01T10:00:00Z`,
    }));
    const { build } = await serve(() => JSON.stringify({ items: records }));
    const built = await build('/', 'things with name and at');
    expect(built.built && built.sample?.[0]).toEqual(records[0]);
  });
});

it('the currency that data state beside a price comes with it', async () => {
  const offers = { '@type': 'Offer', price: '12', priceCurrency: 'EUR' };
  const event = { '@type': 'MusicEvent', name: 'Fête', startDate: '2026-07-18', location: 'Pier', offers };
  const page = `<h1>Fête</h1><script type="application/ld+json">${JSON.stringify(event)}</script><p>Music.</p>`;
  const { build } = await serve(() => page);
  const built = await build('/', 'event with name, date and price');
  expect(built.built && built.sample?.[0]).toEqual({
    name: 'Fête',
    date: '2026-07-18',
    price: 12,
    price_currency: 'EUR',
  });
  // Unless the goal asks for it.
  const asked = await build('/', 'event with name, price and currency');
  expect(asked.built && asked.sample?.[0]).toEqual({ name: 'Fête', price: 12, currency: 'EUR' });
});

it('names that end in a number are names, and so are codes below "title"', async () => {
  const pageOf = (name: (at: number) => string, look: string) =>
    `<h1>Things</h1><ul>${[...Array(6).keys()].map((at) => `<li class="thing"><a class="${look}" href="/b/${at}">${name(at)}</a> <span class="price">${at + 10},00 kr</span></li>`).join('')}</ul>`;
  for (const [page, title] of [
    [pageOf((at) => `Hat ${at}`, 't'), 'Hat 0'],
    [pageOf((at) => `E${at}`, 'title'), 'E0'],
  ] as const) {
    const { build } = await serve(() => page);
    const built = await build('/', 'things with title and price');
    expect(built.built && built.sample?.[0]).toMatchObject({ title });
  }
});
