/** Equal tables or lists under different headings: their rows stay apart, and what joins them later is said. */
import { describe, expect, it } from 'vitest';
import { Recipe } from '../../../src/service/recipes/recipe-schema.ts';
import { serve } from './serve-pages.ts';

const men = ['Adam Ash', 'Bert Birch', 'Carl Cedar', 'Dirk Dill'];
const women = ['Anna Apple', 'Beth Berry', 'Cleo Cherry', 'Dora Date'];
const teens = ['Tim Tea', 'Tom Tee', 'Tina Tin', 'Tess Till'];

const tableOf = (names: readonly string[], { caption = '', price = false, attributes = '' } = {}) => {
  const head = ['Runner', 'Time', ...(price ? ['Price'] : []), 'Club'].map((text) => `<th>${text}</th>`);
  const rows = names.map(
    (name, at) =>
      `<tr><td>${name}</td><td>${at + 10}.5</td>${price ? '<td>7</td>' : ''}<td>Club ${name.slice(3)}</td></tr>`,
  );
  return `<table${attributes}>${caption === '' ? '' : `<caption>${caption}</caption>`}<thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`;
};
const listOf = (names: readonly string[]) =>
  `<ul>${names
    .map(
      (name, at) =>
        `<li class="person"><b class="runner">${name}</b> <i class="time">${at + 10}.5</i> <i class="club">Club ${name.slice(3)}</i></li>`,
    )
    .join('')}</ul>`;
const pageOf = (content: string) =>
  `<!doctype html><html lang="en"><title>Race</title><body><main><h1>Race results</h1>${content}</main></body></html>`;

const goal = 'List all runners with runner, time and club';

async function sectionsOf(content: string) {
  const { preview, build, run, steps } = await serve(() => pageOf(content));
  const shown = await preview('/');
  const about = shown.ok ? shown.candidates[0]?.about : undefined;
  const built = await build('/', goal);
  const { items, missing } = await run(built, {});
  const rows: unknown[] = Array.isArray(items) ? items : [];
  const sections = rows.map((row) => Object(row).section);
  return { about, steps, built, sections, missing, rows };
}

describe('rows of equal tables or lists', () => {
  const both = [...men.map(() => 'Men'), ...women.map(() => 'Women')];

  it('are all read where the tables of two headings say the same', async () => {
    const { sections } = await sectionsOf(`<h2>Spring</h2>${tableOf(men)}<h2>Autumn</h2>${tableOf(men)}`);
    expect(sections).toEqual([...men.map(() => 'Spring'), ...men.map(() => 'Autumn')]);
  });

  it.each([
    ['h2', `<h2>Men</h2>${tableOf(men)}<h2>Women</h2>${tableOf(women)}`],
    ['captions', tableOf(men, { caption: 'Men' }) + tableOf(women, { caption: 'Women' })],
    [
      'headings of sections',
      ['Men', 'Women']
        .map(
          (name, at) =>
            `<section><h3>${name}</h3><p>All.</p><div>${tableOf(at ? women : men)}</div></section>`,
        )
        .join(''),
    ],
    [
      'summaries',
      `<details><summary>Men</summary>${tableOf(men)}</details><details><summary>Women</summary>${tableOf(women)}</details>`,
    ],
    [
      'headings, not of a summary beside them',
      `<h2>Men</h2><details><summary>Filter</summary><p>By club</p></details>${tableOf(men)}<h2>Women</h2>${tableOf(women)}`,
    ],
    [
      'headings of lists that stand deeper',
      ['Men', 'Women']
        .map(
          (name, at) =>
            `<div class="group"><h3>${name}</h3><div class="box"><div class="inner"><div>${listOf(at ? women : men)}</div></div></div></div>`,
        )
        .join(''),
    ],
    [
      'buttons of tabs',
      `<ol class="nav nav-tabs"><li><button data-bs-target="#m">Men</button><li><button data-bs-target="#w">Women</button></ol><div class="tab-pane" id="m">${tableOf(men)}</div><div class="tab-pane" id="w">${tableOf(women)}</div>`,
    ],
    ['headings of lists', `<h2>Men</h2>${listOf(men)}<h2>Women</h2>${listOf(women)}`],
  ])('have the text of their %s', async (_, content) => {
    const { about, steps, built, sections, missing } = await sectionsOf(content);
    const what = content.includes('<ul') ? '2 equal lists' : '2 equal tables';
    expect(sections).toEqual(both);
    expect(about).toBe(`${what}, under: Men, Women`);
    expect(steps).toContain(`Reading ${what}, under: Men, Women`);
    expect(built).toMatchObject({
      action: { description: expect.stringContaining(`They are of ${what} of the page`) },
      sample: [{ section: 'Men' }, { section: 'Women' }, { section: 'Men' }],
    });
    expect(missing).toBeUndefined();
  });

  it('have the headings of two levels where the inner ones repeat', async () => {
    const finals = (first: readonly string[], second: readonly string[]) =>
      `<h3>Final</h3>${tableOf(first)}<h3>Heat</h3>${tableOf(second)}`;
    const { rows } = await sectionsOf(
      `<h2>Men</h2>${finals(men, ['Max Moss', 'Ned Nut'])}<h2>Women</h2>${finals(women, ['Pia Pine', 'Una Ulm'])}`,
    );
    expect(rows).toMatchObject([
      ...men.map(() => ({ section: 'Final', outer_section: 'Men' })),
      ...[1, 2].map(() => ({ section: 'Heat', outer_section: 'Men' })),
      ...women.map(() => ({ section: 'Final', outer_section: 'Women' })),
      ...[1, 2].map(() => ({ section: 'Heat', outer_section: 'Women' })),
    ]);
  });

  it('have no heading that is not theirs, and the description says it', async () => {
    const { built, rows } = await sectionsOf(`<h2>All</h2>${tableOf(men)}${tableOf(women)}`);
    expect(rows[0]).toEqual({ runner: 'Adam Ash', time: 10.5, club: 'Club m Ash' });
    expect(built).toMatchObject({
      action: {
        description: expect.stringContaining('of 2 equal tables of the page, which no field tells apart'),
      },
    });
  });

  it('have only the fields that a caller chose', async () => {
    const { build, run } = await serve(() =>
      pageOf(`<h2>Men</h2>${tableOf(men)}<h2>Women</h2>${tableOf(women)}`),
    );
    const chosen = await build('/', 'Runners', { candidate: 't1', fields: { who: 'c1', sex: 'c4' } });
    expect(await run(chosen, {})).toMatchObject({
      items: [{ who: 'Adam Ash', sex: 'Men' }, ...Array(7).fill({})],
    });
  });
});

describe('a run says what the page has beside what it had', () => {
  const more = (rest: string) =>
    `The page has 1 more table with these columns than when the action was built, ${rest}`;

  it.each([
    [
      'a table that is read',
      `<h2>Men</h2>${tableOf(men)}`,
      `<h2>Teens</h2>${tableOf(teens)}`,
      [more('under: Teens. Its rows are among those given.')],
    ],
    [
      'a table that is not read',
      `<table><tr><td>a</td></tr></table><h2>Men</h2>${tableOf(men, { attributes: ' class="men"' })}`,
      `<h2>Teens</h2>${tableOf(teens, { attributes: ' class="teens"' })}`,
      [more('under: Teens. Its rows are not given.')],
    ],
    [
      'a list',
      `<h2>Men</h2>${listOf(men)}`,
      `<h2>Teens</h2>${listOf(teens)}`,
      ['Rows stand under headings that had none when the action was built: Teens.'],
    ],
  ])('%s', async (_, before, after, missing) => {
    let content = before;
    const { build, run } = await serve(() => pageOf(content));
    const built = await build('/', goal);
    expect(await run(built, {})).not.toHaveProperty('missing');
    content += after;
    expect(await run(built, {})).toMatchObject({ missing });
  });

  it('a column', async () => {
    let price = false;
    const { build, run } = await serve(() => pageOf(tableOf(men, { price })));
    const built = await build('/', goal);
    price = true;
    expect(await run(built, {})).toMatchObject({
      missing: [
        'The table has columns that it did not have when the action was built: Price. They are not given.',
      ],
    });
  });

  it('a table where there was one, under other headings', async () => {
    let content = tableOf(men);
    const { build, run } = await serve(() => pageOf(content));
    const built = await build('/', goal);
    content = `<h2>Past</h2>${tableOf(teens)}<h2>Now</h2>${tableOf(men)}`;
    expect(await run(built, {})).toMatchObject({
      missing: [
        'The page has 2 tables with these columns, under: Past, Now; when the action was built it had 1. All of their rows are given.',
      ],
    });
  });

  it('nothing where a page has turned over, as one of days does', async () => {
    let days = ['3 March', '4 March'];
    const { build, run } = await serve(() =>
      pageOf(days.map((day) => `<h2>${day}</h2>${tableOf([...men, day])}`).join('')),
    );
    const built = await build('/', goal);
    days = ['4 March', '5 March', '6 March'];
    expect(await run(built, {})).not.toHaveProperty('missing');
  });

  const list = men
    .map((name) => `<li><b class="name">${name}</b> <i class="length">${name.length} m</i></li>`)
    .join('');
  it.each([
    ['table', tableOf(men)],
    ['list', `<ul>${list}</ul>`],
  ])('another heading above the only %s, but of another day', async (_, rows) => {
    let heading = 'Departures';
    const { build, run } = await serve(() => pageOf(`<h2>${heading}</h2>${rows}`));
    const built = await build('/', rows.startsWith('<ul') ? 'List all boats with name and length' : goal);
    heading = 'Departures today';
    expect(await run(built, {})).not.toHaveProperty('missing');
    heading = 'Arrivals';
    expect(await run(built, {})).toMatchObject({
      missing: ['The rows stand under "Arrivals"; when the action was built they stood under "Departures".'],
    });
    heading = 'Tuesday, 3 March';
    expect(await run(built, {})).not.toHaveProperty('missing');
  });

  it('nothing of a recipe that does not know what there was', async () => {
    const { build, run } = await serve(() => pageOf(`<h2>Men</h2>${tableOf(men)}`));
    const outcome = await build('/', goal);
    if (!outcome.built) throw new Error(outcome.message);
    const recipe = JSON.parse(
      JSON.stringify(outcome.action.recipe, (key, value) => (key === 'built' ? undefined : value)),
    );
    expect(recipe).not.toHaveProperty('extract.built');
    const old = { ...outcome, action: { ...outcome.action, recipe } };
    expect(await run(old, {})).toMatchObject({ count: 4 });
  });

  it('nothing of a page that other params lead to', async () => {
    let content = `<h2>Men</h2>${tableOf(men)}`;
    const { build, run } = await serve(() => pageOf(content));
    const outcome = await build('/', goal);
    if (!outcome.built) throw new Error(outcome.message);
    const { request, extract } = Recipe.parse(outcome.action.recipe);
    const recipe = {
      request: { ...request, query: { year: '{year}' } },
      extract,
      defaults: { year: '2026' },
    };
    const ofYears = { ...outcome, action: { ...outcome.action, recipe } };
    content += `<h2>Teens</h2>${tableOf(teens)}`;
    expect(await run(ofYears, { year: '2026', max_pages: 1 })).toHaveProperty('missing');
    expect(await run(ofYears, { year: '2025' })).not.toHaveProperty('missing');
  });

  it('a caption of one table is none of the next', async () => {
    let last = '';
    const { build, run } = await serve(() =>
      pageOf(tableOf(men, { caption: 'Men' }) + tableOf(women, { caption: 'Women' }) + last),
    );
    const built = await build('/', goal);
    last = tableOf(teens);
    const { items } = await run(built, {});
    expect(Array.isArray(items) ? items.slice(7).map((row) => row.section) : []).toEqual([
      'Women',
      null,
      null,
      null,
      null,
    ]);
  });
});

it('a table of other elements that say so by their roles is built as one', async () => {
  const row = (role: string, ...texts: readonly string[]) =>
    `<div role="row">${texts.map((text) => `<div role="${role}">${text}</div>`).join('')}</div>`;
  const rows = men.map((name, at) => row('cell', name, `${at + 10}.5`, `Club ${name.slice(3)}`));
  const page = pageOf(
    `<div role="table">${row('columnheader', 'Runner', 'Time', 'Club')}${rows.join('')}</div>`,
  );
  const { build, run } = await serve(() => page);
  const built = await build('/', goal);
  expect(built).toMatchObject({ built: true });
  expect((await run(built, {})).items).toMatchObject([
    { runner: 'Adam Ash', time: 10.5, club: 'Club m Ash' },
    {},
    {},
    {},
  ]);
});

describe('equal tables or lists in the panels of tabs', () => {
  const tabsOf = (...panels: readonly string[]) =>
    `<div role="tablist">${['Men', 'Women'].map((name) => `<button role="tab" aria-controls="${name}">${name}</button>`).join('')}</div>
    ${panels.map((panel, at) => `<div role="tabpanel" id="${['Men', 'Women'][at]}"${at > 0 ? ' hidden' : ''}>${panel}</div>`).join('')}`;

  it.each([
    ['tables', tabsOf(tableOf(men), tableOf(women))],
    ['lists', tabsOf(listOf(men), listOf(women))],
  ])('the rows of %s say which tab shows them', async (_, content) => {
    const { build, run } = await serve(() => pageOf(content));
    const built = await build('/', goal);
    expect(built).toMatchObject({ built: true });
    const { items } = await run(built, {});
    expect(items).toMatchObject([
      ...men.map((runner) => ({ runner, section: 'Men' })),
      ...women.map((runner) => ({ runner, section: 'Women' })),
    ]);
  });
});
