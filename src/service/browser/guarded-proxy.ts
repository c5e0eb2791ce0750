/**
 * The one way to the network for the pages of a browser: a proxy on loopback. It vets the address of every
 * connection at the moment it is opened, as the fetcher does, so nothing that a page's scripts do reaches a
 * private network. Each page has its own user name and password, which count its bytes; a connection without
 * them is refused, so neither the browser's own traffic nor another program passes.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { isPublicAddress } from '../fetching/addresses.ts';
import { guardedLookup, type Resolver } from '../fetching/connector.ts';

const connectTimeoutMs = 10_000;
/** A page that never ends its requests must not keep a socket for longer than its own time limit. */
const idleTimeoutMs = 35_000;

interface ProxyAccess {
  readonly username: string;
  readonly password: string;
  /** Bytes that came from sites so far. */
  bytes(): number;
  /** Closes the page's connections and refuses further ones. */
  revoke(): void;
}

interface PageAllowance {
  /** Bytes that may come from sites; then the page is cut off. */
  readonly maxBytes: number;
  /** Exact origins that this page reaches whatever their address and port. */
  readonly allowOrigins: ReadonlySet<string>;
  /** Called once, when `maxBytes` is exceeded. */
  readonly onLimit: () => void;
}

export interface GuardedProxy {
  /** `http://127.0.0.1:port` */
  readonly server: string;
  admit(options: PageAllowance): ProxyAccess;
  close(): Promise<void>;
}

interface Account extends PageAllowance {
  readonly password: Buffer;
  readonly sockets: Set<Duplex>;
  bytes: number;
}

const challenge = { 'proxy-authenticate': 'Basic realm="svc-mcp"', connection: 'close' };
const hopByHop = new Set([
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
]);

export async function startGuardedProxy(resolver?: Resolver): Promise<GuardedProxy> {
  const accounts = new Map<string, Account>();
  const lookup = guardedLookup(resolver);

  /** What `net.connect` needs to reach the target, or undefined where it is forbidden. */
  function vet(account: Account, protocol: 'http:' | 'https:', hostname: string, port: number) {
    if (account.bytes > account.maxBytes) return undefined;
    const url = URL.canParse(`${protocol}//${hostname}:${port}`)
      ? new URL(`${protocol}//${hostname}:${port}`)
      : undefined;
    if (url === undefined) return undefined;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const target = { host, port, autoSelectFamily: true, timeout: idleTimeoutMs };
    if (account.allowOrigins.has(url.origin)) return target;
    if (port !== 80 && port !== 443) return undefined;
    if (isIP(host) !== 0 && !isPublicAddress(host)) return undefined;
    return { ...target, lookup };
  }

  function findAccount(message: IncomingMessage): Account | undefined {
    const [, encoded = ''] = /^Basic (\S+)$/i.exec(message.headers['proxy-authorization'] ?? '') ?? [];
    const [username = '', password = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
    const account = accounts.get(username);
    const passwordBytes = Buffer.from(password);
    if (account === undefined || passwordBytes.length !== account.password.length) return undefined;
    return timingSafeEqual(passwordBytes, account.password) ? account : undefined;
  }

  function count(account: Account, bytes: number): void {
    const before = account.bytes;
    account.bytes += bytes;
    if (account.bytes <= account.maxBytes || before > account.maxBytes) return;
    for (const socket of account.sockets) socket.destroy();
    account.onLimit();
  }

  function keep(account: Account, socket: Duplex): void {
    account.sockets.add(socket);
    socket.on('close', () => account.sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  function tunnel(message: IncomingMessage, client: Duplex, head: Buffer): void {
    client.on('error', () => client.destroy());
    const account = findAccount(message);
    if (account === undefined) {
      refuse(client, '407 Proxy Authentication Required');
      return;
    }
    const { hostname, port } = parseAuthority(message.url ?? '');
    // A tunnel may carry ws:// to an allowed origin as well, which is http to the list of origins.
    const target = vet(account, 'https:', hostname, port) ?? vet(account, 'http:', hostname, port);
    if (target === undefined) {
      refuse(client, '403 Forbidden');
      return;
    }
    const site = connect(target);
    const timer = setTimeout(() => site.destroy(), connectTimeoutMs);
    keep(account, client);
    keep(account, site);
    site.once('connect', () => {
      clearTimeout(timer);
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) site.write(head);
      site.on('data', (chunk: Buffer) => count(account, chunk.length));
      site.pipe(client).pipe(site);
    });
    site.on('timeout', () => site.destroy());
    site.on('close', () => {
      clearTimeout(timer);
      client.destroy();
    });
    client.on('close', () => site.destroy());
  }

  function forward(message: IncomingMessage, answer: ServerResponse): void {
    const account = findAccount(message);
    if (account === undefined) {
      answer.writeHead(407, challenge).end();
      return;
    }
    const text = message.url ?? '';
    const url = text.startsWith('http://') && URL.canParse(text) ? new URL(text) : undefined;
    const target = url && vet(account, 'http:', url.hostname, Number(url.port || 80));
    if (!url || !target) {
      answer.writeHead(403, { connection: 'close' }).end();
      return;
    }
    const headers = Object.fromEntries(
      Object.entries(message.headers).filter(([name]) => !hopByHop.has(name)),
    );
    const onward = request(
      {
        ...target,
        method: message.method,
        path: `${url.pathname}${url.search}`,
        headers: { ...headers, host: url.host },
        agent: false,
      },
      (response) => {
        keep(account, response.socket);
        response.on('data', (chunk: Buffer) => count(account, chunk.length));
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    onward.on('timeout', () => onward.destroy());
    onward.on('error', () =>
      answer.headersSent ? answer.destroy() : answer.writeHead(502, { connection: 'close' }).end(),
    );
    answer.on('close', () => onward.destroy());
    message.pipe(onward);
  }

  const server = createServer(forward);
  server.on('connect', tunnel);
  // A WebSocket of a page asks for a tunnel; an upgrade through the proxy itself is nothing a browser sends.
  server.on('upgrade', (_message, client: Duplex) => refuse(client, '403 Forbidden'));
  const port = await listenOnLoopback(server);
  return {
    server: `http://127.0.0.1:${port}`,
    admit(allowance) {
      const username = randomBytes(16).toString('hex');
      const password = randomBytes(16).toString('hex');
      const account: Account = {
        ...allowance,
        password: Buffer.from(password),
        sockets: new Set(),
        bytes: 0,
      };
      accounts.set(username, account);
      return {
        username,
        password,
        bytes: () => account.bytes,
        revoke() {
          accounts.delete(username);
          for (const socket of account.sockets) socket.destroy();
        },
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const { sockets } of accounts.values()) for (const socket of sockets) socket.destroy();
      }),
  };
}

function refuse(client: Duplex, status: string): void {
  const authenticate = status.startsWith('407')
    ? `Proxy-Authenticate: ${challenge['proxy-authenticate']}\r\n`
    : '';
  client.end(`HTTP/1.1 ${status}\r\n${authenticate}Connection: close\r\n\r\n`);
}

/** `host:port` of a CONNECT request; IPv6 hosts keep their brackets. */
function parseAuthority(text: string): { hostname: string; port: number } {
  const [, hostname = '', port = ''] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? [];
  return { hostname, port: Number(port) };
}

function listenOnLoopback(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The proxy has no port'));
      else resolve(address.port);
    });
  });
}
