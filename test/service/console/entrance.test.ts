/** Who gets into the console, and who does not. */
import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { revokeKey } from '../../../src/service/money/keys.ts';
import { openBrowser } from '../../support/console.ts';
import {
  action,
  addTestUser,
  catalog,
  sourceOf,
  startTestService,
  type TestService,
  type TestServiceOptions,
  withDatabase,
} from '../../support/service.ts';

const field = (name: string) => ({ name, type: 'string', required: true, description: '' });
const site = catalog({
  slug: 'site',
  name: 'The Site',
  auth_types: ['credentials', 'browser_state'],
  login: { fields: [field('username'), field('password')], recipe: {} },
  actions: [action({ action_id: 'list' })],
});
const posts = [
  '/console/sign-in',
  '/console/sign-out',
  '/connect/site/login',
  '/connect/site/window',
  '/connect/site/default',
  '/connect/site/disconnect',
  '/console/actions/list/rename',
  '/console/actions/list/rebuild',
  '/console/actions/list/repair',
  '/console/actions/list/revert',
  '/console/actions/list/delete',
  '/console/actions/list/approve',
  '/console/actions/list/reject',
  '/console/keys/add',
  '/console/keys/revoke',
  '/console/users/add',
  '/console/users/add-user',
  '/console/users/credits',
  '/console/users/remove',
  '/console/users/revoke',
];
const pages = [
  '/',
  '/connect/site',
  '/console/actions?site=site',
  '/console/accounts',
  '/console/runs',
  '/console/runs/0b9f2c1e-6f64-4a3e-9a0e-000000000000',
  '/console/runs/0b9f2c1e-6f64-4a3e-9a0e-000000000000/result.json',
  '/console/usage',
  '/console/builds',
  '/console/usage/ledger.csv',
  '/console/keys',
  '/console/users',
  '/console/health',
];

let service: TestService;
const start = async (options: TestServiceOptions = {}) => {
  service = await startTestService({ catalogs: sourceOf(site), ...options });
};
beforeEach(() => start());
afterEach(() => service.close());

/** With the headers exactly as given: `fetch` sets Host and Sec-Fetch-Site itself. */
function raw(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(new URL(path, service.baseUrl), { method, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    request.on('error', reject);
    request.end(body);
  });
}

async function signedIn() {
  const browser = openBrowser(service.baseUrl);
  await browser.signIn(service.apiKey);
  return browser;
}
const csrfTokenOn = async (browser: ReturnType<typeof openBrowser>, path = '/') =>
  (await browser.get(path)).$('input[name=csrf_token]').first().attr('value') ?? '';

describe('signing in', () => {
  it.each(pages)('is asked for at %s, and nothing else is shown', async (path) => {
    const { status, $, html } = await openBrowser(service.baseUrl).get(path);
    expect([status, $('h1').text()]).toEqual([200, 'Sign in']);
    expect(html).not.toContain('The Site');
    expect($('input[name=target]').attr('value')).toBe(path);
  });

  it('leads on to the page that was asked for', async () => {
    const browser = openBrowser(service.baseUrl);
    const { $ } = await browser.signIn(service.apiKey, '/connect/site');
    expect($('h1').text()).toBe('Connect an account: The Site');
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/\t/evil.example',
    '/v1/svc/catalog',
    'x:',
  ])('leads nowhere else: %j', async (target) => {
    const browser = openBrowser(service.baseUrl);
    const { headers } = await browser.submit('/', '/console/sign-in', { api_key: service.apiKey, target });
    expect(headers.get('location')).toBe('/');
  });

  it('the cookie is for this origin, unreadable for scripts, and is another one after each sign-in', async () => {
    const browser = openBrowser(service.baseUrl);
    const { headers } = await browser.submit('/', '/console/sign-in', { api_key: service.apiKey });
    const [session] = headers.getSetCookie();
    expect(session).toMatch(/^svc_console=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    const first = browser.cookies.get('svc_console') ?? '';
    const other = await signedIn();
    expect(other.cookies.get('svc_console')).not.toBe(first);
    await withDatabase(service, async (database) => {
      const rows = await database.query.selectFrom('console_sessions').selectAll().execute();
      expect(rows).toHaveLength(2);
      expect(JSON.stringify(rows)).not.toContain(first);
    });
  });

  it.each(['', 'svc_wrong', 'x'.repeat(10_000), "' or 1=1 --", '\0'])(
    'a wrong key is refused: %j',
    async (key) => {
      const browser = openBrowser(service.baseUrl);
      const { status, $, html } = await browser.submit('/', '/console/sign-in', { api_key: key });
      expect(status).toBe(403);
      expect($('[role=alert]').text()).toContain('API key is not valid');
      expect($('title').text()).toMatch(/^Error: /);
      if (key.length > 3) expect(html).not.toContain(key);
      expect(browser.cookies.has('svc_console')).toBe(false);
    },
  );

  it('is limited to ten attempts a minute, also with the right key', async () => {
    const browser = openBrowser(service.baseUrl);
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await browser.submit('/', '/console/sign-in', { api_key: 'wrong' })).status).toBe(403);
    }
    const { status, headers, $ } = await browser.submit('/', '/console/sign-in', { api_key: service.apiKey });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect($('[role=alert]').text()).toContain('Too many attempts');
  });

  it('a form of another browser is refused, so that nobody is signed in to a foreign account', async () => {
    const csrf_token = await csrfTokenOn(openBrowser(service.baseUrl));
    const victim = openBrowser(service.baseUrl);
    await victim.get('/');
    for (const browser of [victim, openBrowser(service.baseUrl)]) {
      const { status } = await browser.post('/console/sign-in', { csrf_token, api_key: service.apiKey });
      expect([status, browser.cookies.has('svc_console')]).toEqual([403, false]);
    }
  });
});

describe('a session ends', () => {
  it('with the sign-out, for a copied cookie too', async () => {
    const browser = await signedIn();
    const cookie = `svc_console=${browser.cookies.get('svc_console')}`;
    expect((await browser.submit('/', '/console/sign-out')).headers.get('location')).toBe('/');
    expect(browser.cookies.has('svc_console')).toBe(false);
    const copy = await openBrowser(service.baseUrl).get('/', { cookie });
    expect(copy.$('h1').text()).toBe('Sign in');
  });

  it('at its time, and its row is removed with the next sign-in', async () => {
    const browser = await signedIn();
    await withDatabase(service, (database) =>
      database.query
        .updateTable('console_sessions')
        .set({ expires_at: Date.now() - 1 })
        .execute(),
    );
    expect((await browser.get('/')).$('h1').text()).toBe('Sign in');
    await signedIn();
    await withDatabase(service, async (database) =>
      expect(await database.query.selectFrom('console_sessions').select('user_id').execute()).toHaveLength(1),
    );
  });

  it('with its API key', async () => {
    const user = await addTestUser(service, 'user');
    const browser = openBrowser(service.baseUrl);
    await browser.signIn(user.headers['x-api-key'] ?? '');
    await withDatabase(service, async (database) => {
      const { id } = await database.query
        .selectFrom('api_keys')
        .select('id')
        .where('user_id', '=', user.id)
        .executeTakeFirstOrThrow();
      await revokeKey(database, id);
    });
    expect((await browser.get('/')).$('h1').text()).toBe('Sign in');
  });

  it('a form sent afterwards does nothing, says so, and leads back to its page', async () => {
    const browser = await signedIn();
    const csrf_token = await csrfTokenOn(browser);
    await withDatabase(service, (database) => database.query.deleteFrom('console_sessions').execute());
    const { status, $ } = await browser.post('/connect/site/login', {
      csrf_token,
      'field-0': 'a',
      'field-1': 'b',
    });
    expect(status).toBe(403);
    expect($('[role=alert]').text()).toContain('session has ended');
    expect($('input[name=target]').attr('value')).toBe('/connect/site');
  });
});

describe('a form', () => {
  it.each(posts)('%s without its token, with a wrong one, or as another type is refused', async (path) => {
    const browser = await signedIn();
    const right = await csrfTokenOn(browser);
    const others = await csrfTokenOn(await signedIn());
    const fields = {
      api_key: service.apiKey,
      'field-0': 'a',
      'field-1': 'b',
      identity_id: 'x',
    };
    const answers = [
      await browser.post(path, fields),
      await browser.post(path, { ...fields, csrf_token: '' }),
      await browser.post(path, { ...fields, csrf_token: others }),
      await browser.post(path, { ...fields, csrf_token: browser.cookies.get('svc_console') ?? '' }),
      await browser.post(path, { ...fields, csrf_token: right }, { 'content-type': 'text/plain' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403));
    expect((await browser.get('/')).$('h1').text()).toBe('Overview');
    expect((await service.call('GET', '/identities')).body.identities).toEqual([]);
  });

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['this host by https', { origin: 'https://localhost' }],
    ['a sandbox', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['another origin of the site, unnamed', { 'sec-fetch-site': 'same-site' }],
  ])('from %s is refused although its token is right', async (_name, headers) => {
    const browser = await signedIn();
    const csrf_token = await csrfTokenOn(browser);
    const cookie = `svc_console=${browser.cookies.get('svc_console')}`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ csrf_token, identity_id: 'x' }).toString();
    const send = (path: string, sent: Record<string, string>) =>
      raw('POST', path, { ...sent, ...type, cookie }, body);
    for (const path of posts) expect(await send(path, headers)).toBe(403);
    // The very same form from the console's own page is taken.
    const own = { origin: service.baseUrl };
    expect(await send('/connect/site/default', own)).toBe(404);
    expect(await send('/connect/site/login', own)).toBe(422);
    expect(await send('/console/sign-out', own)).toBe(303);
  });

  it('larger than 1 MiB is refused', async () => {
    const browser = await signedIn();
    const csrf_token = await csrfTokenOn(browser);
    const { status } = await browser.post('/connect/site/login', {
      csrf_token,
      'field-0': 'x'.repeat(1_100_000),
    });
    expect(status).toBe(413);
  });
});

describe('the host', () => {
  it.each(['evil.example', 'evil.example:80', 'localhost.evil.example', '10.0.0.1', '127.0.0.2'])(
    'header of another site is refused on every path: %j',
    async (host) => {
      const { cookies } = await signedIn();
      const headers = { host, cookie: `svc_console=${cookies.get('svc_console')}` };
      const answers = [];
      for (const path of [...pages, '/console/style.css', '/console/nothing'])
        answers.push(await raw('GET', path, headers));
      for (const path of posts) answers.push(await raw('POST', path, headers));
      expect([...new Set(answers)]).toEqual([403]);
    },
  );

  it.each(['127.0.0.1', 'localhost', 'localhost:8080', '[::1]:80'])(
    'of this machine is ours: %s',
    async (host) => {
      expect(await raw('GET', '/', { host })).toBe(200);
    },
  );

  it('the public address is ours, with its origin; its cookies are for https only', async () => {
    await service.close();
    await start({ publicUrl: 'https://svc.example' });
    const host = 'svc.example';
    expect(await raw('GET', '/', { host })).toBe(200);
    expect(await raw('GET', '/', { host: 'other.example' })).toBe(403);
    const answer = await new Promise<string[]>((resolve) => {
      httpRequest(new URL('/', service.baseUrl), { headers: { host } }, (response) => {
        response.resume();
        resolve(response.headers['set-cookie'] ?? []);
      }).end();
    });
    expect(answer).toEqual([
      expect.stringMatching(
        /^__Host-svc_console_form=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
  });

  it('a proxy that is trusted says that the browser came by https', async () => {
    await service.close();
    await start({ trustProxy: true });
    const { headers } = await openBrowser(service.baseUrl).get('/', { 'x-forwarded-proto': 'https' });
    expect(headers.getSetCookie()[0]).toMatch(/^__Host-.*; Secure/);
    await service.close();
    await start();
    const untrusted = await openBrowser(service.baseUrl).get('/', { 'x-forwarded-proto': 'https' });
    expect(untrusted.headers.getSetCookie()[0]).not.toMatch(/__Host-|Secure/);
  });
});

describe('every answer', () => {
  it('is not stored, framed or leaked by the browser, and runs nothing', async () => {
    const browser = await signedIn();
    const answers = await Promise.all([
      ...[...pages, '/console/style.css', '/console/nothing', '/connect/nothing'].map((path) =>
        browser.get(path),
      ),
      openBrowser(service.baseUrl).get('/'),
      ...posts.map((path) => browser.post(path, {})),
      browser.get('/', { origin: 'https://evil.example' }),
    ]);
    for (const { headers, html, $ } of answers) {
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect($('script:not([src="/console/page.js"]), style, [style], [onclick], [onload]').length).toBe(0);
      expect(html).not.toContain(service.apiKey);
      expect(html).not.toContain(browser.cookies.get('svc_console'));
    }
  });

  it('a link from another site is followed in a second step, in which the browser sends the cookie', async () => {
    const browser = openBrowser(service.baseUrl);
    const arrives = { 'sec-fetch-site': 'cross-site', cookie: '' };
    expect(await raw('GET', '/connect/site', arrives)).toBe(200);
    const page = await new Promise<string>((resolve) => {
      httpRequest(
        new URL('/connect/site?refresh=x', service.baseUrl),
        { headers: arrives },
        async (response) => {
          let text = '';
          for await (const chunk of response) text += chunk;
          resolve(text);
        },
      ).end();
    });
    expect(page).toContain('content="0; url=/connect/site?refresh=x&amp;arrived=1"');
    expect((await browser.signIn(service.apiKey, '/connect/site?arrived=1')).$('h1').text()).toContain(
      'Connect',
    );
  });
});
