/** What belongs to a value stays with it, what all rows share is offered, and rows that nothing tells apart are not sold. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const letters = [...'ABCDEF'];
const list = (row: (letter: string, index: number) => string) =>
  `<!doctype html><html lang="en"><title>List</title><ul>${letters
    .map((letter, index) => `<li class="row">${row(letter, index)}</li>`)
    .join('\n')}</ul></html>`;
const named = (letter: string) => `<h3><a href="/${letter}">Lamp ${letter}</a></h3>`;

async function columnsOf(page: string) {
  const { preview } = await serve(() => page);
  const outcome = await preview('/', 'r1');
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.candidates.flatMap(({ columns }) => columns);
}

async function build(page: string, goal: string) {
  const { build: run } = await serve(() => page);
  return run('/', goal);
}

it.each([
  [['in stock', 'in stock', 'in stock', 'sold out', 'in stock', 'in stock']],
  [['on site', 'on call', 'on leave', 'on site', 'on call', 'on leave']],
  [['no pets', 'no smoking', 'no parking', 'no pets', 'no smoking', 'no parking']],
  [['by appointment', 'by train', 'by post', 'by train', 'by post', 'by train']],
])('no word is cut off that belongs to the value: %j', async (states) => {
  const columns = await columnsOf(
    list((letter, index) => `${named(letter)}<p class="state">${states[index]}</p>`),
  );
  const samples = columns.flatMap((column) => column.samples);
  expect(samples).toEqual(expect.arrayContaining([...new Set(states)].slice(0, 2)));
  expect(samples).not.toContain(states[0]?.replace(/^\w+ /, ''));
});

it('words that only name what follows become the name of the column', async () => {
  const columns = await columnsOf(
    list(
      (letter, index) =>
        `${named(letter)}<p class="who">by Ann ${letter}</p><p class="when">posted May ${index + 1}, 2024</p>`,
    ),
  );
  expect(columns).toContainEqual(expect.objectContaining({ label: 'by', samples: ['Ann A', 'Ann B'] }));
  expect(columns).toContainEqual(
    expect.objectContaining({ kind: 'date', samples: ['2024-05-01', '2024-05-02'] }),
  );
});

it('a user name after "by" is the value, as a name is', async () => {
  const columns = await columnsOf(
    list((letter, index) => `${named(letter)}<p class="who">by user${index}</p>`),
  );
  expect(columns).toContainEqual(expect.objectContaining({ label: 'by', samples: ['user0', 'user1'] }));
});

it('a currency that is said twice is one currency', async () => {
  const page = list((letter, index) => `${named(letter)}<p class="price">$${index + 1}.50 USD</p>`);
  expect(await build(page, 'List lamps with name and price')).toMatchObject({
    built: true,
    sample: [{ name: 'Lamp A', price: 1.5, price_currency: 'USD' }, {}, {}],
  });
});

it('the text beside an amount is no currency, and is not lost', async () => {
  const authors = await build(
    list(
      (letter, index) => `${named(letter)}<p><em>Author ${letter}. Smith</em><b>${index + 5},00 EUR</b></p>`,
    ),
    'List lamps with title and price',
  );
  expect(authors).toMatchObject({
    built: true,
    sample: [{ title: 'Lamp A', price: 5, price_currency: 'EUR' }, {}, {}],
  });
  const nights = await build(
    list((letter, index) => `${named(letter)}<p class="price">from ${index + 60} € per night</p>`),
    'List lamps with title and price',
  );
  expect(nights).toMatchObject({
    built: true,
    sample: [{ title: 'Lamp A', price: 60, price_unit: 'from € per night' }, {}, {}],
  });
  const columns = await columnsOf(
    list((letter, index) => `${named(letter)}<p class="price">from ${index + 60} € per night</p>`),
  );
  expect(columns).toContainEqual(
    expect.objectContaining({
      kind: 'number (unit)',
      samples: ['from 60 € per night', 'from 61 € per night'],
    }),
  );
});

it('an end of a range is not taken for the price, but its whole text', async () => {
  const page = list((letter, index) => `${named(letter)}<p class="price">€${index + 5} – €${index + 30}</p>`);
  expect(await build(page, 'All lamps with title and price')).toMatchObject({
    built: true,
    sample: [{ title: 'Lamp A', price: '€5 – €30' }, {}, {}],
  });
});

it('the currency may be a field of its own', async () => {
  const page = list((letter, index) => `${named(letter)}<p class="price">€${index + 1}.50</p>`);
  expect(await build(page, 'List lamps with name, price and currency')).toMatchObject({
    built: true,
    sample: [{ name: 'Lamp A', price: 1.5, currency: 'EUR' }, {}, {}],
  });
});

it('what is the same in all rows is offered and found by its name, and not taken unasked', async () => {
  const page = list(
    (letter, index) =>
      `${named(letter)}<b>${index + 3}</b><i class="currency">SEK</i><p class="state">open</p><a href="/cart">Buy</a>`,
  );
  const columns = await columnsOf(page);
  const samples = columns.map((column) => column.samples);
  expect(samples).toEqual(expect.arrayContaining([['SEK'], ['open']]));
  expect(samples).not.toContainEqual(['Buy']);
  expect(await build(page, 'List lamps with title and state')).toMatchObject({
    built: true,
    sample: [{ title: 'Lamp A', state: 'open' }, {}, {}],
  });
  const open = await build(page, 'Lamps');
  expect(open).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED' });
  const fields = open.built ? {} : (open.choose?.fields ?? {});
  expect(Object.keys(fields)).not.toContain('state');
});

it('a table keeps a column that is the same in all rows, with empty cells anywhere', async () => {
  const rows = letters.map(
    (letter, index) =>
      `<tr><td>${index === 0 ? '' : `Boat ${letter}`}</td><td>${index === 3 ? '' : index}</td><td>EUR</td></tr>`,
  );
  const page = `<table><tr><th>Name</th><th>Price</th><th>Currency</th></tr>${rows.join('')}</table>`;
  expect(await build(page, 'List boats with name, price and currency')).toMatchObject({
    built: true,
    sample: [{ name: null, price: 0, currency: 'EUR' }, { name: 'Boat B' }, {}],
  });
});

it('a list takes what names its rows by itself, or asks', async () => {
  const goal = 'List the top lamps with points';
  const page = list((letter, index) => `${named(letter)}<p class="points">${40 - index} points</p>`);
  const outcome = await build(page, goal);
  expect(outcome).toMatchObject({
    built: true,
    sample: [{ title: 'Lamp A', link: expect.stringMatching(/\/A$/), points: 40 }, {}, {}],
  });
  const table = letters.map((letter, index) => `<tr><td>Boat ${letter}</td><td>${index}</td></tr>`).join('');
  expect(
    await build(`<table><tr><th>Boat</th><th>Price</th></tr>${table}</table>`, 'All boats with price'),
  ).toMatchObject({ built: true, sample: [{ boat: 'Boat A', price: 0 }, {}, {}] });
  const nameless = list((_, index) => `<p class="points">${40 - index} points</p><p>of ${50 + index}</p>`);
  expect(await build(nameless, goal)).toMatchObject({
    built: false,
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('tells the rows apart'),
  });
  expect(await build(page, 'lamps')).toMatchObject({
    built: false,
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('names no fields'),
  });
  expect(await build(page, 'title and points of each lamp')).toMatchObject({
    built: true,
    sample: [{ title: 'Lamp A', points: 40 }, {}, {}],
  });
});

it.each([
  ['cheapest lamps with points', 'cheapest'],
  ['List the newest lamps with title and points', 'the newest'],
  ['All lamps with title, points sorted by points', 'sorted by points'],
  ['die neuesten Lampen mit title und points', 'die neuesten'],
  ['les lampes les moins chères avec title et points', 'les moins chères'],
])('an action never claims an order that it does not make: %s', async (goal, order) => {
  const outcome = await build(
    list((letter, index) => `${named(letter)}<p class="points">${40 - index} points</p>`),
    goal,
  );
  if (!outcome.built) throw new Error(outcome.message);
  const { action_id, name, description } = outcome.action;
  expect(`${action_id} ${name}`).not.toMatch(/cheapest|newest|sorted|neueste|moins/i);
  expect(description).toContain(`Rows are all of the page, in its order: "${order}" is not applied.`);
});

it('a place that most rows leave empty is a column', async () => {
  const outcome = await build(
    list((letter, index) => `${named(letter)}<span class="state">${index % 3 === 0 ? 'used' : ''}</span>`),
    'All lamps with title and state',
  );
  expect(outcome.built && outcome.sample?.slice(0, 2)).toMatchObject([{ state: 'used' }, { state: null }]);
});

it('what only some rows are asked for is not promised', async () => {
  const outcome = await build(
    list((letter, index) => `${named(letter)}<b class="price">€${index + 5}.00</b>`),
    'lamps under 8 euros with title and price',
  );
  if (!outcome.built) throw new Error(outcome.message);
  expect(`${outcome.action.action_id} ${outcome.action.name}`).not.toMatch(/under|8/);
  expect(outcome.action.description).toContain('"under 8 euros" is not applied');
});

it('a column of names is no date where the page has dates', async () => {
  const { build: run } = await serve(() =>
    list(
      (letter, index) =>
        `${named(letter)}<i class="maker">Maker ${letter}</i><time datetime="2024-05-0${index + 1}">May</time>`,
    ),
  );
  const outcome = await run('/', 'lamps', { candidate: 'r1', fields: { title: 'c1', date: 'c3' } });
  expect(outcome).toMatchObject({
    built: false,
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('fits better'),
  });
});

it.each(['number_of_reviews', 'review_count'])('words are no %s', async (name) => {
  const words = ['Excellent', 'Good', 'Fair', 'Poor', 'Superb', 'Bad'];
  const { build: run } = await serve(() =>
    list(
      (letter, index) =>
        `${named(letter)}<i class="word">${words[index]}</i><u class="count">${index * 700 + 12} reviews</u>`,
    ),
  );
  const build = (column: string) =>
    run('/', 'lamps', { candidate: 'r1', fields: { title: 'c1', [name]: column } });
  expect(await build('c3')).toMatchObject({
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('c4 (number) fits better'),
  });
  expect(await build('c4')).toMatchObject({ built: true });
});

it('what the list calls a time is its time, though some are written in words', async () => {
  const times = ['10:00–11:00', '18.30–19.15', '7 pm', 'noon', 'midnight', '9 am'];
  const { build: run, run: read } = await serve(() =>
    list((letter, index) => `${named(letter)}<i class="time">${times[index]}</i>`),
  );
  expect(await read(await run('/', 'List the courses with title and time'), {})).toMatchObject({
    items: times.map((time) => ({ time })),
  });
});

it('a number of posts is a field "posts"', async () => {
  const { build: run } = await serve(() =>
    list((letter, index) => `${named(letter)}<i class="sum">Beiträge: ${1204 + index}</i>`),
  );
  const outcome = await run('/', 'members', { candidate: 'r1', fields: { title: 'c1', posts: 'c3' } });
  expect(outcome).toMatchObject({ built: true });
});

it('"NO" in all rows is no boolean, and the whole row is the last that is proposed for a field', async () => {
  const rows = ['Ann', 'Bo', 'Cy'].map(
    (name, at) =>
      `<li class="it"><a href="/${at}">${name}</a><i class="land">NO</i><i class="member">${at === 1 ? 'NO' : 'YES'}</i></li>`,
  );
  const people = `<h1>People</h1><ul>${rows.join('')}</ul>`;
  const columns = await columnsOf(people);
  expect(columns).toContainEqual(expect.objectContaining({ label: 'land', kind: 'text', samples: ['NO'] }));
  expect(columns).toContainEqual(expect.objectContaining({ kind: 'boolean', samples: ['true', 'false'] }));
  const { build: run } = await serve(() => people);
  const wrong = await run('/', 'people', { candidate: 'r1', fields: { name: 'c2' } });
  if (wrong.built) throw new Error('built');
  expect(wrong.message).toMatch(/c3 \(text\)[^,]* fits better/);
});
