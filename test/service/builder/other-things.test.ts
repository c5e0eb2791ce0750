/** A field never gets another thing that stands where its value is expected. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const page = (body: string, language: string) =>
  `<!doctype html><html lang="${language}"><title>List</title><main><h1>List</h1>${body}</main></html>`;
const rows = (write: (letter: string, at: number) => string) => [...'ABCD'].map(write).join('\n');

async function build(body: string, goal: string, language = 'en') {
  const { build: run, run: call } = await serve(() => page(body, language));
  const outcome = await run('/', goal);
  return { outcome, items: outcome.built ? (await call(outcome, {})).items : undefined };
}

it('the label of a drawing is its value, not the number of votes in it', async () => {
  const cards = rows(
    (letter, at) =>
      `<article><h2><a href="/${at}">Soup ${letter}</a></h2><div class="rating" role="img" aria-label="4.${at} of 5"><span class="stars"></span><span class="count">(${at + 3}12)</span></div></article>`,
  );
  const { items } = await build(cards, 'All soups with title, rating and count');
  expect(items).toMatchObject(
    [0, 1, 2, 3].map((at) => ({ rating: Number(`4.${at}`), count: at * 100 + 312 })),
  );
});

it('of two things below one header, a word that names neither alone means none', async () => {
  const table = (head: string) =>
    `<table><tr><th>No</th><th>${head}</th></tr>${rows((letter, at) => `<tr><td>${at + 1}</td><td><a href="/${at}">Lamp ${letter}</a><ul><li>${at + 7203}</li></ul></td></tr>`)}</table>`;
  const { outcome } = await build(table('名称・コード'), 'List: no, 名称');
  expect(outcome).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED' });
  const { items } = await build(table('Name / Code'), 'List: no, name');
  expect(items).toMatchObject([...'ABCD'].map((letter) => ({ name: `Lamp ${letter}` })));
});

it('what a button unfolds is what the cell says', async () => {
  const table = `<table><tr><th>Train</th><th>Stops</th></tr>${rows((letter, at) => `<tr><td>RE ${at}</td><td><button>+</button><div style="display:none">Town ${letter}</div></td></tr>`)}</table>`;
  const { items } = await build(table, 'List: train, stops');
  expect(items).toMatchObject([...'ABCD'].map((letter) => ({ stops: `Town ${letter}` })));
});

it('a unit behind a number names that number, not the next one', async () => {
  const cards = rows(
    (letter, at) =>
      `<article><h2>Car ${letter}</h2><p>EZ 0${at + 1}/2022 • 4${at}.200 km • 11${at} kW (150 PS) • Petrol</p></article>`,
  );
  const { items } = await build(cards, 'Cars with title and km', 'de');
  expect(items).toMatchObject([0, 1, 2, 3].map((at) => ({ km: 40_200 + at * 1_000 })));
});

it('a labelled line is found where a row lacks the line before it', async () => {
  const cards = rows(
    (letter, at) =>
      `<article><h2>Visit ${letter}</h2>${at === 3 ? '' : `<p>It was good, said ${letter}.</p>`}<p><b>Date of visit:</b> 1${at} May 2026</p></article>`,
  );
  const { items } = await build(cards, 'Visits with title and date of visit');
  expect(items).toMatchObject([0, 1, 2, 3].map((at) => ({ date_of_visit: `2026-05-1${at}` })));
});

it('headings above several records are not the records', async () => {
  const notice = (number: number) =>
    `<li class="notice"><p>Order ${number} on ships</p><span><a href="/${number}.pdf">PDF (GAZ-A-2026-${number})</a></span></li>`;
  const groups = rows(
    (letter, at) =>
      `<h3>Ministry ${letter}</h3><ul>${Array.from({ length: 1 + (at % 2) }, (_, turn) => notice(23_000 + at * 10 + turn)).join('')}</ul>`,
  );
  const { outcome } = await build(groups, 'All notices with title, number and PDF link');
  expect(outcome).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED' });
});

it('an identifier behind its name keeps its zeros', async () => {
  const papers = rows(
    (letter, at) => `<article><h2>On ${letter}</h2><i>arXiv:2611.0123${at * 3}</i></article>`,
  );
  const { items } = await build(papers, 'All papers with title and arXiv');
  expect(items).toMatchObject([0, 3, 6, 9].map((last) => ({ arxiv: `2611.0123${last}` })));
});

it('headers that cells repeat for small screens are no part of their values', async () => {
  const cell = (label: string, text: string) => `<td><span class="small">${label}</span>${text}</td>`;
  const table = `<table><tr><th>Name</th><th>Party</th></tr>${rows((letter) => `<tr>${cell('Name', `Ann ${letter}`)}${cell('Party:', `Club ${letter}`)}</tr>`)}</table>`;
  const { items } = await build(table, 'List members with name and party');
  expect(items).toEqual([...'ABCD'].map((letter) => ({ name: `Ann ${letter}`, party: `Club ${letter}` })));
});

it('a price that rows write in several ways is asked for, not one of these ways taken', async () => {
  const amount = (at: number) =>
    `<span class="label">${['From', 'Special', '', 'From'][at]}</span> <b>$${at + 2}5.00</b>`;
  const products = rows(
    (letter, at) =>
      `<article><h2>Boat ${letter}</h2><div><div class="${['minimal-price', 'special-price', 'normal-price', 'minimal-price'][at]}"><span>${amount(at)}</span></div></div></article>`,
  );
  const { outcome, items } = await build(products, 'All products with name and price');
  if (outcome.built) expect(items).toMatchObject([25, 35, 45, 55].map((price) => ({ price })));
  else expect(outcome).toMatchObject({ errorType: 'CHOICE_NEEDED' });
});

it('rows of one cell that head the rows below them are a column', async () => {
  const day = (at: number) => (at % 2 === 0 ? `<tr><td colspan="2">2${at} May 2026</td></tr>` : '');
  const table = `<table><tr><th>Home</th><th>Score</th></tr>${rows((letter, at) => `${day(at)}<tr><td>Club ${letter}</td><td>${at} : 1</td></tr>`)}</table>`;
  const { items, outcome } = await build(table, 'List matches with date and home');
  expect(items).toEqual(
    [0, 0, 2, 2].map((at, index) => ({ date: `2026-05-2${at}`, home: `Club ${'ABCD'[index]}` })),
  );
  expect(outcome).toMatchObject({ built: true });
  const notes = `<table><tr><th>Home</th><th>Score</th></tr>${rows((letter, at) => `<tr><td>Club ${letter}</td><td>${at} : 1</td></tr>${at === 2 ? day(2) : ''}`)}</table>`;
  expect((await build(notes, 'List matches with date and home')).outcome).toMatchObject({ built: false });
});

it('what is inserted holds, and what is deleted held before', async () => {
  const price = (at: number) =>
    at % 2 === 0
      ? `<del><b>€${at + 9}.00</b></del> <i>was</i> <ins><b>€${at + 5}.00</b></ins>`
      : `<b>€${at + 5}.00</b>`;
  const shelf = rows(
    (letter, at) => `<article><h2>Mug ${letter}</h2><span class="price">${price(at)}</span></article>`,
  );
  const { items } = await build(shelf, 'List mugs with name and price');
  expect(items).toMatchObject([5, 6, 7, 8].map((now) => ({ price: now })));
});

it('of two forms for two sizes of screen the long one is the value', async () => {
  const both = (long: string, short: string) =>
    `<span class="d-none d-md-inline">${long}</span><span class="d-md-none">${short}</span>`;
  const table = `<table><tr><th>Team</th><th>${both('Spiele', 'Sp.')}</th></tr>${rows((letter, at) => `<tr><td>${both(`Club ${letter}`, letter)}</td><td>${at + 30}</td></tr>`)}</table>`;
  const { items } = await build(table, 'Tabelle: Team, Spiele');
  expect(items).toEqual([...'ABCD'].map((letter, at) => ({ team: `Club ${letter}`, spiele: at + 30 })));
});

it('a rating is not the votes beside it, whose text is called by the block around both', async () => {
  const films = rows(
    (letter, at) =>
      `<li><h2><a href="/${letter}">Film ${letter}</a></h2><div class="star"><span class="rating_num">9.${7 - at}</span><span content="10.0"></span><span>${314_251 + at}人评价</span></div></li>`,
  );
  for (const name of ['rating', 'rating_num']) {
    const { items } = await build(`<ol>${films}</ol>`, `All films with title and ${name.replace('_', ' ')}`);
    expect(items).toMatchObject([9.7, 9.6, 9.5, 9.4].map((rating) => ({ [name]: rating })));
  }
});
