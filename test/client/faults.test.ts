/** A misbehaving upstream: what is sent again, what is said, and that everything ends. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttpClient, type HttpClientOptions } from '../../src/client/http-client.ts';
import { maxConnections } from '../../src/client/request-limits.ts';
import type { Api } from '../../src/contract/api.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { envelope, type Fault } from '../support/upstream-faults.ts';
import { failure, startRawServer } from './support.ts';

const apiKey = 'canary-key-4711';
const task = { action_id: 'list-books', params: { page: 1 } };
let upstream: Upstream;
const clients: Api[] = [];

function connect(options: Partial<HttpClientOptions> = {}): Api {
  const api = createHttpClient({ baseUrl: upstream.origin, apiKey, ...options });
  clients.push(api);
  return api;
}

beforeEach(async () => {
  // Attempts follow one another at once; the delays between them are retry.test.ts's.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  upstream = await startUpstream({ apiKey, actions: [{ action_id: 'list-books' }] });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(clients.splice(0).map((api) => api.close()));
  await upstream.close();
});

describe('GET', () => {
  const passing: [string, Fault][] = [
    ['500', { kind: 'answer', status: 500, body: {} }],
    ['an error envelope with 503', envelope(503, 'BUSY', 'Later')],
    ['HTML with 502', { kind: 'html', status: 502 }],
    ['429', { kind: 'too-many-requests', retryAfter: '0' }],
    ['a reset', { kind: 'reset' }],
    ['a reset after the headers', { kind: 'reset-after-headers' }],
    ['a truncated body', { kind: 'truncate' }],
  ];

  it.each(passing)('hides %s that passes', async (_name, fault) => {
    upstream.fail('search', fault, { times: 2 });
    expect((await connect().search({})).items).toHaveLength(1);
    expect(upstream.requestsTo('search')).toHaveLength(3);
  });

  it.each([
    ...passing,
    ['429 with an envelope', envelope(429, 'RATE_LIMITED', 'Slow down', {}, { 'retry-after': '0' })] as const,
  ])('gives an error after three attempts for %s that stays', async (_name, fault) => {
    upstream.fail('search', fault);
    const error = await failure(connect().search({}), [apiKey]);
    expect(error).toMatchObject({ endpoint: 'search', sent: 'maybe' });
    expect(upstream.requestsTo('search')).toHaveLength(3);
  });

  it.each<[string, Fault, string]>([
    ['404', envelope(404, 'NOT_FOUND', 'No'), 'service'],
    ['404 without an envelope', { kind: 'html', status: 404 }, 'contract'],
    ['HTML in a 200', { kind: 'html' }, 'contract'],
    ['broken JSON', { kind: 'answer', body: '{"results":[' }, 'contract'],
    ['an empty body', { kind: 'answer', body: '' }, 'contract'],
    [
      'an unasked encoding',
      { kind: 'answer', headers: { 'content-encoding': 'zstd' }, body: '{}' },
      'contract',
    ],
    ['a false encoding', { kind: 'answer', headers: { 'content-encoding': 'gzip' }, body: '{}' }, 'contract'],
  ])('does not repeat a request after %s', async (_name, fault, kind) => {
    upstream.fail('search', fault);
    expect(await failure(connect().search({}))).toMatchObject({ kind, endpoint: 'search' });
    expect(upstream.requestsTo('search')).toHaveLength(1);
  });

  it('waits as long as Retry-After asks, if that fits', async () => {
    upstream.fail('search', { kind: 'too-many-requests', retryAfter: '1' }, { times: 1 });
    await connect().search({});
    const [first, second] = upstream.requestsTo('search');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('says when to retry if the wait does not fit, and holds back the next call', async () => {
    upstream.fail('search', { kind: 'too-many-requests', retryAfter: '30' }, { times: 1 });
    const api = connect();
    const limited = { kind: 'rate-limit', retryAfterMs: 30_000, sent: 'maybe' };
    expect(await failure(api.search({}, { timeoutMs: 2_000 }))).toMatchObject(limited);
    const next = await failure(api.search({}, { timeoutMs: 2_000 }));
    expect(next).toMatchObject({ kind: 'rate-limit', sent: 'no' });
    expect(upstream.requestsTo('search')).toHaveLength(1);
    await api.listCatalogs({});
  });
});

describe('POST /task is sent once', () => {
  it.each<[string, Fault, string]>([
    ['a reset before the body', { kind: 'reset-before-body' }, 'connection-lost'],
    ['a reset', { kind: 'reset', carriedOut: true }, 'connection-lost'],
    ['a reset after the headers', { kind: 'reset-after-headers' }, 'connection-lost'],
    ['a truncated body', { kind: 'truncate' }, 'connection-lost'],
    ['silence', { kind: 'hang', carriedOut: true }, 'timeout'],
    ['silence in the body', { kind: 'hang-in-body' }, 'timeout'],
    ['a trickle', { kind: 'trickle', everyMs: 20 }, 'timeout'],
    ['500', { kind: 'answer', status: 500, body: {} }, 'contract'],
    ['500 EXECUTION_FAILED', envelope(500, 'EXECUTION_FAILED', 'No'), 'service'],
    ['HTML with 502', { kind: 'html', status: 502 }, 'contract'],
    ['429', { kind: 'too-many-requests', retryAfter: '0' }, 'rate-limit'],
    ['a redirect', { kind: 'redirect', to: '/v1/svc/task', status: 307 }, 'contract'],
    ['HTML', { kind: 'html', status: 202 }, 'contract'],
  ])('with %s', async (_name, fault, kind) => {
    upstream.fail('submitTask', fault);
    const error = await failure(connect({ limits: { taskMs: 400 } }).submitTask(task), [apiKey]);
    expect(error).toMatchObject({ kind, endpoint: 'submitTask', sent: 'maybe' });
    expect(upstream.requestsTo('submitTask').length).toBe(1);
  });

  it('on a connection of its own, however many', async () => {
    const api = connect();
    for (let count = 0; count < 6; count += 1) await api.search({});
    const reused = new Set(upstream.requests.map((request) => request.connection));
    expect(reused.size).toBeLessThan(6);
    await Promise.all(Array.from({ length: 50 }, () => api.submitTask(task)));
    await api.submitTask(task);
    const posts = upstream.requestsTo('submitTask');
    expect(posts).toHaveLength(51);
    expect(new Set(posts.map((post) => post.connection)).size).toBe(51);
    expect(posts.filter((post) => reused.has(post.connection))).toEqual([]);
  });

  it('on a kept connection only with a key, and only after the service announced that it takes keys', async () => {
    const api = connect();
    const key = { idempotencyKey: 'a key' };
    await api.search({});
    await api.submitTask(task, key);
    expect(upstream.requests.map(({ connection }) => connection)).toEqual([1, 2]);
    await upstream.close();
    upstream = await startUpstream({
      apiKey,
      actions: [{ action_id: 'list-books' }],
      extensions: 'idempotency',
    });
    const announced = connect();
    await announced.search({});
    for (let count = 0; count < 6; count += 1) await announced.submitTask(task, key);
    const used = new Set(upstream.requests.map(({ connection }) => connection));
    expect(used.size).toBeLessThan(6);
    await announced.submitTask(task);
    expect([...used]).not.toContain(upstream.requests.at(-1)?.connection);
  });

  it('unless nothing left this machine: refused connections', async () => {
    await upstream.refuse();
    let refused = 0;
    const onRefused = () => {
      refused += 1;
      if (refused === 2) void upstream.accept();
    };
    subscribe('undici:client:connectError', onRefused);
    const answer = await connect().submitTask(task);
    unsubscribe('undici:client:connectError', onRefused);
    expect(answer.kind).toBe('accepted');
    expect(refused).toBe(2);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('and at most three times even then', async () => {
    await upstream.refuse();
    let refused = 0;
    const onRefused = () => {
      refused += 1;
    };
    subscribe('undici:client:connectError', onRefused);
    const error = await failure(connect().submitTask(task), [apiKey]);
    unsubscribe('undici:client:connectError', onRefused);
    expect(error).toMatchObject({ kind: 'unreachable', sent: 'no' });
    expect(error.message).toContain('ECONNREFUSED');
    expect(refused).toBe(3);
  });

  it('a host that does not exist', async () => {
    vi.stubEnv('NO_PROXY', '*');
    const api = connect({ baseUrl: 'https://nowhere.invalid' });
    expect(await failure(api.submitTask(task))).toMatchObject({ kind: 'unreachable', sent: 'no' });
  });

  it('a TLS handshake that fails or never ends', async () => {
    const broken = await startRawServer((socket) => socket.end('not TLS'));
    const api = connect({ baseUrl: `https://127.0.0.1:${broken.port}` });
    expect(await failure(api.submitTask(task))).toMatchObject({ kind: 'unreachable', sent: 'no' });
    expect(broken.connections).toHaveLength(3);
    await broken.close();

    const silent = await startRawServer(() => {});
    const waiting = connect({ baseUrl: `https://127.0.0.1:${silent.port}`, limits: { connectMs: 50 } });
    expect(await failure(waiting.submitTask(task))).toMatchObject({ kind: 'unreachable', sent: 'no' });
    expect(silent.connections).toHaveLength(3);
    await silent.close();
  });
});

describe('a deadline', () => {
  it('ends the wait for the headers', async () => {
    upstream.fail('search', { kind: 'hang' });
    const error = await failure(connect({ limits: { headersMs: 100 } }).search({}));
    expect(error).toMatchObject({ kind: 'timeout', sent: 'maybe', timeoutMs: 100 });
    expect(upstream.requestsTo('search')).toHaveLength(1);
  });

  it('ends a body that falls silent', async () => {
    upstream.fail('search', { kind: 'hang-in-body' });
    const error = await failure(connect({ limits: { idleMs: 100 } }).search({}));
    expect(error).toMatchObject({ kind: 'timeout', sent: 'maybe', timeoutMs: 100 });
  });

  it('ends the whole call, even if data keep coming', async () => {
    upstream.fail('search', { kind: 'trickle', everyMs: 20 });
    const error = await failure(connect({ limits: { totalMs: 300 } }).search({}));
    expect(error).toMatchObject({ kind: 'timeout', sent: 'maybe', timeoutMs: 300 });
  });

  it('is replaced by the time limit of a single call', async () => {
    const limits = { totalMs: 50, taskMs: 50, headersMs: 50 };
    upstream.fail('any', { kind: 'delay', ms: 300 });
    const api = connect({ limits });
    expect(await failure(api.submitTask(task))).toMatchObject({ kind: 'timeout', timeoutMs: 50 });
    expect((await api.submitTask(task, { timeoutMs: 5_000 })).kind).toBe('accepted');
    expect((await api.search({}, { timeoutMs: 5_000 })).items).toHaveLength(1);
    expect(await failure(api.search({}, { timeoutMs: 0 }))).toMatchObject({ kind: 'timeout', sent: 'no' });
  });

  it('bounds all retries together', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    upstream.fail('search', { kind: 'answer', status: 500, body: {} });
    const error = await failure(connect().search({}, { timeoutMs: 240 }));
    expect(error).toMatchObject({ kind: 'contract', httpStatus: 500 });
    expect(upstream.requestsTo('search')).toHaveLength(1);
  });
});

describe('a cancelled call', () => {
  it('is not sent if it was cancelled before', async () => {
    const error = await failure(connect().submitTask(task, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ kind: 'cancelled', sent: 'no' });
    expect(upstream.requests).toEqual([]);
  });

  it('is not sent while there is no connection', async () => {
    const silent = await startRawServer(() => controller.abort());
    const controller = new AbortController();
    const api = connect({ baseUrl: `https://127.0.0.1:${silent.port}` });
    const error = await failure(api.submitTask(task, { signal: controller.signal }));
    expect(error).toMatchObject({ kind: 'cancelled', sent: 'no' });
    await silent.close();
  });

  it('is not sent if it waited for a connection that then becomes free', async () => {
    upstream.fail('submitTask', { kind: 'delay', ms: 200 }, { times: maxConnections });
    const api = connect();
    const running = Array.from({ length: maxConnections }, () => api.submitTask(task));
    await upstream.waitForRequests('submitTask', maxConnections);
    const controller = new AbortController();
    const call = failure(api.submitTask(task, { signal: controller.signal }));
    // Past the client's own steps: the call now waits in the full pool.
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await call).toMatchObject({ kind: 'cancelled', sent: 'no' });
    await Promise.all(running);
    expect((await api.submitTask(task)).kind).toBe('accepted');
    expect(upstream.requestsTo('submitTask')).toHaveLength(maxConnections + 1);
  });

  it('may have been sent after that', async () => {
    upstream.fail('submitTask', { kind: 'hang' });
    const controller = new AbortController();
    const call = failure(connect().submitTask(task, { signal: controller.signal }));
    await upstream.waitForRequests('submitTask', 1);
    controller.abort();
    expect(await call).toMatchObject({ kind: 'cancelled', sent: 'maybe' });
  });
});

describe('sizes', () => {
  it.each(['gzip', 'br'] as const)('%s is decoded', async (encoding) => {
    upstream.fail('search', { kind: 'compress', encoding });
    expect((await connect().search({})).items).toHaveLength(1);
    expect(upstream.requestsTo('search')[0]?.headers['accept-encoding']).toBe('gzip, br');
  });

  // Unstopped, these would take minutes and all memory.
  it.each<[string, Fault]>([
    ['a body without end', { kind: 'huge', mebibytes: 1_000_000 }],
    ['a gzip bomb', { kind: 'gzip-bomb', mebibytes: 1_000_000 }],
  ])('%s is stopped early', async (_name, fault) => {
    upstream.fail('any', fault);
    const api = connect();
    expect(await failure(api.getJob('j'))).toMatchObject({
      kind: 'contract',
      message: expect.stringContaining(`more than ${16 * 1024 * 1024} bytes`),
    });
    expect(await failure(api.search({}))).toMatchObject({
      kind: 'contract',
      message: expect.stringContaining(`more than ${64 * 1024 * 1024} bytes`),
    });
    expect(upstream.requests).toHaveLength(2);
  });

  it('an answer below the cap is read whole', async () => {
    const body = JSON.stringify({ results: [], padding: 'x'.repeat(17 * 1024 * 1024) });
    upstream.fail('search', { kind: 'answer', body });
    expect((await connect().search({})).items).toEqual([]);
  });
});

describe('the documented rate limit', () => {
  it('is kept before anything is sent', async () => {
    const api = connect();
    await Promise.all(Array.from({ length: 30 }, () => api.search({})));
    const error = await failure(api.search({}, { timeoutMs: 1_000 }));
    expect(error).toMatchObject({ kind: 'rate-limit', sent: 'no' });
    expect('retryAfterMs' in error && (error.retryAfterMs ?? 0)).toBeGreaterThan(50_000);
    expect(upstream.requestsTo('search')).toHaveLength(30);
    await api.listCatalogs({});
  });
});

describe('the API key', () => {
  it('goes to the configured origin and nowhere else', async () => {
    const other = await startUpstream({ apiKey });
    for (const status of [301, 302, 303, 307, 308]) {
      upstream.fail('search', { kind: 'redirect', to: `${other.origin}/v1/svc/search?token=s3cret`, status });
      const error = await failure(connect().search({}), [apiKey, 's3cret']);
      expect(error).toMatchObject({ kind: 'contract', httpStatus: status });
      expect(error.message).toContain(`redirect (HTTP ${status}) to ${other.origin}`);
      upstream.clearFaults();
    }
    expect(upstream.requestsTo('search').every((request) => request.headers['x-api-key'] === apiKey)).toBe(
      true,
    );
    expect(other.requests).toEqual([]);
    await other.close();
  });

  it('is redacted if the service repeats it', async () => {
    upstream.fail('search', envelope(401, 'UNAUTHORIZED', `Wrong key ${apiKey}`, { given: apiKey }));
    const error = await failure(connect().search({}), [apiKey]);
    expect(error).toMatchObject({ code: 'UNAUTHORIZED', message: 'Wrong key [API key]' });
  });

  it('is not in the error of an unusable key', async () => {
    const error = await failure(connect({ apiKey: 'wrong-key-0815' }).search({}), ['wrong-key-0815']);
    expect(error).toMatchObject({ kind: 'service', httpStatus: 401 });
  });
});

describe('what is no HTTP', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['nothing', ''],
    ['half a status line', 'HTTP/1.1 2'],
    ['an impossible length', 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    ['broken chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n'],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(100_000)}`],
    ['a body of invalid UTF-8', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xff\xfe'],
    ['a protocol switch', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n'],
    ['only an early hint', 'HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'],
  ])('%s gives a typed error', async (_name, bytes) => {
    const server = await startRawServer((socket) => {
      socket.once('data', () => socket.end(Buffer.from(bytes, 'latin1')));
    });
    const api = connect({ baseUrl: `http://127.0.0.1:${server.port}` });
    const error = await failure(api.submitTask(task, { timeoutMs: 5_000 }), [apiKey]);
    expect(['connection-lost', 'contract']).toContain(error.kind);
    expect(error.sent).toBe('maybe');
    expect(server.connections).toHaveLength(1);
    await server.close();
  });
});

it('after close, calls end with an error and nothing is sent', async () => {
  const api = connect();
  upstream.fail('getJob', { kind: 'hang' });
  const running = failure(api.getJob('j'));
  await upstream.waitForRequests('getJob', 1);
  await api.close();
  await api.close();
  expect(await running).toMatchObject({ kind: 'connection-lost', sent: 'maybe' });
  expect(await failure(api.submitTask(task))).toMatchObject({ kind: 'unreachable', sent: 'no' });
  expect(upstream.requests).toHaveLength(1);
});
