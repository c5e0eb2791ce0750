/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY; loopback is always direct. */
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AuthorizationServer } from '../../src/client/authorization-server.ts';
import { createHttpClient } from '../../src/client/http-client.ts';
import type { Api } from '../../src/contract/api.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { failure } from './support.ts';

const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];
let upstream: Upstream;
let proxy: { readonly url: string; readonly seen: string[]; close(): void };
const clients: Api[] = [];

function connect(baseUrl: string): Api {
  const api = createHttpClient({ baseUrl, apiKey: upstream.apiKey });
  clients.push(api);
  return api;
}

/** A proxy that knows one host, `service.invalid`, and refuses every tunnel. */
async function startProxy(target: string): Promise<typeof proxy> {
  const seen: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url ?? '');
    seen.push(`${request.method} ${url.origin}`);
    const { method, headers } = request;
    const onward = httpRequest(new URL(url.pathname, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${address.port}`, seen, close };
}

beforeEach(async () => {
  for (const name of variables) vi.stubEnv(name, undefined);
  upstream = await startUpstream({ actions: [{ action_id: 'a' }] });
  proxy = await startProxy(upstream.origin);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(clients.splice(0).map((api) => api.close()));
  proxy.close();
  await upstream.close();
});

it('plain HTTP goes through HTTP_PROXY, each POST on a connection of its own', async () => {
  vi.stubEnv('HTTP_PROXY', proxy.url);
  const api = connect('http://service.invalid');
  expect((await api.search({})).items).toHaveLength(1);
  for (let count = 0; count < 3; count += 1) await api.submitTask({ action_id: 'a' });
  expect(proxy.seen).toEqual([
    'GET http://service.invalid',
    ...Array.from({ length: 3 }, () => 'POST http://service.invalid'),
  ]);
  expect(upstream.requestsTo('submitTask').map((post) => post.headers.connection)).toEqual(
    Array.from({ length: 3 }, () => 'close'),
  );
});

it('TLS goes through a tunnel of HTTPS_PROXY; one that is refused sends nothing', async () => {
  vi.stubEnv('HTTPS_PROXY', proxy.url.replace('http://', 'http://user:s3cret@'));
  const error = await failure(connect('https://service.invalid').submitTask({ action_id: 'a' }), ['s3cret']);
  expect(error).toMatchObject({ kind: 'unreachable', sent: 'no' });
  const authorization = `Basic ${Buffer.from('user:s3cret').toString('base64')}`;
  expect(proxy.seen[0]).toBe(`CONNECT service.invalid:443 ${authorization}`);
});

it('NO_PROXY is honoured', async () => {
  vi.stubEnv('HTTP_PROXY', proxy.url);
  vi.stubEnv('NO_PROXY', 'service.invalid');
  const error = await failure(connect('http://service.invalid').submitTask({ action_id: 'a' }));
  expect(error).toMatchObject({ kind: 'unreachable', sent: 'no' });
  expect(proxy.seen).toEqual([]);
});

it('loopback is direct', async () => {
  vi.stubEnv('HTTP_PROXY', proxy.url);
  for (const host of ['127.0.0.1', 'localhost']) {
    const api = connect(upstream.origin.replace('127.0.0.1', host));
    expect((await api.search({})).items).toHaveLength(1);
  }
  expect(proxy.seen).toEqual([]);
});

it('a setting that is not a proxy address is named in the error, without its password', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://user:s3cret@:bad:');
  const error = await failure(connect('https://service.invalid').search({}), ['s3cret']);
  expect(error).toMatchObject({ kind: 'unreachable', sent: 'no' });
  expect(error.message).toContain('HTTPS_PROXY');
});

it('the authorization server is reached through the same proxy, and never without TLS', async () => {
  vi.stubEnv('HTTPS_PROXY', proxy.url);
  vi.stubEnv('HTTP_PROXY', proxy.url);
  const address = 'https://as.invalid/tenant';
  await expect(new AuthorizationServer(address).keySet()).rejects.toThrow('as.invalid');
  expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT as.invalid:443']));
  await expect(new AuthorizationServer('http://as.invalid').keySet()).rejects.toThrow('not an https address');
  expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT as.invalid:443']));
});
