/** Rows of which some lack one of several like elements: no value slides into the place of another without a word. */
import { describe, expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const page = (rows: readonly string[]) =>
  `<!doctype html><html lang="en"><title>List</title><main><h1>List</h1><div>${rows.join('\n')}</div></main></html>`;

/** The columns of the rows, and how a choice names those with these first samples. */
async function read(rows: readonly string[]) {
  const { preview, build, run } = await serve(() => page(rows));
  // Items within the rows are a list, too.
  const found = await Promise.all(['r1', 'r2', 'r3'].map((id) => preview('/', id)));
  const own = found
    .flatMap((outcome) => (outcome.ok ? outcome.candidates : []))
    .find((some) => some.rows === rows.length);
  if (own === undefined) throw new Error('No candidate has these rows');
  const { id: candidate, columns } = own;
  const idOf = (first: string) =>
    columns.find(({ samples }) => samples[0] === first)?.id ?? `none of ${first}`;
  const runWith = async (firsts: Readonly<Record<string, string>>) => {
    const fields = Object.fromEntries(Object.entries(firsts).map(([name, first]) => [name, idOf(first)]));
    return run(await build('/', 'List the rows', { candidate, fields }), {});
  };
  return { columns, runWith };
}

describe('a price beside an old price, which half of the rows have', () => {
  const prices = [
    ['Alpha', 12, 10],
    ['Beta', undefined, 20],
    ['Gamma', 35, 30],
    ['Delta', undefined, 40],
    ['Epsilon', 60, 50],
    ['Zeta', undefined, 60],
  ] as const;
  it.each([
    ['css-9zz8y', 'css-1ab2c'],
    ['text-xs line-through', 'text-lg font-bold'],
    ['text-xs text-gray-500', 'text-lg font-bold text-red-600'],
    ['sc-aXZVg kUjmdW', 'sc-aXZVg gkwpMH'],
  ])('is the price of all rows: %s and %s', async (old, now) => {
    const rows = prices.map(
      ([name, before, price]) =>
        `<div class="rounded p-4"><h3>${name}</h3><div class="mt-2">${before === undefined ? '' : `<span class="${old}">€${before}.00</span> `}<span class="${now}">€${price}.00</span></div></div>`,
    );
    const { build, run } = await serve(() => page(rows));
    const built = await build('/', 'List products with name and price');
    expect(await run(built, {})).toMatchObject({ items: prices.map(([name, , price]) => ({ name, price })) });
  });
});

describe('what stands in rows beside a field after the build', () => {
  const start = async (
    before: string,
    after: (at: number) => string,
    goal = 'List all products with name and price',
  ) => {
    const fill = (row: string, at: number) =>
      row.replaceAll('NOW', `€${at + 10}.50`).replaceAll('NEW', `€${at + 8}.50`);
    let row = (at: number) => fill(before, at);
    const { build, run } = await serve(() =>
      page(
        ['Desk', 'Shelf', 'Chair', 'Stool', 'Table'].map(
          (name, at) => `<div class="row"><h3>${name}</h3><p>No ${at}</p>${row(at)}<a>Buy</a></div>`,
        ),
      ),
    );
    const built = await build('/', goal);
    const first = await run(built, {});
    row = (at) => fill(after(at), at);
    return [first, await run(built, {})];
  };
  const price = '<span class="price">NOW</span>';
  const told =
    'price: stands among NUMBER like elements, and when the action was built among 1: it may be another of them.';

  it.each([
    ['2', () => '<span class="price old">NOW</span><span class="price">NEW</span>'],
    ['2', () => '<span class="price">NOW</span><span class="sale">NEW</span>'],
    [
      '1 to 2',
      (at: number) => (at % 3 === 1 ? '<span class="price price--old">NOW</span><b>NEW</b>' : price),
    ],
  ])('is told where it may be the price: %s', async (number, after) => {
    const [first, now] = await start(price, after);
    expect(first).not.toHaveProperty('missing');
    expect(now).toMatchObject({ missing: [told.replace('NUMBER', number)] });
  });

  it.each([
    ['an old price that is struck out', '<del class="price">NOW</del><span class="price">NEW</span>', 8.5],
    ['no amount', `${price}<span class="badge">New</span>`, 10.5],
  ])('needs no word where it is %s', async (_, after, first) => {
    const [, now] = await start(price, () => after);
    expect(now).toMatchObject({ items: [{ price: first }, {}, {}, {}, {}] });
    expect(now).not.toHaveProperty('missing');
  });

  it('is told where it is one more of like elements', async () => {
    const chips = (...texts: readonly unknown[]) =>
      page(
        [2, 3, 4, 5].map(
          (id) =>
            `<div class="row"><h3>Flat ${id}</h3><p>${texts.map((text) => `<i class="fact">${text === 'id' ? id : text}</i>`).join('')}</p></div>`,
        ),
      );
    let body = chips('id', '1');
    const { preview, build, run } = await serve(() => body);
    const outcome = await preview('/', 'r1');
    const { id = '', columns = [] } = (outcome.ok && outcome.candidates[0]) || {};
    const rooms = columns.find(({ samples }) => samples[0] === '2')?.id ?? '';
    const name = columns.find(({ samples }) => samples[0] === 'Flat 2')?.id ?? '';
    const built = await build('/', 'List the flats', { candidate: id, fields: { name, rooms } });
    expect(await run(built, {})).not.toHaveProperty('missing');
    body = chips('0', 'id', '1');
    expect(await run(built, {})).toMatchObject({
      missing: [
        'rooms: stands among 3 like elements, and when the action was built among 2: it may be another of them.',
      ],
    });
  });
});

it('a class that a price and an old price share does not mix them', async () => {
  const rows = [10, 20, 30, 40, 50].map(
    (price, at) =>
      `<div class="row"><h3 class="name">Lamp ${at}</h3>${at % 2 === 0 ? `<p class="price price-was">€${price + 5}</p>` : ''}<p class="price">€${price}</p></div>`,
  );
  const { runWith } = await read(rows);
  expect(await runWith({ name: 'Lamp 0', price: '10' })).toMatchObject({
    items: [10, 20, 30, 40, 50].map((price) => ({ price })),
  });
});

describe('what icons tell apart', () => {
  const item = (icon: string, text: string) => `<li class="x"><i class="icon ${icon}"></i>${text}</li>`;
  it('keeps its column where a row lacks one', async () => {
    const rows = ['Lasagne', 'Risotto', 'Arancini', 'Gnocchi', 'Polenta'].map(
      (name, at) =>
        `<article><h2 class="name">${name}</h2><ul>${at === 2 ? '' : item('icon-star', `4.${at}`)}${item('icon-chef', at % 2 === 0 ? 'easy' : 'hard')}${item('icon-clock', `${at + 2}0 min`)}</ul></article>`,
    );
    const { runWith } = await read(rows);
    const levels = ['easy', 'hard', 'easy', 'hard', 'easy'].map((level) => ({ level }));
    expect(await runWith({ name: 'Lasagne', level: 'easy' })).toMatchObject({ items: levels });
  });

  it('is a list where there are many, as of what a hotel offers', async () => {
    const offers = ['wifi', 'pool', 'bar', 'gym', 'spa', 'pets', 'garden', 'parking'];
    const rows = ['Ritz', 'Savoy', 'Adlon', 'Astor', 'Plaza'].map(
      (name, at) =>
        `<article><h2 class="name">${name}</h2><ul>${offers
          .filter((_, index) => (index + at) % 3 > 0)
          .map((offer) => item(`icon-${offer}`, offer))
          .join('')}</ul></article>`,
    );
    const { columns } = await read(rows);
    expect(columns).toContainEqual(expect.objectContaining({ kind: 'list' }));
  });
});

describe('what nothing but its order tells apart', () => {
  const details = [
    ['3 rooms', '120 m²', '4th floor'],
    ['2 rooms', '80 m²', '2nd floor'],
    ['28 m²', 'ground floor'],
    ['4 rooms', '150 m²', '7th floor'],
    ['1 room', '45 m²', '1st floor'],
  ];
  const rowsOf = (all: readonly (readonly string[])[]) =>
    all.map(
      (some, at) =>
        `<article class="item"><a class="name" href="/${at}">Flat ${'ABCDE'.charAt(at)}</a><div class="details">${some.map((text) => `<span class="detail">${text}</span>`).join('')}</div></article>`,
    );
  it.each([
    [
      details,
      '120 m²',
      [
        'size: found by order among like elements, of which rows have 2 to 3; where one is absent, the next may stand in its place.',
      ],
    ],
    // The last one is absent where another one before it is.
    [
      details,
      '4th floor',
      [
        'size: found by order among like elements, of which rows have 2 to 3; where one is absent, the next may stand in its place.',
      ],
    ],
    [details.filter(({ length }) => length === 3), '120', undefined],
  ])('is told where a row lacks one', async (all, size, missing) => {
    const { runWith } = await read(rowsOf(all));
    const data = await runWith({ name: 'Flat A', size });
    expect(Object(data).missing).toEqual(missing);
  });
});

it.each([
  [
    'Old Town',
    'town: found by order among lines of a text, of which rows have 2 to 3; where one is absent, the next may stand in its place.',
  ],
  ['1 Main St', undefined],
])(
  'a line, such as "%s", is told to be found by its order where rows have other numbers of lines',
  async (town, said) => {
    const branches = [
      ['1 Main St', 'Old Town', 'Open daily'],
      ['7 Mill Ln', 'New Town', 'On Mondays'],
      ['Harbour', 'Open on Sundays'],
      ['3 Kings Rd', 'West End', 'Open at noon'],
    ];
    const rows = branches.map(
      (lines, at) =>
        `<div class="branch"><h3>Branch ${'ABCD'.charAt(at)}</h3><p>${lines.join('<br>')}</p></div>`,
    );
    const { runWith } = await read(rows);
    const data = await runWith({ name: 'Branch A', town });
    expect(Object(data).missing).toEqual(said === undefined ? undefined : [said]);
  },
);

it('one optional block shifts no other of the row', async () => {
  const rows = [39, 1299, 99, 25, 17].map(
    (price, at) =>
      `<div class="item">${at === 0 ? '<div class="ad"><span>Sponsored</span></div>' : ''}<div class="pic"><img src="/${at}.jpg" alt="Cable ${'ABCDE'.charAt(at)}"></div><div><h2 class="a-size-base-plus"><a href="/${at}">Cable ${'ABCDE'.charAt(at)}</a></h2></div><div><span class="price">$${price}</span></div></div>`,
  );
  const { build, run } = await serve(() => page(rows));
  const items = [39, 1299, 99, 25, 17].map((price, at) => ({ title: `Cable ${'ABCDE'.charAt(at)}`, price }));
  expect(await run(await build('/', 'List title, price and link'), {})).toMatchObject({ items });
});

it('a number is read from its own element, not cut out of the row', async () => {
  const rows = [10, 11, 12, 13, 14].map(
    (price) =>
      `<article class="item"><a class="t" href="/${price}">Thing of ${price}</a> <span class="price">€${price}.00</span></article>`,
  );
  const { columns } = await read(rows);
  const [price] = columns.filter(({ label }) => label === 'price');
  expect(price).toMatchObject({ samples: ['10', '11'] });
  expect(price).not.toHaveProperty('part_of');
});

it('a text without the form that the others have is told', async () => {
  const rows = ['128', '24', '99', 'sold out', '19', '7'].map(
    (price, at) =>
      `<article class="item"><a class="name" href="/${at}">Lamp ${'ABCDEF'.charAt(at)}</a><div class="price-wrapper"><span class="price">${price}</span><span class="tax">${price === 'sold out' ? '' : '(incl. tax)'}</span></div></article>`,
  );
  const { runWith } = await read(rows);
  expect(await runWith({ name: 'Lamp A', price: '128' })).toMatchObject({
    missing: ['price: null in 1 of 6 rows whose text has another form than the others, such as "sold out".'],
  });
});

it('what a site calls its elements for its tests tells them apart', async () => {
  const rows = ['8.0', '8.1', undefined, '9.2', '7.5'].map(
    (score, at) =>
      `<article class="h"><h3><a href="/${at}">Hotel ${'ABCDE'.charAt(at)}</a></h3>${score === undefined ? '' : `<div data-testid="review-score"><div>${score}</div></div>`}<div data-testid="rate"><span>€ ${at + 1}00</span></div></article>`,
  );
  const { build, run } = await serve(() => page(rows));
  const items = [100, 200, 300, 400, 500].map((price) => ({ price }));
  expect(await run(await build('/', 'List title and price'), {})).toMatchObject({ items });
});

it('of a thread not the replies alone are built', async () => {
  const comment = (author: string, text: string, replies = '') =>
    `<div class="comment"><span class="author">${author}</span><div class="body">${text}</div><div class="replies">${replies}</div></div>`;
  const thread = [
    comment('ann', 'First!', comment('bob', 'Agreed.')),
    comment('cid', 'Nope.'),
    comment('dee', 'Why so?', comment('eva', 'Because.') + comment('ann', 'Indeed.')),
    comment('fay', 'Late.'),
  ];
  const { build, run } = await serve(() => page(thread));
  const items = ['ann', 'cid', 'dee', 'fay'].map((author) => ({ author }));
  expect(await run(await build('/', 'List author and body'), {})).toMatchObject({ items });
});

it('a class that says how an element is does not say which one it is', async () => {
  const stat = (count: number, unit: string, more = '') =>
    `<div class="stats-item${more}"><span class="n">${count}</span> <span class="unit">${unit}</span></div>`;
  const rows = (
    [
      [0, 0, 12],
      [5, 2, 100],
      [1, 1, 33],
      [7, 4, 80],
    ] as const
  ).map(
    ([votes, answers, views], at) =>
      `<div class="post"><div class="stats">${stat(votes, 'votes', ' strong')}${stat(answers, 'answers', answers > 0 ? ' has-answers' : '')}${stat(views, 'views')}${at === 2 ? '<div class="badge">+50</div>' : ''}</div><div class="content"><h3><a href="/q/${at}">Question ${at}</a></h3><div>Why ${at}?</div></div></div>`,
  );
  const { columns } = await read(rows);
  const numbers = columns.filter(({ kind }) => kind.startsWith('number')).map(({ samples }) => samples);
  expect(numbers).toEqual(
    expect.arrayContaining([
      ['0', '5'],
      ['0', '2'],
      ['12', '100'],
    ]),
  );
});

it('a box whose class says the state of a row is one place in all rows, and a list of two selectors reads them all', async () => {
  const row = (name: string, at: number) =>
    `<li class="row"><dl class="row-item ${at === 0 ? 'announce_read' : 'topic_read'}"><dt><a href="/${at}" class="topictitle">${name}</a></dt><dd class="posts">${at * 3}</dd><dd class="views">${at * 30 + 4}</dd></dl></li>`;
  const head =
    '<ul class="topiclist"><li class="header"><dl class="row-item"><dt>Topics</dt><dd class="posts">Replies</dd><dd class="views">Views</dd></dl></li></ul>';
  const names = ['Rules', 'Alpha', 'Beta', 'Gamma', 'Delta', 'Eps'];
  const [first = '', ...others] = names.map(row);
  const box = (rows: string) => `<div class="forumbg">${head}<ul class="topiclist">${rows}</ul></div>`;
  const { build, run } = await serve(() => page([box(first), box(others.join(''))]));
  expect(await run(await build('/', 'List the topics with title and views'), {})).toMatchObject({
    items: names.map((title, at) => ({ title, views: at * 30 + 4 })),
  });
});

it.each(['li', 'div', 'span'])(
  'the first of the facts of a row is none of their labels, in <%s>',
  async (tag) => {
    const towns = ['Leeds', 'York', 'Hull', 'Remote'];
    const jobs = Array.from({ length: 12 }, (_, at) => ({
      title: `Electrician ${at + 1}`,
      location: towns[at % 4],
      salary: at % 4 === 1 ? null : `£${24 + at},000 - £${28 + at},000`,
    }));
    const rows = jobs.map(({ title, location, salary }, at) => {
      const pay = salary === null ? '' : `<${tag} class="job__salary">${salary}</${tag}>`;
      const facts = `<${tag} class="job__location">${location}</${tag}>${pay}<${tag} class="job__date">Posted: ${at + 1} Nov 2026</${tag}>`;
      const box = tag === 'li' ? 'ul' : 'div';
      return `<article class="job"><h3><a href="/job/${at}">${title}</a></h3><${box} class="job__meta">${facts}</${box}></article>`;
    });
    const { build, run } = await serve(() => page(rows));
    const built = await build('/', 'List all jobs with title, location and salary');
    expect(await run(built, {})).toMatchObject({ items: jobs });
  },
);

it('a cell without its first line has its second value at its place', async () => {
  const stops = [
    ['Tarvin', '<br>22:10'],
    ['Hale', '22:31<br>22:32'],
    ['Osley', '23:02<br>23:10'],
    ['Marsh End', '00:47<br>'],
  ].map(([name, times]) => `<tr><td>${name}</td><td>${times}</td></tr>`);
  const { preview, build, run } = await serve(
    () =>
      `<!doctype html><html lang="en"><title>Train</title><main><h1>Train 3471</h1><table><tr><th>Station</th><th>Arr<br>Dep</th></tr>${stops.join('')}</table></main></html>`,
  );
  const shown = await preview('/');
  const table = shown.ok ? shown.candidates.find(({ kind }) => kind === 'table') : undefined;
  const lines = table?.columns.filter(({ samples }) => samples.every((one) => /^\d\d:\d\d$/.test(one))) ?? [];
  const [arrival, departure] = lines.map(({ id }) => id);
  const choose = {
    candidate: table?.id ?? '',
    fields: { arrival: arrival ?? '', departure: departure ?? '' },
  };
  const { items, missing } = await run(await build('/', 'stops', choose), {});
  expect(items).toEqual([
    { arrival: null, departure: '22:10' },
    { arrival: '22:31', departure: '22:32' },
    { arrival: '23:02', departure: '23:10' },
    { arrival: '00:47', departure: null },
  ]);
  expect(missing).toEqual([
    'departure: found by order among lines of a text, of which rows have 1 to 2; where one is absent, the next may stand in its place.',
  ]);
});

it('icons tell siblings apart, also where other boxes of the row have children of their own marks', async () => {
  const hikes = [
    ['Ridge round', 3, '1,120 m', '1,110 m', 4],
    ['Mill path', 1, '', '95 m', 5],
    ['Tarn climb', 2, '640 m', '', 0],
    ['Valley stroll', 1, '', '', 3],
    ['High traverse', 3, '1,810 m', '1,540 m', 2],
  ] as const;
  const prop = (name: string, value: string) =>
    value === '' ? '' : `<span class="prop"><i class="icon icon-${name}"></i>${value}</span>`;
  const cards = hikes.map(
    ([name, grade, up, down, stars]) =>
      `<div class="tour"><h3><a href="/t/${name.length}">${name}</a></h3><div class="grade"><span class="dot dot-${grade}"></span></div><div class="props">${prop('length', `${name.length} km`)}${prop('time', `${grade}:30 h`)}${prop('up', up)}${prop('down', down)}</div><div class="rating">${stars > 0 ? `<span class="stars" title="${stars} of 5"></span>` : '<span class="none">not rated</span>'}</div></div>`,
  );
  const { build, run, preview } = await serve(() => `<h1>Hikes</h1><main>${cards.join('')}</main>`);
  const shown = await preview('/');
  const candidate = shown.ok ? shown.candidates.find(({ columns }) => columns.length > 5) : undefined;
  const column = (sample: string) =>
    candidate?.columns.find(({ samples }) => samples.includes(sample))?.id ?? '';
  const fields = { name: column('Ridge round'), up: column('1120'), down: column('1110') };
  const { items } = await run(await build('/', 'Hikes', { candidate: candidate?.id ?? '', fields }), {});
  expect(items).toMatchObject({ 1: { name: 'Mill path', up: null, down: 95 }, 2: { up: 640, down: null } });
});
