/** The listening socket, and its end without cutting answers short. */
import { createServer } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { listen, serverOptions, stopListening } from '../../http/server.ts';

export interface HttpServer {
  /** `http://host:port` */
  readonly origin: string;
  /** Takes no new connections; resolves when all requests are answered, at the latest after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Port 0 is any free one. Rejects if the address is taken. */
export async function serveApplication(
  application: Hono<{ Bindings: HttpBindings }>,
  address: { host: string; port: number },
): Promise<HttpServer> {
  // The globals Request and Response stay Node's own: other code of this process uses them.
  const server = createServer(
    serverOptions,
    getRequestListener(application.fetch, { overrideGlobalObjects: false }),
  );
  return {
    origin: await listen(server, address),
    async close(graceMs) {
      const { closed } = await stopListening(server);
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
