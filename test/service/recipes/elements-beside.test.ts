/** What has most of what rows have, and is none of them, is told: the first story in a box of its own. */
import { expect, it } from 'vitest';
import { readExtracted } from '../../support/extract.ts';

const story = (name: string, tag = 'h3') =>
  `<a href="/${name}"><${tag} class="title">Story ${name}</${tag}></a><time class="date">2 May 2026</time><p class="summary">About ${name}.</p>`;
const grid = `<div class="grid">${['A', 'B', 'C'].map((name) => `<article class="card">${story(name)}</article>`).join('')}</div>`;
const extract = {
  kind: 'html',
  list: 'article.card',
  fields: {
    title: { select: 'h3' },
    date: { select: 'time.date', type: 'date' },
    summary: { select: 'p.summary' },
  },
};
const doubtsOf = async (page: string) => (await readExtracted(`<main>${page}</main>`, extract))?.doubts;

it.each([
  ['before the list', `<section class="hero"><article>${story('H', 'h2')}</article></section>${grid}`],
  ['in the list', grid.replace('<article class', `<section class="hero">${story('H', 'h2')}</section>$&`)],
])('an element with the fields of rows %s', async (_, page) => {
  expect(await doubtsOf(page)).toEqual([
    'Beside the rows 1 element has most of what they have (section.hero): it may be a row, and is not given.',
  ]);
});

it.each([
  ['one of the fields', `<section class="hero"><p class="summary">All of today.</p></section>${grid}`],
  [
    'nothing in them',
    `<section class="hero"><time class="date"></time><p class="summary"></p></section>${grid}`,
  ],
  ['the fields in an aside', `${grid}<aside>${story('S')}</aside>`],
  [
    'the fields in different places',
    `<time class="date">2 May 2026</time>${grid}<p class="summary">All.</p>`,
  ],
])('nothing is told of elements with %s', async (_, page) => {
  expect(await doubtsOf(page)).toBeUndefined();
});
