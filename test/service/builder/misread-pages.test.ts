/** Pages that are easily misread: each is built without a choice, and its rows are the true ones. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { candidatesOf, documentOf } from './best-choice.ts';
import { ownPages, readPageSets } from './page-sets.ts';
import { readPage, serve } from './serve-pages.ts';

const sets = new Map(readPageSets(ownPages).map((set) => [set.file, set]));

it.each([
  ['sittings-with-dates-of-the-united-states.html', 'dates such as 3/13/24 have the month first'],
  ['claims-numbered-with-a-stroke.html', 'numbers such as 571527/24 stay texts'],
  ['cases-with-docket-numbers-of-two-digits.html', 'docket numbers stay texts beside numbers'],
  ['notices-in-classes-with-unbalanced-brackets.html', 'no bracket in a class or id breaks a selector'],
  [
    'a-recipe-whose-steps-have-names-in-sections.html',
    'steps follow the names of their sections, the image is no logo',
  ],
  ['a-recipe-whose-steps-are-called-by-numbers.html', 'numbers of steps are not their names'],
  ['a-recipe-in-microdata-with-lists.html', 'a property that several elements have is a list'],
  [
    'a-recipe-with-a-description-in-two-lines.html',
    'a stated text in lines does not stop the reading of the page',
  ],
  ['a-recipe-with-labels-in-one-text.html', 'labels in one text are told apart'],
  ['news-of-a-feed-with-wrong-weekdays.xml', 'a wrong weekday leaves the date of a feed as it is'],
  ['news-in-a-table-with-wrong-weekdays.html', 'a wrong weekday leaves the date of a table as it is'],
  ['boats-below-a-note-that-nothing-was-found.html', 'a note that nothing was found is not the page'],
  ['boats-beside-a-sign-in-form.html', 'a form to sign in beside data asks for no sign-in'],
])('%s: %s', async (file, _) => {
  const set = sets.get(file);
  if (set === undefined) throw new Error('no such page');
  const { build, run } = await serve((path) => (path === set.address ? set.body.toString('utf8') : 404));
  const data = await run(await build(set.address, set.goal), {});
  const rows: unknown = set.many ? data.items : [data];
  const days = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replace(/(\d{4}-\d\d-\d\d)T[\d:.]+Z/g, '$1'));
  expect(days(rows)).toMatchObject(set.truth);
});

it('a page that is only a form to sign in asks for a sign-in', async () => {
  const { build, preview } = await serve(() => readPage('pages/a-sign-in-page.html'));
  const expected = { errorType: 'LOGIN_REQUIRED', message: expect.stringContaining('sign-in') };
  expect(await build('/', 'List all boats with name and price')).toMatchObject({ built: false, ...expected });
  expect(await preview('/')).toMatchObject({ ok: false, ...expected });
});

it('whatever classes, ids and names a page has, its rows are read', async () => {
  const mark = fc.string({ unit: fc.constantFrom(..."ab1-_:/.#()[]{}\\'+~>*$|^,é".split('')), maxLength: 8 });
  const [set] = [...sets.values()];
  if (set === undefined) throw new Error('no page sets');
  const page = readPage('sites/boats-with-marks.html');
  await fc.assert(
    fc.asyncProperty(mark, mark, mark, async (name, id, label) => {
      const body = page.replaceAll('CLASS', name).replaceAll('ID', id).replaceAll('NAME', label);
      const candidates = await candidatesOf(documentOf({ ...set, body: Buffer.from(body) }));
      const values = candidates.flatMap(({ columns }) => columns.flatMap((column) => column.values));
      expect(values).toEqual(expect.arrayContaining(['Albatross', 'Dunlin']));
    }),
    { numRuns: 60 },
  );
}, 30_000);

it.each(['Material', 'Owner', 'Protection'])(
  'a line is found by its label, also where a card has no %s',
  async (absent) => {
    const labels = ['Material', 'Owner', 'Protection', 'Roof'];
    const houses = [
      ['Elm Court', 'Brick', 'City', 'Listed', 'Slate'],
      ['Oak House', 'Timber', 'Church', 'Not listed', 'Tile'],
      ['Ash Hall', 'Stone', 'Trust', 'Listed', 'Lead'],
      ['Fir Lodge', 'Brick', 'Private', 'Not listed', 'Tile'],
      ['Yew Place', 'Concrete', 'State', 'Not listed', 'Flat'],
    ];
    let without: string | undefined;
    const card = ([name, ...values]: readonly string[], at: number) => {
      const lines = labels.flatMap((label, index) =>
        at === 1 && label === without ? [] : [`<strong>${label}:</strong> ${values[index]}`],
      );
      return `<article class="card"><h3>${name}</h3><p>${lines.join('<br>')}</p></article>`;
    };
    const { build, run } = await serve(
      () => `<!doctype html><html lang="en"><h1>Houses</h1><main>${houses.map(card).join('')}</main>`,
    );
    const whole = await build('/', 'List the houses with name, material, owner, protection and roof');
    without = absent;
    const expected = {
      name: 'Oak House',
      material: 'Timber',
      owner: 'Church',
      protection: 'Not listed',
      roof: 'Tile',
    };
    const second = { ...expected, [absent.toLowerCase()]: null };
    expect((await run(whole, {})).items).toMatchObject({ 1: second });
    const part = await build('/?part', 'List the houses with name, material, owner, protection and roof');
    expect((await run(part, {})).items).toMatchObject({ 1: second });
  },
);

it('the row that names the columns is no record, also where each record has a second row', async () => {
  const flats = ['A1', 'A2', 'B1', 'B2'].map(
    (flat, at) =>
      `<tr><td data-label="Flat">${flat}</td><td data-label="Rent">$${at + 9}00</td><td data-label="Floor">${at}</td></tr><tr class="detail"><td colspan="3">Bright flat ${flat} near the park.</td></tr>`,
  );
  const head = '<tr><td><b>Flat</b></td><td><b>Rent</b></td><td><b>Floor</b></td></tr>';
  const { build, run } = await serve(
    () => `<!doctype html><html lang="en"><h1>Flats</h1><table>${head}${flats.join('')}</table>`,
  );
  expect(await run(await build('/', 'List the flats with flat, rent and floor'), {})).toMatchObject({
    items: ['A1', 'A2', 'B1', 'B2'].map((flat, at) => ({ flat, rent: (at + 9) * 100, floor: at })),
    missing: [expect.stringContaining('Every second row of the table')],
  });
});

it.each([
  ['Time<br>UTC', '2026-11-27T21:14:00Z'],
  ['Time (CET)', '2026-11-27T20:14:00Z'],
])('times are of the zone that the head of their column says: %s', async (head, time) => {
  const rows = ['Athens', 'Rome', 'Lima'].map(
    (place, day) => `<tr><td>2026-11-${27 - day} 21:14</td><td>${place}</td></tr>`,
  );
  const { build, run } = await serve(
    () => `<h1>Quakes</h1><table><tr><th>${head}</th><th>Place</th></tr>${rows.join('')}</table>`,
  );
  const choose = { candidate: 't1', fields: { time: 'c1', place: 'c2' } };
  const { items, missing } = await run(await build('/', 'Quakes', choose), {});
  expect(items).toMatchObject({ 0: { time, place: 'Athens' } });
  expect(missing).toBeUndefined();
});

it('words behind numbers that differ from row to row are no units', async () => {
  const rows = ['7.5 HIGH', '4.4 MEDIUM', '6.5 MEDIUM', '7.1 HIGH'].map(
    (score, at) =>
      `<tr><td>Hole ${'ABCD'[at]}</td><td>${score}</td><td>${at + 2} ${at > 0 ? 'MB' : 'kB'}</td></tr>`,
  );
  const { build, run } = await serve(
    () => `<h1>Holes</h1><table><tr><th>Name<th>Score<th>Size</tr>${rows.join('')}</table>`,
  );
  expect((await run(await build('/', 'List all holes with name, score and size'), {})).items).toMatchObject({
    0: { score: '7.5 HIGH', size: 2, size_unit: 'kB' },
    1: { score: '4.4 MEDIUM', size: 3, size_unit: 'MB' },
  });
});

it('terms with their details are records, also with links of their own and below headings of days', async () => {
  const paper = (at: number) =>
    `<dt>[${at}] <a href="/abs/${at}">No. ${at}</a> [<a href="/pdf/${at}">pdf</a>]</dt><dd><div class="title">Paper ${'ABCDEFG'[at]} on squares</div><div class="authors">${['Weil', 'Gauss', 'Hardy'].slice(at % 3).map((name) => `<a href="/a/${name}">${name} ${at}</a>`)}</div><div class="summary">Number theory of ${at}</div></dd>`;
  const days = [
    [0, 1],
    [2, 3, 4],
    [5, 6],
  ].map((some, at) => `<h3>Day ${at}</h3>${some.map(paper).join('')}`);
  const { build, run } = await serve(
    () => `<!doctype html><html lang="en"><h1>Papers</h1><main><dl>${days.join('')}</dl></main>`,
  );
  const { items } = await run(await build('/', 'List all papers with title and summary'), {});
  expect(items).toMatchObject(
    [...'ABCDEFG'].map((name, at) => ({
      title: `Paper ${name} on squares`,
      summary: `Number theory of ${at}`,
    })),
  );
});

it('values that rows repeat are no labels, neither of elements nor within a text', async () => {
  const studies = [
    ['Recruiting', 'Statins', '412', 'Leeds'],
    ['Completed', 'Asthma', '88', 'York'],
    ['Not yet recruiting', 'Sleep', '60', 'Hull'],
    ['Completed', 'Knee pain', '12', 'Leeds'],
    ['Recruiting', 'Walking', '1,204', 'Bath'],
  ];
  const cards = studies.map(
    ([state, name, size, place], at) =>
      `<div class="card"><div class="head"><span class="status">${state}</span> <a href="/s/${at}">${name}</a></div><div class="meta">Enrollment: ${size} Location: ${place} Start: 2025-03-0${at + 1}</div></div>`,
  );
  const { build, run } = await serve(
    () => `<!doctype html><html lang="en"><h1>Studies</h1><main>${cards.join('')}</main>`,
  );
  const choose = await build('/', 'List all studies with status, enrollment, location and start');
  expect((await run(choose, {})).items).toMatchObject(
    studies.map(([status, , , location], at) => ({ status, location, start: `2025-03-0${at + 1}` })),
  );
});
