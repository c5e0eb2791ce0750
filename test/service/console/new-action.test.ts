/** A new action through the console's forms: look at a page, choose, name columns, build. */
import { afterEach, expect, it } from 'vitest';
import { createBuilder } from '../../../src/service/builder/builder.ts';
import { Fetcher } from '../../../src/service/fetch/fetcher.ts';
import { RecipeRunner } from '../../../src/service/recipes/runner.ts';
import { type Browser, openBrowser, type View } from '../../support/console.ts';
import { analysisPool, parsePool } from '../../support/page-pools.ts';
import {
  addTestUser,
  type Json,
  readMoney,
  startTestService,
  type TestService,
} from '../../support/service.ts';
import { startWebServer } from '../../support/web-server.ts';
import { readPage } from '../builder/serve-pages.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const path = '/console/builds/new';
const page = readPage('sites/boats-with-marks-of-html.html');

async function start() {
  const site = await startWebServer(({ path: asked }, response) =>
    asked === '/robots.txt'
      ? response.writeHead(404).end()
      : response.writeHead(200, { 'content-type': 'text/html' }).end(page),
  );
  closers.push(() => site.close());
  const fetcher = new Fetcher({ allowOrigins: [site.origin] });
  const runner = new RecipeRunner({ fetcher, parsePool });
  const builder = createBuilder({ fetcher, runner, pool: analysisPool });
  closers.push(() => fetcher.close());
  const service = await startTestService({ builder, runner, allowedOrigins: [site.origin] });
  closers.push(() => service.close());
  const browser = openBrowser(service.baseUrl);
  await browser.signIn(service.apiKey);
  return { site, service, browser };
}

/** Sends the n-th form of new actions on the view as a browser does, with one of its buttons. */
async function send(
  browser: Browser,
  { $ }: View,
  step: string,
  typed: Record<string, string> = {},
  index = 0,
): Promise<View> {
  const form = $(`form[action="${path}"]`).eq(index);
  expect(form.find(`button[name=step][value=${step}]`)).toHaveLength(1);
  const fields = form
    .find('input[name]:not([type=checkbox])')
    .toArray()
    .map((input) => [$(input).attr('name') ?? '', $(input).attr('value') ?? ''] as const);
  return browser.post(path, { ...Object.fromEntries(fields), step, ...typed });
}

const texts = ({ $ }: View, selector: string) =>
  $(selector)
    .toArray()
    .map((one) => $(one).text().replace(/\s+/g, ' ').trim());

async function buildsOf(service: TestService): Promise<Json[]> {
  return (await service.call('GET', '/build-requests')).body.build_requests as Json[];
}

it('a person looks at a page, chooses a candidate, names columns, sees rows and builds once', async () => {
  const { site, service, browser } = await start();
  expect((await browser.get('/console/builds')).$(`a[href="${path}"]`)).toHaveLength(1);
  const offered = await send(browser, await browser.get(path), 'look', { website_url: site.origin });
  expect(offered.status).toBe(200);
  expect(offered.html).toContain('Boats &amp; more');
  expect(texts(offered, 'h2')[0]).toBe('r1: repeated records “Boats”, 4 rows');
  expect(texts(offered, 'section:first-of-type tbody tr')).toContainEqual('c1 textAlbatross | Barnacle <b>');

  const columns = await send(browser, offered, 'columns');
  expect(columns.$('tbody input')).toHaveLength(3);
  expect(columns.$('input[name=name-c3]').attr('value')).toBe('price');
  const rows = await send(browser, columns, 'rows', { 'name-c1': 'boat', goal: 'Boats for sale' });
  expect(texts(rows, '[aria-label="The first rows"] thead th')).toEqual(['boat', 'price', 'price_currency']);
  expect(texts(rows, '[aria-label="The first rows"] tbody tr')[1]).toBe('Barnacle <b>11GBP');
  expect(rows.$('input[name=name-c1]').attr('value')).toBe('boat');
  expect((await readMoney(service)).balances.default).toBe(1_000);

  const [built, again] = [await send(browser, rows, 'build'), await send(browser, rows, 'build')];
  for (const answer of [built, again])
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/console/builds']);
  await expect.poll(async () => (await buildsOf(service))[0]?.status, { timeout: 20_000 }).toBe('success');
  expect(await buildsOf(service)).toMatchObject([{ goal: 'Boats for sale', visibility: 'private' }]);
  expect((await buildsOf(service))[0]?.sample).toMatchObject([{ boat: 'Albatross', price: 10 }, {}, {}]);
  expect((await readMoney(service)).balances.default).toBe(975);
});

it('the form says what is wrong and keeps what was typed; the same columns of a page once more need a tick', async () => {
  const { site, service, browser } = await start();
  const nowhere = await send(browser, await browser.get(path), 'look', { website_url: 'http://10.0.0.1/x' });
  expect(nowhere.status).toBe(422);
  expect(texts(nowhere, '[role=alert]')[0]).toContain('There is a problem');
  expect(nowhere.$('input[name=website_url]').attr('value')).toBe('http://10.0.0.1/x');

  const offered = await send(browser, await browser.get(path), 'look', { website_url: site.origin });
  const columns = await send(browser, offered, 'columns');
  for (const [typed, problem] of [
    [{ 'name-c3': '' }, 'Name at least one column.'],
    [{ 'name-c1': 'price' }, 'Two columns are named price; give each column its own name.'],
    [
      { 'name-c1': 'a b' },
      '"a b" is not a field name; use up to 64 letters, digits and _, not starting with a digit',
    ],
  ] as const) {
    const again = await send(browser, columns, 'rows', { ...typed, goal: 'My boats' });
    expect(again.status).toBe(422);
    expect(texts(again, '[role=alert]')[0]).toContain(problem);
    expect(again.$('input[name=goal]').attr('value')).toBe('My boats');
    expect(again.$('input[name=name-c1]').attr('value')).toBe('name-c1' in typed ? typed['name-c1'] : '');
  }
  await send(browser, columns, 'build', { goal: 'List the boats with price' });
  await expect.poll(async () => (await buildsOf(service))[0]?.status, { timeout: 20_000 }).toBe('success');
  const fresh = await send(browser, offered, 'columns');
  const exists = await send(browser, fresh, 'build', { goal: 'Boats and what they cost' });
  expect(exists.status).toBe(422);
  expect(texts(exists, '[role=alert]')[0]).toContain('List boats: ');
  const forced = await send(browser, exists, 'build', { force: 'true', public: 'true' });
  expect(forced.status).toBe(303);
  expect(await buildsOf(service)).toHaveLength(2);
  expect((await buildsOf(service))[0]).toMatchObject({ visibility: 'public' });
});

it('previews of the console and of the interface count together; each user has limits of one’s own', async () => {
  const { site, service, browser } = await start();
  const form = await browser.get(path);
  for (let count = 0; count < 10; count += 1)
    expect((await send(browser, form, 'look', { website_url: site.origin })).status).toBe(200);
  for (let count = 0; count < 10; count += 1) {
    const body = { website_url: site.origin };
    expect((await service.call('POST', '/build-request/preview', body)).status).toBe(200);
  }
  const refused = await send(browser, form, 'look', { website_url: site.origin });
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(texts(refused, '[role=alert]')[0]).toContain('Too many attempts');

  const other = await addTestUser(service, 'other');
  const hers = openBrowser(service.baseUrl);
  await hers.signIn(String(other.headers['x-api-key']));
  expect((await send(hers, await hers.get(path), 'look', { website_url: site.origin })).status).toBe(200);
});

it('no other site and no other session can send the form', async () => {
  const { site, service, browser } = await start();
  const fields = { website_url: site.origin, step: 'look' };
  expect((await browser.post(path, fields)).status).toBe(403);
  expect((await browser.post(path, { ...fields, csrf_token: 'x' })).status).toBe(403);
  const csrf_token = (await browser.get(path)).$('input[name=csrf_token]').attr('value') ?? '';
  expect(
    (await browser.post(path, { ...fields, csrf_token }, { origin: 'https://evil.example' })).status,
  ).toBe(403);
  expect((await openBrowser(service.baseUrl).post(path, { ...fields, csrf_token })).status).toBe(403);
  expect(
    (await browser.post(path, { ...fields, csrf_token })).headers.get('content-security-policy'),
  ).toContain("default-src 'none'");
});

it('a build that needs a choice leads to the form', async () => {
  const { site, service, browser } = await start();
  const goal = 'List all boats with engine power & berth';
  await service.call('POST', '/build-request', { website_url: site.origin, goal });
  await expect.poll(async () => (await buildsOf(service))[0]?.status, { timeout: 20_000 }).toBe('failed');
  const builds = await browser.get('/console/builds');
  expect(texts(builds, 'details h2')[0]).toContain('4 rows');
  const link = builds.$('article a:contains("Choose the columns")').attr('href') ?? '';
  const form = await browser.get(link);
  expect(form.$('input[name=goal]').attr('value')).toBe(goal);
  expect((await send(browser, form, 'look')).status).toBe(200);
});
