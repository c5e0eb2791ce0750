/** What the builder does around the page: parameters, the live test, honest failures, hostile pages. */
import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { startPracticeSites } from '../../../src/practice/sites/practice.ts';
import { createBuilder } from '../../../src/service/builder/builder.ts';
import { createFetcher } from '../../../src/service/fetching/fetcher.ts';
import type { BuildOutcome } from '../../../src/service/ports.ts';
import { createRunner } from '../../../src/service/recipes/runner.ts';
import { startWebServer } from '../../support/web-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function toolsFor(origin: string) {
  const fetcher = createFetcher({ allowOrigins: [origin] });
  const runner = createRunner({ fetcher });
  const builder = createBuilder({ fetcher, runner });
  closers.push(
    () => fetcher.close(),
    () => runner.close(),
    () => builder.close(),
  );
  const signal = new AbortController().signal;
  const steps: string[] = [];
  return {
    steps,
    build: (path: string, goal: string, timeoutMs = 60_000): Promise<BuildOutcome> =>
      builder.build(
        {
          websiteUrl: origin + path,
          domain: 'site.example',
          goal,
          catalog: undefined,
          onProgress: (step) => steps.push(step),
        },
        { signal, timeoutMs },
      ),
    run: async (outcome: BuildOutcome, params: Record<string, unknown>) => {
      if (!outcome.built) throw new Error(outcome.message);
      const { data } = await runner.run(
        { recipe: outcome.action.recipe, params },
        { signal, timeoutMs: 30_000 },
      );
      return data;
    },
  };
}

/** Answers by path and query, with the number of times that each was asked for. */
async function serve(answer: (path: string, times: number) => string | number) {
  const times = new Map<string, number>();
  const server = await startWebServer(({ path }, response) => {
    const asked = (times.get(path) ?? 0) + 1;
    times.set(path, asked);
    const body = path === '/robots.txt' ? 404 : answer(path, asked);
    if (typeof body === 'number') response.writeHead(body).end();
    else {
      const type = body.startsWith('<?xml') ? 'application/opensearchdescription+xml' : 'text/html';
      response.writeHead(200, { 'content-type': type }).end(body);
    }
  });
  closers.push(() => server.close());
  return { server, ...toolsFor(server.origin) };
}

const rows = (names: readonly string[]) =>
  `<h1>Boats</h1><ul>${names.map((name, index) => `<li class="boat"><h2><a href="/boats/${index}">${name}</a></h2><span class="price">£${index + 10}</span></li>`).join('')}</ul>`;
const names = ['Albatross', 'Barnacle', 'Cormorant', 'Dunlin'];
const goal = 'List all boats with name and price';

test('the practice bookshop becomes an action with pages and one that searches', async () => {
  const sites = await startPracticeSites();
  closers.push(() => sites.close());
  const { build, run, steps } = toolsFor(sites.origin);
  const listing = await build(
    '/bookshop',
    'List all books with title, author, price, rating and availability',
  );
  expect(listing).toMatchObject({
    built: true,
    sample: [{ title: 'Treasure Island', author: 'Robert Louis Stevenson', price: 5.99, rating: 4 }, {}, {}],
  });
  expect(steps).toEqual([
    'Fetching the page',
    expect.stringMatching(/^\d+ candidates found$/),
    'Testing the recipe',
    'Publishing the action',
  ]);
  expect(await run(listing, {})).toMatchObject({ count: 10 });
  expect(await run(listing, { max_pages: 2 })).toMatchObject({ count: 20 });
  const search = await build('/bookshop/', 'search books by title or author; give title, author and price');
  expect(search).toMatchObject({
    built: true,
    action: { parameters: { properties: { query: { type: 'string' } } } },
  });
  expect(await run(search, { query: 'Verne' })).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ author: 'Jules Verne' })]),
  });
  expect(await run(search, {})).toMatchObject({ count: expect.any(Number) });
});

test('a search on the page itself becomes a param that may be left out', async () => {
  const form = '<form action="/boats"><input type="search" name="q"></form>';
  const { build, run } = await serve((path) => {
    const query = new URL(path, 'http://x').searchParams.get('q')?.toLowerCase();
    return (
      form + rows(query === undefined ? names : names.filter((name) => name.toLowerCase().includes(query)))
    );
  });
  const outcome = await build('/boats', goal);
  expect(outcome).toMatchObject({
    built: true,
    action: { parameters: { properties: { query: { examples: ['Albatross'] } } } },
  });
  expect(await run(outcome, {})).toMatchObject({ count: 4 });
  expect(await run(outcome, { query: 'corm' })).toMatchObject({ items: [{ name: 'Cormorant' }] });
});

test.each([
  ['an action that searches', 'Search the boats by name; give name and price', 1],
  ['a param that may be left out', goal, 4],
])('a search that the OpenSearch description alone tells of becomes %s', async (_, asked, count) => {
  const head =
    '<link rel="search" type="application/opensearchdescription+xml" href="/search.xml" title="Boats">';
  const { build, run } = await serve((path) => {
    if (path === '/search.xml')
      return '<?xml version="1.0"?><OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>Boats</ShortName><Url type="application/json" template="/suggest?q={searchTerms}"/><Url type="text/html" template="/boats?sort=name&amp;find={searchTerms}&amp;from={startIndex?}"/></OpenSearchDescription>';
    const { pathname, searchParams } = new URL(path, 'http://x');
    const query = searchParams.get('find')?.toLowerCase();
    if (pathname !== '/boats' || (query !== undefined && searchParams.get('sort') !== 'name')) return 404;
    return (
      head + rows(query === undefined ? names : names.filter((name) => name.toLowerCase().includes(query)))
    );
  });
  const outcome = await build('/boats', asked);
  expect(outcome).toMatchObject({
    built: true,
    action: {
      parameters: {
        properties: { query: { examples: ['Albatross'], description: 'Words to search for in Boats' } },
      },
    },
  });
  expect(await run(outcome, {})).toMatchObject({ count });
  expect(await run(outcome, { query: 'corm' })).toMatchObject({ items: [{ name: 'Cormorant' }] });
});

test('a page of many of its kind becomes a param for the part of the address that names it', async () => {
  const facts: Record<string, string> = { albatross: 'Ann', barnacle: 'Bo' };
  const { build, run } = await serve((path) => {
    const name = path.split('/').at(-1) ?? '';
    const owner = facts[name];
    if (owner === undefined) return 404;
    return `<h1>${name}</h1><dl><dt>Owner</dt><dd>${owner}</dd><dt>Length</dt><dd>9 m</dd><dt>Berth</dt><dd>C</dd></dl><p><a href="/boats/barnacle">Barnacle</a></p>`;
  });
  const outcome = await build('/boats/albatross', "Get the boat's name, owner and length");
  expect(outcome).toMatchObject({
    built: true,
    action: { parameters: { properties: { slug: { default: 'albatross' } } } },
  });
  expect(await run(outcome, {})).toMatchObject({ name: 'albatross', owner: 'Ann', length: 9 });
  expect(await run(outcome, { slug: 'barnacle' })).toMatchObject({ name: 'barnacle', owner: 'Bo' });
});

test('what the second fetch does not show is not published', async () => {
  const { build } = await serve((_, times) =>
    times === 1 ? rows(names) : '<h1>Boats</h1><p>Come back later</p>',
  );
  expect(await build('/', goal)).toMatchObject({ built: false, errorType: 'TEST_FAILED' });
});

test('what the second page does not fill is not published', async () => {
  const { build } = await serve((path) =>
    path === '/?page=2'
      ? rows(names.map((name) => `${name} II`)).replaceAll('class="price"', 'class="cost-on-request"')
      : `${rows(names)}<a href="/?page=2" rel="next">Next</a>`,
  );
  expect(await build('/', goal)).toMatchObject({ built: false, errorType: 'TEST_FAILED' });
});

test.each([
  [404, 'SITE_UNREACHABLE'],
  [503, 'SITE_UNREACHABLE'],
  [401, 'LOGIN_REQUIRED'],
])('status %i is %s', async (status, errorType) => {
  const { build } = await serve(() => status);
  expect(await build('/', goal)).toMatchObject({ built: false, errorType });
});

test('a host that does not answer, one that forbids it and one that is too slow', async () => {
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
  const slow = createServer((request, response) =>
    request.url === '/robots.txt' ? response.writeHead(404).end() : undefined,
  );
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    slow.closeAllConnections();
    await new Promise((resolve) => slow.close(resolve));
  });
  const address = slow.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  expect(await toolsFor(`http://127.0.0.1:${port}`).build('/', goal, 500)).toMatchObject({
    built: false,
    errorType: 'TIMEOUT',
  });
});

test.each([
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
    if (!outcome.built) expect(['NO_DATA_FOUND', 'GOAL_NOT_COVERED', 'TIMEOUT']).toContain(outcome.errorType);
  },
  60_000,
);

test.each([
  'List all boats with engine power',
  'List all boats with owner',
  'boats: colour',
  'owner of every boat',
])('the name of a row is not given for a field that the page has not: %s', async (asked) => {
  for (const page of [
    rows(names),
    rows(names).replace(/<span.*?span>/g, '<p>Built with care by the sea.</p>'),
  ]) {
    const { build } = await serve(() => page);
    expect(await build('/', asked)).toMatchObject({ built: false, errorType: 'GOAL_NOT_COVERED' });
  }
});

test('the failure shows what was found instead, in at most 1,000 characters', async () => {
  const { build } = await serve(() => rows(names.map((name) => `${name} ${'of the sea '.repeat(200)}`)));
  const outcome = await build('/', 'List all boats with engine power');
  expect(outcome).toMatchObject({
    built: false,
    errorType: 'GOAL_NOT_COVERED',
    message: expect.stringMatching(/4 rows .* with .*price/),
    alternatives: expect.arrayContaining([
      expect.objectContaining({ rows: 4, sample: expect.objectContaining({ price: 10 }) }),
    ]),
  });
  expect(!outcome.built && outcome.message.length).toBeLessThanOrEqual(1_000);
});
