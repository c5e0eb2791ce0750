/** Lists of which some records have another tag than the others. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const job = (start: string, name: string) =>
  `<${start}><h3><a href="/${name}">Job ${name}</a></h3><p class="company">Firm ${name}</p></${start.split(' ')[0]}>`;
const goal = 'List the jobs with title and company';

async function rowsOf(list: string) {
  const { build, run } = await serve(() => `<title>Jobs</title><main><h1>Jobs</h1>${list}</main>`);
  return run(await build('/', goal), {});
}
const rows = (...names: string[]) => ({
  items: names.map((name) => ({ title: `Job ${name}`, company: `Firm ${name}` })),
});

it.each([
  ['article class="job"', 'div class="job"', 'article class="job"'],
  ['div class="job featured"', 'li class="job"', 'li class="job"'],
  ['li', 'div', 'li'],
  ['div class="job"', 'div class="job"', 'section class="top"'],
])('gives all rows of %s, %s and %s', async (first, second, third) => {
  const list = `<div class="list">${job(first, 'A')}${job(second, 'B')}${job(third, 'C')}</div>`;
  expect(await rowsOf(list)).toMatchObject(rows('A', 'B', 'C'));
});

it('takes no box of other content for a row', async () => {
  const list = `<div class="list">${job('div', 'A')}${job('div', 'B')}<section><h3>News</h3><ul><li>One</li><li>Two</li></ul></section>${job('div', 'C')}</div>`;
  expect(await rowsOf(list)).toMatchObject(rows('A', 'B', 'C'));
});
