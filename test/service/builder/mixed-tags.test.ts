/** Lists whose records differ in their tag, or have other things among or above them. */
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

it.each(['<div class="ad"></div>', '<div class="ad">Visit us</div>'])(
  '%s between rows begins none',
  async (ad) => {
    const list = ['A', 'B', 'C', 'D', 'E'].map((name) => job('div class="job"', name)).join(ad);
    const first = job('div class="job sponsored"', 'S');
    expect(await rowsOf(`<div class="list">${first}${list}</div>`)).toMatchObject(
      rows('S', 'A', 'B', 'C', 'D', 'E'),
    );
  },
);

it('takes no departments for the jobs below them', async () => {
  const departments = {
    Kitchen: ['Cook', 'Baker', 'Waiter'],
    Office: ['Clerk', 'Analyst'],
    Stage: ['Singer'],
  };
  const sections = Object.entries(departments).map(
    ([name, jobs]) =>
      `<section><h3>${name}</h3>${jobs.map((title) => `<div class="opening"><a href="/${title}">${title}</a><br><span class="location">Berlin</span></div>`).join('')}</section>`,
  );
  const { build, run } = await serve(
    () => `<title>Jobs</title><main><h1>Jobs</h1>${sections.join('')}</main>`,
  );
  const expected = Object.entries(departments).flatMap(([section, jobs]) =>
    jobs.map((title) => ({ title, section })),
  );
  expect(await run(await build('/', 'List all jobs with title and link'), {})).toMatchObject({
    items: expected,
  });
});
