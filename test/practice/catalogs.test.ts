/** Every practice action, over real HTTP against the practice sites. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startPracticeSites } from '../../src/practice/sites/practice-sites.ts';
import { LoginRunner } from '../../src/service/accounts/login-runner.ts';
import { Fetcher } from '../../src/service/fetch/fetcher.ts';
import type { CatalogDefinition } from '../../src/service/foundation/ports.ts';
import { RecipeRunner } from '../../src/service/recipes/runner.ts';
import { parsePool } from '../support/page-pools.ts';
import { practiceAt } from '../support/practice.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
let sites: Awaited<ReturnType<typeof startPracticeSites>>;
let catalogs: readonly CatalogDefinition[];
let fetcher: Fetcher;
let runner: RecipeRunner;
let logins: LoginRunner;

beforeAll(async () => {
  sites = await startPracticeSites();
  catalogs = practiceAt(sites.origin);
  fetcher = new Fetcher({ allowOrigins: [sites.origin] });
  runner = new RecipeRunner({ fetcher, parsePool });
  logins = new LoginRunner({ fetcher, parsePool });
});
afterAll(async () => {
  await fetcher.close();
  await sites.close();
});

function action(id: string) {
  const found = catalogs.flatMap(({ actions }) => actions.filter(({ action_id }) => action_id === id));
  const [first] = found;
  if (first === undefined) throw new Error(`no action ${id}`);
  return first;
}

function run(id: string, params: Record<string, unknown> = {}, cookies?: string) {
  return runner.run({ recipe: action(id).recipe, params, cookies }, limits);
}

async function signIn(): Promise<string> {
  const members = catalogs.find(({ slug }) => slug === 'members');
  const outcome = await logins.login(
    { recipe: members?.login?.recipe, params: { username: 'demo', password: 'demo' } },
    limits,
  );
  if (!outcome.verified) throw new Error(outcome.code);
  return outcome.cookies;
}

const Parameters = z.object({
  properties: z.record(z.string(), z.looseObject({ examples: z.array(z.unknown()).optional() })),
  required: z.array(z.string()).optional(),
});

describe('a practice catalog', () => {
  it('keep their promises to whoever builds on them', () => {
    for (const { url } of catalogs) expect(url).toContain(`${sites.origin}/`);
    const actions = catalogs.flatMap((catalog) => catalog.actions);
    expect(catalogs.map(({ slug }) => slug).sort()).toEqual(['bookshop', 'members', 'quotes', 'stations']);
    expect(actions.filter(({ mode }) => mode === 'sync').length).toBeGreaterThan(0);
    for (const { parameters, action_id } of actions) {
      const { properties, required = [] } = Parameters.parse(parameters);
      for (const name of required)
        expect(properties[name]?.examples?.length, `${action_id}.${name}`).toBeGreaterThan(0);
    }
    const members = catalogs.find(({ slug }) => slug === 'members');
    expect(members?.actions.map(({ auth_mode }) => auth_mode).sort()).toEqual([
      'none',
      'optional',
      'required',
    ]);
    expect(members?.login?.fields.map(({ name }) => name)).toEqual(['username', 'password']);
  });

  it('lists books over several pages', async () => {
    const { data } = await run('bookshop_list_books', { max_pages: 3 });
    expect(data.count).toBe(30);
    expect(data.source_url).toBe(`${sites.origin}/bookshop/`);
    expect(data.items).toContainEqual({
      title: 'Treasure Island',
      author: 'Robert Louis Stevenson',
      price: 5.99,
      currency: 'GBP',
      rating: 4,
      in_stock: false,
      copies: 0,
      cover_url: `${sites.origin}/bookshop/covers/treasure-island.svg`,
      url: `${sites.origin}/bookshop/book/treasure-island`,
    });
  });

  it('filters books by category and reads every page up to the limit', async () => {
    const { data } = await run('bookshop_list_books', { category: 'Novel', max_pages: 5 });
    expect(data.count).toBe(12);
  });

  it('finds books, and nothing where there is nothing', async () => {
    const { data } = await run('bookshop_search', { query: 'jack london' });
    expect(data.items).toMatchObject([{ title: 'The Call of the Wild' }, { title: 'The Sea-Wolf' }]);
    expect((await run('bookshop_search', { query: 'no & such=book?' })).data).toMatchObject({
      items: [],
      count: 0,
    });
  });

  it('gives the details of one book', async () => {
    const { data } = await run('bookshop_book_details', { book: 'middlemarch' });
    expect(data).toMatchObject({
      title: 'Middlemarch',
      author: 'George Eliot',
      category: 'Novel',
      year: 1871,
      currency: 'GBP',
      source_url: `${sites.origin}/bookshop/book/middlemarch`,
    });
    expect(data.in_shop_since).toMatch(/^2026-10-\d\dT\d\d:\d\d:00Z$/);
  });

  it('follows the details behind a listing', async () => {
    const { data } = await run('bookshop_catalogue', { category: 'Travel' });
    expect(data.count).toBe(7);
    expect(data.items).toContainEqual(
      expect.objectContaining({ title: 'Italian Journey', author: 'Johann Wolfgang von Goethe', year: 1817 }),
    );
  });

  it('gives all books of a category, each with the details of its page', async () => {
    const { data } = await run('bookshop_catalogue', { category: 'Novel' });
    expect(data).toMatchObject({ returned: 12, total: 12, has_more: false });
    const details = z.object({
      description: z.string(),
      category: z.literal('Novel'),
      cover_url: z.string(),
    });
    expect(z.array(details).parse(data.items)).toHaveLength(12);
  });

  it('says how many books and quotations there are in all, and whether more follow', async () => {
    expect((await run('bookshop_list_books')).data).toMatchObject({
      returned: 10,
      total: 43,
      has_more: true,
    });
    const { data } = await run('bookshop_list_books', { max_pages: 5 });
    expect(data).toMatchObject({ returned: 43, total: 43, has_more: false });
  });

  it('reads the feed', async () => {
    const { data } = await run('bookshop_new_books');
    expect(data.count).toBe(15);
    expect(z.array(z.unknown()).parse(data.items)[0]).toMatchObject({
      published: expect.stringMatching(/^2026-10-30T/),
      categories: expect.any(Array),
    });
  });

  it('reads the tables', async () => {
    const { data } = await run('stations_latest');
    expect(data.items).toContainEqual({
      station: 'Upper Corrie',
      elevation_m: 1043,
      temperature_c: -2.3,
      wind_kmh: 63.7,
      active: true,
      url: `${sites.origin}/stations/corrie`,
    });
    const readings = await run('stations_readings', { station: 'holm' });
    expect(readings.data.count).toBe(7);
    expect(readings.data.items).toContainEqual({
      date: '2026-11-14',
      low: 5.4,
      temperature_unit: '°C',
      high: 10.4,
      rain: 14,
      rain_unit: 'mm',
    });
  });

  it('reads the JSON interface, with filters and paging', async () => {
    expect((await run('quotes_list', { max_pages: 5 })).data.count).toBe(24);
    expect((await run('quotes_list', { author: 'Oscar Wilde', tag: 'learning' })).data.items).toEqual([
      {
        id: 23,
        text: 'Experience is the name everyone gives to their mistakes.',
        author: 'Oscar Wilde',
        year: 1892,
        tags: ['wit', 'learning'],
      },
    ]);
    expect((await run('quotes_get', { id: 3 })).data).toMatchObject({ text: 'Brevity is the soul of wit.' });
  });

  it('tells members from visitors', async () => {
    expect((await run('members_opening_hours')).data.count).toBe(4);
    const anonymous = await run('members_offers');
    const cookies = await signIn();
    const signedIn = await run('members_offers', {}, cookies);
    expect(anonymous.data.count).toBe(3);
    expect(signedIn.data.count).toBe(5);
    const orders = await run('members_orders', {}, cookies);
    expect(orders.data.items).toContainEqual({
      order: 'R-1017',
      date: '2026-09-21',
      article: 'Oar grips, pair',
      pieces: 2,
      total: 28,
      currency: 'EUR',
      delivered: true,
    });
  });
});
