/**
 * The only way to the network for pages in a browser: a proxy on loopback. It vets the address of every connection when
 * it is opened, as the fetcher does, so no script of a page reaches a private network. Each page has its own user name
 * and password, which count its bytes. Connections without them are refused, including the browser's own traffic and
 * other programs.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { isPublicAddress } from './addresses.ts';
import { guardedLookup, type Resolver } from './connector.ts';
import { type PageAllowance, type ProxyAccess, type ProxyAccount, ProxyAccounts } from './proxy-accounts.ts';

const connectTimeoutMs = 10_000;
/** A page whose requests never end must not keep sockets beyond its own time limit. */
const idleTimeoutMs = 35_000;

export interface GuardedProxy {
  /** `http://127.0.0.1:port` */
  readonly server: string;
  admit(options: PageAllowance): ProxyAccess;
  close(): Promise<void>;
}

interface Address {
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number;
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
  const proxy = new LoopbackProxy(guardedLookup(resolver));
  const port = await proxy.listen();
  return {
    server: `http://127.0.0.1:${port}`,
    admit: (allowance) => proxy.admit(allowance),
    close: () => proxy.close(),
  };
}

class LoopbackProxy {
  readonly #accounts = new ProxyAccounts();
  readonly #lookup: LookupFunction;
  readonly #server: Server;

  constructor(lookup: LookupFunction) {
    this.#lookup = lookup;
    this.#server = createServer((message, answer) => this.#forward(message, answer));
    this.#server.on('connect', (message, client, head) => this.#tunnel(message, client, head));
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

  #tunnel(message: IncomingMessage, client: Duplex, head: Buffer): void {
    client.on('error', () => client.destroy());
    const account = this.#accounts.find(message);
    if (account === undefined) {
      refuse(client, '407 Proxy Authentication Required');
      return;
    }
    const address = parseAuthority(message.url ?? '');
    // A tunnel may also carry ws:// to an allowed origin, which the list has as http.
    const target =
      vet(account, { protocol: 'https:', ...address }, this.#lookup) ??
      vet(account, { protocol: 'http:', ...address }, this.#lookup);
    if (target === undefined) {
      refuse(client, '403 Forbidden');
      return;
    }
    const site = connect(target);
    const timer = setTimeout(() => site.destroy(), connectTimeoutMs);
    account.keep(client);
    account.keep(site);
    site.once('connect', () => {
      clearTimeout(timer);
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) site.write(head);
      site.on('data', (chunk: Buffer) => account.count(chunk.length));
      site.pipe(client).pipe(site);
    });
    site.on('timeout', () => site.destroy());
    site.on('close', () => {
      clearTimeout(timer);
      client.destroy();
    });
    client.on('close', () => site.destroy());
  }

  #forward(message: IncomingMessage, answer: ServerResponse): void {
    const account = this.#accounts.find(message);
    if (account === undefined) {
      answer.writeHead(407, challenge).end();
      return;
    }
    const text = message.url ?? '';
    const url = text.startsWith('http://') && URL.canParse(text) ? new URL(text) : undefined;
    const target =
      url &&
      vet(account, { protocol: 'http:', hostname: url.hostname, port: Number(url.port || 80) }, this.#lookup);
    if (!url || !target) {
      // Closed without an answer: some browsers would show an empty answer as the site's page.
      answer.destroy();
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
        account.keep(response.socket);
        response.on('data', (chunk: Buffer) => account.count(chunk.length));
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    onward.on('timeout', () => onward.destroy());
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    message.pipe(onward);
  }
}

/** What `net.connect` needs to reach the target, or undefined where it is forbidden. */
function vet(account: ProxyAccount, { protocol, hostname, port }: Address, lookup: LookupFunction) {
  if (account.isOverLimit) return undefined;
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
