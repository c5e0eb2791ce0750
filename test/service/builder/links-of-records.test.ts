/** Links that records have, such as "Save" and "Cite" below each result, are no records. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const results = [
  { title: 'Tides of the sea', by: 'A. Ash - 2017', link: '/a0', cited: 'Cited by 120' },
  { title: 'Rivers and lakes', by: 'B. Birch - 2015', link: '/a1', cited: 'Cited by 80' },
  { title: 'Maps of the coast', by: 'C. Cole - 2006', link: '/a2', cited: 'Cited by 60', mark: '[BOOK]' },
  { title: 'Untitled notes', by: 'D. Dill - 1999', mark: '[CITATION]' },
];

const toResult = ({ title, by, link, cited, mark }: (typeof results)[number]) =>
  `<div class="hit"><div class="inner"><h3 class="head">${mark === undefined ? '' : `<span class="kind"><span class="form">${mark}</span></span> `}${
    link === undefined ? `<span>${title}</span>` : `<a href="${link}">${title}</a>`
  }</h3><div class="by">${by}</div>${link === undefined ? '' : '<div class="lines">We show …</div>'}<div class="foot"><a href="#s">Save</a> <a href="#c">Cite</a> ${
    cited === undefined ? '' : `<a href="/cites">${cited}</a>`
  } <a href="/related">Related articles</a></div></div></div>`;

it('rows are the results and not the links below them, also of a result that leads nowhere', async () => {
  const { server, build, run } = await serve(() => `<div id="hits">${results.map(toResult).join('')}</div>`);
  const { items } = await run(await build('/', 'All results with title and link'), {});
  expect(items).toEqual(
    results.map(({ title, link, mark }) => ({
      title: mark === undefined ? title : `${mark} ${title}`,
      link: link === undefined ? null : server.origin + link,
    })),
  );
});

const sets = [
  { title: 'Air quality', about: '<div>Hourly values</div>', formats: ['CSV', 'JSON'] },
  { title: 'Street trees', about: '<p class="none">No description</p>', formats: ['SHP'] },
  { title: 'Budget', about: '<div>Annual budget</div>', formats: [] },
];

it('rows are the data sets and not their formats, which lead where the data set leads', async () => {
  const toSet = ({ title, about, formats }: (typeof sets)[number], at: number) =>
    `<li class="set"><div class="content"><h2 class="head"><a href="/d${at}">${title}</a>${at === 1 ? '<b class="mark">Private</b>' : ''}</h2>${about}</div>${
      formats.length === 0
        ? ''
        : `<ul>${formats.map((format) => `<li><a href="/d${at}" class="label">${format}</a></li>`).join('')}</ul>`
    }</li>`;
  const page = `<h1>Datasets</h1><ul class="sets">${sets.map(toSet).join('')}</ul>`;
  const { previewGoal, build, run } = await serve(() => page);
  const { items } = await run(await build('/', 'All datasets with title and link'), {});
  expect(items).toMatchObject(sets.map(({ title }) => ({ title })));
  const preview = await previewGoal('/', 'All datasets with title and link');
  expect(preview).toMatchObject({ ok: true, candidates: [{ rows: sets.length }, {}, {}, {}] });
});

it('links below a day or a block of news stay rows', async () => {
  const days = { Monday: ['Yoga', 'Chess'], Tuesday: ['Yoga', 'Dance'], Friday: ['Chess', 'Dance', 'Song'] };
  const blocks = Object.entries(days).map(
    ([day, courses]) =>
      `<div class="day"><h2>${day}</h2><ul>${courses
        .map((course) => `<li><a href="/${day}/${course}">${course}</a></li>`)
        .join('')}</ul></div>`,
  );
  const { build, run } = await serve(() => `<h1>Courses</h1>${blocks.join('')}`);
  const { items } = await run(await build('/', 'All courses with title and link'), {});
  expect(items).toMatchObject(Object.values(days).flatMap((courses) => courses.map((title) => ({ title }))));
});
