import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import {
  closeHttp,
  initialize,
  jsonHeaders,
  serveHttp,
  sharedKey,
  standalone,
  token,
} from '../../support/http.ts';

afterEach(closeHttp);

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** `fetch` does not let a test choose the Host. */
function send(
  origin: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: object; body?: string | undefined } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, origin), { method, headers: { ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        // A stream that was opened has told enough.
        if (path === '/sse') response.destroy();
      });
      response.on('error', () => undefined);
      response.on('close', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const requests = [
  ['/mcp', 'POST', JSON.stringify(initialize)],
  ['/mcp', 'GET', undefined],
  ['/mcp', 'DELETE', undefined],
  ['/sse', 'GET', undefined],
  ['/messages?sessionId=1', 'POST', JSON.stringify(initialize)],
  ['/metrics', 'GET', undefined],
  ['/healthz', 'GET', undefined],
  ['/readyz', 'GET', undefined],
  ['/elsewhere', 'GET', undefined],
] as const;
const guarded = requests.filter(
  ([path]) => ['/mcp', '/sse', '/metrics'].includes(path) || /messages/.test(path),
);

describe('a request', () => {
  it.each(requests)(
    'to %s by %s is refused under the name of another host, and from a page of another site',
    async (path, method, body) => {
      const { server, gateways } = await serveHttp();
      const port = new URL(server.origin).port;
      const foreign = [
        { host: 'rebound.example' },
        { host: `rebound.example:${port}` },
        { host: `127.0.0.1.rebound.example:${port}` },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { origin: `http://localhost.evil.example:${port}` },
      ];
      for (const headers of foreign) {
        const answer = await send(server.origin, path, {
          method,
          headers: { ...jsonHeaders, ...headers },
          body,
        });
        expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('Invalid')]);
      }
      expect(gateways.size).toBe(0);
    },
  );

  it.each(['localhost', 'rebound.example'])(
    'with two Host headers is refused, whichever comes first: %s',
    async (first) => {
      const { server, gateways } = await serveHttp();
      const { port } = new URL(server.origin);
      const second = first === 'localhost' ? 'rebound.example' : 'localhost';
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`GET /readyz HTTP/1.1\r\nHost: ${first}\r\nHost: ${second}\r\nConnection: close\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1.1 40[03] /);
      expect(gateways.size).toBe(0);
    },
  );

  it('is served under a loopback name, the address listened on, and that of SVC_PUBLIC_URL', async () => {
    const { server } = await serveHttp({ publicUrl: 'https://tools.example/base' });
    for (const host of [
      'localhost',
      'localhost:1',
      '127.0.0.1',
      '[::1]:80',
      'tools.example',
      'TOOLS.example:443',
    ]) {
      expect((await send(server.origin, '/healthz', { headers: { host } })).status).toBe(200);
    }
    const own = { host: 'tools.example', origin: 'https://tools.example' };
    expect((await send(server.origin, '/healthz', { headers: own })).status).toBe(200);
    const other = { host: 'tools.example', origin: 'https://other.example' };
    expect((await send(server.origin, '/healthz', { headers: other })).status).toBe(403);
  });

  it.each([
    ['//', 404],
    ['//elsewhere.example/healthz', 404],
    ['//[', 404],
    ['http://[', 400],
    ['*', 400],
    ['http://elsewhere.example/healthz', 200],
  ])('for the odd target %s is answered with %i and logs no error', async (target, status) => {
    const { server, logger } = await serveHttp();
    const { hostname, port } = new URL(server.origin);
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const sent = request({ hostname, port, path: target }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });
    expect(answered).toBe(status);
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('gets no permission for other sites to read the answer', async () => {
    const { server } = await serveHttp();
    const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' };
    const answer = await send(server.origin, '/mcp', { method: 'OPTIONS', headers });
    expect(answer.status).toBe(405);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(guarded)('to %s by %s needs the right token', async (path, method, body) => {
    const { server, gateways } = await serveHttp({ access: { sharedKey, token } });
    const wrong = [
      undefined,
      'Bearer',
      'Bearer ',
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `Basic ${token}`,
      token,
      `Bearer ${sharedKey}`,
    ];
    for (const authorization of wrong) {
      const headers = { ...jsonHeaders, ...(authorization !== undefined && { authorization }) };
      const answer = await send(server.origin, path, { method, headers, body });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        expect.stringMatching(/^Bearer realm=/),
      ]);
      expect(answer.body).not.toContain(token);
    }
    expect(gateways.size).toBe(0);
    const headers = { ...jsonHeaders, authorization: `bearer  ${token}` };
    expect((await send(server.origin, path, { method, headers, body })).status).not.toBe(401);
  });

  it.each(guarded.filter(([path]) => path !== '/metrics'))(
    'to %s by %s needs a key of its own where none is shared',
    async (path, method, body) => {
      const { server, gateways } = await serveHttp({ access: { sharedKey: undefined, token: undefined } });
      for (const key of [undefined, '', 'with blank', 'x'.repeat(513)]) {
        const headers = { ...jsonHeaders, ...(key !== undefined && { 'x-api-key': key }) };
        const answer = await send(server.origin, path, { method, headers, body });
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([
          401,
          expect.stringContaining('X-API-Key'),
        ]);
      }
      expect(gateways.size).toBe(0);
      const headers = { ...jsonHeaders, 'x-api-key': 'k' };
      expect((await send(server.origin, path, { method, headers, body })).status).not.toBe(401);
      expect([...gateways.keys()]).toEqual(['k']);
    },
  );

  it('of a probe needs neither token nor key', async () => {
    const { server } = await serveHttp({ access: { sharedKey, token } });
    expect((await send(server.origin, '/healthz')).status).toBe(200);
    expect((await send(server.origin, '/readyz')).status).toBe(200);
  });

  it('to /readyz reports that calls could not be recorded', async () => {
    const { server } = await serveHttp({ checkReady: () => Promise.reject(new Error('disk full')) });
    const answer = await send(server.origin, '/readyz');
    expect([answer.status, answer.body]).toEqual([503, 'not ready\n']);
  });

  it('keeps the id that a proxy gave it, if it can be printed', async () => {
    const { server } = await serveHttp();
    const given = await send(server.origin, '/healthz', { headers: { 'x-request-id': 'edge-7f' } });
    expect(given.headers['x-request-id']).toBe('edge-7f');
    const odd = await send(server.origin, '/healthz', { headers: { 'x-request-id': 'a b"' } });
    expect(odd.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('metrics', () => {
  it('count requests, calls and refusals, and name nobody', async () => {
    const { server } = await serveHttp();
    const call = standalone('tools/call', { name: 'shop_a', arguments: {} });
    expect((await fetch(`${server.origin}/mcp`, call)).status).toBe(200);
    await send(server.origin, '/mcp', { headers: { host: 'rebound.example' } });
    const { body } = await send(server.origin, '/metrics');
    expect(body).toContain('svc_mcp_http_requests_total{path="/mcp",status="200"} 1');
    expect(body).toContain('svc_mcp_tool_calls_total{status="completed"} 1');
    expect(body).toContain('svc_mcp_credits_used_total 3');
    expect(body).toContain('svc_mcp_refusals_total{reason="host"} 1');
    expect(body).not.toContain(sharedKey);
  });

  it('are served only to this machine if there is no token', async () => {
    const { server } = await serveHttp({ publicUrl: 'https://tools.example' });
    expect((await send(server.origin, '/metrics', { headers: { host: 'tools.example' } })).status).toBe(403);
    // A proxy on this machine that keeps no Host of the client's.
    for (const header of ['x-forwarded-for', 'forwarded', 'via']) {
      expect((await send(server.origin, '/metrics', { headers: { [header]: '203.0.113.7' } })).status).toBe(
        403,
      );
    }
    expect((await send(server.origin, '/metrics')).status).toBe(200);
  });
});
