/** Values of `<dl>` in rows are found by their labels: a row may leave a pair out, or have another order. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

type Pairs = Readonly<Record<string, string>>;
const books: readonly Pairs[] = [
  { Author: 'Ann Ash', ISBN: '978-1', 'ISBN-13': '978-11', Type: 'Book', Weight: '2 kg' },
  { Author: 'Bob Birch', 'ISBN-13': '978-12', Type: 'Map', Weight: '3 kg' },
  { 'ISBN-13': '978-13', Type: 'Score', Weight: '4 kg' },
  { Author: 'Dan Dill', ISBN: '978-4', Type: 'Disc' },
  { Type: 'Film', ISBN: '978-5', Author: 'Eve Elm', Weight: '6 kg' },
  { Author: 'Flo Fir', ISBN: '978-6', 'ISBN-13': '978-16', Type: 'Game', Weight: '7 kg' },
];
const titles = ['One Sea', 'Two Rivers', 'Three Hills', 'Four Winds', 'Five Roads', 'Six Bridges'];
const pageOf = (pair: (label: string, value: string) => string) =>
  `<!doctype html><title>Books</title><h1>Books</h1><ol>${books
    .map(
      (pairs, at) =>
        `<li class="notice"><h2>${titles[at]}</h2><dl>${Object.entries(pairs)
          .map(([label, value]) => pair(label, value))
          .join('')}</dl></li>`,
    )
    .join('')}</ol>`;

it.each<[string, (label: string, value: string) => string]>([
  ['pairs', (label, value) => `<dt>${label}</dt><dd>${value}</dd>`],
  ['labels with a colon', (label, value) => `<dt>${label}:</dt> <dd>${value}</dd>`],
  ['boxes of pairs', (label, value) => `<div><dt>${label}</dt><dd>${value}</dd></div>`],
  ['labels in the elements of values', (label, value) => `<p><b>${label}:</b> ${value}</p>`],
  [
    'chips of label and value',
    (label, value) =>
      `<div class="spec"><span class="label">${label}</span><span class="value">${value}</span></div>`,
  ],
  ['values in elements', (label, value) => `<dt>${label}</dt><dd class="v"><span>${value}</span></dd>`],
])('%s', async (_, pair) => {
  const { build, run } = await serve(() => pageOf(pair));
  const outcome = await build('/', 'List books with title, author, ISBN, type and weight');
  const { items } = await run(outcome, {});
  expect(items).toEqual(
    books.map(({ Author = null, ISBN = null, Type = null, Weight }, at) => ({
      title: titles[at],
      author: Author,
      isbn: ISBN,
      type: Type,
      weight: Weight === undefined ? null : Number(Weight[0]),
      weight_unit: Weight === undefined ? null : 'kg',
    })),
  );
});

it('rows whose terms differ keep them as values', async () => {
  const topics = titles.map(
    (title, at) =>
      `<li><dl><dt><a href="/t/${at}">${title} topic</a></dt><dd class="posts">${at + 7}</dd></dl></li>`,
  );
  const { build, run } = await serve(() => `<h1>Topics</h1><ul>${topics.join('')}</ul>`);
  const outcome = await build('/', 'All topics', { candidate: 'r1', fields: { topic: 'c1', number: 'c3' } });
  const { items } = await run(outcome, {});
  expect(items).toEqual(titles.map((title, at) => ({ topic: `${title} topic`, number: at + 7 })));
});

const flats = [
  { title: 'Old House', rent: '1250 €', area: '68 m²', rooms: '3' },
  { title: 'New House', rent: '2100 €', area: '95 m²', rooms: '4' },
  { title: 'Small Room', rent: '400 €', rooms: '1' },
  { title: 'Below the Roof', rent: '980 €', area: '54 m²', rooms: '2' },
];

it.each<[string, (label: string, value: string) => string, string]>([
  ['a list of each pair', (label, value) => `<dl class="one"><dt>${label}</dt><dd>${value}</dd></dl>`, 'div'],
  [
    'values before labels',
    (label, value) => `<dl class="one"><dd>${value}</dd><dt>${label}</dt></dl>`,
    'div',
  ],
  ['values before labels in one list', (label, value) => `<dd>${value}</dd><dt>${label}</dt>`, 'dl'],
])('%s: rows that lack one keep the others', async (_, pair, around) => {
  const rows = flats.map(
    ({ title, rent, area, rooms }) =>
      `<li class="flat"><h2>${title}</h2><${around}>${pair('Rent', rent)}${
        area === undefined ? '' : pair('Area', area)
      }${pair('Rooms', rooms)}</${around}></li>`,
  );
  const { build, run } = await serve(() => `<h1>Flats</h1><ul>${rows.join('')}</ul>`);
  const { items } = await run(await build('/', 'List flats with title, rent, area and rooms'), {});
  expect(items).toMatchObject(
    flats.map(({ title, rent, area, rooms }) => ({
      title,
      rent: Number.parseInt(rent, 10),
      area: area === undefined ? null : Number.parseInt(area, 10),
      rooms: Number(rooms),
    })),
  );
});

it.each([
  '<table><tr><td>Born:</td><td>1980</td></tr><tr><td>Died:</td><td></td></tr><tr><td>Nation:</td><td>NO</td></tr></table>',
  '<ul><li>Born: 1980</li><li>Died: <i></i></li><li>Nation: NO</li></ul>',
  '<p>Born: 1980<br>Died:<br>Nation: NO<br>Club: Vik</p>',
  '<p><b>Born:</b> 1980</p><p><b>Died:</b></p><p><b>Nation:</b> NO</p><p><b>Club:</b> Vik</p>',
])('the next line is no value of a label that has none: %s', async (facts) => {
  const { build } = await serve(() => `<main><h1>Ann Bo</h1>${facts}</main>`);
  expect(await build('/', 'Get name, born, died and nation')).toMatchObject({ built: false });
});

it('a card that leaves the value of a line empty has none', async () => {
  const dogs = [
    ['Rex', '3', 'Pug', 'm'],
    ['Bella', '', 'Mix', 'f'],
    ['Max', '5', '', 'm'],
    ['Lia', '2', 'Collie', 'f'],
  ];
  const cards = dogs.map(
    ([name, age, breed, sex]) =>
      `<div class="dog"><h3>${name}</h3><p>Age: ${age}<br>Breed: ${breed}<br>Sex: ${sex}</p></div>`,
  );
  const { build, run } = await serve(() => `<main><h1>Dogs</h1>${cards.join('')}</main>`);
  expect(await run(await build('/', 'List dogs with name, age, breed, sex'), {})).toMatchObject({
    items: dogs.map(([name, age = '', breed = '', sex]) => ({
      name,
      age: age === '' ? null : Number(age),
      breed: breed === '' ? null : breed,
      sex,
    })),
  });
});
