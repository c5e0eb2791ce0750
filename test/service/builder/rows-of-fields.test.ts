/** What is a row: not the fields of a record, as in the lists of a common software for sites, nor a heading with the records below it. */
import { expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const grants = ['Rural buses', 'Reed beds', 'Village halls', 'Harbour wall', 'Seed bank', 'Youth choir'];
const field = (name: string, content: string) =>
  `<div class="views-field views-field-${name}">${content}</div>`;
const labelled = (label: string, value: string) =>
  `<span class="views-label">${label}: </span><span class="field-content">${value}</span>`;
const row = (name: string, at: number) =>
  `<div class="views-row">${field('title', `<span class="field-content"><a href="/g/${at}">${name}</a></span>`)}${field('amount', labelled('Amount', `£${(at + 2) * 1500}`))}${field('year', labelled('Year', `${2018 + at}`))}</div>`;
const page = `<!doctype html><html lang="en"><title>Grants</title><main><h1>Grants awarded</h1><div class="view-content">${grants.map(row).join('')}</div></main></html>`;

it('a goal for the records gives one row for each', async () => {
  const { build, run } = await serve(() => page);
  const { items } = await run(await build('/', 'List all grants with title, amount and year'), {});
  expect(items).toEqual(
    grants.map((title, at) => ({
      title,
      amount: (at + 2) * 1500,
      amount_currency: 'GBP',
      year: 2018 + at,
    })),
  );
});

it('things that are set in rows of a grid are the records, though a class says which is first and last', async () => {
  const place = ['first', '', 'last'];
  const thing = (at: number) =>
    `<li class="item ${place[at % 3]}"><h2><a href="/p/${at}">Boat ${at}</a></h2><span class="price">£${at + 12}.50</span></li>`;
  const grid = [0, 3, 6].map(
    (from) => `<ul class="grid">${[0, 1, 2].map((at) => thing(from + at)).join('')}</ul>`,
  );
  const { build, run } = await serve(
    () =>
      `<!doctype html><html lang="en"><title>Boats</title><main><h1>Boats</h1>${grid.join('')}</main></html>`,
  );
  const { items } = await run(await build('/', 'List all boats with name and price'), {});
  expect(items).toMatchObject(
    [0, 1, 2, 3, 4, 5, 6, 7, 8].map((at) => ({ name: `Boat ${at}`, price: at + 12.5 })),
  );
});

it('a goal for the records below headings gives each of them', async () => {
  const job = (title: string) =>
    `<a class="job" href="/${title.length}"><div class="box"><div class="title">${title}</div><div class="about"><span>${title.slice(0, 4)}, full-time</span></div></div></a>`;
  const groups = [
    ['Works', 'Electrician', 'Site foreman'],
    ['Sales', 'Representative', 'Student in sales'],
    ['Office', 'Bookkeeper'],
  ];
  const jobs = groups.map(([name, ...titles]) => `<h2 class="dep">${name}</h2>${titles.map(job).join('')}`);
  const { build, run } = await serve(
    () =>
      `<!doctype html><html lang="en"><title>Jobs</title><main><h1>Open jobs</h1><div class="jobs">${jobs.join('')}</div></main></html>`,
  );
  const { items } = await run(await build('/', 'List all jobs with title and link'), {});
  expect(items).toMatchObject(groups.flatMap(([, ...titles]) => titles).map((title) => ({ title })));
});

it('a goal for the persons below the names of departments does not give the departments', async () => {
  const person = (name: string, task: string, phone: string) =>
    `<p class="person"><strong>${name}</strong><br>${task}<br>Tel. ${phone}<br><a href="javascript:mail('x')">${name.slice(-3).toLowerCase()}<span>(at)</span>town.example</a></p>`;
  const office = `<h3>Office</h3>${person('Eva Stark', 'Head', '960-10')}${person('Jan Ott', 'Passports', '960-11')}${person('Mia Lang', 'Lost property', '960-12')}`;
  const works = `<h3>Works</h3>${person('Uwe Brand', 'Head', '960-30')}${person('Ida Kurz', 'Permits', '960-31')}`;
  const treasury = `<h3>Treasury</h3>${person('Rolf Zink', 'Head', '960-40')}`;
  const { build } = await serve(
    () =>
      `<!doctype html><html lang="en"><title>Contacts</title><main><h1>Contacts</h1>${office}${works}${treasury}</main></html>`,
  );
  const outcome = await build('/', 'List all contacts with name');
  expect(outcome).toMatchObject({ built: false, errorType: 'CHOICE_NEEDED' });
  const lists = outcome.built ? [] : (outcome.candidates ?? []).filter(({ kind }) => kind !== 'record');
  expect(lists[0]?.rows).toBe(6);
});

it('what is called a count of ratings is no rating', async () => {
  const plugin = (name: string, count: number) =>
    `<li class="plugin"><h3><a href="/${name}">${name}</a></h3><span class="rating-count">(${count} total ratings)</span><p>Made by hand ${name}</p></li>`;
  const list = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon'].map((name, at) => plugin(name, 80 + at * 7));
  const { build } = await serve(
    () =>
      `<!doctype html><html lang="en"><title>Plugins</title><main><h1>Plugins</h1><ul>${list.join('')}</ul></main></html>`,
  );
  expect(await build('/', 'List plugins with name and rating')).toMatchObject({
    built: false,
    errorType: 'CHOICE_NEEDED',
  });
});

it('a table without heads is one list, whichever row is the current one or has no link', async () => {
  const played = ['LIVE Noir', '14:52 Running', '14:48 News', '14:44 Thunder', '14:40 Halt', '14:37 Judy'];
  const rows = played.map((text, at) => {
    const [time, title] = text.split(' ');
    const song = title === 'News' ? title : `<a href="/track/${at}/">${title}</a>`;
    return `<tr class="${at === 0 ? 'active' : ''}"><td><span class="time">${time}</span></td><td class="track">${song}</td></tr>`;
  });
  const { preview } = await serve(
    () =>
      `<!doctype html><html lang="en"><title>Playlist</title><main><h1>Playlist</h1><table><tbody>${rows.join('')}</tbody></table></main></html>`,
  );
  const shown = await preview('/');
  const list = shown.ok ? shown.candidates.find(({ kind }) => kind === 'repeated records') : undefined;
  expect(list?.rows).toBe(6);
  const samples = list?.columns.map((column) => column.samples[0]);
  expect(samples).toEqual(expect.arrayContaining(['LIVE', 'Noir']));
});
