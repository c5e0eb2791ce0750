/** The listening socket of an HTTP server, whose kept connections are read before they are closed: no request is reset unread. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

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
    server.listen(port, host, resolve);
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
