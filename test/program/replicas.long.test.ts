/** The worked example: two replicas on one PostgreSQL, by themselves and behind its nginx. Needs `dist/`. */
import pg from 'pg';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, scriptedUpstream } from '../support/gateway.ts';
import { closeHttp, connectFirstLineHttp, connectHttp, connectShowing, standalone } from '../support/http.ts';
import { callTool, type HttpProgram } from '../support/http-program.ts';
import { hasNginx, prepareNginx } from '../support/nginx.ts';
import { PlainBrowser } from '../support/plain-browser.ts';
import { hasPostgres } from '../support/postgres.ts';
import { endPrograms } from '../support/program.ts';
import { type ReplicaOptions, replicaToken, startReplicas } from '../support/replicas.ts';
import { send } from '../support/sign-in-pages.ts';
import type { UpstreamScript } from '../support/upstream-script.ts';

const createDatabase = useDatabases();

const dispatcher = getGlobalDispatcher();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await closeHttp();
  setGlobalDispatcher(dispatcher);
  await endPrograms();
  await closeGateways();
});

const authorization = `Bearer ${replicaToken}`;

async function start(script: UpstreamScript, options: Partial<ReplicaOptions> = {}) {
  const upstream = await scriptedUpstream(script);
  const databaseUrl = await createDatabase();
  const [one, two] = await startReplicas({
    serviceUrl: upstream.origin,
    apiKey: upstream.apiKey,
    databaseUrl,
    ...options,
  });
  return { upstream, databaseUrl, one, two };
}

const endless = [{ action_id: 'endless', catalog_slug: 'shop', job: { ms: Number.POSITIVE_INFINITY } }];

describe.skipIf(!hasPostgres)('two replicas on one PostgreSQL', () => {
  it('pay once for identical calls at both, and lose nothing when one is killed', async () => {
    const { upstream, one, two } = await start({ actions: endless });
    const calls = Array.from({ length: 8 }, (_, index) =>
      callTool((index % 2 === 0 ? one : two).origin, 'shop_endless', { a: 1 }, { authorization }).catch(
        () => undefined,
      ),
    );
    await upstream.waitForRequests('getJob', 2);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    const [jobId] = [...upstream.service.jobs.keys()];
    // Who dies before its answer is written leaves a doubt, whatever the service has been asked since.
    const list = async () => JSON.stringify(await callTool(two.origin, 'get_job', {}, { authorization }));
    await vi.waitUntil(async () => (await list()).includes(String(jobId)), 20_000);

    one.child.kill('SIGKILL');
    await one.exited;
    // What it was called with, by a client of the replica that is gone.
    const again = callTool(two.origin, 'shop_endless', { a: 1 }, { authorization });
    const read = callTool(two.origin, 'get_job', { job_id: jobId, wait_seconds: 0 }, { authorization });
    expect(await read).toMatchObject({ status: 'processing', job_id: jobId });
    two.child.kill('SIGTERM');
    const answers = (await Promise.all([...calls, again])).filter((answer) => answer !== undefined);
    expect(answers.length).toBeGreaterThan(1);
    for (const answer of answers) expect(answer).toMatchObject({ status: 'processing', job_id: jobId });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('share the budget of the day', async () => {
    const actions = [{ action_id: 'dear', catalog_slug: 'shop', credits: 10 }];
    const { upstream, one, two } = await start({ actions }, { more: { SVC_MAX_CREDITS_PER_DAY: '35' } });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        callTool((index % 2 === 0 ? one : two).origin, 'shop_dear', { a: index }, { authorization }),
      ),
    );
    expect(answers.filter(({ status }) => status === 'completed')).toHaveLength(3);
    expect(answers.filter(({ error }) => error?.code === 'BUDGET_EXCEEDED')).toHaveLength(9);
    expect(upstream.requestsTo('submitTask')).toHaveLength(3);
  });
});

const fields = [
  { name: 'email', type: 'string', required: true, description: 'Email' },
  { name: 'password', type: 'password', required: true, description: 'Password' },
];
const openId = '22222222-2222-4222-8222-222222222222';
const signInScript = {
  otherKeys: ['key-of-another'],
  catalogs: [
    { slug: 'shop', name: 'The Shop', auth_types: ['credentials'], login_input_schema: fields },
    { slug: 'open', id: openId, auth_types: ['browser_state'], auth_login_url: 'https://open.example/login' },
  ],
  actions: [
    { action_id: 'shop-buy', catalog_slug: 'shop', auth_mode: 'required', credits: 5 },
    { action_id: 'open-see', catalog_slug: 'open', auth_mode: 'required' },
  ],
};
/** Browsers reach both replicas by plain http here. */
const plain = { SVC_PUBLIC_URL: 'http://localhost' };

/** The same page at another replica. */
const at = ({ origin }: HttpProgram, url: unknown) => {
  const { port } = new URL(origin);
  return `http://localhost:${port}${new URL(String(url)).pathname}`;
};

const login = ({ origin }: HttpProgram, headers: Readonly<Record<string, string>> = { authorization }) =>
  callTool(origin, 'login', { catalog: 'shop' }, headers);

/** The whole of a database, as text. */
async function dump(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'");
  const tables = z.array(z.object({ tablename: z.string() })).parse(rows);
  const texts = [];
  for (const { tablename } of tables) {
    texts.push(JSON.stringify((await client.query(`select * from ${tablename}`)).rows));
  }
  await client.end();
  return texts.join('\n');
}

async function submitAndWait(browser: PlainBrowser, address: string, values: readonly string[]) {
  await browser.submit(await browser.open(address), values);
  await vi.waitUntil(
    async () => !(await browser.open(address)).text.includes('http-equiv="refresh"'),
    20_000,
  );
}

const accepted = { sign_in: { action: 'accept' } };

/** One request of a client that shows pages, and its answer, whatever it asks for. */
async function ask({ origin }: HttpProgram, actionId: string, more: object = {}) {
  const params = { name: 'run_action', arguments: { action_id: actionId }, ...more };
  const { headers, body, ...rest } = standalone('tools/call', params);
  const shows = body.replace('clientCapabilities":{}', 'clientCapabilities":{"elicitation":{"url":{}}}');
  const answer = await fetch(`${origin}/mcp`, {
    ...rest,
    headers: { ...headers, authorization },
    body: shows,
  });
  const Result = z.looseObject({
    requestState: z.string().optional(),
    inputRequests: z.object({ sign_in: z.object({ params: z.looseObject({ url: z.string() }) }) }).optional(),
  });
  return z.object({ result: Result }).parse(await answer.json()).result;
}

describe.skipIf(!hasPostgres)('a sign-in page of one replica', () => {
  it('is used at another, and the call that waits at the first goes on; nothing typed is stored', async () => {
    const { upstream, databaseUrl, one, two } = await start(signInScript, { more: plain });
    const { client, url } = await connectShowing(one.origin, 'stateless', { authorization });
    const called = client.callTool({ name: 'run_action', arguments: { action_id: 'shop-buy' } });
    const address = at(two, await url);
    const browser = new PlainBrowser();
    const refused = { status: 'error', error: { code: 'BAD_PASSWORD', message: 'x' } };
    upstream.fail('login', { kind: 'answer', status: 200, body: refused }, { times: 1 });
    await submitAndWait(browser, address, ['canary@b.example', 'canary-wrong']);
    // At the first one it is as far, for this browser only.
    const failed = await browser.open(at(one, address));
    expect(failed.text).toContain('role="alert"');
    expect((await new PlainBrowser().open(at(one, address))).status).toBe(404);
    const meanwhile = await dump(databaseUrl);
    await browser.submit(await browser.open(address), ['canary@b.example', 'canary-right']);
    expect((await called).structuredContent).toMatchObject({ status: 'completed', credits_used: 5 });
    await vi.waitUntil(
      async () => (await browser.open(at(one, address))).text.includes('You are signed in'),
      20_000,
    );
    expect((await browser.open(address)).text).toContain('has been used');
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);

    for (const text of [meanwhile, await dump(databaseUrl)]) {
      expect(text).toMatch(/"address":"ey/);
      // The account's name is no secret: results and job lists say which account ran.
      expect(text.replaceAll('canary@b.example', '')).not.toContain('canary');
      expect(text).not.toContain(upstream.apiKey);
      expect(text).not.toContain(address.split('/').at(-1));
    }
  });

  it('is the same at another for the same account, whose end one caller learns', async () => {
    const { one, two } = await start(signInScript, { more: plain });
    const [first, second] = await Promise.all([login(one), login(two)]);
    expect(second.login_url).toBe(first.login_url);
    await submitAndWait(new PlainBrowser(), at(one, first.login_url), ['a@b.example', 'right']);
    expect(await login(two)).toMatchObject({ status: 'verified' });
    expect(await login(one)).toMatchObject({ status: 'sign_in_required' });
  });

  it('outlives it: the person signs in at the other, where the call is sent again', async () => {
    const { upstream, one, two } = await start(signInScript, { more: plain });
    const { client, url } = await connectShowing(one.origin, 'stateless', { authorization });
    const called = client.callTool({ name: 'run_action', arguments: { action_id: 'shop-buy' } });
    const address = at(two, await url);
    const browser = new PlainBrowser();
    const form = await browser.open(address);
    one.child.kill('SIGKILL');
    await expect(called).rejects.toThrow('fetch failed');
    const again = callTool(two.origin, 'run_action', { action_id: 'shop-buy' }, { authorization });
    expect((await again).error?.login_url).toContain(new URL(address).pathname);
    await browser.submit(form, ['a@b.example', 'right']);
    await upstream.waitForRequests('login', 1);
    await vi.waitUntil(async () => (await browser.open(address)).text.includes('You are signed in'), 20_000);
    const last = await callTool(two.origin, 'run_action', { action_id: 'shop-buy' }, { authorization });
    expect(last).toMatchObject({ status: 'completed' });
  });

  it('is waited for at the other when the first is told to end', async () => {
    const { one, two } = await start(signInScript, { more: plain });
    const { requestState, inputRequests } = await ask(one, 'shop-buy');
    const address = at(two, inputRequests?.sign_in.params.url);
    const waiting = ask(one, 'shop-buy', { requestState, inputResponses: accepted });
    const browser = new PlainBrowser();
    const form = await browser.open(address);
    one.child.kill('SIGTERM');
    // The client is asked to come back, and its state is good everywhere.
    const comeBack = await waiting;
    expect(comeBack).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    expect(await one.exited).toEqual([0, null]);
    const goesOn = ask(two, 'shop-buy', { requestState: comeBack.requestState });
    await browser.submit(form, ['a@b.example', 'right']);
    expect(await goesOn).toMatchObject({ structuredContent: { status: 'completed' } });
  });

  it('is used at one that has no key of its principal, which is stored only encrypted', async () => {
    const { upstream, databaseUrl, one, two } = await start(signInScript, {
      apiKey: undefined,
      more: { ...plain, SVC_HTTP_TOKEN_FILE: '' },
    });
    const key = { 'x-api-key': 'key-of-another' };
    const { login_url } = await login(one, key);
    expect(await dump(databaseUrl)).not.toContain('key-of-another');
    await submitAndWait(new PlainBrowser(), at(two, login_url), ['a@b.example', 'right']);
    expect(upstream.requestsTo('login')[0]?.headers['x-api-key']).toBe('key-of-another');
    expect(await login(one, key)).toMatchObject({ status: 'verified' });
    expect((await login(two, { 'x-api-key': upstream.apiKey })).login_url).not.toBe(login_url);
  });

  it('or the address of the service for it, is waited for wherever the call comes back', async () => {
    const { upstream, one, two } = await start(signInScript, { more: plain });
    const { requestState } = await ask(one, 'open-see');
    const waiting = ask(two, 'open-see', { requestState, inputResponses: accepted });
    await upstream.waitForRequests('listIdentities', 2);
    const credential = { id: 'c', identity_id: 'i', credential_type: 'browser_state', status: 'active' };
    const created_at = '2026-01-01T00:00:00Z';
    upstream.service.identities.push({
      id: 'i',
      catalog_id: openId,
      name: 'own',
      is_default: true,
      created_at,
      credentials: [{ ...credential, last_used_at: null, created_at }],
    });
    expect(await waiting).toMatchObject({ structuredContent: { status: 'completed' } });
  });
});

describe.skipIf(!hasPostgres || !hasNginx)('behind the nginx of the example', () => {
  it('clients of every revision and browsers are served by two replicas, and by one when the other is killed', async () => {
    const nginx = await prepareNginx();
    closers.push(nginx.close);
    const actions = [...signInScript.actions, { action_id: 'list', catalog_slug: 'shop', credits: 1 }];
    const { upstream, one, two } = await start(
      { ...signInScript, actions },
      { more: { SVC_PUBLIC_URL: nginx.origin } },
    );
    await nginx.start([new URL(one.origin).port, new URL(two.origin).port]);
    const trusting = new Agent({ connect: { ca: nginx.ca } });
    closers.push(() => trusting.destroy());
    setGlobalDispatcher(trusting);

    expect((await fetch(`${nginx.origin}/mcp`, standalone('tools/list'))).status).toBe(401);
    expect((await fetch(`${nginx.origin}/metrics`, { headers: { authorization } })).status).toBe(403);
    expect((await fetch(`${nginx.origin}/readyz`)).status).toBe(200);

    const clients = {
      stateless: await connectHttp(nginx.origin, 'stateless', { authorization }),
      stateful: await connectHttp(nginx.origin, 'stateful', { authorization }),
      sse: await connectFirstLineHttp(nginx.origin, 'sse', { authorization }),
    };
    const call = async (kind: keyof typeof clients, mark: string) =>
      clients[kind].callTool({ name: 'shop_list', arguments: { mark } });
    for (const kind of ['stateless', 'stateful', 'sse'] as const) {
      for (let count = 0; count < 6; count += 1) {
        expect((await call(kind, `${kind} ${count}`)).structuredContent).toMatchObject({
          status: 'completed',
        });
      }
    }
    const answered = async ({ origin }: HttpProgram) => {
      const text = await (await fetch(`${origin}/metrics`, { headers: { authorization } })).text();
      return Number(/^svc_mcp_tool_calls_total\{status="completed"\} (\d+)/m.exec(text)?.[1] ?? 0);
    };
    // Those of the older revisions stay at one.
    expect(Math.min(await answered(one), await answered(two))).toBeGreaterThan(0);
    expect((await answered(one)) + (await answered(two))).toBe(18);

    const { client, url } = await connectShowing(nginx.origin, 'stateless', { authorization });
    const called = client.callTool({ name: 'run_action', arguments: { action_id: 'shop-buy' } });
    const browser = new PlainBrowser({ ca: nginx.ca });
    const address = await url;
    expect(address).toMatch(`${nginx.origin}/sign-in/`);
    await browser.submit(await browser.open(address), ['a@b.example', 'right']);
    expect((await called).structuredContent).toMatchObject({ status: 'completed' });
    expect(browser.cookiesSet[0]).toContain('Secure');

    const before = upstream.requestsTo('submitTask').length;
    one.child.kill('SIGKILL');
    await one.exited;
    for (let count = 0; count < 6; count += 1) {
      const result = await call('stateless', `after ${count}`);
      expect(result.structuredContent).toMatchObject({ status: 'completed' });
    }
    expect(upstream.requestsTo('submitTask').length - before).toBe(6);
  });

  it('a client that invents addresses is slowed down after wrong keys as any other, and it alone', async () => {
    const nginx = await prepareNginx();
    closers.push(nginx.close);
    const { one, two } = await start({}, { apiKey: undefined, more: { SVC_PUBLIC_URL: nginx.origin } });
    await nginx.start([new URL(one.origin).port, new URL(two.origin).port]);
    const ask = async (origin: string, address: string) => {
      const headers = { authorization, 'x-api-key': `wrong-${address}`, 'x-forwarded-for': address };
      const { status } = await send(`${origin}/mcp`, { method: 'POST', headers, ca: nginx.ca });
      return status;
    };
    const statuses: number[] = [];
    for (let n = 0; n < 150; n += 1) statuses.push(await ask(nginx.origin, `10.1.0.${n}`));
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    // The replicas believe the load balancer: what it passes on for another client counts for that one.
    for (const { origin } of [one, two]) expect(await ask(origin, '10.2.0.1')).toBe(401);
  });
});
