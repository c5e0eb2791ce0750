/** A web server on loopback for one test, with what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface WebServer {
  readonly origin: string;
  readonly port: number;
  readonly asked: Asked[];
  /** Connections so far, whether anything was asked on them or not. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** `handle` answers; without it every path is 404. */
export async function startWebServer(
  handle: (request: Asked, response: ServerResponse) => void = (_, response) => response.writeHead(404).end(),
  host = '127.0.0.1',
): Promise<WebServer> {
  const asked: Asked[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const entry = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
    asked.push(entry);
    handle(entry, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    origin: `http://${shown}:${address.port}`,
    port: address.port,
    asked,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
