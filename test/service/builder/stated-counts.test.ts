/** What a page itself says of the number of its rows is held against the rows that a run reads. */
import { describe, expect, it } from 'vitest';
import { serve } from './serve-pages.ts';

const plants = ['Rose', 'Rotbuche', 'Rosmarin', 'Roteiche'];
const popular = ['Tulpe', 'Lavendel'];
const rows = (names: readonly string[]) =>
  names
    .map((name, at) => `<li class="pf"><h3>${name}</h3> <span class="preis">${at + 4},50 €</span></li>`)
    .join('');
const shop = (content: string) =>
  `<!doctype html><html lang="de"><title>Pflanzen</title><body><main><h1>Pflanzen</h1><form action="/s"><input type="search" name="wort"></form>${content}</main></body></html>`;
const results = shop(`<p>4 Treffer</p><ul class="res">${rows(plants)}</ul>`);

/** What a search for other words gives on `later`, of what was built on `first`. */
async function searchLater(later: string, first = results) {
  const { build, run } = await serve((path) => {
    const word = new URL(path, 'http://x').searchParams.get('wort') ?? '';
    return word === 'zzz'
      ? later
      : word === 'ro' || word === ''
        ? first
        : first.replace(rows(plants), rows([word]));
  });
  const outcome = await build('/s?wort=ro', 'Pflanzen mit Name und Preis');
  const { items, missing = [] } = await run(outcome, { query: 'zzz' });
  return { count: Array.isArray(items) ? items.length : undefined, missing: String(missing) };
}

describe('a search that finds nothing', () => {
  it.each([
    ['Keine Treffer für „zzz“. Beliebt:', 'Keine Treffer'],
    ['Leider wurden keine Pflanzen gefunden', 'keine Pflanzen gefunden'],
    ['Aucun résultat pour « zzz »', 'Aucun résultat'],
    ['No se encontraron resultados', 'No se encontraron resultados'],
    ['Sorry, we found no matching results', 'no matching results'],
    ['0 results', '0 results'],
    ['Ничего не найдено', 'Ничего не найдено'],
    ['「zzz」に一致する植物は見つかりませんでした', '見つかりません'],
  ])('gives none of the suggestions that stand elsewhere: %s', async (text, said) => {
    const { count, missing } = await searchLater(shop(`<p>${text}</p><ul class="pop">${rows(popular)}</ul>`));
    expect(count).toBe(0);
    expect(missing).toContain(`The page says "${said}`);
    expect(missing).toContain('are not given');
  });

  it('says that rows in the place of results may be suggestions', async () => {
    const { count, missing } = await searchLater(
      shop(`<p>Keine Treffer</p><ul class="res">${rows(popular)}</ul>`),
    );
    expect(count).toBe(2);
    expect(missing).toContain('The page says "Keine Treffer"');
  });

  it('says that rows stand elsewhere where the page says nothing', async () => {
    const { count, missing } = await searchLater(
      shop(`<h2>Beliebt</h2><ul class="pop">${rows(popular)}</ul>`),
    );
    expect(count).toBe(2);
    expect(missing).toContain('The rows stand in "pop"');
  });
});

it.each([
  `<ul class="res wide">${rows(popular)}</ul>`,
  `<div class="res"><div class="frame"><ul>${rows(popular)}</ul></div></div>`,
])('says nothing where other words find other rows in the same place: %s', async (list) => {
  const { count, missing } = await searchLater(shop(`<p>2 Treffer</p>${list}`));
  expect([count, missing]).toEqual([2, '']);
});

it('says nothing of words that the page had beside its rows when the action was built', async () => {
  const hint = '<p class="empty">Keine Treffer</p>';
  const { count, missing } = await searchLater(
    shop(`<ul class="res">${rows(popular)}</ul>${hint}`),
    shop(`<ul class="res">${rows(plants)}</ul>${hint}`),
  );
  expect([count, missing]).toEqual([2, '']);
});

it.each([
  '40 plants found',
  'Found 40 plants',
  '40 results',
  'Showing 1–4 of 40',
  'Es wurden 40 Pflanzen gefunden',
  '40 Treffer für „ro“',
  '40 plantes trouvées',
  'Se encontraron 40 plantas',
  'Znaleziono 40 roślin',
  'Найдено 40 растений',
  'Viser 4 af 40',
  '<b>40</b> <span>plants</span> found',
  '全40件',
])('a page that speaks of more rows than it shows is quoted: %s', async (text) => {
  const { build, run } = await serve(() => shop(`<div><p>${text}</p></div><ul>${rows(plants)}</ul>`));
  const outcome = await build('/', 'Pflanzen mit Name und Preis');
  expect(outcome.built && outcome.action.description).toContain('says that its list goes on');
  const { has_more, missing } = await run(outcome, {});
  expect(has_more).toBeNull();
  expect(String(missing)).toMatch(/^The page says ".*40.*", and 4 rows were read\.$/);
  // The build says it as well, before anybody pays a run.
  expect(outcome.built && outcome.missing).toEqual(missing);
});

it.each(['12 open positions', '12 offene Stellen', '12 jobs available', '12 plants', 'and 8 more'])(
  'a line beside the rows that may speak of more of them is quoted: %s',
  async (text) => {
    const { build, run } = await serve(() => shop(`<p>${text}</p><ul>${rows(plants)}</ul>`));
    const outcome = await build('/', 'Pflanzen mit Name und Preis');
    const { has_more, missing } = await run(outcome, {});
    expect([has_more, missing]).toEqual([null, [`The page says "${text}", and 4 rows were read.`]]);
    expect(outcome.built && outcome.missing).toEqual(missing);
  },
);

it.each([
  'Results limited to 4. <a href="/all">Show all results</a>',
  'This list was limited to 4 plants.',
  'Es werden nur die ersten 4 Treffer angezeigt.',
  'Affichage limité aux 4 premiers résultats.',
  'Se muestran solo los 4 primeros resultados.',
  'Too many results. Only the first 4 are displayed.',
])('a line that says that the list is cut is quoted: %s', async (text) => {
  const { build, run } = await serve(() => shop(`<div>${text}</div><ul>${rows(plants)}</ul>`));
  const outcome = await build('/', 'Pflanzen mit Name und Preis');
  const { has_more, missing } = await run(outcome, {});
  const said = text.replace(/<[^>]+>/g, '');
  expect([has_more, missing]).toEqual([null, [`The page says "${said}", and 4 rows were read.`]]);
  expect(outcome.built && outcome.missing).toEqual(missing);
});

it('a number of more rows is added to the rows of a table, and not to its tables', async () => {
  const cells = plants.map((name, at) => `<tr><td>${name}<td>${at + 4},50 €`).join('');
  const { build, run } = await serve(() =>
    shop(`<table><tr><th>Name<th>Preis${cells}</table><p>and 2 more</p>`),
  );
  const { missing } = await run(await build('/', 'Pflanzen mit Name und Preis'), {});
  expect(missing).toEqual(['The page says "and 2 more", and 4 rows were read.']);
});

it.each([
  '4 plants',
  '24 happy customers',
  '4 plants found',
  '2025 results',
  '300 species found in Europe',
  'Week 38 results',
  'Limited to 2 per customer',
  'Only 4 euros',
  'The 4 first to come',
  '<a href="/all">40 results</a>',
  '<nav><p>40 results</p></nav>',
  '40 results</p><p>12 results',
])('numbers that count no rows of the list are not told: %s', async (text) => {
  const { build, run } = await serve(() => shop(`<p>${text}</p><ul>${rows(plants)}</ul>`));
  const { has_more, missing } = await run(await build('/', 'Pflanzen mit Name und Preis'), {});
  expect([has_more, missing]).toEqual([false, undefined]);
});

it('rows of all pages together are held against the number', async () => {
  const page = (names: readonly string[], more: string) =>
    shop(`<p>8 plants found</p><ul>${rows(names)}</ul>${more}`);
  const { build, run } = await serve((path) =>
    path === '/'
      ? page(plants, '<a rel="next" href="/?page=2">Next</a>')
      : page(['Ahorn', 'Birke', 'Buche', 'Eiche'], ''),
  );
  const outcome = await build('/', 'Pflanzen mit Name und Preis');
  expect((await run(outcome, {})).missing).toBeUndefined();
  const { has_more, missing } = await run(outcome, { max_pages: 2 });
  expect([has_more, missing]).toEqual([false, undefined]);
});
