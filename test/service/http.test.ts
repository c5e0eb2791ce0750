import { connect } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.ts';
import { revokeKey } from '../../src/service/money/keys.ts';
import { openBrowser } from '../support/console.ts';
import { useDatabases } from '../support/databases.ts';
import { hasPostgres } from '../support/postgres.ts';
import {
  action,
  addTestUser,
  catalog,
  request,
  sourceOf,
  startTestService,
  type TestService,
  type TestServiceOptions,
  withDatabase,
} from '../support/service.ts';
import { send } from '../support/sign-in-pages.ts';

const shop = catalog({ slug: 'shop', actions: [action({ action_id: 'books' })] });
const createDatabase = useDatabases();
const running: TestService[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.close()));
});
async function start(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startTestService({ catalogs: sourceOf(shop), ...options });
  running.push(service);
  return service;
}

const paths = Object.values(endpoints).map(
  ({ method, path }) => [method, path.replace(/\{\w+\}/, 'shop')] as const,
);

describe('who may ask', () => {
  it.each(paths)('[auth.api-key] %s %s needs a valid key', async (method, path) => {
    const service = await start();
    const body = method === 'POST' ? {} : undefined;
    const answers = await Promise.all([
      request(`${service.baseUrl}/v1/svc${path}`, { method, ...(body && { body: '{}' }) }),
      service.call(method, path, body, { 'x-api-key': 'svc_wrong' }),
      service.call(method, path, body, { 'x-api-key': '' }),
    ]);
    for (const { status, text } of answers) {
      expect([status, text]).toEqual([401, answers[0]?.text]);
      expect(JSON.parse(text).error.code).toBe('UNAUTHORIZED');
    }
  });

  it('a revoked key stops at once', async () => {
    const service = await start();
    const user = await addTestUser(service, 'user');
    expect((await service.call('GET', '/identities', undefined, user.headers)).status).toBe(200);
    await withDatabase(service, async (database) => {
      const row = await database.query
        .selectFrom('api_keys')
        .select('id')
        .where('user_id', '=', user.id)
        .executeTakeFirstOrThrow();
      await revokeKey(database, row.id);
    });
    expect((await service.call('GET', '/identities', undefined, user.headers)).status).toBe(401);
  });
});

describe('[errors.envelope] [api.json] every refusal has the envelope', () => {
  it.each([
    ['an unknown path', 'GET', '/nothing', undefined, {}, 404, 'NOT_FOUND'],
    ['a path outside of the prefix', 'GET', '!/v2/svc/catalog', undefined, {}, 404, 'NOT_FOUND'],
    ['another method', 'DELETE', '/catalog', undefined, {}, 405, 'METHOD_NOT_ALLOWED'],
    ['another method', 'GET', '/task', undefined, {}, 405, 'METHOD_NOT_ALLOWED'],
    ['malformed JSON', 'POST', '/task', '{"action_id":', {}, 400, 'INVALID_BODY'],
    ['an empty body', 'POST', '/task', '', {}, 400, 'INVALID_BODY'],
    ['an array', 'POST', '/task', '[]', {}, 400, 'INVALID_INPUT'],
    ['a field of another type', 'POST', '/task', { action_id: 1 }, {}, 400, 'INVALID_INPUT'],
    ['NUL in a name', 'POST', '/task', { action_id: 'a\0' }, {}, 400, 'INVALID_INPUT'],
    [
      'a form',
      'POST',
      '/task',
      'a=b',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'endless nesting',
      'POST',
      '/task',
      `{"action_id":"books","params":${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}}`,
      {},
      400,
      'INVALID_BODY',
    ],
    [
      'a large body',
      'POST',
      '/task',
      { action_id: 'books', params: { text: 'x'.repeat(1_100_000) } },
      {},
      413,
      'BODY_TOO_LARGE',
    ],
    ['an unknown action', 'POST', '/task', { action_id: 'nope' }, {}, 404, 'NOT_FOUND'],
    ['an unknown action by a magic name', 'POST', '/task', { action_id: '__proto__' }, {}, 404, 'NOT_FOUND'],
  ])('%s: %s %s', async (_name, method, path, body, headers, status, code) => {
    const service = await start();
    const answer = await service.call(method, path, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      status: 'error',
      error: expect.objectContaining({ code, message: expect.any(String) }),
    });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/^(GET|POST)$/);
  });

  it('params named like parts of objects are only params', async () => {
    const service = await start();
    const text = '{"action_id":"books","params":{"__proto__":{"a":1},"constructor":2}}';
    const accepted = await service.call('POST', '/task', text);
    expect(accepted.status).toBe(202);
    expect(await service.finished(accepted.body.job_id)).toMatchObject({ status: 'completed' });
    expect(Object.prototype).not.toHaveProperty('a');
  });
});

it('[api.prefix] the prefix is a setting', async () => {
  const service = await start({ apiPrefix: '/v1/product' });
  expect((await service.call('GET', '!/v1/product/catalog')).status).toBe(200);
  expect((await service.call('GET', '/catalog')).status).toBe(404);
  const accepted = await service.call('POST', '!/v1/product/task', { action_id: 'books' });
  expect(accepted.body.poll_url).toBe(`/v1/product/jobs/${accepted.body.job_id}`);
});

describe('rate limits', () => {
  async function statuses(count: number, ask: () => Promise<{ status: number }>): Promise<string> {
    let text = '';
    for (let index = 0; index < count; index += 1) text += (await ask()).status === 429 ? '-' : '+';
    return text;
  }
  const pattern = (allowed: number) => `${'+'.repeat(allowed)}--`;

  it.each([
    ['GET', '/catalog', 60],
    ['GET', '/catalog/shop', 60],
    ['GET', '/search', 30],
  ])(
    '[limits.list-catalogs] [limits.get-catalog] [limits.search] %s %s: %i a minute for an address, whoever asks, then 429 with Retry-After',
    async (method, path, limit) => {
      const service = await start();
      expect(await statuses(limit + 2, () => service.call(method, path))).toBe(pattern(limit));
      const user = await addTestUser(service, 'user');
      const refused = await service.call(method, path, undefined, user.headers);
      expect([refused.status, refused.body.error]).toMatchObject([429, { code: 'RATE_LIMITED' }]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect((await service.call('GET', '/identities')).status).toBe(200);
    },
  );

  it.each([
    ['/login', 10],
    ['/build-request', 20],
  ])('[limits.login] [limits.build-request] POST %s: %i a minute for a user', async (path, limit) => {
    const service = await start();
    expect(await statuses(limit + 2, () => service.call('POST', path, {}))).toBe(pattern(limit));
    const user = await addTestUser(service, 'user');
    expect((await service.call('POST', path, {}, user.headers)).status).toBe(400);
  });

  it('a forwarded address counts only behind a proxy of our own', async () => {
    const ask = (service: TestService, address: string) => () =>
      service.call('GET', '/search', undefined, { 'x-forwarded-for': address });
    const open = await start();
    await statuses(30, ask(open, '203.0.113.1'));
    expect((await ask(open, '203.0.113.2')()).status).toBe(429);
    const proxied = await start({ trustProxy: true });
    await statuses(30, ask(proxied, 'spoofed, 203.0.113.1'));
    expect((await ask(proxied, 'other, 203.0.113.1')()).status).toBe(429);
    expect((await ask(proxied, '203.0.113.2')()).status).toBe(200);
  });

  it('all addresses of an IPv6 /64 count as one', async () => {
    const service = await start({ trustProxy: true });
    const ask = (address: string) =>
      service.call('GET', '/search', undefined, { 'x-forwarded-for': address }).then(({ status }) => status);
    for (let host = 1; host <= 30; host++) expect(await ask(`2001:db8:1:2::${host.toString(16)}`)).toBe(200);
    expect(await ask('2001:db8:1:2:ffff::1')).toBe(429);
    expect(await ask('2001:db8:1:3::1')).toBe(200);
    expect(await ask('::ffff:203.0.113.9')).toBe(200);
  });

  it.skipIf(!hasPostgres)('two services on one PostgreSQL count together', async () => {
    const databaseUrl = await createDatabase();
    const [first, second] = [await start({ databaseUrl }), await start({ databaseUrl })];
    await statuses(20, () => first.call('GET', '/search'));
    expect(await statuses(12, () => second.call('GET', '/search'))).toBe(pattern(10));
  });
});

describe('operations', () => {
  it('/healthz and /readyz answer without a key', async () => {
    const service = await start();
    for (const path of ['/healthz', '/readyz']) {
      const answer = await request(service.baseUrl + path, {});
      expect([answer.status, answer.body]).toEqual([200, { status: 'ok' }]);
    }
  });

  it('/metrics counts jobs, credits, fetches and refused calls', async () => {
    const service = await start({ fetchCount: () => 7 });
    const accepted = await service.call('POST', '/task', { action_id: 'books' });
    await service.finished(accepted.body.job_id);
    for (let index = 0; index < 32; index += 1) await service.call('GET', '/search');
    const { text, headers } = await request(`${service.baseUrl}/metrics`, {});
    expect(headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const lines = text.split('\n');
    for (const line of [
      'svc_jobs{state="completed"} 1',
      'svc_jobs{state="queued"} 0',
      'svc_queue_age_seconds 0',
      'svc_credits_balance 999',
      'svc_credits_moved{kind="charge"} -1',
      'svc_rate_limited_total 2',
      'svc_fetches_total 7',
      '# TYPE svc_jobs gauge',
    ])
      expect(lines).toContain(line);
    for (const line of lines.filter(Boolean))
      expect(line).toMatch(/^(# (HELP|TYPE) svc_\w+ .+|svc_\w+(\{\w+="\w+"\})? -?[\d.]+)$/);
  });

  it('behind a proxy /metrics needs a key', async () => {
    const service = await start({ trustProxy: true });
    expect((await request(`${service.baseUrl}/metrics`, {})).status).toBe(401);
    expect((await service.call('GET', '!/metrics')).status).toBe(200);
  });

  it.each(['/healthz', '/readyz', '/metrics', '/openapi.json'])(
    '%s is for no page of another site, also not under a name that points here',
    async (path) => {
      const service = await start();
      const { host } = new URL(service.baseUrl);
      const { headers } = await addTestUser(service, 'user');
      const port = host.split(':')[1];
      const status = async (headers: object) => (await send(service.baseUrl + path, { headers })).status;
      for (const own of [host, `localhost:${port}`, `[::1]:${port}`])
        expect(await status({ host: own })).toBe(200);
      for (const foreign of [
        'evil.example',
        `evil.example:${port}`,
        '127.0.0.1.evil.example',
        '192.0.2.1',
        '0',
      ])
        expect(await status({ host: foreign })).toBe(403);
      for (const origin of ['http://evil.example', `http://evil.example:${port}`, 'http://127.0.0.1:1'])
        expect(await status({ host, origin })).toBe(403);
      expect(await status({ host, origin: `http://${host}` })).toBe(200);
      expect(await status({ host, origin: 'null', 'sec-fetch-site': 'cross-site' })).toBe(403);
      // No page of another site has a key.
      expect(await status({ ...headers, host: 'service.example' })).toBe(200);
      expect(await status({ 'x-api-key': 'wrong', host: 'service.example' })).toBe(401);
    },
  );

  it('the interface answers a valid key under any Host, and nothing that a browser sends by itself', async () => {
    const service = await start();
    const { headers } = await addTestUser(service, 'user');
    const browser = openBrowser(service.baseUrl);
    await browser.signIn(service.apiKey);
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    const status = async (sent: object) =>
      (await send(`${service.baseUrl}/v1/svc/usage`, { headers: { host: 'service.example', ...sent } }))
        .status;
    expect(await status(headers)).toBe(200);
    // Under its own name, too: a session of the console is none of the interface.
    for (const host of ['service.example', new URL(service.baseUrl).host]) {
      expect(await status({ host, cookie })).toBe(401);
      expect(await status({ host, authorization: `Basic ${btoa(`x:${service.apiKey}`)}` })).toBe(401);
    }
  });

  it.each(['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'])(
    '/metrics needs a key where a proxy on this machine sends %s, also without SVC_TRUST_PROXY',
    async (name) => {
      const service = await start();
      const { status } = await send(`${service.baseUrl}/metrics`, { headers: { [name]: '203.0.113.9' } });
      expect(status).toBe(401);
    },
  );

  it('/openapi.json describes every endpoint with its answers and errors', async () => {
    const service = await start();
    const { body } = await request(`${service.baseUrl}/openapi.json`, {});
    expect(body.openapi).toBe('3.1.0');
    const described = JSON.stringify(body.paths);
    for (const [name, { method, path, errors, success }] of Object.entries(endpoints)) {
      const operations = (
        body.paths as Record<string, Record<string, { operationId: string; responses: object }>>
      )[path];
      const operation = operations?.[method.toLowerCase()];
      expect(operation?.operationId).toBe(name);
      expect(Object.keys(operation?.responses ?? {})).toContain(String(success));
      for (const code of Object.keys(errors)) expect(described).toContain(`"const":"${code}"`);
    }
    expect(JSON.stringify(body)).not.toContain('"$schema"');
  });

  it('/openapi.json is made once, at its first use', async () => {
    const service = await start();
    const written = vi.spyOn(JSON, 'stringify');
    onTestFinished(() => written.mockRestore());
    const ask = () => request(`${service.baseUrl}/openapi.json`, {});
    const first = await ask();
    const second = await ask();
    expect(second.text).toBe(first.text);
    expect(second.headers.get('content-type')).toBe('application/json');
    const documents = written.mock.calls.filter(([value]) => Object.hasOwn(Object(value), 'openapi'));
    expect(documents).toHaveLength(1);
  });

  it('requests in progress are answered at the end; an idle connection does not hold it up', async () => {
    const service = await startTestService({ catalogs: sourceOf(shop) });
    const idle = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    const begun = performance.now();
    await Promise.all([service.close(), service.close()]);
    expect(performance.now() - begun).toBeLessThan(8_000);
    idle.destroy();
  });
});
