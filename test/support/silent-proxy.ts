/** A TCP proxy that can fall silent: connections stay open and nothing arrives any more, as behind a dead router. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SilentProxy {
  /** The same address with the proxy's port. */
  readonly url: string;
  /** From now on nothing is forwarded, in no direction; new connections are accepted and get no answer. */
  fallSilent(): void;
  /** New connections work again; those that were open stay silent. */
  heal(): void;
  /** Ends all connections to the clients and keeps those to the server open for a while. */
  cutClients(): void;
  close(): Promise<void>;
}

export async function startSilentProxy(target: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(target);
  let silent = false;
  const pairs = new Set<{ client: Socket; server: Socket; silence: () => void }>();
  const listener = createServer((client) => {
    const server = connect(Number(port), hostname);
    const pair = {
      client,
      server,
      silence() {
        client.unpipe(server);
        server.unpipe(client);
        client.pause();
        server.pause();
      },
    };
    pairs.add(pair);
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.on('close', () => {
      // The server does not hear of it while the network is silent.
      if (!silent) server.destroy();
    });
    server.on('close', () => client.destroy());
    if (silent) return pair.silence();
    client.pipe(server);
    server.pipe(client);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    fallSilent() {
      silent = true;
      for (const pair of pairs) pair.silence();
    },
    heal() {
      silent = false;
    },
    cutClients() {
      silent = true;
      for (const { client } of pairs) client.destroy();
      silent = false;
    },
    async close() {
      const closed = new Promise((resolve) => listener.close(resolve));
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      await closed;
    },
  };
}
