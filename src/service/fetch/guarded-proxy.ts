/**
 * The only way to the network for pages in a browser: a proxy on loopback. It vets the address of every connection when
 * it is opened, as the fetcher does, so no script of a page reaches a private network. Each page has its own user name
 * and password, which count its bytes. Connections without them are refused, including the browser's own traffic and
 * other programs.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { FetchError } from '../foundation/errors.ts';
import { type NetworkRules, SiteConnector } from './connector.ts';

const connectTimeoutMs = 10_000;
/** A page whose requests never end must not keep sockets beyond its own time limit. */
const idleTimeoutMs = 35_000;

export interface GuardedProxy {
  /** `http://127.0.0.1:port` */
  readonly server: string;
  admit(options: PageAllowance): ProxyAccess;
  close(): Promise<void>;
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

export async function startGuardedProxy(network: NetworkRules = {}): Promise<GuardedProxy> {
  const proxy = new LoopbackProxy(new SiteConnector(network, connectTimeoutMs));
  const port = await proxy.listen();
  return {
    server: `http://127.0.0.1:${port}`,
    admit: (allowance) => proxy.admit(allowance),
    close: () => proxy.close(),
  };
}

class LoopbackProxy {
  readonly #accounts = new ProxyAccounts();
  readonly #connector: SiteConnector;
  readonly #server: Server;

  constructor(connector: SiteConnector) {
    this.#connector = connector;
    this.#server = createServer((message, answer) => void this.#forward(message, answer));
    this.#server.on('connect', (message, client, head) => void this.#tunnel(message, client, head));
    // WebSockets use a tunnel; browsers never send an upgrade through the proxy itself.
    this.#server.on('upgrade', (_message, client: Duplex) => refuse(client, '403 Forbidden'));
  }

  /** Resolves with the port. */
  listen(): Promise<number> {
    return listenOnLoopback(this.#server);
  }

  admit(allowance: PageAllowance): ProxyAccess {
    return this.#accounts.admit(allowance);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
      this.#accounts.closeSockets();
    });
  }

  async #tunnel(message: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    const account = this.#accounts.find(message);
    if (account === undefined) {
      refuse(client, '407 Proxy Authentication Required');
      return;
    }
    const authority = message.url ?? '';
    // A tunnel may also carry ws:// to an allowed origin, which the list has as http.
    const target = vet(account, `https://${authority}`) ?? vet(account, `http://${authority}`);
    if (target === undefined || !/:\d{1,5}$/.test(authority)) {
      refuse(client, '403 Forbidden');
      return;
    }
    account.keep(client);
    try {
      const site = await this.#connector.tunnel(target.url, { isOwn: target.isOwn, signal: endOf(client) });
      account.keep(site);
      site.setTimeout(idleTimeoutMs, () => site.destroy());
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) site.write(head);
      site.on('data', (chunk: Buffer) => account.count(chunk.length));
      site.pipe(client).pipe(site);
      site.on('close', () => client.destroy());
      client.on('close', () => site.destroy());
      if (client.destroyed) site.destroy();
    } catch (error) {
      const isForbidden = error instanceof FetchError && error.problem === 'private';
      refuse(client, isForbidden ? '403 Forbidden' : '502 Bad Gateway');
    }
  }

  async #forward(message: IncomingMessage, answer: ServerResponse): Promise<void> {
    const account = this.#accounts.find(message);
    if (account === undefined) {
      answer.writeHead(407, challenge).end();
      return;
    }
    const target = vet(account, message.url ?? '');
    if (target === undefined || target.url.protocol !== 'http:') {
      // Closed without an answer: some browsers would show an empty answer as the site's page.
      answer.destroy();
      return;
    }
    const { url, isOwn } = target;
    try {
      const { socket, proxy } = await this.#connector.connect(url, { isOwn, signal: endOf(answer) });
      account.keep(socket);
      const headers = Object.fromEntries(
        Object.entries(message.headers).filter(([name]) => !hopByHop.has(name)),
      );
      const onward = request(
        {
          createConnection: () => socket,
          method: message.method,
          path: proxy === undefined ? `${url.pathname}${url.search}` : url.href,
          headers: { ...headers, host: url.host, ...proxy?.headers },
        },
        (response) => {
          response.on('data', (chunk: Buffer) => account.count(chunk.length));
          answer.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(answer);
        },
      );
      socket.setTimeout(idleTimeoutMs, () => onward.destroy());
      onward.on('error', () => answer.destroy());
      answer.on('close', () => onward.destroy());
      message.pipe(onward);
    } catch {
      answer.destroy();
    }
  }
}

/** Aborts when the browser closes its end. */
function endOf(stream: Duplex | ServerResponse): AbortSignal {
  const leaving = new AbortController();
  stream.once('close', () => leaving.abort());
  return leaving.signal;
}

/** Where a page may connect to; undefined where it may not. The address is vetted when it is connected to. */
function vet(account: ProxyAccount, address: string): { url: URL; isOwn: boolean } | undefined {
  if (account.isOverLimit || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (account.allowOrigins.has(url.origin)) return { url, isOwn: true };
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  return port === 80 || port === 443 ? { url, isOwn: false } : undefined;
}

function refuse(client: Duplex, status: string): void {
  const authenticate = status.startsWith('407')
    ? `Proxy-Authenticate: ${challenge['proxy-authenticate']}\r\n`
    : '';
  client.end(`HTTP/1.1 ${status}\r\n${authenticate}Connection: close\r\n\r\n`);
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

class ProxyAccount {
  readonly allowOrigins: ReadonlySet<string>;
  readonly #allowance: PageAllowance;
  readonly #password: Buffer;
  readonly #sockets = new Set<Duplex>();
  #bytes = 0;

  constructor(allowance: PageAllowance, password: string) {
    this.allowOrigins = allowance.allowOrigins;
    this.#allowance = allowance;
    this.#password = Buffer.from(password);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isOverLimit(): boolean {
    return this.#bytes > this.#allowance.maxBytes;
  }

  hasPassword(password: string): boolean {
    const bytes = Buffer.from(password);
    return bytes.length === this.#password.length && timingSafeEqual(bytes, this.#password);
  }

  /** Counts bytes of a site. The first ones over the limit close the page's connections. */
  count(bytes: number): void {
    const wasOverLimit = this.isOverLimit;
    this.#bytes += bytes;
    if (!this.isOverLimit || wasOverLimit) return;
    this.closeSockets();
    this.#allowance.onLimit();
  }

  /** Counts a connection to the page's own, until it closes. */
  keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  closeSockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

class ProxyAccounts {
  readonly #accounts = new Map<string, ProxyAccount>();

  admit(allowance: PageAllowance): ProxyAccess {
    const username = randomBytes(16).toString('hex');
    const password = randomBytes(16).toString('hex');
    const account = new ProxyAccount(allowance, password);
    this.#accounts.set(username, account);
    return {
      username,
      password,
      bytes: () => account.bytes,
      revoke: () => {
        this.#accounts.delete(username);
        account.closeSockets();
      },
    };
  }

  /** The account whose name and password the request carries; undefined without valid ones. */
  find(message: IncomingMessage): ProxyAccount | undefined {
    const [, encoded = ''] = /^Basic (\S+)$/i.exec(message.headers['proxy-authorization'] ?? '') ?? [];
    const [username = '', password = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
    const account = this.#accounts.get(username);
    return account?.hasPassword(password) === true ? account : undefined;
  }

  closeSockets(): void {
    for (const account of this.#accounts.values()) account.closeSockets();
  }
}
