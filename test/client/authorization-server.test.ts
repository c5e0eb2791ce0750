import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { AuthorizationServer } from '../../src/client/authorization-server.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('a clock that is set back does not prolong the pause after a failure', async () => {
  let isDown = true;
  const listener = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`;
    const metadata = { issuer, jwks_uri: `${issuer}/keys` };
    if (isDown) response.writeHead(500);
    else response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(request.url === '/keys' ? { keys: [] } : metadata));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const server = new AuthorizationServer(`http://127.0.0.1:${port}`, { pauseMs: 50 });
  await expect(server.keySet()).rejects.toThrow('.well-known');
  isDown = false;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  await delay(60);
  expect(await server.keySet()).toEqual({ keys: [] });
  listener.close();
  listener.closeAllConnections();
});
