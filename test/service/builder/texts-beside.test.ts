/** Texts beside which few rows say more: a tagline, a badge, what was struck out. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { serve } from './serve-pages.ts';

const page = (list: string) =>
  `<!doctype html><html lang="en"><title>List</title><main><h1>List</h1>${list}</main></html>`;
const toList = (rows: readonly string[]) => page(`<ul>${rows.map((row) => `<li>${row}</li>`).join('')}</ul>`);

async function rowsOf(html: string, goal: string) {
  const { build, run } = await serve(() => html);
  return run(await build('/', goal), {});
}

describe('an element that says all of its block in most rows', () => {
  const jobs = (company: (name: string, at: number) => string) =>
    toList(
      ['W', 'X', 'Y', 'Z'].map(
        (name, at) =>
          `<h3><a href="/${name}">Job ${name} here</a></h3><div class="company">${company(`Firm ${name}`, at)}</div>`,
      ),
    );
  const goal = 'List the jobs with title and company';
  const firms = ['W', 'X', 'Y', 'Z'].map((name) => ({ title: `Job ${name} here`, company: `Firm ${name}` }));

  it.each([
    ['a tagline', (name: string) => `<strong>${name}</strong> <span class="tagline">We build things</span>`],
    ['one behind a separator', (name: string) => `<strong>${name}</strong> · <small>Berlin</small>`],
    ['one before it', (name: string) => `<span class="badge">Top</span><strong>${name}</strong>`],
  ])('is the value where one row has %s beside it', async (_, other) => {
    const html = jobs((name, at) => (at === 0 ? other(name) : `<strong>${name}</strong>`));
    expect(await rowsOf(html, goal)).toMatchObject({ items: firms });
  });

  it('is the value where an element around both has the name', async () => {
    const html = jobs(
      (name, at) =>
        `<span><b>${name}</b>${at === 3 ? ' <span class="tagline">We build things</span>' : ''}</span>`,
    );
    expect(await rowsOf(html, goal)).toMatchObject({ items: firms });
  });

  it('is not all of the value where another of its kind, or a comma, follows', async () => {
    const two = jobs((name, at) => `<a href="/w">${name}</a>${at === 0 ? ' <a href="/v">Firm V</a>' : ''}`);
    expect(await rowsOf(two, goal)).toMatchObject({ items: [{ company: 'Firm W Firm V' }, {}, {}, {}] });
    const places = jobs(
      (name, at) => `<span class="city">${name}</span>${at === 0 ? ', <span class="state">Ohio</span>' : ''}`,
    );
    expect(await rowsOf(places, goal)).toMatchObject({ items: [{ company: 'Firm W, Ohio' }, {}, {}, {}] });
  });

  it('is the title without its badge', async () => {
    const html = toList(
      ['The last keeper', 'Other one', 'Third is here', 'The fourth'].map(
        (title, at) =>
          `<h3 class="episode-title"><a href="/${at}">${title}</a>${at === 0 ? ' <span class="explicit">E</span>' : ''}</h3><p class="date">May ${at + 2}, 2026</p>`,
      ),
    );
    expect(await rowsOf(html, 'List the episodes with title and date')).toMatchObject({
      items: [{ title: 'The last keeper', date: '2026-05-02' }, { title: 'Other one' }, {}, {}],
    });
  });

  it('is the title where only one row has the link alone, and no title is what one other row has', async () => {
    const rows = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'].map(
      (name, at) =>
        `<tr class="story"><td class="title">${at + 1}.</td><td><i title="upvote"></i></td><td class="title"><span class="line"><a href="/${name}">Story ${name}</a>${at === 1 ? '' : ` <span class="site">(<a href="/from">x${at}.example</a>)</span>`}</span></td></tr><tr><td></td><td></td><td class="sub"><span class="score">${at + 4} points</span></td></tr>`,
    );
    const html = page(
      `<table>${rows.join('')}<tr><td></td><td class="title"><a href="?p=2">Older</a></td></tr></table>`,
    );
    const { items } = z
      .object({ items: z.array(z.unknown()) })
      .parse(await rowsOf(html, 'List stories with title and url'));
    expect(items.slice(0, 6)).toMatchObject(
      ['One', 'Two', 'Three', 'Four', 'Five', 'Six'].map((name) => ({ title: `Story ${name}` })),
    );
  });

  it('is the title of a cell that has more blocks, and of two amounts in a cell none is taken', async () => {
    const rows = ['Welcome', 'Dark mode', 'Help me'].map(
      (name, at) =>
        `<tr><td><span><a class="title" href="/t/${at}">${name}</a></span><div><a href="/c">Ideas</a></div></td><td><b>${at + 12},34</b><br>12,1${at}</td></tr>`,
    );
    const html = page(`<table><tr><th>Topic</th><th>Last</th></tr>${rows.join('')}</table>`);
    expect(await rowsOf(html, 'List topics with title and link')).toMatchObject({
      items: [{ title: 'Welcome' }, { title: 'Dark mode' }, { title: 'Help me' }],
    });
    const { build } = await serve(() => html);
    expect(await build('/', 'List topics with title and last')).toMatchObject({ built: false });
  });

  it('is told where a cell has it in a line of its own', async () => {
    const rows = ['Ann', 'Bo', 'Cy'].map(
      (name, at) =>
        `<tr><td>${at + 7}</td><td>${name}${at === 1 ? '<br><small>Keeper</small>' : ''}</td><td>Town ${at}</td></tr>`,
    );
    const html = page(`<table><tr><th>No</th><th>Player</th><th>Town</th></tr>${rows.join('')}</table>`);
    expect(await rowsOf(html, 'List players with player and town')).toMatchObject({
      items: [{ player: 'Ann' }, { player: 'Bo Keeper' }, {}],
      missing: ['player: some cells have several lines, which their value has in one, such as "Bo Keeper".'],
    });
  });

  it.each([
    ['a badge', '<h3><a href="/@">Job @<span class="badge badge-new">New</span></a></h3>', 'Job 0'],
    ['a badge before it', '<h3><a href="/@"><span class="entry-new-flag">New</span> Job @</a></h3>', 'Job 0'],
    ['a word of another class', '<h3><a href="/@">Job @ <span class="hit">New</span></a></h3>', 'Job 0 New'],
  ])('is the own text of a title that in one row has %s beside it', async (_, title, first) => {
    const html = toList(
      [0, 1, 2, 3].map(
        (at) =>
          `${(at === 0 ? title : '<h3><a href="/@">Job @</a></h3>').replaceAll('@', String(at))}<p class="town">Town ${at}</p>`,
      ),
    );
    expect(await rowsOf(html, 'List the jobs with title and town')).toMatchObject({
      items: [{ title: first, town: 'Town 0' }, { title: 'Job 1' }, { title: 'Job 2' }, { title: 'Job 3' }],
    });
  });

  it('does not run into a badge before it, nor a month into a day of one digit', async () => {
    const html = toList(
      [4, 5, 12].map(
        (day, at) =>
          `<h3><a href="/${at}">${at === 1 ? '<span class="x">NEU</span>' : ''}Wohnung ${at}</a></h3><div class="when"><span class="d">${day}</span><span class="m">Feb</span></div>`,
      ),
    );
    expect(await rowsOf(html, 'List the rows with title and when')).toMatchObject({
      items: [{ when: '4 Feb' }, { title: 'NEU Wohnung 1', when: '5 Feb' }, { when: '12 Feb' }],
    });
  });

  it('is asked for where a second price stands beside a price', async () => {
    const html = toList(
      [10, 20, 30, 40].map(
        (price, at) =>
          `<h3>Lamp ${at}</h3><div class="price"><b>€${price}</b>${at === 0 ? ' <span class="sale">€8</span>' : ''}</div>`,
      ),
    );
    const { build } = await serve(() => html);
    expect(await build('/', 'List the lamps with name and price')).toMatchObject({
      errorType: 'CHOICE_NEEDED',
      message: expect.stringContaining('none for price'),
    });
  });
});

it.each([
  ['its author', (name: string) => `<a href="/${name}">Book ${name}</a> / Ann ${name}`],
  ['a line', (name: string) => `<a href="/${name}">Book ${name}</a><br><a href="/in">Sign in to read</a>`],
])('a title is asked for where some rows have %s beside its link', async (_, beside) => {
  const html = toList(
    ['W', 'X', 'Y', 'Z'].map((name, at) => {
      const title = at === 3 ? `<a href="/${name}">Book ${name}</a>` : beside(name);
      return `<h2 class="title">${title}</h2><p class="year">${1990 + at}</p>`;
    }),
  );
  const { build } = await serve(() => html);
  expect(await build('/', 'List the books with title and year')).toMatchObject({
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('none for title'),
  });
});

it('a group of rows of a box is asked for where rows of another kind follow its own', async () => {
  const head = (text: string) => `<tr class="top"><th colspan="2" class="box-header">${text}</th></tr>`;
  const row = (label: string, value: string, kind = '') =>
    `<tr${kind}><th scope="row" class="label">${label}</th><td>${value}</td></tr>`;
  const box = (total: string) =>
    page(
      `<table class="box">${row('Country', 'Austria')}${head('Area')}${row('• Total', total, ' class="in"')}${row('Elevation', '353 m')}${head('Population')}${row('• Total', '306,068', ' class="in"')}${row('Website', 'graz.example')}</table>`,
    );
  const { build } = await serve(() => box('127.57 km²'));
  expect(await build('/', 'Get the city: country, area, elevation and website')).toMatchObject({
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('(none for area)'),
  });
});

it('what an element says beside another in some rows is a column of all rows', async () => {
  const prices = ['12,90', '7,49', '14,90', '8,49', '16,90', '9,49'];
  const isOnSale = (at: number) => at % 3 === 1;
  const html = toList(
    prices.map((price, at) => {
      const before = isOnSale(at) ? ' <span class="list-price"><span>19,99 €*</span></span>' : '';
      return `<a href="/${at}">Tee ${at}</a><p><span class="product-price${isOnSale(at) ? ' with-list-price' : ''}">${price} €*${before}</span></p>`;
    }),
  );
  expect(
    await rowsOf(html.replace('<h1>List', '<h1>Tee'), 'Liste alle Produkte mit Name und Preis'),
  ).toMatchObject({
    items: prices.map((price) => ({ preis: Number(price.replace(',', '.')) })),
  });
});

describe('what is struck out beside another text', () => {
  it('leaves one price to take, as in the lists of the commonest shop software', async () => {
    const amount = (euros: number) =>
      `<span class="woocommerce-Price-amount amount"><bdi>${euros},50&nbsp;<span class="woocommerce-Price-currencySymbol">&euro;</span></bdi></span>`;
    const html = toList(
      [12, 20, 31, 44, 58].map(
        (price, at) =>
          `<a href="/produkt/${at}/"><h2 class="woocommerce-loop-product__title">Honig ${at}</h2><span class="price">${at % 2 === 0 ? amount(price) : `<del aria-hidden="true">${amount(price + 9)}</del> <ins>${amount(price)}</ins>`}</span></a>`,
      ),
    );
    expect(await rowsOf(html, 'Liste alle Produkte mit Name und Preis')).toMatchObject({
      items: [12.5, 20.5, 31.5, 44.5, 58.5].map((preis, at) => ({ name: `Honig ${at}`, preis })),
    });
  });

  const trains = [
    ['RE 1', '<del>7</del> 5', '12:00'],
    ['RE 2', '3', '<span class="old"><s>14:10</s></span> <b>14:22</b>'],
    ['RE 3', '<span style="text-decoration: line-through">4</span> 6', '<s>15:00</s>'],
    ['RE 4', '8', '<span class="line-through">15:30</span>15:41'],
  ];
  const goal = 'List the trains with train, platform and time';
  const now = [
    { train: 'RE 1', platform: 5, time: '12:00' },
    { train: 'RE 2', platform: 3, time: '14:22' },
    { train: 'RE 3', platform: 6, time: '15:00' },
    { train: 'RE 4', platform: 8, time: '15:41' },
  ];

  it('is no part of the value of a cell', async () => {
    const rows = trains.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
    const html = page(`<table><tr><th>Train</th><th>Platform</th><th>Time</th></tr>${rows.join('')}</table>`);
    expect(await rowsOf(html, goal)).toMatchObject({ items: now });
  });

  it('stays where the other text only says that it is no more', async () => {
    const titles = ['<s>Waves</s> cancelled', '<s>Heat</s> <b>Cancelled</b>', '<s>Light</s> Optics', 'Sound'];
    const rows = titles.map((title, at) => `<tr><td>PH20${at}</td><td>${title}</td></tr>`);
    const html = page(`<table><tr><th>Code</th><th>Title</th></tr>${rows.join('')}</table>`);
    expect(await rowsOf(html, 'List courses with code and title')).toMatchObject({
      items: ['Waves cancelled', 'Heat Cancelled', 'Optics', 'Sound'].map((title) => ({ title })),
    });
  });

  it('is no part of the value of an element', async () => {
    const html = toList(
      trains.map(
        ([train, platform, time]) =>
          `<b class="train">${train}</b> <span class="platform">${platform}</span> <span class="time">${time}</span>`,
      ),
    );
    expect(await rowsOf(html, goal)).toMatchObject({ items: now });
  });
});
