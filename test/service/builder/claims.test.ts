/** No value stands under the name of another field: what no word tells is missing. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Judge, startJudge } from './corpus/judge.ts';

let judge: Judge;
beforeAll(async () => {
  judge = await startJudge();
});
afterAll(() => judge.close());

const page = (body: string) =>
  `<!doctype html><html lang="en"><head><title>x</title></head><body>${body}</body></html>`;
const built = async (goal: string, body: string) => {
  const { outcome, rows } = await judge.judge({
    name: 'page',
    goal,
    pages: { '/': page(body) },
    truth: [],
  });
  return { outcome, rows };
};
const each = <T>(items: readonly T[], write: (item: T, index: number) => string) => items.map(write).join('');

const topics = [
  { name: 'Which glaze for stoneware?', by: 'mona', replies: 12, views: 340, votes: 9 },
  { name: 'Kiln trips the breaker', by: 'theo', replies: 4, views: 96, votes: 3 },
  { name: 'Cracks in the foot ring', by: 'ilse', replies: 0, views: 51, votes: 17 },
  { name: 'Clay that smells of eggs', by: 'omar', replies: 7, views: 220, votes: 1 },
];

test('the names of threads are no replies', async () => {
  const { rows } = await built(
    'List the forum threads with thread, author and number of replies',
    `<h1>Pottery forum</h1><ul>${each(
      topics,
      ({ name, by, replies, views }, index) =>
        `<li class="row"><a class="k1" href="/discussion/${index}">${name}</a><span class="author">${by}</span><b class="k2">${replies} replies</b><b class="k3">${views} views</b></li>`,
    )}</ul>`,
  );
  expect(rows[0]).toMatchObject({ author: 'mona', number_of_replies: 12 });
  expect(Object.values(rows[0] ?? {})).toContain('Which glaze for stoneware?');
});

test.each([
  ['words after the numbers', (n: number, word: string) => `<div class="q"><b>${n}</b> <i>${word}</i></div>`],
  [
    'words below the numbers',
    (n: number, word: string) => `<div class="q"><div>${n}</div><div>${word}</div></div>`,
  ],
  ['words in the text', (n: number, word: string) => `<span class="q">${n} ${word}</span>`],
])('counts are told by their words: %s', async (_, count) => {
  const { rows } = await built(
    'List the questions with question, votes, number of answers and views',
    `<h1>Questions</h1><div>${each(
      topics,
      ({ name, replies, views, votes }, index) =>
        `<article><div class="qs">${count(votes, 'votes')}${count(replies, 'answers')}${count(views, 'views')}</div><h3><a href="/q/${index}">${name}</a></h3></article>`,
    )}</div>`,
  );
  expect(rows[0]).toMatchObject({ votes: 9, number_of_answers: 12, views: 340 });
});

test('of several numbers without words none is the votes', async () => {
  const { outcome } = await built(
    'List the questions with question, votes and number of answers',
    `<h1>Questions</h1><div>${each(
      topics,
      ({ name, replies, votes }, index) =>
        `<article><h3><a href="/q/${index}">${name}</a></h3><b class="x1">${votes}</b><b class="x2">${replies}</b></article>`,
    )}</div>`,
  );
  expect(outcome).toMatchObject({ built: false, errorType: 'GOAL_NOT_COVERED' });
});

test('a number is no weather, and three of them are not high and low', async () => {
  const { outcome } = await built(
    'Get the weather forecast: date, conditions, high and low',
    `<h1>Weather forecast</h1><ol>${each(
      [1, 2, 3, 4, 5],
      (day) =>
        `<li class="d"><time datetime="2025-05-0${day}">${day} May</time><img src="/i${day}.svg" alt=""><p class="a">${day + 11}</p><p class="b">${day + 3}</p><p class="c">${day * 9}</p></li>`,
    )}</ol>`,
  );
  expect(outcome).toMatchObject({ built: false, errorType: 'GOAL_NOT_COVERED' });
});

const vacancy = (more: object) =>
  `<script type="application/ld+json">${JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'JobPosting',
    title: 'Lock keeper',
    datePosted: '2025-05-02',
    hiringOrganization: { '@type': 'Organization', name: 'River Trust' },
    ...more,
  })}</script><h1>Lock keeper</h1><p>River Trust looks for a lock keeper.</p>`;

test('of two dates the words decide', async () => {
  const goal = 'Get the job title, company and closing date of this vacancy';
  const both = await built(goal, vacancy({ validThrough: '2025-06-30' }));
  expect(both.rows[0]).toMatchObject({ closing_date: expect.stringContaining('2025-06-30') });
  const { outcome } = await built(goal, vacancy({}));
  expect(outcome).toMatchObject({ built: false });
});

test("a recipe's category is not its name", async () => {
  const { rows } = await built(
    'Get the recipe name and the cooking time',
    `<script type="application/ld+json">${JSON.stringify({
      '@context': 'https://schema.org',
      '@type': 'Recipe',
      recipeCategory: 'Lunch',
      recipeYield: '4',
      name: 'Leek tart',
      cookTime: 'PT40M',
    })}</script><h1>Leek tart</h1>`,
  );
  expect(rows[0]).toMatchObject({ recipe_name: 'Leek tart' });
});

test('a column that names another field is left alone', async () => {
  const { rows } = await built(
    'List the boats with name, skipper, harbour and builder',
    `<h1>Boats</h1><ul>${each(
      topics,
      ({ name, by }, index) =>
        `<li class="boat"><h2>${name}</h2><span class="harbour">Port ${index}${by}</span><span class="skipper">${by}</span></li>`,
    )}</ul>`,
  );
  // Whether it is built without it is another's decision; no value may stand there.
  expect(rows.filter(({ builder }) => builder !== undefined && builder !== null)).toEqual([]);
});

test('averages of areas are the prices and rooms of no houses', async () => {
  const areas = [
    ['Ashford', '£312,000', '2.8'],
    ['Bexley', '£401,500', '3.1'],
    ['Corby', '£228,000', '2.6'],
    ['Deal', '£355,250', '2.9'],
  ];
  const { outcome } = await built(
    'All homes for sale with street address, asking price, bedrooms and agent',
    `<h1>House prices</h1><table><tr><th>Area</th><th>Average price</th><th>Avg. bedrooms</th></tr>${each(
      areas,
      (cells) => `<tr>${each(cells, (cell) => `<td>${cell}</td>`)}</tr>`,
    )}</table>`,
  );
  expect(outcome).toMatchObject({ built: false });
});
