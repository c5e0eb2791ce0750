import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { closeHttp, initialize, jsonHeaders, serveHttp } from '../../support/http.ts';

afterEach(closeHttp);

it('a request that lies unread on a kept connection at a shutdown is answered', async () => {
  const { server } = await serveHttp();
  const { hostname, port } = new URL(server.origin);
  const socket = connect(Number(port), hostname);
  const ask = (request: string, headers: object, body = '') => {
    const lines = Object.entries({ host: hostname, ...headers, 'content-length': body.length });
    socket.write(
      `${request} HTTP/1.1\r\n${lines.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n${body}`,
    );
  };
  ask('GET /healthz', {});
  await once(socket, 'data');
  ask('POST /mcp', jsonHeaders, JSON.stringify(initialize));
  const closed = server.close(1_000);
  let text = '';
  for await (const chunk of socket) text += chunk;
  // A call that arrived so late may be refused, which says that nothing was done.
  expect(text).toMatch(/^HTTP\/1.1 (200|503) /);
  await closed;
});
