/** What the builder does around the page: parameters, the live test, honest failures, hostile pages. */
import { createServer } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startPracticeSites } from '../../../src/practice/sites/practice.ts';
import { createBuilder } from '../../../src/service/builder/builder.ts';
import { createFetcher } from '../../../src/service/fetching/fetcher.ts';
import type { BuildChoice, BuildOutcome, PreviewOutcome } from '../../../src/service/foundation/ports.ts';
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
    preview: (path: string, candidate?: string, choose?: BuildChoice): Promise<PreviewOutcome> =>
      builder.preview({ websiteUrl: origin + path, candidate, choose }, { signal, timeoutMs: 60_000 }),
    build: (path: string, goal: string, timeoutMs = 60_000, choose?: BuildChoice): Promise<BuildOutcome> =>
      builder.build(
        {
          websiteUrl: origin + path,
          domain: 'site.example',
          goal,
          catalog: undefined,
          choose,
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

it('a search that the OpenSearch description alone tells of becomes a param', async () => {
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
  const outcome = await build('/boats', goal);
  expect(outcome).toMatchObject({
    built: true,
    action: { parameters: { properties: { query: { examples: ['Albatross'] } } } },
  });
  expect(await run(outcome, {})).toMatchObject({ count: 4 });
  expect(await run(outcome, { query: 'corm' })).toMatchObject({ items: [{ name: 'Cormorant' }] });
});

it('a page of many of its kind becomes a param for the part of the address that names it', async () => {
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

it('what the second fetch does not show is not published', async () => {
  const { build } = await serve((_, times) =>
    times === 1 ? rows(names) : '<h1>Boats</h1><p>Come back later</p>',
  );
  expect(await build('/', goal)).toMatchObject({ built: false, errorType: 'TEST_FAILED' });
});

it('what the second page does not fill is not published', async () => {
  const { build } = await serve((path) =>
    path === '/?page=2'
      ? rows(names.map((name) => `${name} II`)).replaceAll('class="price"', 'class="cost-on-request"')
      : `${rows(names)}<a href="/?page=2" rel="next">Next</a>`,
  );
  expect(await build('/', goal)).toMatchObject({ built: false, errorType: 'TEST_FAILED' });
});

it.each([
  [404, 'SITE_UNREACHABLE'],
  [503, 'SITE_UNREACHABLE'],
  [401, 'LOGIN_REQUIRED'],
])('status %i is %s', async (status, errorType) => {
  const { build } = await serve(() => status);
  expect(await build('/', goal)).toMatchObject({ built: false, errorType });
});

it('a host that does not answer, one that forbids it and one that is too slow', async () => {
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
    if (!outcome.built) expect(['NO_DATA_FOUND', 'CHOICE_NEEDED', 'TIMEOUT']).toContain(outcome.errorType);
  },
  60_000,
);

it.each([
  'List all boats with engine power',
  'List all boats with owner and price',
  'Boats: name, colour',
  'Show me the boats',
])('a goal that the page does not clearly meet needs a choice: %s', async (asked) => {
  const { build } = await serve(() => rows(names));
  const outcome = await build('/', asked);
  expect(outcome).toMatchObject({
    built: false,
    errorType: 'CHOICE_NEEDED',
    candidates: [
      { rows: 4, columns: expect.arrayContaining([expect.objectContaining({ kind: 'text' })]) },
      {},
    ],
    choose: { candidate: expect.any(String) },
  });
});

it('the best guess of a build that needs a choice builds as it is', async () => {
  const { build, run } = await serve(() => rows(names));
  const outcome = await build('/', 'List all boats with name, price and engine power');
  if (outcome.built || outcome.choose === undefined) throw new Error('no guess');
  const built = await build('/', goal, 60_000, outcome.choose);
  expect(built).toMatchObject({ built: true, sample: [{ name: 'Albatross', price: 10 }, {}, {}] });
  expect(await run(built, {})).toMatchObject({ count: 4 });
});

describe('a choice', () => {
  const cases = names.map(
    (name, index) => `<li class="case"><p>Case No. 24-${index}17: ${name} v. Tern</p></li>`,
  );
  const page = `<h1>Cases</h1><ul>${cases.join('')}</ul>`;
  const wholeOf = async (origin: { preview: (path: string) => Promise<PreviewOutcome> }) => {
    const preview = await origin.preview('/');
    if (!preview.found) throw new Error(preview.message);
    for (const candidate of preview.candidates) {
      const column = candidate.columns.find(({ samples }) => samples[0]?.startsWith('24-017:'));
      if (column !== undefined && candidate.rows === names.length) return { candidate, column };
    }
    throw new Error('no such column');
  };

  it('takes a part of a text by a pattern, and texts in a longer text are offered as parts', async () => {
    const site = await serve(() => page);
    const { candidate, column } = await wholeOf(site);
    const parts = candidate.columns.filter(({ part_of }) => part_of === column.id);
    expect(parts.map(({ samples }) => samples[0])).toEqual(
      expect.arrayContaining(['24-017', 'Albatross v. Tern']),
    );
    const built = await site.build('/', 'Cases', 60_000, {
      candidate: candidate.id,
      fields: { party: { column: column.id, match: '^\\S+: (.*) v\\.' } },
    });
    expect(built).toMatchObject({ built: true, sample: [{ party: 'Albatross' }, {}, {}] });
  });

  it.each([
    ['another candidate', { candidate: 't9', fields: { name: 'c1' } }, 'no candidate t9'],
    ['another column', { candidate: 'r1', fields: { name: 'c99' } }, 'no column c99'],
    ['no field', { candidate: 'r1', fields: {} }, 'needs 1 to'],
    [
      'a pattern with a backreference',
      { candidate: 'r1', fields: { name: { column: 'c1', match: '(a)\\1' } } },
      'RE2',
    ],
    [
      'a pattern that matches nothing',
      { candidate: 'r1', fields: { name: { column: 'c1', match: 'zzz' } } },
      'matches none',
    ],
  ])('that names %s is told what is wrong', async (_, choose, message) => {
    const { build, preview } = await serve(() => page);
    expect(await preview('/', undefined, choose)).toMatchObject({
      found: false,
      errorType: 'CHOICE_NEEDED',
      message: expect.stringContaining(message),
    });
    expect(await build('/', 'Cases', 60_000, choose)).toMatchObject({
      built: false,
      errorType: 'CHOICE_NEEDED',
      message: expect.stringContaining(message),
    });
  });

  it('is made on the page of the preview, and tested on the page as it is now', async () => {
    const site = await serve((_, times) => (times === 1 ? page : '<h1>Nothing</h1>'));
    const { candidate, column } = await wholeOf(site);
    const choose = { candidate: candidate.id, fields: { text: column.id } };
    expect(await site.build('/', 'Cases', 60_000, choose)).toMatchObject({
      built: false,
      errorType: 'TEST_FAILED',
    });
  });
});

it('a preview of a choice shows the rows that it gives, beside the candidates', async () => {
  const { preview } = await serve(() => rows(names));
  const choose = { candidate: 'r1', fields: { boat: 'c1', initial: { column: 'c1', match: '^(\\S)' } } };
  const shown = await preview('/', undefined, choose);
  expect(shown.found && shown.candidates.map(({ id }) => id)).toContain('r1');
  expect(shown.found && shown.sample).toEqual(
    names.slice(0, 3).map((name) => ({ boat: name, initial: name[0] })),
  );
  const without = await preview('/');
  expect(without.found && without.sample).toBeUndefined();
});

it('a page is kept for 15 minutes for the choice, by the address that was previewed', async () => {
  let fetched = 0;
  const { preview } = await serve(() => {
    fetched += 1;
    return rows(names);
  });
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    await preview('/');
    vi.setSystemTime(Date.now() + 14.9 * 60_000);
    await preview('/', 'r1');
    expect(fetched).toBe(1);
    vi.setSystemTime(Date.now() + 0.2 * 60_000);
    await preview('/', 'r1');
    expect(fetched).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

it('a preview looks again at a page that showed nothing the first time', async () => {
  const { preview } = await serve((_, times) => (times === 1 ? '<h1>Nothing</h1>' : rows(names)));
  expect(await preview('/')).toMatchObject({ found: false, errorType: 'NO_DATA_FOUND' });
  expect(await preview('/')).toMatchObject({ found: true });
});

it('a preview shows at most five candidates in 4,000 characters, and all columns of one', async () => {
  const wide = Array.from({ length: 30 }, (_, index) => `<th>Column number ${index} of many</th>`).join('');
  const cells = (row: number) =>
    Array.from({ length: 30 }, (_, index) => `<td>${'Text '.repeat(30)}${row} ${index}</td>`).join('');
  const table = `<table><thead><tr>${wide}</tr></thead><tbody>${[1, 2, 3].map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody></table>`;
  const { preview } = await serve(() => `<title>Boats</title>${table}${rows(names)}`);
  const overview = await preview('/');
  expect(overview).toMatchObject({ found: true, page: { title: 'Boats' } });
  expect(JSON.stringify(overview).length).toBeLessThanOrEqual(4_000);
  if (!overview.found) return;
  expect(overview.candidates.length).toBeLessThanOrEqual(5);
  const [first] = overview.candidates;
  expect(first?.more_columns).toBeGreaterThan(0);
  const detail = await preview('/', first?.id);
  expect(detail.found && detail.candidates[0]?.columns.length).toBeGreaterThanOrEqual(30);
});
