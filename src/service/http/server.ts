/** The listening socket, and its end without cutting answers short. */
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';

export interface HttpServer {
  /** `http://host:port` */
  readonly origin: string;
  /** Takes no new connections; resolves when all requests are answered, at the latest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Port 0 is any free one. Rejects if the address is taken. */
export async function listen(
  application: Hono<{ Bindings: HttpBindings }>,
  { host, port }: { host: string; port: number },
): Promise<HttpServer> {
  // The globals Request and Response stay Node's own: other code of this process uses them.
  const server = createServer(getRequestListener(application.fetch, { overrideGlobalObjects: false }));
  server.on('timeout', closeUnlessRead);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    origin: `http://${name}:${address.port}`,
    async close(graceMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

/**
 * Ends an idle connection. Where the process stood still, its time may be over although a request has arrived: that one
 * is read first.
 */
function closeUnlessRead(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy();
  });
}
