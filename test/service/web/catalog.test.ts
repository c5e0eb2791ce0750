/** The catalog `web` as its users meet it: through the service's interface, with real pages over HTTP. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webCatalog } from '../../../src/service/catalogs/web.ts';
import { Fetcher } from '../../../src/service/fetching/fetcher.ts';
import { createWebPageCheck } from '../../../src/service/fetching/web-page-check.ts';
import { createWebRunner } from '../../../src/service/web/runner.ts';
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
/** Admitted as well, on the default port. */
const admitted = 'https://docs.corporation.example';

const types: Readonly<Record<string, string>> = { html: 'text/html', xml: 'application/rss+xml' };

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
    const file = await readFile(join(pages, path)).catch(() => undefined);
    if (file === undefined) return response.writeHead(404).end();
    return response.setHeader('content-type', types[path.split('.').at(-1) ?? ''] ?? '').end(file);
  });
  await writeFile(join(dataDir, 'blocked-websites.txt'), 'blocked.example\n');
  const fetcher = new Fetcher({ allowOrigins: [site.origin, intranet.origin, admitted] });
  const runner = createWebRunner({
    fetcher,
    pool: readingPool,
    recipes: echoRunner,
    check: createWebPageCheck({ dataDir, ownOrigins: [intranet.origin, admitted], logger }),
    ownOrigins: [site.origin],
  });
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

async function run(reading: string, url: string) {
  const { status, body } = await service.call('POST', '/task', {
    action_id: `web_${reading}`,
    params: { url },
  });
  expect({ status, body }).toMatchObject({ status: 202 });
  return service.finished(body.job_id);
}

async function read(reading: string, path: string) {
  const job = await run(reading, `${site.origin}${path}`);
  expect(job).toMatchObject({ status: 'completed', credits_used: 1 });
  return job.data;
}

async function refusal(reading: string, url: string) {
  const before = await balance();
  const job = await run(reading, url);
  expect(job).toMatchObject({ status: 'failed', error: { code: 'EXECUTION_FAILED' } });
  expect(await balance()).toBe(before);
  return JSON.stringify(job.error);
}

describe('a page of any website', () => {
  it('is read as an article in Markdown', async () => {
    const data = await read('article', '/article.html');
    expect(data).toMatchObject({
      source_url: `${site.origin}/article.html`,
      title: 'A new ferry',
      author: 'Ada Long',
      published: expect.stringMatching(/^2026-03-04/),
    });
    const { markdown } = Object(data);
    expect(markdown).toContain('**new ferry**');
    expect(markdown).toContain('## The route');
    expect(markdown).toContain(`[old pier](${site.origin}/pier?x=1#top)`);
    expect(markdown).toMatch(/^-\s+First boat at six/m);
    expect(markdown).not.toMatch(/javascript:|Home/);
  });

  it('is read as tables with every column and row', async () => {
    expect(await read('tables', '/lists.html')).toMatchObject({
      count: 1,
      tables: [
        {
          rows: [
            { Boat: 'Ada', 'Boat url': `${site.origin}/boats/1`, Leaves: '06:00', Country: 'Norway' },
            { Boat: 'Grace', Leaves: '07:30', Country: 'Norway' },
            { Boat: 'Edith', Leaves: '09:00', Country: 'Norway' },
          ],
        },
      ],
    });
  });

  it('is read as repeated records', async () => {
    const { lists } = Object(await read('records', '/lists.html'));
    const [tickets] = lists.filter((list: unknown) => JSON.stringify(list).includes('Week ticket'));
    expect(tickets.rows).toHaveLength(4);
    expect(Object.values(tickets.rows[1])).toEqual(
      expect.arrayContaining([
        'Week ticket',
        '€ 49.00',
        'Valid for seven days in a row',
        `${site.origin}/t/2`,
      ]),
    );
  });

  it('gives its structured data', async () => {
    expect(await read('structured_data', '/article.html')).toMatchObject({
      json_ld: [{ '@type': 'NewsArticle', headline: 'A new ferry' }],
      metadata: { 'og:title': 'A new ferry' },
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

  it('gives its links without those that are no addresses of pages', async () => {
    expect(await read('links', '/article.html')).toMatchObject({
      count: 2,
      items: [
        { text: 'Home', url: `${site.origin}/` },
        { text: 'old pier', url: `${site.origin}/pier?x=1` },
      ],
    });
  });

  it.each([
    ['article', 'no article'],
    ['tables', 'no table'],
    ['records', 'no list'],
    ['structured_data', 'no structured data'],
    ['feed', 'no feed'],
    ['links', 'no links'],
  ])('without data for %s is a failed job that is refunded', async (reading, reason) => {
    expect(await refusal(reading, `${site.origin}/empty.html`)).toContain(reason);
  });
});

describe('an address that is not read', () => {
  it('is one of SVC_SERVICE_ALLOW_ORIGINS', async () => {
    await refusal('links', `${intranet.origin}/`);
    await refusal('links', `${site.origin}/to-intranet`);
    expect(intranet.connections()).toBe(0);
    expect(await refusal('links', `${admitted}/`)).toContain("service's own network");
  });

  it.each(['/to-private', '/to-metadata'])('is a private one that %s redirects to', async (path) => {
    expect(await refusal('links', site.origin + path)).toMatch(/not on the public internet/);
  });

  it.each(['http://127.0.0.1/', 'http://[::1]/', 'http://10.0.0.1/', 'http://localhost/'])(
    'is the private %s',
    async (url) => {
      expect(await refusal('links', url)).toMatch(/not on the public internet/);
    },
  );

  it('is one of the block list, also after a redirect', async () => {
    expect(await refusal('links', 'https://shop.blocked.example/')).toContain('on the list');
    expect(await refusal('links', `${site.origin}/to-blocked`)).toContain('on the list');
  });

  it('is one that robots.txt closes to programs', async () => {
    expect(await refusal('links', `${site.origin}/closed`)).toContain('robots.txt');
  });

  it('is no http address at all: refused before anything is charged', async () => {
    const before = await balance();
    for (const url of ['file:///etc/passwd', 'harbour.example', 'ftp://harbour.example/'])
      expect(await service.call('POST', '/task', { action_id: 'web_links', params: { url } })).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_PARAMS' } },
      });
    expect(await balance()).toBe(before);
  });
});

it('a job counts for the host of its page', async () => {
  const { body } = await service.call('POST', '/task', {
    action_id: 'web_links',
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
