/** Sign-in pages over HTTP: whose they are, for browsers and for programs. Needs `dist/`. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { faults, filesIn } from '../support/canaries.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../support/gateway.ts';
import { standalone } from '../support/http.ts';
import { callTool, startHttp } from '../support/http-program.ts';
import { PlainBrowser } from '../support/plain-browser.ts';
import { type Environment, endPrograms, environmentOf } from '../support/program.ts';
import { formType, send } from '../support/sign-in-pages.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const fields = [
  { name: 'email', type: 'string', required: true, description: 'Email' },
  { name: 'password', type: 'password', required: true, description: 'Password' },
];
const script = {
  otherKeys: ['key-of-another'],
  catalogs: [
    { slug: 'shop', name: 'The Shop', auth_types: ['credentials'], login_input_schema: fields },
    { slug: 'open', auth_types: ['browser_state'], auth_login_url: 'https://open.example/login' },
  ],
  actions: [{ action_id: 'shop-buy', catalog_slug: 'shop', auth_mode: 'required' }],
};
const right = ['a@b.example', 'right'];

/** Clients bring their own keys. */
async function start(more: Environment = {}) {
  const upstream = await scriptedUpstream(script);
  const { SVC_API_KEY: _, ...environment } = environmentOf(upstream, await temporaryFolder());
  const { origin } = await startHttp({ ...environment, ...more });
  const mine = { 'x-api-key': upstream.apiKey };
  const theirs = { 'x-api-key': 'key-of-another' };
  const login = async (headers: Readonly<Record<string, string>> = mine) => {
    const { login_url } = await callTool(origin, 'login', { catalog: 'shop' }, headers);
    return z.url().parse(login_url);
  };
  return { upstream, origin, mine, theirs, login };
}

const csrfOf = (text: string) => /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? '';

describe("a page's address, with the credentials of a principal,", () => {
  it('works for that principal; for another it is as unknown as an address that was never issued', async () => {
    const { upstream, mine, theirs, login } = await start();
    const address = await login();
    const unknown = `${address.slice(0, -3)}AAA`;
    const own = await send(address, { headers: mine });
    expect([own.status, own.text]).toEqual([200, expect.stringContaining('The Shop')]);

    const body = new URLSearchParams({ csrf_token: csrfOf(own.text), 'field-0': 'a', 'field-1': 'b' });
    const post = { method: 'POST', body: body.toString() };
    for (const credentials of [theirs, { 'x-api-key': 'no key at all' }, { authorization: 'Bearer x' }]) {
      for (const options of [{ headers: {} }, { ...post, headers: formType }]) {
        const headers = { ...options.headers, ...credentials };
        const [foreign, none] = await Promise.all(
          [address, unknown].map((url) => send(url, { ...options, headers })),
        );
        expect([foreign?.status, foreign?.text]).toEqual([404, none?.text]);
        expect(foreign?.text).not.toContain('Shop');
      }
    }
    expect(upstream.requestsTo('login')).toHaveLength(0);
    expect((await send(address, { headers: mine })).status).toBe(200);
  });

  it('does not let another principal continue a call either', async () => {
    const { origin, mine, theirs } = await start();
    const call = async (headers: object, more: object = {}) => {
      const { headers: own, ...rest } = standalone('tools/call', {
        name: 'login',
        arguments: { catalog: 'shop' },
        ...more,
      });
      const body = rest.body.replace(
        'io.modelcontextprotocol/clientCapabilities":{}',
        'io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}}',
      );
      const answer = await fetch(`${origin}/mcp`, { ...rest, body, headers: { ...own, ...headers } });
      return z.looseObject({}).parse(await answer.json());
    };
    const asked = z.object({ result: z.looseObject({ requestState: z.string() }) }).parse(await call(mine));
    const { requestState } = asked.result;
    const inputResponses = { sign_in: { action: 'accept' } };
    expect(await call(theirs, { requestState, inputResponses })).toMatchObject({ error: { code: -32602 } });
    // Declined faster than a person reads: the own call goes on, with the address in its answer.
    expect(
      await call(mine, { requestState, inputResponses: { sign_in: { action: 'decline' } } }),
    ).toMatchObject({
      result: { structuredContent: { status: 'sign_in_required', login_url: expect.any(String) } },
    });
  });
});

describe("a page's address, in a browser,", () => {
  it('belongs to the first that opens it, also when it comes back, after a wrong password and at the end', async () => {
    const { upstream, login } = await start();
    const address = await login();
    const browser = new PlainBrowser();
    const form = await browser.open(address);
    expect([form.status, form.text]).toEqual([200, expect.stringContaining('The Shop')]);
    // What the address bar shows is the link as it was given.
    expect(browser.address).toBe(address);
    expect(browser.cookiesSet).toHaveLength(1);
    expect(browser.cookiesSet[0]).toMatch(/^svc_mcp_browser=[\w-]{43}; HttpOnly; SameSite=Lax$/);

    const other = new PlainBrowser();
    const turnedAway = await other.open(address);
    expect([turnedAway.status, turnedAway.text]).toEqual([
      404,
      expect.stringContaining('another browser opened it first'),
    ]);
    expect(turnedAway.text).not.toContain('Shop');
    expect((await other.open(`${address.slice(0, -3)}AAA`)).text).toBe(turnedAway.text);

    upstream.fail(
      'login',
      {
        kind: 'answer',
        status: 200,
        body: { status: 'error', error: { code: 'BAD_PASSWORD', message: 'x' } },
      },
      { times: 1 },
    );
    expect((await browser.submit(form, ['a@b.example', 'wrong'])).status).toBe(200);
    const failed = await vi.waitUntil(async () => {
      const reply = await browser.open(address);
      return reply.text.includes('role="alert"') ? reply : undefined;
    }, 20_000);
    expect((await other.open(address)).text).toBe(turnedAway.text);
    await browser.submit(failed, right);
    await vi.waitUntil(async () => (await browser.open(address)).text.includes('You are signed in'), {
      timeout: 10_000,
    });
    expect((await browser.open(address)).text).toContain('has been used');
    expect((await other.open(address)).text).toBe(turnedAway.text);
    expect(upstream.requestsTo('login')).toHaveLength(2);
  });

  it('is not taken by what looks at links before people do, and is not shown without a cookie', async () => {
    const { login } = await start();
    const address = await login();
    const preview = new PlainBrowser({ cookies: false });
    expect((await preview.open(address)).text).toContain('needs a cookie');
    const head = await send(address, { method: 'HEAD' });
    expect(head.status).toBe(403);
    expect((await new PlainBrowser().open(address)).status).toBe(200);
  });

  it('takes no form without the cookie of its browser, though the token is right', async () => {
    const { upstream, login } = await start();
    const address = await login();
    const browser = new PlainBrowser();
    const form = await browser.open(address);
    const body = new URLSearchParams({ csrf_token: csrfOf(form.text), 'field-0': 'a', 'field-1': 'b' });
    const post = (headers: object) =>
      send(address, { method: 'POST', headers: { ...formType, ...headers }, body: body.toString() });
    expect((await post({})).status).toBe(403);
    expect((await post({ cookie: `svc_mcp_browser=${'A'.repeat(43)}` })).status).toBe(404);
    expect(upstream.requestsTo('login')).toHaveLength(0);
  });

  it('that another browser tried to open is replaced by the next call, and still works in its own browser', async () => {
    const { login } = await start();
    const first = await login();
    expect(await login()).toBe(first);
    const laptop = new PlainBrowser();
    await laptop.open(first);
    expect(await login()).toBe(first);
    const phone = new PlainBrowser();
    expect((await phone.open(first)).status).toBe(404);
    const second = await login();
    expect(second).not.toBe(first);
    expect((await phone.open(second)).status).toBe(200);
    expect((await laptop.open(first)).status).toBe(200);
  });

  it('keeps its cookie to https where the public address is', async () => {
    const upstream = await scriptedUpstream(script);
    const { origin } = await startHttp({
      ...environmentOf(upstream, await temporaryFolder()),
      SVC_PUBLIC_URL: 'https://tools.example/gateway',
      SVC_HTTP_TOKEN: 'the-token-of-a-test',
    });
    const authorization = 'Bearer the-token-of-a-test';
    const { login_url } = await callTool(origin, 'login', { catalog: 'shop' }, { authorization });
    const { pathname } = new URL(z.url().parse(login_url));
    expect(pathname).toMatch(/^\/gateway\/sign-in\//);
    const behindProxy = `${origin}${pathname.slice('/gateway'.length)}`;
    const { headers } = await send(behindProxy, { headers: { host: 'tools.example' } });
    expect(headers['set-cookie']?.[0]).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
    // With what the proxy asks of a browser for itself.
    const basic = { host: 'tools.example', authorization: 'Basic eDp5' };
    expect((await send(behindProxy, { headers: basic })).status).toBe(303);
  });
});

it('20 secrets, by params and by the page, are in no answer, page, log line or stored file', async () => {
  // Several, for each may sign in ten times in a minute.
  const keys = ['key-1', 'key-2', 'key-3', 'key-4'];
  const upstream = await scriptedUpstream({ ...script, otherKeys: keys });
  const folder = await temporaryFolder();
  const { SVC_API_KEY: _, ...environment } = environmentOf(upstream, folder);
  const program = await startHttp({ ...environment, SVC_LOG_LEVEL: 'debug' });
  const seen: string[] = [];
  let key = '';
  const login = async (args: object = {}) => {
    const headers = { 'x-api-key': key };
    const body = await callTool(program.origin, 'login', { catalog: 'shop', ...args }, headers);
    seen.push(JSON.stringify(body));
    return body;
  };
  const canaries = Array.from({ length: 20 }, (_, index) => `canary-${index}-q7Zk"<é`);
  for (const [index, canary] of canaries.entries()) {
    key = keys[index % 4] ?? '';
    upstream.clearFaults();
    const fault = faults(canary)[Math.floor(index / 2) % 7];
    if (fault !== undefined) upstream.fail('login', fault, { times: 1 });
    if (index % 2 === 0) {
      await login({ params: { email: 'a@b.example', password: canary } });
      continue;
    }
    // A page that was verified is told of once; then there is a new one.
    const first = await login();
    const { login_url = '' } = first.status === 'verified' ? await login() : first;
    const browser = new PlainBrowser();
    // Another browser's page stays its own; the next call gets a new one.
    const page = await browser.open(login_url);
    const form = page.status === 200 ? page : await browser.open((await login()).login_url ?? '');
    const { address } = browser;
    await browser.submit(form, ['a@b.example', canary]);
    await vi.waitUntil(async () => {
      const { text } = await browser.open(address);
      seen.push(text);
      return !text.includes('http-equiv="refresh"');
    }, 20_000);
  }
  program.child.kill('SIGTERM');
  await program.exited;
  const sent = JSON.stringify(upstream.requestsTo('login').map(({ body }) => body));
  const everything = [program.out(), program.err(), await filesIn(folder), ...seen].join('\n');
  for (const canary of canaries) {
    expect(sent).toContain(JSON.stringify(canary).slice(1, -1));
    expect(everything).not.toContain(canary.slice(0, canary.indexOf('"')));
  }
  for (const one of keys) expect(everything).not.toContain(one);
  expect(program.err()).not.toMatch(/sign-in\/[\w-]{43}/);
});
