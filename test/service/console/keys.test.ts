/** Keys of one's own, and what the operator does with users, keys and the health of the service. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { whenUsesNoted } from '../../../src/service/money/keys.ts';
import { openBrowser } from '../../support/console.ts';
import {
  action,
  addTestUser,
  catalog,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
} from '../../support/service.ts';

const hostile = '<b>"&</b>';
let service: TestService;
beforeEach(async () => {
  const source = sourceOf(catalog({ slug: 'site', actions: [action({ action_id: 'list' })] }));
  const problem = {
    source: 'file:catalogs/shop.json',
    file: 'shop.json',
    line: 4,
    column: 100,
    reason: 'url: missing',
  };
  service = await startTestService({
    catalogs: { ...source, problems: () => [problem] },
    healthChecks: async () => [{ name: 'browser', ok: true, note: true, detail: 'none; install Chromium' }],
  });
});
afterEach(() => service.close());

async function visit(apiKey = service.apiKey) {
  const browser = openBrowser(service.baseUrl);
  await browser.signIn(apiKey);
  return browser;
}
/** A page with `no-referrer` posts so. */
const asBrowsersDo = { origin: 'null', 'sec-fetch-site': 'same-origin' };
const worksFor = async (key: string) =>
  (await service.call('GET', '/usage', undefined, { 'x-api-key': key })).status === 200;

it('a user makes a key, sees it once, uses it and revokes it; nobody else’s keys are there', async () => {
  const alice = await addTestUser(service, 'alice');
  const browser = await visit(alice.headers['x-api-key']);
  const made = await browser.submit('/console/keys', '/console/keys/add', { label: `laptop ${hostile}` });
  expect(made.status).toBe(200);
  const key = made.$('#new-key').text();
  expect(key).toMatch(/^svc_[\w-]{43}$/);
  expect(await worksFor(key)).toBe(true);
  const page = await browser.get('/console/keys');
  expect(page.html).not.toContain(key);
  expect(page.$('tbody tr').length).toBe(2);
  expect(page.$('tbody').text()).toContain(`laptop ${hostile}`);

  const others = await visit();
  const { $ } = await others.get('/console/keys');
  expect($('tbody').text()).not.toContain('laptop');
  const id = page.$('tr:contains(laptop) input[name=id]').attr('value') ?? '';
  const csrf_token = $('input[name=csrf_token]').attr('value') ?? '';
  expect((await others.post('/console/keys/revoke', { csrf_token, id })).status).toBe(404);
  expect(await worksFor(key)).toBe(true);

  const own = page.$('tr:contains(laptop) input[name=csrf_token]').attr('value') ?? '';
  expect((await browser.post('/console/keys/revoke', { csrf_token: own, id })).status).toBe(303);
  expect(await worksFor(key)).toBe(false);
  const after = await browser.get('/console/keys');
  expect(after.$('summary').text()).toContain('1 revoked key');
  const revoked = after.$('details table');
  expect(revoked.text()).toContain(`laptop ${hostile}`);
  expect([revoked.text(), revoked.find('form').length]).toEqual([expect.stringContaining('just now'), 0]);
  const nameless = await browser.submit('/console/keys', '/console/keys/add', { label: ' ' });
  expect(nameless.status).toBe(400);
});

it('a key that opened the console counts as used', async () => {
  const alice = await addTestUser(service, 'alice');
  const browser = await visit(alice.headers['x-api-key']);
  await whenUsesNoted();
  const { $ } = await browser.get('/console/keys');
  expect($('td[data-name="Last used"]').text()).toBe('just now');
});

it('the overview tells a user how to reach this service; only the operator may have a client without its address', async () => {
  const alice = await addTestUser(service, 'alice');
  const commands = async (key?: string) =>
    (await (await visit(key)).get('/'))
      .$('details pre')
      .text()
      .split(/(?<=--write)/);
  const own = `SVC_BASE_URL=${service.baseUrl} SVC_API_KEY=svc_… svc-mcp config cursor --write`;
  expect(await commands(alice.headers['x-api-key'])).toEqual([own]);
  expect(await commands()).toEqual(['svc-mcp config cursor --write', own]);
});

it('the operator adds a user with a key and credits, takes some, and removes the user', async () => {
  const browser = await visit();
  const submit = (path: string, fields: Record<string, string>) =>
    browser.submit('/console/users', `/console/users/${path}`, fields, asBrowsersDo);
  expect((await submit('add-user', { name: `team ${hostile}`, credits: '50' })).status).toBe(303);
  const user = `team ${hostile}`;
  expect((await submit('credits', { user, credits: '-20' })).status).toBe(303);
  expect((await readMoney(service)).balances[user]).toBe(30);
  const refused = await submit('credits', { user, credits: '-31' });
  expect(refused.$('nav[aria-label=Console] a').length).toBeGreaterThan(5);
  expect([refused.status, refused.$('main').text()]).toEqual([
    400,
    expect.stringContaining('only 30 credits'),
  ]);
  expect((await submit('credits', { user, credits: '1.5' })).status).toBe(400);
  const key = (await submit('add', { user, label: 'ci' })).$('#new-key').text();
  expect(await worksFor(key)).toBe(true);
  const page = await browser.get('/console/users');
  expect(page.$('script:not([src="/console/page.js"]), b').length).toBe(0);
  expect(page.$('[aria-label=Users] tbody tr').last().text()).toContain(`${user}`);
  expect((await submit('remove', { user })).status).toBe(303);
  expect(await worksFor(key)).toBe(false);
  const csrf_token = page.$('input[name=csrf_token]').attr('value') ?? '';
  const own = await browser.post('/console/users/remove', { csrf_token, user: 'default' });
  expect([own.status, await worksFor(service.apiKey)]).toEqual([400, true]);
});

it('the operator sees checks, the queue, and broken files with line and column', async () => {
  const { $ } = await (await visit()).get('/console/health');
  const rows = $('tbody tr')
    .toArray()
    .map((row) => $(row).text().replace(/\s+/g, ' '));
  expect(rows.find((row) => row.startsWith('version'))).toMatch(/In order.*svc-mcp \d/);
  expect(rows.find((row) => row.startsWith('queue'))).toContain('0 running, 0 waiting');
  expect(rows.find((row) => row.startsWith('browser'))).toContain('Notenone; install Chromium');
  expect(rows.find((row) => row.startsWith('catalog file'))).toContain('Failsshop.json:4:100 url: missing');
  expect((await (await visit()).get('/')).$('.message.bad').text()).toContain('shop.json:4:100');
});

it('nobody else, and nobody from elsewhere, finds the operator’s pages and forms', async () => {
  const alice = await addTestUser(service, 'alice');
  const forwarded = { 'x-forwarded-for': '192.0.2.7' };
  for (const [key, headers] of [
    [alice.headers['x-api-key'] ?? '', {}],
    [service.apiKey, forwarded],
  ] as const) {
    const browser = await visit(key);
    const overview = await browser.get('/', headers);
    expect(overview.$('nav').text()).not.toContain('Users');
    for (const path of ['/console/users', '/console/health'])
      expect((await browser.get(path, headers)).status).toBe(404);
    const csrf_token = overview.$('input[name=csrf_token]').attr('value') ?? '';
    for (const form of ['add', 'add-user', 'credits', 'remove', 'revoke']) {
      const fields = { csrf_token, user: 'alice', name: 'eve', credits: '5', label: 'x', id: 'x' };
      expect((await browser.post(`/console/users/${form}`, fields, headers)).status).toBe(404);
    }
  }
  expect((await readMoney(service)).balances).toEqual({ default: 1_000, alice: 100 });
});
