/**
 * What both HTTP servers need of Node's: the rest of a refused body, so that the refusal reaches every client; where a request
 * came from; and a listening socket whose kept connections are read before they are closed, so that no request is reset unread.
 */

import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';

export const serverOptions: ServerOptions = {
  /** Milliseconds in which a request must have arrived whole. */
  requestTimeout: 60_000,
  /** Of two equal headers Node reads the first, a proxy perhaps the last: together they are neither's host, key or origin. */
  joinDuplicateHeaders: true,
};

/** Bytes read from a refused body. */
const maxDiscardedBytes = 64 * 1024 * 1024;
const maxDiscardMs = 1_000;

/**
 * Reads and discards the rest of a body, within limits, before a request is answered early: a client that is still
 * sending would see a reset connection instead of the answer. If the body is longer still, the connection is closed
 * with the answer.
 */
export async function discardRest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let length = 0;
    const countBytes = (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxDiscardedBytes) stop();
    };
    const stop = () => {
      clearTimeout(timer);
      request.off('data', countBytes).off('end', stop).off('close', stop);
      resolve();
    };
    const timer = setTimeout(stop, maxDiscardMs);
    request.on('data', countBytes).on('end', stop).on('close', stop);
    request.resume();
  });
  if (!request.complete && !response.headersSent) response.setHeader('connection', 'close');
}

/** With `trustProxy` the last entry of X-Forwarded-For, which is what our own proxy saw. */
export function clientAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwardedAddress = trustProxy
    ? String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
    : undefined;
  const address = [forwardedAddress, socket.remoteAddress].find(
    (text) => text !== undefined && ipaddr.isValid(text),
  );
  return address === undefined ? 'unknown' : ipaddr.process(address).toString();
}

/** What counts as one client: an IPv6 subscriber has a whole /64 to choose addresses from. */
export function networkOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  return `${ipaddr.IPv6.parse(address).parts.slice(0, 4).join(':')}::/64`;
}

/** Connections that may wait until they are taken: Node's 511 lost some of thousands that came at once. Systems have a limit too. */
const waitingConnections = 4_096;

/** Port 0 is any free one. Resolves to `http://host:port`; rejects if the address is taken. */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<string> {
  const lastResponses = new WeakMap<Socket, ServerResponse>();
  server.on('request', ({ socket }, response) => lastResponses.set(socket, response));
  server.on('timeout', (socket) => {
    // A response under way has its own time-out.
    if (lastResponses.get(socket)?.closed !== false) closeUnlessRead(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: waitingConnections }, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}

/**
 * Takes no new connections and closes the idle ones; requests that have arrived on them are still answered. `closed`
 * resolves when all connections are.
 */
export async function stopListening(server: Server): Promise<{ readonly closed: Promise<void> }> {
  await readArrived();
  return { closed: new Promise((resolve) => server.close(() => resolve())) };
}

/** Closes connections without a request; what has arrived on them is read first. */
export async function closeIdleConnections(server: Server): Promise<void> {
  await readArrived();
  server.closeIdleConnections();
}

/** The rest of this turn of the event loop, and one whole turn: it reads from all sockets. */
async function readArrived(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Closes an idle connection after reading what has arrived: if the process stood still, a request may be waiting. */
function closeUnlessRead(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy();
  });
}
