/** The catalog `web` as its users meet it: through the service's interface, with real pages over HTTP. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fetcher } from '../../../src/service/fetch/fetcher.ts';
import { createWebPageCheck } from '../../../src/service/fetch/web-page-check.ts';
import type { ActionRunner } from '../../../src/service/foundation/ports.ts';
import { webCatalog } from '../../../src/service/web/catalog.ts';
import { createWebRunner, type WebRunnerOptions } from '../../../src/service/web/runner.ts';
import { readingPool } from '../../support/page-pools.ts';
import {
  echoRunner,
  sourceOf,
  startTestService,
  type TestService,
  withDatabase,
} from '../../support/service.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

const pages = join(import.meta.dirname, 'pages');
const closers: (() => Promise<unknown>)[] = [];
let service: TestService;
/** Stands for the practice sites: on loopback, and readable. */
let site: WebServer;
/** One that SVC_SERVICE_ALLOW_ORIGINS admits for catalogs and builds. */
let intranet: WebServer;
let dataDir: string;
let options: WebRunnerOptions;
let runner: ActionRunner;
/** Admitted as well, on the default port. */
const admitted = 'https://docs.corporation.example';

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  xml: 'application/rss+xml',
  json: 'application/json',
  png: 'image/png',
};

/** Pages that are made to keep a reader busy. */
const hostile: Readonly<Record<string, () => string>> = {
  deep: () => `<body>${'<div class="content">'.repeat(900)}text`,
  repeated: () =>
    `<body>${'<div><p>the same words again and again, as long as it takes</p></div>'.repeat(4_000)}`,
  links: () => `<body>${'<li><a href="/x"><img src="/y"><h2>word</h2></a></li>'.repeat(2_000)}`,
  table: () => `<body><table><tr>${'<td colspan="1000" rowspan="65000">1</td>'.repeat(5_000)}</tr></table>`,
  classes: () => `<body><div class="${'a-'.repeat(300_000)}">text</div>`,
};

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-web-'));
  const logger = pino({ level: 'silent' });
  intranet = await startWebServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<a href="/secret">Secret</a>'),
  );
  site = await startWebServer(async ({ path }, response) => {
    if (path === '/robots.txt') return response.end('User-agent: *\nDisallow: /closed');
    if (path === '/to-intranet') return response.writeHead(302, { location: intranet.origin }).end();
    if (path === '/to-private') return response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
    if (path === '/to-metadata')
      return response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    if (path === '/to-blocked')
      return response.writeHead(302, { location: 'https://www.blocked.example/' }).end();
    const page = hostile[path.replace('/hostile/', '')];
    if (page !== undefined) return response.setHeader('content-type', 'text/html').end(page());
    const file = await readFile(join(pages, path)).catch(() => undefined);
    if (file === undefined) return response.writeHead(404).end();
    return response.setHeader('content-type', types[path.split('.').at(-1) ?? ''] ?? '').end(file);
  });
  await writeFile(join(dataDir, 'blocked-websites.txt'), 'blocked.example\n');
  const fetcher = new Fetcher({ allowOrigins: [site.origin, intranet.origin, admitted] });
  options = {
    fetcher,
    pool: readingPool,
    recipes: echoRunner,
    check: createWebPageCheck({ dataDir, ownOrigins: [intranet.origin, admitted], logger }),
    ownOrigins: [site.origin],
  };
  runner = createWebRunner(options);
  service = await startTestService({ dataDir, runner, catalogs: sourceOf(webCatalog()) });
  closers.push(
    () => service.close(),
    () => Promise.all([fetcher.close(), site.close(), intranet.close()]),
    () => rm(dataDir, { recursive: true, force: true }),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
});

const balance = async () => (await service.call('GET', '/usage')).body.balance;

type Reading = 'page' | 'feed';

async function run(reading: Reading, url: string, params: object = {}) {
  const { status, body } = await service.call('POST', '/task', {
    action_id: `web_${reading}`,
    params: { url, ...params },
  });
  expect({ status, body }).toMatchObject({ status: 202 });
  return service.finished(body.job_id);
}

async function read(reading: Reading, path: string, params: object = {}) {
  const job = await run(reading, `${site.origin}${path}`, params);
  expect(job).toMatchObject({ status: 'completed', credits_used: 1 });
  return job.data;
}

async function refusal(reading: Reading, url: string, code = 'EXECUTION_FAILED') {
  const before = await balance();
  const job = await run(reading, url);
  expect(job).toMatchObject({ status: 'failed', error: { code } });
  expect(await balance()).toBe(before);
  return JSON.stringify(job.error);
}

describe('a page of any website', () => {
  it('is read as Markdown with its kind, title, author, date and stated data', async () => {
    const data = await read('page', '/article.html');
    expect(data).toMatchObject({
      source_url: `${site.origin}/article.html`,
      kind: 'article',
      title: 'A new ferry',
      author: 'Ada Long',
      date: '2026-03-04',
      data: { published: '2026-03-04T10:00:00Z', language: 'en', types: ['NewsArticle'] },
    });
    const { main } = Object(data);
    expect(main).toContain('**new ferry**');
    expect(main).toContain('## The route');
    expect(main).toContain(`[old pier](${site.origin}/pier?x=1#top)`);
    expect(main).toMatch(/^- First boat at six/m);
    expect(main).not.toMatch(/javascript:|Home/);
  });

  it('shows its author and its date without stating them for programs', async () => {
    const data = await read('page', '/signed.html');
    expect(data).toMatchObject({ title: 'Winter timetable', author: 'Ada Long', date: '2026-03-04' });
    expect(data).not.toHaveProperty('kind', 'article');
  });

  it('keeps headings above the values of a table, also where cells span', async () => {
    const { main } = Object(await read('page', '/spans.html'));
    expect(main).toContain('| Boat | Leaves | Country |');
    expect(main).toContain('| Ada | 06:00 | Norway |');
    expect(main).toContain('| Grace | 07:30 | Norway |');
    expect(main).toContain('| All boats stop in winter. |  |  |');
  });

  it('gives lists and tables as rows when they are asked for, up to max_rows', async () => {
    const data = Object(await read('page', '/lists.html', { parts: ['lists', 'tables'], max_rows: 3 }));
    expect(data).not.toHaveProperty('main');
    expect(data.tables).toMatchObject([
      {
        rows: [
          { Boat: 'Ada', 'Boat url': `${site.origin}/boats/1`, Leaves: '06:00', Country: 'Norway' },
          { Boat: 'Grace', Leaves: '07:30', Country: 'Norway' },
          { Boat: 'Edith', Leaves: '09:00', Country: 'Norway' },
        ],
      },
    ]);
    const tickets = data.lists.find((list: unknown) => JSON.stringify(list).includes('Week ticket'));
    expect(tickets.rows).toHaveLength(3);
    expect(Object.values(tickets.rows[1])).toEqual(
      expect.arrayContaining([
        'Week ticket',
        '€ 49.00',
        'Valid for seven days in a row',
        `${site.origin}/t/2`,
      ]),
    );
    expect(data.missing).toContainEqual(expect.stringContaining('1 of 4 rows of lists[0]'));
  });

  it('leaves lists and tables that stand in the text out of the default answer', async () => {
    const data = Object(await read('page', '/lists.html'));
    expect(data.main).toContain('Week ticket');
    expect(data.main).toContain('| 06:00 |');
    expect(data).not.toHaveProperty('lists');
    expect(data).not.toHaveProperty('tables');
  });

  it('says that a further page exists, and where', async () => {
    const data = await read('page', '/paged.html');
    expect(data).toMatchObject({
      kind: 'collection',
      next: `${site.origin}/paged.html?page=2`,
      missing: [expect.stringContaining('next page')],
    });
  });

  it('gives price, stock and SKU of a product as fields, and says what was left out', async () => {
    const data = Object(await read('page', '/product.html'));
    expect(data).toMatchObject({
      kind: 'product',
      title: 'Brass lamp',
      data: { price: 1299.5, currency: 'EUR', availability: 'OutOfStock', sku: 'BL-7', brand: 'Lumen' },
    });
    expect(data.main).toContain('hand-made lamp');
    expect(data.main).not.toContain('bought it for my mother');
    expect(data.missing).toContainEqual(expect.stringContaining('Reviews'));
    const full = Object(await read('page', '/product.html', { parts: ['main'] }));
    expect(full.main).toContain('bought it for my mother');
  });

  it('keeps introductions before the text in their order, and reads a name after "By"', async () => {
    const data = Object(await read('page', '/introduced.html'));
    expect(data).toMatchObject({ title: 'Old harbours', author: 'Jane Doe' });
    expect(data.main).toMatch(/^Opening sentence[^#]*Second sentence[\s\S]*Northern sentence/);
  });

  it('keeps parts that open and close, and those whose styles and ids only sound like menus', async () => {
    const data = Object(await read('page', '/folded.html'));
    expect(data).toMatchObject({ title: 'Boat hire' });
    for (const heading of ['## Licences', '## Weather', '### Can I bring a dog?'])
      expect(data.main).toContain(heading);
    expect(data.main).not.toMatch(/Sailing boats only|new window/);
  });

  it('of a thread names who began it, and leaves out what it repeats of each author', async () => {
    const data = Object(await read('page', '/thread.html'));
    expect(data).toMatchObject({
      kind: 'forum',
      title: 'Which rope for a mooring?',
      author: 'rower',
      date: '2026-03-01',
    });
    expect(data.main).toContain('Take polyester');
    expect(data.main).not.toMatch(/Posts:|Joined:/);
    expect(data.missing).toContainEqual(expect.stringMatching(/facts about the authors/i));
    const full = Object(await read('page', '/thread.html', { parts: ['main'] }));
    expect(full.main).toMatch(/Joined:\W* Mon 4 May 2020/);
  });

  it('gives the price that a product page only shows', async () => {
    expect(await read('page', '/shown-product.html')).toMatchObject({
      kind: 'product',
      data: { price: 24.9, currency: 'EUR', availability: 'InStock', sku: 'MUG-1' },
    });
  });

  it.each(['/feed.xml', '/article.html'])('gives the feed at, or linked from, %s', async (path) => {
    expect(await read('feed', path)).toMatchObject({
      source_url: `${site.origin}/feed.xml`,
      title: 'Harbour feed',
      count: 2,
      items: [{ title: 'A new ferry', url: 'https://harbour.example/ferry' }, { title: 'Storm' }],
    });
  });

  it('names the action for a feed', async () => {
    expect(await read('page', '/feed.xml')).toMatchObject({ missing: [expect.stringContaining('web_feed')] });
  });

  it('gives its links without those that are no addresses of pages', async () => {
    expect(await read('page', '/article.html', { parts: ['links'] })).toMatchObject({
      links: [
        { text: 'Home', url: `${site.origin}/` },
        { text: 'old pier', url: `${site.origin}/pier?x=1` },
      ],
    });
  });

  it('gives everything it states when data is asked for', async () => {
    expect(await read('page', '/article.html', { parts: ['data'] })).toMatchObject({
      statements: [{ '@type': 'NewsArticle', headline: 'A new ferry' }],
    });
  });

  it('that is JSON gives its records', async () => {
    expect(await read('page', '/boats.json')).toMatchObject({
      main: '',
      lists: [{ rows: [{ name: 'Ada', seats: 40 }, { name: 'Grace' }, { name: 'Edith' }] }],
    });
  });
});

describe('a page without content of its own', () => {
  it.each([
    ['/sign-in.html', 'AUTH_REQUIRED', 'asks its readers to sign in'],
    ['/person-check.html', 'PAGE_BLOCKED', 'checks whether a person'],
    ['/consent.html', 'EXECUTION_FAILED', 'asks for consent'],
    ['/error.html', 'EXECUTION_FAILED', 'error page'],
    ['/picture.png', 'EXECUTION_FAILED', 'returns a file (image/png), not a page'],
  ])('%s is a failed job that names it and is refunded', async (path, code, reason) => {
    expect(await refusal('page', `${site.origin}${path}`, code)).toContain(reason);
  });

  it('is read where it sends its readers', async () => {
    const data = await read('page', '/moved.html');
    expect(data).toMatchObject({ source_url: `${site.origin}/article.html`, title: 'A new ferry' });
  });

  it.each([
    ['/frames.html', '/article.html'],
    ['/broken.html', 'characters could not be decoded'],
    ['/login-box.html', 'sign-in form'],
  ])('%s is returned, and says in `missing` where the rest is', async (path, note) => {
    expect(await read('page', path)).toMatchObject({
      missing: expect.arrayContaining([expect.stringContaining(note)]),
    });
  });

  it('without a feed or a link to one is a failed job that is refunded', async () => {
    expect(await refusal('feed', `${site.origin}/empty.html`)).toContain('no feed');
  });

  it('is said to need a browser where the service has none', async () => {
    expect(await read('page', '/scripted.html')).toMatchObject({
      main: '',
      missing: [expect.stringContaining('this service has no browser')],
    });
  });

  it('is read by the browser where there is one', async () => {
    const body = await readFile(join(pages, 'article.html'));
    const rendered: string[] = [];
    const withBrowser = createWebRunner({
      ...options,
      renderer: {
        async render({ url }) {
          rendered.push(url);
          return { url, status: 200, contentType: 'text/html', link: '', headers: {}, body, responses: [] };
        },
      },
    });
    const { data } = await withBrowser.run(
      { recipe: { web: 'page' }, params: { url: `${site.origin}/scripted.html` } },
      { signal: new AbortController().signal },
    );
    expect(data).toMatchObject({ title: 'A new ferry', main: expect.stringContaining('## The route') });
    expect(data).not.toHaveProperty('missing');
    expect(rendered).toEqual([`${site.origin}/scripted.html`]);
  });
});

describe('a hostile page', () => {
  it.each(['deep', 'repeated', 'links', 'table', 'classes'])(
    'of %s ends as a job, and good pages are read after it',
    async (name) => {
      const job = await run('page', `${site.origin}/hostile/${name}`);
      expect(['completed', 'failed']).toContain(job.status);
      expect(await read('page', '/article.html')).toMatchObject({ title: 'A new ferry' });
    },
  );
});

describe('an address that is not read', () => {
  it('is one of SVC_SERVICE_ALLOW_ORIGINS', async () => {
    await refusal('page', `${intranet.origin}/`);
    await refusal('page', `${site.origin}/to-intranet`);
    expect(intranet.connections()).toBe(0);
    expect(await refusal('page', `${admitted}/`)).toContain('SVC_SERVICE_ALLOW_ORIGINS');
  });

  it.each(['/to-private', '/to-metadata'])('is a private one that %s redirects to', async (path) => {
    expect(await refusal('page', site.origin + path)).toMatch(
      /not on the public internet.*Only an action of your own/,
    );
  });

  it.each(['http://127.0.0.1/', 'http://[::1]/', 'http://10.0.0.1/', 'http://localhost/'])(
    'is the private %s',
    async (url) => {
      expect(await refusal('page', url)).toMatch(/not on the public internet/);
    },
  );

  it('is one of the block list, also after a redirect', async () => {
    expect(await refusal('page', 'https://shop.blocked.example/')).toContain('on the list');
    expect(await refusal('page', `${site.origin}/to-blocked`)).toContain('on the list');
  });

  it('is one that robots.txt closes to programs', async () => {
    expect(await refusal('page', `${site.origin}/closed`)).toContain('robots.txt');
  });

  it('is no http address at all: refused before anything is charged', async () => {
    const before = await balance();
    for (const url of ['file:///etc/passwd', 'harbour.example', 'ftp://harbour.example/'])
      expect(await service.call('POST', '/task', { action_id: 'web_page', params: { url } })).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_PARAMS' } },
      });
    expect(await balance()).toBe(before);
  });
});

it('a job counts for the host of its page', async () => {
  const { body } = await service.call('POST', '/task', {
    action_id: 'web_page',
    params: { url: `${site.origin}/article.html` },
  });
  await service.finished(body.job_id);
  const sites = await withDatabase(service, ({ query }) =>
    query.selectFrom('jobs').select('site').where('id', '=', String(body.job_id)).execute(),
  );
  expect(sites).toEqual([{ site: new URL(site.origin).host }]);
});

it('every action says that its text is untrusted', () => {
  for (const { description, credits_per_call } of webCatalog().actions) {
    expect(description).toContain('untrusted');
    expect(credits_per_call).toBe(1);
  }
});
