/** What the console's pages show and do, to whom. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LoginOutcome } from '../../../src/service/accounts/login-runner.ts';
import { externalLink } from '../../../src/service/console/html.ts';
import { webCatalog } from '../../../src/service/web/catalog.ts';
import { openBrowser } from '../../support/console.ts';
import {
  action,
  addTestUser,
  catalog,
  gate,
  type Json,
  readMoney,
  sourceOf,
  startTestService,
  type TestService,
  type TestServiceOptions,
  withDatabase,
} from '../../support/service.ts';
import { browserCookie, signInBrowserWith } from '../../support/sign-in-browser.ts';

const hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>&amp;\'';
const field = (name: string, type = 'string', required = true) => ({
  name,
  type,
  required,
  description: hostile,
});
const site = catalog({
  slug: 'site',
  name: `Site ${hostile}`,
  url: 'https://www.site.example/',
  description: hostile,
  category: hostile,
  auth_types: ['credentials', 'browser_state'],
  login: {
    fields: [field('username'), field('password', 'password'), field('pages', 'integer', false)],
    recipe: {},
  },
  actions: [
    action({
      action_id: 'list',
      name: hostile,
      description: hostile,
      auth_mode: 'optional',
      credits_per_call: 3,
      parameters: {
        type: 'object',
        properties: { q: { type: 'string', description: hostile, enum: [hostile] }, odd: true },
        required: ['q'],
        title: hostile,
      },
    }),
    action({ action_id: 'free', credits_per_call: 0, mode: 'sync' }),
  ],
});
const wild = catalog({
  slug: 'wild',
  url: 'https://wild.example/',
  actions: [
    action({ action_id: 'wild_a', parameters: { properties: 5, required: 'no', [hostile]: 1 } }),
    action({
      action_id: 'wild_b',
      parameters: { type: 'object', properties: { a: 7, b: { type: {}, enum: 1 } } },
    }),
  ],
});

let service: TestService;
let sent: Json[] = [];
let outcome: LoginOutcome = { verified: false, code: 'LOGIN_FAILED' };
let data: Json = {};
let runWith: (string | undefined)[] = [];
const start = async (options: TestServiceOptions = {}) => {
  service = await startTestService({
    catalogs: sourceOf(site, wild),
    logins: {
      login: async ({ params }) => {
        sent.push({ ...params });
        return outcome;
      },
    },
    runner: {
      run: async ({ cookies }) => {
        runWith.push(cookies);
        return { data };
      },
    },
    ...options,
  });
};
beforeEach(async () => {
  sent = [];
  runWith = [];
  data = { rows: [{ name: 'a' }] };
  outcome = { verified: true, cookies: 'the-cookies', expiresAt: undefined };
  await start();
});
afterEach(() => service.close());

async function signedIn(key = service.apiKey) {
  const browser = openBrowser(service.baseUrl);
  await browser.signIn(key);
  return browser;
}
async function run(params: Json = { q: hostile }, more: Json = {}) {
  const { body } = await service.call('POST', '/task', { action_id: 'list', params, ...more });
  await service.finished(body.job_id);
  return String(body.job_id);
}
const identities = async () => (await service.call('GET', '/identities')).body.identities as unknown[];

describe('escaping', () => {
  it('hostile names, descriptions, schemas, params and results are text everywhere', async () => {
    await service.close();
    await start({
      catalogs: sourceOf(
        {
          ...site,
          actions: site.actions.map((one) => ({
            ...one,
            parameters: {
              ...one.parameters,
              properties: { q: { description: hostile, enum: [hostile] } },
              required: [],
            },
          })),
        },
        wild,
      ),
    });
    await withDatabase(service, (database) =>
      database.query.updateTable('users').set({ name: hostile }).execute(),
    );
    const browser = await signedIn();
    data = { [hostile]: [{ [hostile]: hostile, nested: { [hostile]: hostile } }] };
    const table = await run();
    data = { text: hostile };
    const json = await run();
    await browser.submit('/connect/site', '/connect/site/login', {
      'field-0': hostile,
      'field-1': 'x',
      identity_name: hostile,
    });
    outcome = { verified: false, code: 'BAD_PASSWORD' };
    const failed = await browser.submit('/connect/site', '/connect/site/login', {
      'field-0': hostile,
      identity_name: hostile,
    });
    await service.call('POST', '/build-request', {
      website_url: 'https://other.example/?"><script>',
      goal: hostile,
    });
    const views = [failed];
    for (const path of [
      '/',
      '/console/actions?site=site',
      '/console/actions?site=wild',
      '/console/accounts',
      '/connect/site',
      '/console/runs',
      `/console/runs/${table}`,
      `/console/runs/${json}`,
      '/console/usage',
      '/console/builds',
      '/console/keys',
      '/console/actions/list/run',
    ]) {
      views.push(await browser.get(path));
    }
    for (const { $, html, status } of views) {
      expect([200, 422]).toContain(status);
      expect($('script:not([src="/console/page.js"]), img, [onerror]').length).toBe(0);
      expect($('body').text()).toContain(hostile);
      expect(html).not.toMatch(/href="\s*(javascript|data):/i);
    }
  });

  it('a link is to the web or none', async () => {
    const { $ } = await (await signedIn()).get('/connect/site');
    const links = $('a')
      .toArray()
      .map((link) => $(link).attr('href') ?? '');
    expect(links.filter((href) => !/^(\/|#|https:\/\/www\.site\.example\/$)/.test(href))).toEqual([]);
    expect(String(externalLink('javascript:alert(1)'))).not.toContain('<a');
  });
});

describe('another user', () => {
  it('sees nothing of mine, and what is mine looks like what does not exist', async () => {
    const job = await run();
    await service.call('POST', '/build-request', { website_url: 'https://other.example/', goal: 'mine' });
    const mine = await signedIn();
    await mine.submit('/connect/site', '/connect/site/login', { 'field-0': 'my-name', 'field-1': 'x' });
    const [identity] = (await service.call('GET', '/identities')).body.identities as { id: string }[];
    const other = await addTestUser(service, 'other');
    const browser = await signedIn(other.headers['x-api-key']);
    const none = '0b9f2c1e-6f64-4a3e-9a0e-000000000000';
    for (const [path, absent] of [
      [`/console/runs/${job}`, `/console/runs/${none}`],
      [`/console/runs/${job}/result.json`, `/console/runs/${none}/result.json`],
      ['/console/runs/%00', `/console/runs/${none}`],
      ['/console/health', '/console/nothing'],
      ['/console/users', '/console/nothing'],
      ['/connect/nothing', '/console/nothing'],
    ] as const) {
      const [one, two] = [await browser.get(path), await browser.get(absent)];
      expect([one.status, one.html]).toEqual([404, two.html]);
      expect(one.$('h1').text()).toBe('Not found');
    }
    for (const path of [
      '/console/runs',
      '/console/usage',
      '/console/builds',
      '/console/accounts',
      '/connect/site',
    ]) {
      expect((await browser.get(path)).html).not.toMatch(new RegExp(`${job}|my-name|mine|${identity?.id}`));
    }
    const csrf_token = (await browser.get('/')).$('input[name=csrf_token]').attr('value') ?? '';
    const answers: Awaited<ReturnType<typeof browser.post>>[] = [];
    for (const identity_id of [identity?.id ?? '', none, '\0', '']) {
      answers.push(await browser.post('/connect/site/default', { csrf_token, identity_id }));
    }
    expect(answers.map(({ status, html }) => [status, html])).toEqual(
      answers.map(() => [404, answers[0]?.html]),
    );
  });
});

describe('actions', () => {
  const cellsOf = ({
    $,
  }: Awaited<ReturnType<typeof signedIn>> extends { get(path: string): Promise<infer One> } ? One : never) =>
    $('tbody tr')
      .toArray()
      .map((row) =>
        $(row)
          .find('th, td')
          .toArray()
          .map((cell) => $(cell).text().trim()),
      );

  it('are one table with site, needs, price, last run and how many completed', async () => {
    const browser = await signedIn();
    await run();
    await run();
    const [free, list] = cellsOf(await browser.get('/console/actions?site=site'));
    expect(list?.slice(2)).toEqual(['An account (optional)', '3 credits', 'just now', '2 of 2']);
    expect(free?.slice(2)).toEqual(['', '0 credits', '', '']);
    const { $ } = await browser.get('/console/actions/list/run');
    expect($('form[action$="/run"] .buttons').text()).toContain('3 credits');
    expect(list?.[0]).toContain(site.actions[0]?.description);
    expect(JSON.parse($('details pre').last().text())).toEqual(site.actions[0]?.parameters);
  });

  it('with odd schemas do not break their page', async () => {
    const browser = await signedIn();
    for (const path of [
      '/console/actions?site=wild',
      '/console/actions/wild_a/run',
      '/console/actions/wild_b/run',
    ])
      expect((await browser.get(path)).status).toBe(200);
  });

  it('can be searched, and the search stays on further pages', async () => {
    await service.close();
    const many = Array.from({ length: 60 }, (_, index) => `shop${index}`);
    await start({
      catalogs: sourceOf(
        site,
        ...many.map((slug) =>
          catalog({ slug, name: `Shop ${slug}`, actions: [action({ action_id: `${slug}_list` })] }),
        ),
      ),
    });
    const browser = await signedIn();
    const found = await browser.get('/console/actions?q=SHOP%20shop7');
    expect(found.$('tbody tr').length).toBe(1);
    expect(found.$('input[type=search]').attr('value')).toBe('SHOP shop7');
    const first = await browser.get('/console/actions?q=shop');
    expect((await browser.get(first.$('a[rel=next]').attr('href') ?? '')).$('tbody tr').length).toBe(10);
    const none = await browser.get('/console/actions?q=nothing');
    expect(none.$('.empty a.button').attr('href')).toBe('/console/actions');
  });
});

it('who signs in is told for how long', async () => {
  const { $ } = await openBrowser(service.baseUrl).get('/');
  expect($('form').text()).toContain('12 hours');
});

it('what is empty or not found leads on', async () => {
  const browser = await signedIn();
  for (const [path, button, target] of [
    ['/console/runs', 'Choose an action', '/console/actions'],
    ['/console/builds', 'Build a new action', '/console/builds/new'],
    ['/console/nothing', 'Go to the overview', '/'],
  ]) {
    const { $ } = await browser.get(path ?? '');
    expect([path, $(`a.button:contains("${button}")`).attr('href')]).toEqual([path, target]);
  }
});

describe('connecting by login', () => {
  it('sends exactly the fields, typed, and says who is connected; doing it again refreshes', async () => {
    const browser = await signedIn();
    for (const _ of [1, 2]) {
      const answer = await browser.submit('/connect/site', '/connect/site/login', {
        'field-0': 'ann',
        'field-1': 'secret',
        'field-2': '3',
        'field-9': 'more',
      });
      expect(answer.status).toBe(303);
      const { $ } = await browser.get(answer.headers.get('location') ?? '');
      expect($('[role=status]').text()).toBe('ann is connected. You can close this page.');
      expect($('tbody tr').length).toBe(1);
    }
    expect(sent).toEqual([1, 2].map(() => ({ username: 'ann', password: 'secret', pages: 3 })));
    expect(await identities()).toMatchObject([
      { name: 'ann', is_default: true, credentials: [{ status: 'active' }] },
    ]);
    expect((await browser.get('/console/actions?site=site')).$('tbody').text()).toContain(
      'Account connected',
    );
  });

  it('a refusal is explained; typed values stay in the form, but never a secret', async () => {
    outcome = { verified: false, code: 'BAD_PASSWORD' };
    const { status, $, html } = await (await signedIn()).submit('/connect/site', '/connect/site/login', {
      'field-0': 'ann',
      'field-1': 'canary-password',
      identity_name: 'work',
    });
    expect(status).toBe(422);
    expect($('[role=alert]').text()).toContain('rejected the user name or the password');
    expect($('#field-0').attr('value')).toBe('ann');
    expect($('#login-name').attr('value')).toBe('work');
    expect($('#field-1').attr('value')).toBeUndefined();
    expect($('#field-1').attr('type')).toBe('password');
    expect(html).not.toContain('canary-password');
    expect(await identities()).toEqual([]);
  });

  it('the advice where a login cannot do it is this page’s own, not the console', async () => {
    for (const code of ['MFA_REQUIRED', 'LOGIN_NOT_SUPPORTED'] as const) {
      outcome = { verified: false, code };
      const { $ } = await (await signedIn()).submit('/connect/site', '/connect/site/login', {
        'field-0': 'ann',
        'field-1': 'x',
      });
      expect($('[role=alert]').text()).toMatch(/in a browser window, where this page offers one\./);
      expect($('[role=alert]').text()).not.toContain('console');
      expect($('[role=alert] a').attr('href')).toBe('#login');
    }
  });

  it('a missing field is named as such, a name that is too long too, and no login is run', async () => {
    const browser = await signedIn();
    const missing = await browser.submit('/connect/site', '/connect/site/login', { 'field-0': 'ann' });
    expect(missing.$('[role=alert]').text()).toContain('A required field is missing or empty');
    const long = await browser.submit('/connect/site', '/connect/site/login', {
      'field-0': 'ann',
      'field-1': 'x',
      identity_name: 'n'.repeat(201),
    });
    expect(long.$('[role=alert]').text()).toContain('at most 200 characters');
    expect(sent).toEqual([]);
  });

  it('is limited together with POST /login', async () => {
    const browser = await signedIn();
    const params = { username: 'a', password: 'b' };
    for (let count = 0; count < 9; count += 1)
      await service.call('POST', '/login', { catalog_slug: 'site', params });
    const typed = { 'field-0': 'ann', 'field-1': 'x' };
    expect((await browser.submit('/connect/site', '/connect/site/login', typed)).status).toBe(303);
    const refused = await browser.submit('/connect/site', '/connect/site/login', typed);
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect(refused.$('[role=alert]').text()).toContain('Too many attempts');
  });

  it('refreshing begins with the account’s name', async () => {
    const browser = await signedIn();
    await browser.submit('/connect/site', '/connect/site/login', {
      'field-0': 'ann',
      'field-1': 'x',
      identity_name: 'work',
    });
    const href = (await browser.get('/connect/site')).$('a:contains(Refresh)').attr('href') ?? '';
    expect((await browser.get(href)).$('#login-name').attr('value')).toBe('work');
  });

  it('the default can be chosen, and there is always one', async () => {
    const browser = await signedIn();
    for (const name of ['one', 'two', 'three']) {
      await browser.submit('/connect/site', '/connect/site/login', { 'field-0': name, 'field-1': 'x' });
    }
    const defaults = async () =>
      ((await service.call('GET', '/identities')).body.identities as { name: string; is_default: boolean }[])
        .filter((identity) => identity.is_default)
        .map(({ name }) => name);
    expect(await defaults()).toEqual(['one']);
    const page = await browser.get('/connect/site');
    const row = page.$('tr:contains(three)');
    const fields = Object.fromEntries(
      row
        .find('input')
        .toArray()
        .map((input) => [page.$(input).attr('name') ?? '', page.$(input).attr('value') ?? '']),
    );
    const answer = await browser.post('/connect/site/default', fields);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/connect/site']);
    expect(await defaults()).toEqual(['three']);
  });

  it('an account is disconnected: its session is gone, and another one becomes the default', async () => {
    const browser = await signedIn();
    for (const name of ['one', 'two'])
      await browser.submit('/connect/site', '/connect/site/login', { 'field-0': name, 'field-1': 'x' });
    const answer = await browser.submit('/connect/site', '/connect/site/disconnect');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/connect/site']);
    const { identities } = (await service.call('GET', '/identities')).body;
    expect(identities).toMatchObject([{ name: 'two', is_default: true }]);
    const left = await withDatabase(service, (database) =>
      database.query.selectFrom('credentials').select('id').execute(),
    );
    expect(left).toHaveLength(1);
  });
});

describe('connecting in a browser window', () => {
  const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
  const connect = async (browser: ReturnType<typeof openBrowser>, identity_name: string) => {
    const sent = await browser.submit('/connect/site', '/connect/site/window', { identity_name });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, '/connect/site']);
    return vi.waitFor(async () => {
      const page = await browser.get('/connect/site');
      expect(page.$('.message.good, [role=alert]').text()).not.toBe('');
      return page;
    }, 20_000);
  };
  const startWith = async (...cookies: ReturnType<typeof browserCookie>[]) => {
    await service.close();
    await start({ signInBrowser: signInBrowserWith(() => cookies) });
    return signedIn();
  };
  const ownCookie = browserCookie('.site.example', 'canary-cookie', { expires: tomorrow });

  it('stores the session encrypted as a browser_state credential, which actions then use', async () => {
    const browser = await startWith(ownCookie, browserCookie('.bank.example', 'canary-money'));
    const page = await connect(browser, 'me');
    expect(page.$('[role=status]').text()).toContain('me is connected');
    expect(page.html).not.toContain('canary');
    const listed = (await service.call('GET', '/identities')).body.identities as {
      credentials: { id: string }[];
    }[];
    expect(listed).toMatchObject([
      { name: 'me', is_default: true, credentials: [{ credential_type: 'browser_state', status: 'active' }] },
    ]);
    await run({ q: hostile }, { credential_id: listed[0]?.credentials[0]?.id });
    expect(runWith[0]).toContain('canary-cookie');
    expect(runWith[0]).not.toContain('canary-money');
    await withDatabase(service, async (database) => {
      const [row] = await database.query.selectFrom('credentials').selectAll().execute();
      expect(Math.round((row?.expires_at ?? 0) / 1000)).toBe(tomorrow);
    });
    const stored = await readFile(join(service.dataDir, 'service.db'), 'latin1');
    expect(stored).not.toContain('canary-cookie');
  });

  it('and a login of the same name are two credentials of one identity', async () => {
    const browser = await startWith(ownCookie);
    await connect(browser, 'me');
    await connect(browser, 'me');
    await browser.submit('/connect/site', '/connect/site/login', {
      'field-0': 'x',
      'field-1': 'x',
      identity_name: 'me',
    });
    const listed = (await service.call('GET', '/identities')).body.identities as { credentials: Json[] }[];
    expect(listed.map(({ credentials }) => credentials.map((one) => one.credential_type).sort())).toEqual([
      ['browser_state', 'credentials'],
    ]);
  });

  it('says that nobody signed in where the window has no session of the site', async () => {
    const page = await connect(await startWith(browserCookie('.bank.example', 'canary-money')), 'me');
    expect(page.$('[role=alert]').text()).toContain('Nobody signed in');
    expect(page.html).not.toContain('canary-money');
    expect(await identities()).toEqual([]);
  });

  it('is not offered, and not taken, where the catalog has no browser sessions', async () => {
    const browser = await startWith(ownCookie);
    const page = await browser.get('/connect/wild');
    expect(page.$('form').length).toBe(1);
    const csrf_token = page.$('input[name=csrf_token]').attr('value') ?? '';
    await browser.post('/connect/wild/window', { csrf_token });
    await vi.waitFor(
      async () => expect((await browser.get('/connect/wild')).$('[role=alert]').text()).not.toBe(''),
      20_000,
    );
    expect((await browser.post('/connect/wild/login', { csrf_token })).status).toBe(422);
    expect(await identities()).toEqual([]);
  });

  it('is told, where the service can show no window', async () => {
    const page = await (await signedIn()).get('/connect/site');
    expect(page.$('main').text()).toContain('svc-mcp connect site');
    expect(page.$('form[action$="/window"]').length).toBe(0);
  });
});

describe('jobs and the ledger', () => {
  it('a job shows its state, cost and records; the ledger its charge and the balance', async () => {
    data = {
      rows: [
        { name: 'a', size: 1 },
        { name: 'b', more: [1] },
      ],
    };
    const job = await run();
    const browser = await signedIn();
    const list = await browser.get('/console/runs');
    expect(list.$('tbody tr').text()).toContain(hostile);
    expect(list.$('tbody tr').text()).toMatch(/Completed\s*(?:\d+ ms|\d\.\d s)\s*3\s*just now/);
    const { $ } = await browser.get(`/console/runs/${job}`);
    expect(
      $('[data-rows] thead th')
        .toArray()
        .map((one) => $(one).text()),
    ).toEqual(['Name', 'Size', 'More']);
    expect(
      $('tbody td')
        .toArray()
        .map((one) => $(one).text()),
    ).toEqual(['a', '1', '', 'b', '', '[1]']);
    const ledger = await browser.get('/console/usage');
    const entries = ledger.$('[aria-label^=Ledger] tbody tr');
    const { balances } = await readMoney(service);
    expect(ledger.$('.balance').text()).toBe(`${balances.default} credits`);
    expect(entries.first().text()).toMatch(/just now−3−3$/);
    expect(ledger.$(`a[href="/console/runs/${job}"]`).length).toBe(1);
    const download = await browser.get(`/console/runs/${job}/result.json`);
    expect(download.headers.get('content-disposition')).toBe('attachment; filename="result.json"');
    expect(JSON.parse(download.html)).toMatchObject({ status: 'completed', data });
  });

  it.each([
    [
      'many records',
      { rows: Array.from({ length: 120 }, (_, index) => ({ index, text: `row-${index}.` })) },
      3,
    ],
    ['a long text', { text: 'row-0.'.padEnd(50_000, 'x') }, 3],
    ['more than is parsed', { rows: [{ text: 'row-0.'.padEnd(2_000_000, '<') }] }, 101],
  ])('a large result is shown in parts: %s', async (_name, result, pages) => {
    data = result;
    const job = await run();
    const browser = await signedIn();
    const first = await browser.get(`/console/runs/${job}`);
    expect(first.html.length).toBeLessThan(200_000);
    // What is not parsed may be no list of rows, and not complete.
    const isUnparsed = JSON.stringify(result).length > 1024 * 1024;
    expect(first.$('main').text().includes('It is a CSV file only if it is one list of rows')).toBe(
      isUnparsed,
    );
    expect(first.html).toContain('row-0.');
    let next = first;
    let count = 1;
    for (; ; count += 1) {
      const link = next.$('a[rel=next]').attr('href');
      if (link === undefined || count > 200) break;
      next = await browser.get(link);
    }
    expect(count).toBe(pages);
  });

  it('runs are narrowed by account once one was used', async () => {
    const browser = await signedIn();
    await run();
    expect((await browser.get('/console/runs')).$('#filter-account').length).toBe(0);
    const typed = { 'field-0': 'ann', 'field-1': 'x' };
    await browser.submit('/connect/site', '/connect/site/login', typed);
    const [{ id = '', credentials = [] } = {}] = (await identities()) as {
      id: string;
      credentials: Json[];
    }[];
    await run({ q: hostile }, { credential_id: credentials[0]?.id });
    const all = await browser.get('/console/runs');
    expect([all.$('tbody tr').length, all.$(`#filter-account option[value="${id}"]`).text()]).toEqual([
      2,
      'ann (www.site.example)',
    ]);
    const one = await browser.get(`/console/runs?account=${id}`);
    expect(one.$('tbody tr').length).toBe(1);
    expect(one.$('tbody').text()).toContain('as ann');
    expect(one.$('#filter-account option[selected]').attr('value')).toBe(id);
  });

  it('a failed job says why and that it cost nothing', async () => {
    await service.close();
    await start({ runner: { run: async () => Promise.reject(new Error('broken')) } });
    const job = await run();
    const { $ } = await (await signedIn()).get(`/console/runs/${job}`);
    expect($('.message h2').text()).toBe('The run failed');
    expect($('.message').text()).toContain('EXECUTION_FAILED');
    expect($('main > *').eq(2).hasClass('message')).toBe(true);
    const ledger = (await (await signedIn()).get('/console/usage'))
      .$('[aria-label^=Ledger] tbody tr')
      .first();
    expect(ledger.text()).toMatch(/−3\+30$/);
    expect($('dl').text()).toContain('0 credits');
  });

  it('a job that runs is looked at again; then it can be run again, copied and saved as CSV', async () => {
    await service.close();
    const { wait, open } = gate();
    await start({
      runner: {
        run: async () => {
          await wait();
          return { data: { rows: [{ name: 'a, b', size: 1 }, { name: null }] } };
        },
      },
    });
    const { body } = await service.call('POST', '/task', { action_id: 'list', params: { q: hostile } });
    const path = `/console/runs/${body.job_id}`;
    const browser = await signedIn();
    const running = await browser.get(path);
    expect(running.$('script[data-again]').attr('data-again')).toBe('3');
    expect(running.$('noscript').html()).toContain('http-equiv="refresh" content="3"');
    open();
    await service.finished(body.job_id);
    const { $ } = await browser.get(path);
    expect($('noscript, script[data-again]').length).toBe(0);
    expect(JSON.parse($('#mcp-call').text())).toEqual({
      name: 'run_action',
      arguments: { action_id: 'list', params: { q: hostile } },
    });
    const form = await browser.get($('a:contains("Run again")').attr('href') ?? '');
    expect(form.$('option[selected]').first().text()).toBe(hostile);
    const csv = await browser.get(`${path}/result.csv`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.html).toBe('name,size\r\n"a, b",1\r\n,\r\n');
  });

  it('a CSV file has no formulas', async () => {
    data = { items: [{ '=a': '=HYPERLINK("x")', price: -1 }] };
    const job = await run();
    const csv = await (await signedIn()).get(`/console/runs/${job}/result.csv`);
    expect(csv.html).toBe(`'=a,price\r\n"'=HYPERLINK(""x"")",-1\r\n`);
  });

  it('a result with several lists is no CSV file of one of them', async () => {
    data = { items: [{ name: 'a' }, { name: 'b' }], shops: [{ name: 'c' }] };
    const csv = await (await signedIn()).get(`/console/runs/${await run()}/result.csv`);
    expect(csv.status).toBe(400);
    expect(csv.html).toContain('several lists');
  });

  it('a result without rows has no CSV file', async () => {
    data = { text: 'a' };
    const job = await run();
    const browser = await signedIn();
    expect((await browser.get(`/console/runs/${job}`)).$('a:contains(CSV)').length).toBe(0);
    expect((await browser.get(`/console/runs/${job}/result.csv`)).status).toBe(400);
  });

  it('a result that is no list is shown by its fields: texts of several lines as they are set', async () => {
    const main = `# Tides\n\n- high: *6 m*\n- low: <b>1 m</b>\n`;
    data = { title: 'Tides', main, is_open: true, tides: { high: 6 }, note: null, kept: 'one line\n' };
    const browser = await signedIn();
    const { $ } = await browser.get(`/console/runs/${await run()}`);
    expect($('h3:contains(Main) + pre').text()).toBe(main);
    const terms = $('h2:contains(Result) ~ dl').first();
    const texts = (selector: string) =>
      terms
        .find(selector)
        .toArray()
        .map((one) => $(one).text());
    expect(texts('dt')).toEqual(['Title', 'Is open', 'Tides', 'Kept']);
    expect(texts('dd')).toEqual(['Tides', 'yes', '{"high":6}', 'one line\n']);
    expect(JSON.parse($('details:contains(As JSON) pre').text())).toEqual(data);
    expect($('details:contains(As JSON)').attr('open')).toBeUndefined();

    data = { rows: [{ name: 'a' }], main, url: 'https://www.site.example/' };
    const beside = await browser.get(`/console/runs/${await run()}`);
    expect(beside.$('details[open]:contains(Beside the rows) h3:contains(Main) + pre').text()).toBe(main);
  });

  it('a job whose result was deleted still shows its facts', async () => {
    const job = await run();
    await withDatabase(service, (database) =>
      database.query.updateTable('jobs').set({ result: null }).where('id', '=', job).execute(),
    );
    const { status, $ } = await (await signedIn()).get(`/console/runs/${job}`);
    expect([status, $('main').text()]).toEqual([200, expect.stringContaining('has been deleted')]);
    expect($('a:contains("Run again")').length).toBe(1);
  });

  it('long lists have pages of fifty, and odd page numbers are the first', async () => {
    for (let count = 0; count < 51; count += 1)
      await service.call('POST', '/task', { action_id: 'free', params: {} });
    const browser = await signedIn();
    const first = await browser.get('/console/runs');
    expect(first.$('tbody tr').length).toBe(50);
    const second = await browser.get(first.$('a[rel=next]').attr('href') ?? '');
    expect([second.$('tbody tr').length, second.$('a[rel=next]').length]).toEqual([1, 0]);
    for (const page of ['0', '-1', 'x', '1e9', '99999999999999999999', '']) {
      expect((await browser.get(`/console/runs?page=${page}`)).$('tbody tr').length).toBe(50);
    }
  });
});

it('build requests are listed with goal, state, reason, refund, rows and what else is there', async () => {
  await service.close();
  const { wait, open } = gate();
  const { actions: _, ...head } = catalog({ slug: 'other', url: 'https://other.example/', actions: [] });
  const column = { id: 'c1', label: hostile, kind: 'text', samples: [hostile] };
  const candidates = [{ id: 't1', kind: 'table', rows: 9, columns: [column] }];
  await start({
    builder: {
      build: async ({ goal, onProgress }) => {
        onProgress?.('Fetching the page');
        if (goal === 'waits') await wait();
        return goal === 'fails'
          ? { built: false, errorType: 'CHOICE_NEEDED', message: `No prices ${hostile}`, candidates }
          : {
              built: true,
              catalog: head,
              action: action({ action_id: 'other_list' }),
              sample: [{ title: hostile, text: 'x'.repeat(5_000) }],
            };
      },
      preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
    },
  });
  const browser = await signedIn();
  const ask = async (goal: string) => {
    await service.call('POST', '/build-request', {
      website_url: 'https://other.example/',
      goal,
      force: true,
    });
    await expect
      .poll(async () => (await browser.get('/console/builds')).$('article').first().text())
      .toContain(goal === 'waits' ? 'Fetching the page' : 'credits');
    if (goal !== 'waits')
      await expect
        .poll(async () => (await browser.get('/console/builds')).$('article').first().text())
        .not.toContain('Pending');
  };
  await ask('succeeds');
  await ask('fails');
  await ask('waits');
  const { $ } = await browser.get('/console/builds');
  const cards = $('article')
    .toArray()
    .map((card) => $(card).text());
  expect(cards).toHaveLength(3);
  expect(cards[0]).toMatch(/waits[\s\S]*Pending[\s\S]*25 credits[\s\S]*Fetching the page/);
  expect(cards[1]).toMatch(/fails[\s\S]*Failed[\s\S]*25 credits refunded[\s\S]*CHOICE_NEEDED/);
  expect(cards[1]).toContain('The goal does not say which data of the page is meant. Choose its columns.');
  expect($('article a:contains("Choose the columns")').attr('href')).toContain('/console/builds/new?');
  expect(cards[2]).toMatch(/succeeds[\s\S]*Published[\s\S]*25 credits[\s\S]*other_list/);
  expect(cards[2]).toContain('What the test run found');
  expect(cards[2]?.length).toBeLessThan(2_000);
  expect($('script').length).toBe(1);
  expect($('a[href="/console/actions/other_list/run"]').text()).toBe('Run other_list');
  // While one is pending, the page looks again by itself.
  expect($('script').attr('data-again')).toBe('5');
  expect($('noscript').html()).toContain('http-equiv="refresh" content="5"');
  const ledger = await browser.get('/console/usage');
  expect(ledger.$('[aria-label^=Ledger] tbody th').first().text()).toBe('Build: waits');
  open();
});

it('a catalog that reads any website is not said to have a site of its own', async () => {
  await service.close();
  await start({ catalogs: sourceOf(webCatalog()) });
  const browser = await signedIn();
  for (const path of ['/console/actions', '/console/actions?site=web', '/connect/web']) {
    const { $ } = await browser.get(path);
    expect($('main').text()).toContain('any website');
    expect($('main').html()).not.toContain('web.example');
  }
});
