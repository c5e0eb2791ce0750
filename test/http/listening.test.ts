/** Connections that stay open between requests: what has arrived on them is answered before they are closed. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { listen, stopListening } from '../../src/http/server.ts';

const open: (Server | Socket)[] = [];
afterEach(() => {
  for (const one of open.splice(0)) {
    if ('listening' in one) one.close();
    else one.destroy();
  }
});

/** A kept connection on which one request was answered. */
async function keptConnection(keepAliveMs: number) {
  const server = createServer((request, response) => void response.end(`answer to ${request.url}`));
  server.keepAliveTimeout = keepAliveMs;
  const { port } = new URL(await listen(server, { host: '127.0.0.1', port: 0 }));
  const socket = connect(Number(port), '127.0.0.1');
  open.push(server, socket);
  const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  const readAll = async () => {
    let text = '';
    for await (const chunk of socket) text += chunk;
    return text;
  };
  ask('/first');
  await once(socket, 'data');
  return { server, ask, readAll };
}

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it('a request that arrived while the process stood still is answered, although the connection was kept too long', async () => {
  const { ask, readAll } = await keptConnection(100);
  ask('/second');
  // Node adds a second to the time for which it says it keeps a connection.
  standStill(1_500);
  expect(await readAll()).toContain('answer to /second');
});

it('an idle connection is closed after its time', async () => {
  const { readAll } = await keptConnection(100);
  expect(await readAll()).toBe('');
});

it('a request that had arrived when the server stopped is answered', async () => {
  const { server, ask, readAll } = await keptConnection(60_000);
  ask('/second');
  const { closed } = await stopListening(server);
  server.keepAliveTimeout = 1;
  expect(await readAll()).toContain('answer to /second');
  await closed;
});
