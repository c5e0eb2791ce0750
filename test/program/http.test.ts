import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { initialize, jsonHeaders, standalone } from '../support/http.ts';
import { callTool as call, startHttp } from '../support/http-program.ts';
import { PlainBrowser } from '../support/plain-browser.ts';
import { endPrograms, environmentOf, runProgram } from '../support/program.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  await endPrograms();
  await closeGateways();
});

const token = 'a-token-of-the-tests';

const endless = [{ action_id: 'endless', catalog_slug: 'shop', job: { ms: Number.POSITIVE_INFINITY } }];
const wait = { SVC_WAIT_SECONDS: '50' };

describe('svc-mcp http', () => {
  it('does not start where everyone could spend the key', async () => {
    const upstream = await scriptedUpstream();
    const environment = environmentOf(upstream, await temporaryFolder());
    const open = [
      [['--host', '0.0.0.0'], {}],
      [['--host', '::'], {}],
      [['--host', '192.0.2.1'], {}],
      [[], { SVC_PUBLIC_URL: 'https://tools.example' }],
      [['--host', '0.0.0.0'], { SVC_BASE_URL: '', SVC_API_KEY: '' }],
    ] as const;
    for (const [args, more] of open) {
      const { code, stderr } = await runProgram(['http', '--port', '0', ...args], {
        ...environment,
        ...more,
      });
      expect([code, stderr]).toEqual([2, expect.stringContaining('SVC_HTTP_TOKEN')]);
    }
  });

  it('admits as many requests a minute of one key as SVC_HTTP_REQUESTS_PER_MINUTE says', async () => {
    const environment = environmentOf(await scriptedUpstream(), await temporaryFolder());
    const { origin } = await startHttp({ ...environment, SVC_HTTP_REQUESTS_PER_MINUTE: '2' });
    const statuses: number[] = [];
    for (let n = 0; n < 3; n += 1)
      statuses.push((await fetch(`${origin}/mcp`, standalone('tools/list'))).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('starts on every address with a token, or where clients bring keys', async () => {
    const upstream = await scriptedUpstream();
    const folder = await temporaryFolder();
    const { SVC_API_KEY: _, ...keyless } = environmentOf(upstream, folder);
    const args = ['--host', '0.0.0.0'];
    const bringing = await startHttp(keyless, args);
    const { origin } = bringing;
    expect((await fetch(`${origin}/mcp`, standalone('tools/list'))).status).toBe(401);
    const found = await call(origin, 'search_actions', {}, { 'x-api-key': upstream.apiKey });
    expect(found.results).toEqual([]);
    const tokened = await startHttp({ ...environmentOf(upstream, folder), SVC_HTTP_TOKEN: token }, args);
    const second = tokened.origin;
    expect((await fetch(`${second}/mcp`, standalone('tools/list'))).status).toBe(401);
    expect((await call(second, 'search_actions', {}, { authorization: `Bearer ${token}` })).results).toEqual(
      [],
    );
    const sent = upstream.requests.map(({ headers }) => headers.authorization);
    expect(new Set(sent)).toEqual(new Set([undefined]));
  });

  it("says at a client's first request that its key is wrong, over every transport", async () => {
    const upstream = await scriptedUpstream();
    const { SVC_API_KEY: _, ...keyless } = environmentOf(upstream, await temporaryFolder());
    const { origin } = await startHttp(keyless);
    const ask = async (path: string, init: RequestInit, key: string) => {
      const headers = { ...jsonHeaders, ...init.headers, 'x-api-key': key };
      const answer = await fetch(`${origin}${path}`, { ...init, headers });
      const text = path === '/sse' && answer.ok ? '' : await answer.text();
      if (path === '/sse' && answer.ok) await answer.body?.cancel();
      return { status: answer.status, text, challenge: answer.headers.get('www-authenticate') };
    };
    const first: [string, RequestInit][] = [
      ['/mcp', standalone('tools/list')],
      ['/mcp', { method: 'POST', body: JSON.stringify(initialize) }],
      ['/sse', {}],
    ];
    for (const [path, init] of first) {
      const refused = await ask(path, init, 'no-key-of-the-service');
      expect(refused).toMatchObject({
        status: 401,
        text: expect.stringContaining('The service refused this key'),
        challenge: expect.stringContaining('X-API-Key'),
      });
      expect((await ask(path, init, upstream.apiKey)).status).toBe(200);
    }
    // A service that does not answer refuses nobody: the call itself says what is wrong.
    upstream.fail('listIdentities', { kind: 'answer', status: 503, body: 'down' });
    expect((await ask('/mcp', standalone('tools/list'), 'another')).status).toBe(200);
  });

  it('serves the page on which a person signs in, to which a form may be sent from that page only', async () => {
    const field = { name: 'password', type: 'string', required: true, description: 'Password' };
    const catalog = { slug: 'shop', auth_types: ['credentials'], login_input_schema: [field] };
    const upstream = await scriptedUpstream({ catalogs: [catalog] });
    const program = await startHttp(environmentOf(upstream, await temporaryFolder()));
    const { login_url: url } = await call(program.origin, 'login', { catalog: 'shop' });
    expect(url).toMatch(program.origin);
    const browser = new PlainBrowser();
    const form = await browser.open(String(url));
    const typed = ['secret'];
    const foreign = await browser.submit(form, typed, { origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
    expect(upstream.requestsTo('login')).toHaveLength(0);
    expect((await browser.submit(form, typed)).status).toBe(200);
    await upstream.waitForRequests('login', 1);
  });

  it('answers a call under way with a handle when it is told to end, is not ready meanwhile, and ends', async () => {
    const actions = [...endless, { action_id: 'quick', catalog_slug: 'shop' }];
    const upstream = await scriptedUpstream({ actions });
    const program = await startHttp({ ...environmentOf(upstream, await temporaryFolder()), ...wait });
    expect((await fetch(`${program.origin}/readyz`)).status).toBe(200);
    const session = new Client({ name: 'a-test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    closers.push(() => session.close());
    await session.connect(new StreamableHTTPClientTransport(new URL('/mcp', program.origin)));
    const inSession = session.callTool({ name: 'shop_endless', arguments: { a: 1 } });
    const alone = call(program.origin, 'shop_endless', { a: 2 });
    await upstream.waitForRequests('getJob', 2);
    const startedAt = Date.now();
    program.child.kill('SIGTERM');
    // A load balancer learns it while calls that still come are answered.
    await vi.waitUntil(async () => (await fetch(`${program.origin}/readyz`)).status === 503, 20_000);
    expect((await fetch(`${program.origin}/healthz`)).status).toBe(200);
    expect(await call(program.origin, 'shop_quick', {})).toMatchObject({ status: 'completed' });
    const handles = [(await inSession).structuredContent, await alone];
    for (const handle of handles) {
      expect(handle).toMatchObject({ status: 'processing', job_id: expect.stringMatching(/./) });
    }
    expect(await program.exited).toEqual([0, null]);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    await expect(fetch(`${program.origin}/readyz`)).rejects.toThrow();
    const known = [...upstream.service.jobs.values()]
      .filter(({ actionId }) => actionId === 'endless')
      .map(({ id }) => id);
    expect(handles.map((handle) => new Map(Object.entries(Object(handle))).get('job_id')).sort()).toEqual(
      known.sort(),
    );
  });
});
