/** Words of a goal that say which of several prices or dates is meant, and classes that name a block and no value. */
import { describe, expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const page = (rows: readonly string[]) =>
  `<!doctype html><html lang="de"><title>Hotels</title><main><h1>Hotels</h1><div>${rows.join('\n')}</div></main></html>`;

/** The fields that are built or proposed, and the first row of a build. */
async function build(rows: readonly string[], goal: string) {
  const outcome = await (await serve(() => page(rows))).build('/', goal);
  if (outcome.built) return { sample: outcome.sample };
  return { message: outcome.message, proposed: Object.keys(outcome.choose?.fields ?? {}) };
}

describe('prices before and after a discount', () => {
  const hotel = (name: string, price: number, before?: number) =>
    `<div role="listitem"><h3><a href="/${name}"><div class="n0">${name}</div></a></h3><div>${before === undefined ? '' : `<span class="c7" aria-hidden="true">€ ${before}</span>`}<span data-testid="price-and-discounted-price" class="f6">€ ${price}</span><div class="a4">${before === undefined ? `Preis € ${price}` : `Ursprünglicher Preis: € ${before}. Aktueller Preis: € ${price}.`}</div></div></div>`;
  const hotels = [
    hotel('Altstadt', 350, 412),
    hotel('Bahnhof', 96),
    hotel('City', 71),
    hotel('Dom', 132, 190),
  ];

  it.each([
    ['Hotels with name and old price', 'old_price'],
    ['Hotels mit Name und alter Preis', 'alter_preis'],
    // The old one has a label with the word, the other one only a name for tests.
    ['Hotels with name and price', 'price'],
  ])('are not taken for one another: %s', async (goal, field) => {
    expect(await build(hotels, goal)).toEqual({
      message: expect.stringContaining(`none for ${field}`),
      proposed: ['name'],
    });
  });
});

describe('the price of a row that has another amount', () => {
  /** Every third product is on sale. `first`: what stands in the place of the price of all rows. */
  const shop = (first: (price: number, before: number) => number, struck = 's') =>
    Array.from({ length: 9 }, (_, at) => {
      const [price, before] = [10 + at, 30 + at];
      const isSale = at % 3 === 2;
      const sale = `<span class="visually-hidden">Regular price</span><span><${struck} class="item regular">£${before}.00</${struck}></span><span class="visually-hidden">Sale price</span><span class="item sale">£${price}.00</span>`;
      return `<article><h3><a href="/${at}">Lamp ${at}</a></h3><div class="box"><div class="one"><span class="visually-hidden">Regular price</span><span class="item regular">£${isSale ? first(price, before) : price}.00</span></div><div class="two">${isSale ? sale : ''}</div></div></article>`;
    });

  it.each([
    [
      'is asked for where the same one is struck out beside it',
      (_: number, before: number) => before,
      'price',
    ],
    ['is asked for by a name that two have', (price: number) => price, 'regular price'],
  ])('%s', async (_, first, asked) => {
    expect(await build(shop(first), `List all products with title and ${asked}`)).toEqual({
      message: expect.stringContaining(`none for ${asked.replace(' ', '_')}`),
      proposed: ['title'],
    });
  });

  it('is the one beside a price of before that is struck out in the rows that have it', async () => {
    const rows = Array.from({ length: 6 }, (_, at) => {
      const [price, before] = [10 + at, at % 3 === 1 ? 19 + at : 10 + at];
      const old = price === before ? '' : `<s class="item">£${before}.00</s>`;
      return `<article><h3><a href="/${at}">Lamp ${at}</a></h3><div class="regular"><i class="ear">Regular price</i><span class="item">£${before}.00</span></div><div class="sale"><i class="ear">Regular price</i><span>${old}</span><i class="ear">Sale price</i><span class="item last">£${price}.00</span></div></article>`;
    });
    const outcome = await build(rows, 'List all products with title and price');
    expect(outcome.sample).toMatchObject([{ price: 10 }, { price: 11 }, { price: 12 }]);
  });

  it('is taken where only others are struck out', async () => {
    const outcome = await build(
      shop((price) => price),
      'List all products with title and price',
    );
    expect(outcome.sample).toMatchObject([{ price: 10 }, { price: 11 }, { price: 12 }]);
  });

  it('is asked for where it is a text of two amounts in some rows', async () => {
    const rows = Array.from(
      { length: 9 },
      (_, at) =>
        `<article><h3>Lamp ${at}</h3><div class="price"><span class="regular-price">£${at + 20}.00</span>${at % 3 === 2 ? ' <span class="sale-price">£9.00</span>' : ''}</div></article>`,
    );
    expect(await build(rows, 'List all products with title and price')).toMatchObject({
      proposed: ['title'],
    });
  });

  it('is not one that only half of the rows have', async () => {
    const rows = Array.from(
      { length: 8 },
      (_, at) =>
        `<article><h3>Lamp ${at}</h3><p class="a1">€${at + 20}.00</p>${at % 2 === 0 ? `<p class="member-price">€${at + 9}.00</p>` : ''}</article>`,
    );
    expect(await build(rows, 'List all products with title and price')).toMatchObject({
      proposed: ['title'],
    });
  });

  it('is not what is before the point, where the rest stands in an element of its own', async () => {
    const rows = [29, 31, 64, 80].map(
      (euros, at) =>
        `<div class="card"><h2><a href="/${at}">Kettle ${at}</a></h2><div class="a-row"><span class="a-price"><span class="a-offscreen">$${euros}.99</span><span aria-hidden="true"><span class="a-price-symbol">$</span><span class="a-price-whole">${euros}<span class="a-price-decimal">.</span></span><span class="a-price-fraction">99</span></span></span></div></div>`,
    );
    expect(await build(rows, 'List all products with title and price')).toMatchObject({
      proposed: ['title'],
    });
  });

  it.each([
    ['in all rows', () => true],
    ['in some rows', (at: number) => at % 2 === 1],
  ])('makes no row of its own where two stand in one box %s', async (_, hasTwo) => {
    const rows = Array.from(
      { length: 8 },
      (_row, at) =>
        `<div class="card"><h2 class="card-title"><a href="/p/${at}">Kettle ${at}</a></h2><div class="prices"><span class="price price--now">£${at + 29}.99</span> ${hasTwo(at) ? `<span class="price price--was">£${at + 35}.99</span>` : ''}</div></div>`,
    );
    const outcome = await build(rows, 'List all products with title and price');
    expect(outcome).toMatchObject({ proposed: ['title'] });
  });

  it('is not the old one of a table', async () => {
    const rows = ['Lamp', 'Chair', 'Desk'].map(
      (name, at) => `<tr><td>${name}<td>€${at + 20}.00<td>€${at + 9}.00`,
    );
    const table = `<table><tr><th>Item<th>Old price<th>Now${rows.join('')}</table>`;
    expect(await build([table], 'List all items with item and price')).toMatchObject({ proposed: ['item'] });
  });
});

it('a date that nothing calls a deadline is none', async () => {
  const grants = ['Alpha', 'Beta', 'Gamma', 'Delta'].map(
    (name, at) => `<div class="grant"><h3>${name}</h3><span class="posted">${at + 3} May 2026</span></div>`,
  );
  expect(await build(grants, 'Grants with name and closing date')).toMatchObject({
    message: expect.stringContaining('none for closing_date'),
  });
  expect(await build(grants, 'Grants with name and publication date')).toMatchObject({
    sample: [{ name: 'Alpha', publication_date: '2026-05-03' }, {}, {}],
  });
});

it('each word counts for a score, which is a text', async () => {
  const rows = ['Reds,28:9', 'Blues,20:9', 'Greens,18:11', 'Greys,8:9'].map(
    (row) => `<tr><td>${row.replaceAll(',', '</td><td>')}</td></tr>`,
  );
  const table = `<table><tr><th>Team</th><th>Goals</th></tr>${rows.join('')}</table>`;
  expect(await build([table], 'Teams with team and goal difference')).toMatchObject({
    message: expect.stringContaining('none for goal_difference'),
    proposed: ['team'],
  });
  expect(await build([table], 'Teams with team and goals')).toMatchObject({
    sample: [{ team: 'Reds', goals: '28:9' }, {}, {}],
  });
});

it('the end of a span is no time, and a snippet of a job no type of it', async () => {
  const events = ['Jazz', 'Fair', 'Talk', 'Film'].map(
    (name, at) =>
      `<article><h3><a href="/${name}">${name}</a></h3><div class="when"><span class="start">${at + 1} pm</span> - <span class="event-time">${at + 3} pm</span></div></article>`,
  );
  expect(await build(events, 'Events with title and time')).toMatchObject({
    message: expect.stringContaining('none for time'),
    proposed: ['title'],
  });
  const jobs = ['Cook', 'Clerk', 'Nurse', 'Baker'].map(
    (name) =>
      `<div class="job"><h3><a href="/${name}">${name}</a></h3><div class="job-snippet">${name}s work with a great team.</div></div>`,
  );
  expect(await build(jobs, 'Jobs with title and job type')).toMatchObject({
    message: expect.stringContaining('none for job_type'),
    proposed: ['title'],
  });
});

describe('the head of a post', () => {
  const post = (user: string, day: string, date: string) =>
    `<div class="post"><p class="author"><span class="sr-only">Mensaje</span><span>por <strong><a href="/${user}">${user}</a></strong> &raquo; </span><time>${day} ${date}</time></p><div class="content">Hola ${user}</div></div>`;
  const posts = [
    post('ana', 'Lun', 'Nov 23, 2026'),
    post('lola', 'Mar', 'Nov 24, 2026'),
    post('pepe', 'Mie', 'Nov 25, 2026'),
    post('eva', 'Jue', 'Nov 26, 2026'),
  ];

  it('is no author, though its class says so', async () => {
    expect(await build(posts, 'All posts with author and date')).toMatchObject({
      message: expect.stringContaining('none for author'),
    });
  });

  it('is not divided where a word of another element begins', async () => {
    const { preview } = await serve(() => page(posts));
    const outcome = await preview('/', 'r1');
    const samples = outcome.ok
      ? outcome.candidates.flatMap(({ columns }) => columns.map((one) => one.samples[0]))
      : [];
    expect(samples).toContain('ana');
    expect(samples).not.toContain('Mensajepor ana » Lun');
  });
});

it('a header that is the very phrase is meant, though another differs from it by a sign alone', async () => {
  const rows = ['Alpha', 'Beta', 'Gamma'].map((name, at) => `<tr><td>${name}<td>${at + 1}.5<td>${at + 0.3}%`);
  const table = `<table><tr><th>Symbol<th>Change<th>% Change${rows.join('')}</table>`;
  expect(await build([table], 'List all rows with symbol and change')).toMatchObject({
    sample: [{ symbol: 'Alpha', change: 1.5 }, { change: 2.5 }, { change: 3.5 }],
  });
});

it.each([
  ['title', 'CVE-1 Overflow in foo'],
  ['name', 'CVE-1 Overflow in foo'],
])('a %s has the number that stands before it', async (field, first) => {
  const titles = ['CVE-1 Overflow in foo', 'CVE-2 Leak in bar', 'CVE-3 Crash of baz', 'CVE-4 Race in qux'];
  const rows = titles.map(
    (title, at) =>
      `<li><h3><a href="/e/${at}">${title.replace('-', '-2026-')}</a></h3><i>Hall ${at}</i></li>`,
  );
  expect(await build([`<ul>${rows.join('')}</ul>`], `List all advisories with ${field}`)).toMatchObject({
    sample: [{ [field]: first.replace('-', '-2026-') }, {}, {}],
  });
});

it('users and downloads are how many, and no author or link', async () => {
  const row = (name: string, users: string, downloads: string) =>
    `<li class="result"><h2><a href="/${name}">${name}</a></h2><h3 class="result-author">by ${name} Devs</h3>
    <span class="result-users">${users} users</span><span class="downloads">${downloads}</span></li>`;
  const { build } = await serve(
    () =>
      `<h1>Extensions</h1><ul>${row('Albatross', '9,812,443', '1204331')}${row('Barnacle', '12,004', '99812')}${row('Curlew', '880', '8120')}</ul>`,
  );
  expect(await build('/', 'List extensions with name, author, users and downloads')).toMatchObject({
    built: true,
    sample: [{ author: 'Albatross Devs', users: 9_812_443, downloads: 1_204_331 }, {}, {}],
  });
});
