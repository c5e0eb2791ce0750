/** What the builder does around the page: parameters, the live test, honest failures, hostile pages. */
import { expect, it } from 'vitest';
import { startPracticeSites } from '../../../src/practice/sites/practice-sites.ts';
import { startWebServer } from '../../support/web-server.ts';
import { closers, readPage, serve, toolsFor, withRowsOf } from './serve-pages.ts';

const goal = 'List all boats with name and price';
const boats = readPage('pages/boats.html');

it('the practice bookshop becomes an action with pages', async () => {
  const sites = await startPracticeSites();
  closers.push(() => sites.close());
  const { build, run, steps } = toolsFor(sites.origin);
  const listing = await build('/bookshop', 'List all books with title, author and price');
  expect(listing).toMatchObject({
    built: true,
    sample: [{ title: 'Treasure Island', author: 'Robert Louis Stevenson', price: 5.99 }, {}, {}],
  });
  expect(steps).toEqual([
    'Fetching the page',
    expect.stringMatching(/^\d+ candidates? found$/),
    'Testing the recipe',
    'Publishing the action',
  ]);
  expect(await run(listing, {})).toMatchObject({ count: 10 });
  expect(await run(listing, { max_pages: 2 })).toMatchObject({ count: 20 });
});

it('a search on the page itself becomes a param that may be left out', async () => {
  const page = readPage('sites/boats-with-a-search-form.html');
  const { build, run } = await serve((path) =>
    withRowsOf(page, new URL(path, 'http://x').searchParams.get('q') ?? ''),
  );
  const outcome = await build('/boats', goal);
  expect(outcome).toMatchObject({
    built: true,
    action: { parameters: { properties: { query: { examples: ['Albatross'] } } } },
  });
  expect(await run(outcome, {})).toMatchObject({ count: 4 });
  expect(await run(outcome, { query: 'corm' })).toMatchObject({ items: [{ name: 'Cormorant' }] });
});

it('a search whose result is the page becomes a param, also where its first row has the word that was asked for', async () => {
  const page = readPage('sites/boats-with-a-search-form.html');
  const { build } = await serve((path) => {
    const asked = new URL(path, 'http://x').searchParams.get('q') ?? '';
    return withRowsOf(page, asked === 'albatross' ? '' : asked);
  });
  const outcome = await build('/boats?q=albatross', goal);
  expect(outcome).toMatchObject({
    built: true,
    action: {
      parameters: { properties: { query: { examples: [expect.not.stringMatching(/albatross/i)] } } },
    },
  });
});

it('a page that a search led to is what its action reads without words', async () => {
  const page = readPage('sites/boats-with-a-search-form.html');
  const { build, run } = await serve((path) => {
    const asked = new URL(path, 'http://x').searchParams.get('q') ?? '';
    return asked === 'sail' ? page.replace(/^.*Dunlin.*$/m, '') : withRowsOf(page, asked);
  });
  const outcome = await build('/boats?q=sail', goal);
  expect(outcome).toMatchObject({
    built: true,
    action: { parameters: { properties: { query: { default: 'sail' } } } },
  });
  const { count, source_url: read } = await run(outcome, {});
  expect({ count, read }).toEqual({ count: 3, read: expect.stringMatching(/\/boats\?q=sail$/) });
  expect(await run(outcome, { query: 'albatross' })).toMatchObject({ count: 1 });
});

it('a page of many of its kind becomes a param for the part of the address that names it', async () => {
  const pages = new Map(
    ['albatross', 'barnacle'].map((name) => [`/boats/${name}`, readPage(`sites/${name}.html`)]),
  );
  const { build, run } = await serve((path) => pages.get(path) ?? 404);
  const outcome = await build('/boats/albatross', "Get the boat's name, owner and length");
  expect(outcome).toMatchObject({
    built: true,
    action: { parameters: { properties: { slug: { default: 'albatross' } } } },
  });
  expect(await run(outcome, {})).toMatchObject({ name: 'albatross', owner: 'Ann', length: 9 });
  expect(await run(outcome, { slug: 'barnacle' })).toMatchObject({ name: 'barnacle', owner: 'Bo' });
});

it('what the second fetch does not show is not published', async () => {
  const { build } = await serve((_, times) => (times === 1 ? boats : readPage('sites/nothing.html')));
  expect(await build('/', goal)).toMatchObject({ built: false, errorType: 'TEST_FAILED' });
});

it('what the second page does not fill is not published', async () => {
  const second = readPage('sites/boats-second-page-without-prices.html');
  const { build } = await serve((path) =>
    path === '/?page=2' ? second : readPage('sites/boats-first-page.html'),
  );
  expect(await build('/', goal)).toMatchObject({ built: false, errorType: 'TEST_FAILED' });
});

it('rows that only scripts show need a browser', async () => {
  const { build } = await serve(() => readPage('sites/rows-that-only-scripts-show.html'));
  expect(await build('/', goal)).toMatchObject({ built: false, errorType: 'NEEDS_JAVASCRIPT' });
});

it.each([
  [404, 'SITE_UNREACHABLE'],
  [503, 'SITE_UNREACHABLE'],
  [401, 'LOGIN_REQUIRED'],
])('status %i is %s', async (status, errorType) => {
  const { build } = await serve(() => status);
  expect(await build('/', goal)).toMatchObject({ built: false, errorType });
});

it('a host that does not answer, and one that forbids it', async () => {
  const closed = await startWebServer();
  await closed.close();
  expect(await toolsFor(closed.origin).build('/', goal)).toMatchObject({
    built: false,
    errorType: 'SITE_UNREACHABLE',
  });
  const strict = await startWebServer((_, response) => response.end('User-agent: *\nDisallow: /'));
  closers.push(() => strict.close());
  expect(await toolsFor(strict.origin).build('/', goal)).toMatchObject({
    built: false,
    errorType: 'ROBOTS_DISALLOWED',
  });
});

// Pages of such sizes are made here, not kept as files.
it.each([
  ['nested 20,000 deep', `<h1>Boats</h1>${'<div>'.repeat(20_000)}`],
  ['100,000 siblings', `<h1>Boats</h1>${'<p>x</p>'.repeat(100_000)}`],
  [
    '100,000 siblings of many classes',
    `<h1>Boats</h1>${Array.from({ length: 100_000 }, (_, index) => `<i class="c${index}"></i>`).join('')}`,
  ],
  ['megabytes of script', `<h1>Boats</h1><script>var x = ${'[{"a":"'.repeat(400_000)}</script>`],
  ['a long line of brackets', `<h1>Boats</h1><script>x = ${'['.repeat(2_000_000)}</script>`],
  ['a list in a list in a list', `<h1>Boats</h1>${'<ul><li>a</li><li>b</li><li>'.repeat(400)}`],
])(
  'a hostile page ends in a clean failure: %s',
  async (_, page) => {
    const { build } = await serve(() => page);
    const outcome = await build('/', goal);
    expect(outcome.built).toBe(false);
    if (!outcome.built)
      expect(['NO_DATA_FOUND', 'NEEDS_JAVASCRIPT', 'CHOICE_NEEDED', 'TIMEOUT']).toContain(outcome.errorType);
  },
  60_000,
);
