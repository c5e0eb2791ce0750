/** Stories of which each has two rows of a table, within a table that lays out the page. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const names = ['Alpha', 'Bravo', 'Cedar', 'Delta', 'Echo', 'Fjord', 'Golf', 'Hotel'];
const goal = 'List the stories with title, points and age';

/** `first`: the cells before the title's; `site`: what stands behind the title. */
function page({ first, site }: { first: (rank: number) => string; site: (name: string) => string }) {
  const stories = names.map((name, at) => {
    const score =
      at === 3
        ? ''
        : `<span class="score">${at * 7 + 5} points</span> by <a href="/u${at}" class="hnuser">u${at}</a> `;
    return `<tr class="athing">${first(at + 1)}<td class="title"><span class="titleline"><a href="https://x${at}.example/">${name} story</a>${site(name)}</span></td></tr>
<tr><td></td><td class="subtext">${score}<span class="age"><a href="/i${at}">${at + 1} hours ago</a></span></td></tr><tr class="spacer"></tr>`;
  });
  const head = '<tr><td><b class="name">News</b> <a href="/new">new</a> <a href="/ask">ask</a></td></tr>';
  const rows = `${head}<tr><td><table>${stories.join('')}</table></td></tr><tr><td><a href="/faq">FAQ</a></td></tr>`;
  return `<!doctype html><html lang="en"><title>News</title><table>${rows}</table></html>`;
}

const rank = (at: number) => `<td class="title"><span class="rank">${at}.</span></td>`;
const site = (name: string) =>
  ` <span class="site">(<a href="/from">${name.toLowerCase()}.example</a>)</span>`;

it('a title is asked for where its cell has more than its link in all rows', async () => {
  const { build } = await serve(() => page({ first: rank, site }));
  expect(await build('/', goal)).toMatchObject({
    errorType: 'CHOICE_NEEDED',
    message: expect.stringContaining('(none for title)'),
    choose: { fields: { points: expect.anything(), age: expect.anything() } },
  });
});

it('an age is none of the numbers of the rows, though it has the same ones', async () => {
  const stories = names.map(
    (name, at) =>
      `<li><b class="rank">${at + 1}.</b><h3><a href="/${at}">${name} story</a></h3><span class="age">${at + 1} hours ago</span></li>`,
  );
  const { build, run } = await serve(
    () => `<!doctype html><html lang="en"><h1>News</h1><ol>${stories.join('')}</ol>`,
  );
  expect(await run(await build('/', 'List the stories with title and age'), {})).toMatchObject({
    items: names.map((name, at) => ({ title: `${name} story`, age: at + 1, age_unit: 'hours ago' })),
  });
});

it('neither the second rows alone nor the row that has all stories are the stories', async () => {
  const { build } = await serve(() => page({ first: () => '', site }));
  expect(await build('/', goal)).toMatchObject({ errorType: 'CHOICE_NEEDED' });
});
