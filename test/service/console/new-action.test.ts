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
    .find('input[name]:not([type=checkbox]), input[checked]')
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
  expect(texts(offered, 'h3')[0]).toBe('Boats, 4 rows');
  expect(texts(offered, 'section:first-of-type tbody td:first-child')).toContain('Barnacle <b>');

  const section = offered.$('section').first();
  expect(section.find('th input[type=checkbox]')).toHaveLength(3);
  expect(section.find('input[name=name-c3]').attr('value')).toBe('price');
  expect(offered.$('button[value=build]')).toHaveLength(0);
  const picked = { 'pick-c1': 'true', 'pick-c3': 'true', 'name-c1': 'boat' };
  const rows = await send(browser, offered, 'rows', { ...picked, goal: 'Boats for sale' });
  expect(texts(rows, 'div[aria-label="The first rows"] thead th')).toEqual([
    'Boat',
    'Price',
    'Price currency',
  ]);
  expect(texts(rows, 'div[aria-label="The first rows"] tbody tr')[1]).toBe('Barnacle <b>11GBP');
  expect(rows.$('input[name=name-c1]').attr('value')).toBe('boat');
  expect((await readMoney(service)).balances.default).toBe(1_000);

  expect(rows.$('input[name=pick-c1]').attr('checked')).toBe('checked');
  expect(rows.$('input[name=pick-c2]').attr('checked')).toBeUndefined();
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

  const odd = await send(browser, await browser.get(path), 'look', { website_url: 'ftp://a b' });
  expect(texts(odd, '[role=alert] p')[0]).toBe('The address is not an http or https address.');

  const offered = await send(browser, await browser.get(path), 'look', { website_url: site.origin });
  for (const [typed, problem] of [
    [
      { 'pick-c1': 'true', 'name-c1': 'price' },
      'Two columns are named price; give each column its own name.',
    ],
    [{ 'pick-c1': 'true', 'name-c1': '' }, 'Give each ticked column a name.'],
    [
      { 'pick-c1': 'true', 'name-c1': 'a b' },
      '"a b" is not a field name; use up to 64 letters, digits and _, not starting with a digit',
    ],
  ] as const) {
    const again = await send(browser, offered, 'rows', { ...typed, goal: 'My boats' });
    expect(again.status).toBe(422);
    expect(texts(again, '[role=alert]')[0]).toContain(problem);
    expect(again.$('input[name=goal]').attr('value')).toBe('My boats');
    expect(again.$('input[name=name-c1]').attr('value')).toBe(typed['name-c1']);
  }
  const { csrf_token = '', nonce = '' } = Object.fromEntries(
    ['csrf_token', 'nonce'].map((name) => [
      name,
      offered.$(`section input[name=${name}]`).attr('value') ?? '',
    ]),
  );
  const none = {
    csrf_token,
    nonce,
    website_url: site.origin,
    candidate: 'r1',
    step: 'rows',
    'name-c1': 'boat',
  };
  expect(texts(await browser.post(path, none), '[role=alert]')[0]).toContain('Tick at least one column.');
  const rows = await send(browser, offered, 'rows', { goal: 'List the boats with price' });
  await send(browser, rows, 'build');
  await expect.poll(async () => (await buildsOf(service))[0]?.status, { timeout: 20_000 }).toBe('success');
  const exists = await send(browser, rows, 'build', { goal: 'Boats and what they cost' });
  expect(exists.status).toBe(422);
  expect(texts(exists, '[role=alert]')[0]).toContain('List boats: ');
  expect(exists.$('input[name=goal]').attr('value')).toBe('Boats and what they cost');
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
  const link = builds.$('article a:contains("Choose the columns")').attr('href') ?? '';
  const form = await browser.get(link);
  expect(form.$('input[name=goal]').attr('value')).toBe(goal);
  const looked = await send(browser, form, 'look');
  expect(texts(looked, 'h3')[0]).toContain('4 rows');
  // What the goal names and the page does not have.
  expect(builds.$('article dt:contains("Not found") + dd').text()).toContain('engine_power');
  expect(looked.$('main').text()).toContain('No column is clearly meant by: ');
});

it('columns that are shown later have a free name and are not taken, and typed names stay', async () => {
  const { site, browser } = await start();
  const offered = await send(browser, await browser.get(path), 'look', { website_url: site.origin });
  const csrf_token = offered.$('section input[name=csrf_token]').attr('value') ?? '';
  const some = { csrf_token, website_url: site.origin, candidate: 'r1', 'name-c1': 'vessel' };
  const all = await browser.post(path, { ...some, step: 'columns' });
  expect(all.$('#name-r1-c1').attr('value')).toBe('vessel');
  expect(all.$('#name-r1-c3').attr('value')).toBe('price');
  expect(all.$('#pick-r1-c3').attr('checked')).toBeUndefined();
  const same = await browser.post(path, { ...some, 'name-c1': 'price', step: 'columns' });
  expect(same.$('#name-r1-c3').attr('value')).toBe('column_3');
});
