/** A person signs in in a browser; actions then run as that person, in a browser too. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSignInBrowser } from '../../../src/service/accounts/sign-in-window.ts';
import { CatalogFile, toDefinition } from '../../../src/service/catalog/definition.ts';
import { Fetcher } from '../../../src/service/fetch/fetcher.ts';
import { findBrowser } from '../../../src/service/fetch/find-browser.ts';
import { Renderer } from '../../../src/service/fetch/renderer.ts';
import { RecipeRunner } from '../../../src/service/recipes/runner.ts';
import { hasBrowser } from '../../support/browser.ts';
import { openBrowser } from '../../support/console.ts';
import { parsePool } from '../../support/page-pools.ts';
import { sourceOf, startTestService, type TestService } from '../../support/service.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

/** The form works by its script only; the session is a cookie and a token in local storage. */
const loginPage = `<form id="form"><input id="name" value="ada"><button>Sign in</button></form><script>
  form.onsubmit = async (event) => { event.preventDefault();
    await fetch('/session', { method: 'POST', body: document.getElementById('name').value });
    localStorage.setItem('token', 'token-of-ada'); location = '/account'; };
  if (!location.search) setTimeout(() => form.requestSubmit(), 300);
</script>`;
const accountPage = `<p id="who"></p><script>
  fetch('/orders', { headers: { authorization: localStorage.getItem('token') ?? 'none' } }).then((answer) => answer.json())
    .then(({ user, orders }) => { who.className = user ? 'signed-in' : 'anonymous'; who.textContent = (user ?? '') + ' ' + orders; });
</script>`;

let site: WebServer;
let service: TestService;
let renderer: Renderer;
let fetcher: Fetcher;

function catalog(origin: string) {
  return CatalogFile.parse({
    slug: 'club',
    name: 'Club',
    url: `${origin}/`,
    category: 'social',
    description: 'A club of scripts',
    auth_types: ['browser_state'],
    auth_login_url: `${origin}/login`,
    signed_in: { select: '.signed-in' },
    actions: [
      {
        action_id: 'club_orders',
        name: 'Orders',
        auth_mode: 'required',
        parameters: { type: 'object', properties: {} },
        recipe: {
          request: { url: `${origin}/account` },
          render: { wait_for: '#who[class]' },
          extract: { kind: 'html', fields: { text: { select: '#who', required: true } } },
          not_logged_in: [{ select: '.anonymous' }],
        },
      },
    ],
  });
}

describe.skipIf(!hasBrowser)('an account of a site that works by scripts only', () => {
  beforeAll(async () => {
    site = await startWebServer(({ path, method, headers, body }, response) => {
      const page = (text: string) => response.setHeader('content-type', 'text/html').end(text);
      if (path.startsWith('/login')) return void page(loginPage);
      if (path === '/account') return void page(accountPage);
      if (path === '/session' && method === 'POST')
        return void response.setHeader('set-cookie', `sid=${body}-1; HttpOnly; Max-Age=86400`).end();
      const isSignedIn = headers.cookie?.includes('sid=ada-1') && headers.authorization === 'token-of-ada';
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(isSignedIn ? { user: 'ada', orders: 3 } : { orders: 0 }));
    });
    const allowOrigins = [site.origin];
    const location = findBrowser('auto');
    // The tests may run as root, where Chromium's sandbox cannot.
    const sandbox = process.getuid?.() !== 0;
    fetcher = new Fetcher({ allowOrigins });
    renderer = new Renderer({
      location,
      sandbox,
      allowOrigins,
      permit: (...request) => fetcher.permit(...request),
    });
    service = await startTestService({
      catalogs: sourceOf(toDefinition(catalog(site.origin))),
      runner: new RecipeRunner({ fetcher, renderer, parsePool }),
      signInBrowser: createSignInBrowser({
        parsePool,
        location,
        sandbox,
        allowOrigins,
        headless: true,
      }),
    });
  });
  afterAll(async () => {
    await service?.close();
    await renderer?.close();
    await fetcher?.close();
    await site?.close();
  });

  const run = async (): Promise<unknown> => {
    const { body: found } = await service.call('GET', '/identities');
    const [identity] = found.identities as { credentials: { id: string }[] }[];
    const credential_id = identity?.credentials[0]?.id;
    const { body } = await service.call('POST', '/task', {
      action_id: 'club_orders',
      params: {},
      credential_id,
    });
    return service.finished(body.job_id);
  };

  it('is connected when the declared check holds, and its actions run as that person', {
    timeout: 90_000,
  }, async () => {
    const connected = await service.connectInBrowser({
      catalogSlug: 'club',
      identityName: 'ada',
      signal: new AbortController().signal,
    });
    expect(connected).toMatchObject({ count: 1, leftOut: 0 });
    expect(await run()).toMatchObject({ status: 'completed', data: { text: 'ada 3' } });
  });

  it('is connected from the console on the same machine', { timeout: 90_000 }, async () => {
    const browser = openBrowser(service.baseUrl);
    await browser.signIn(service.apiKey);
    const sent = await browser.submit('/connect/club', '/connect/club/window', { identity_name: 'grace' });
    expect(sent.status).toBe(303);
    expect((await browser.get('/connect/club')).$('[role=status]').text()).toContain('window is open');
    await vi.waitFor(
      async () =>
        expect((await browser.get('/connect/club')).$('.good').text()).toContain('grace is connected'),
      { timeout: 60_000, interval: 500 },
    );
  });

  it('is left as it was when nobody signs in', { timeout: 90_000 }, async () => {
    const stopped = new AbortController();
    const waiting = service.connectInBrowser({
      catalogSlug: 'club',
      identityName: 'nobody',
      done: new Promise(() => {}),
      signal: stopped.signal,
    });
    stopped.abort(new Error('Stopped'));
    await expect(waiting).rejects.toThrow('Stopped');
    const { body } = await service.call('GET', '/identities');
    expect(JSON.stringify(body)).not.toContain('nobody');
    await expect(
      service.connectInBrowser({ catalogSlug: 'nothing', identityName: '', signal: stopped.signal }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
