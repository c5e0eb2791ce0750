/** Connections to websites: each address is vetted when it is connected to, so it cannot change in between. */
import { promises as dns, type LookupAddress } from 'node:dns';
import { request } from 'node:http';
import { connect, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { FetchError } from '../foundation/errors.ts';
import { isFakeAddress, isPublicAddress, isPublicHost, privateAddress } from './network-addresses.ts';

export type Resolver = (hostname: string) => Promise<readonly LookupAddress[]>;

const systemResolver: Resolver = (hostname) => dns.lookup(hostname, { all: true, verbatim: true });

/** How the network of this machine differs from a direct way to the public internet. */
export interface NetworkRules {
  /** Ranges (CIDR) that a VPN answers for names: `SVC_FETCH_FAKE_IPS`. */
  readonly fakeIps?: readonly string[] | undefined;
  /** The proxy for an address, as `SVC_FETCH_PROXY` says; undefined: none. */
  readonly proxyFor?: ((url: URL) => URL | undefined) | undefined;
  /** Own sites that do not listen where their addresses say: the port of each origin. */
  readonly movedPorts?: ReadonlyMap<string, number> | undefined;
  /** For tests: answers instead of the system's resolver. */
  readonly resolver?: Resolver | undefined;
}

/** The way to a website for one request. */
export interface SiteConnection {
  readonly socket: Socket;
  /** Set where the socket leads to a proxy, which takes whole addresses and its own credentials. */
  readonly proxy?: { readonly headers: Readonly<Record<string, string>> };
}

interface Way {
  /** The operator's own origin: it is connected to directly, whatever its address. */
  readonly isOwn: boolean;
  readonly signal: AbortSignal;
}

/** A lookup for `net.connect` that fails for a host with any address outside the public internet. */
function guardedLookup({ resolver = systemResolver, fakeIps = [] }: NetworkRules): LookupFunction {
  const isAdmitted = ({ address }: LookupAddress) =>
    isPublicAddress(address) || isFakeAddress(address, fakeIps);
  return (hostname, { all }, callback) => {
    resolver(hostname).then(
      (addresses) => {
        // A mix of private and public addresses is an attack by DNS rebinding.
        const [first] = addresses;
        if (first === undefined || !addresses.every(isAdmitted)) callback(privateAddress(), []);
        else if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

const toHost = (hostname: string) => hostname.replace(/^\[|\]$/g, '');
const toPort = ({ protocol, port }: URL) => Number(port || (protocol === 'https:' ? 443 : 80));

export class SiteConnector {
  readonly #rules: NetworkRules;
  readonly #timeoutMs: number;
  readonly #lookup: LookupFunction;

  constructor(rules: NetworkRules, timeoutMs: number) {
    this.#rules = rules;
    this.#timeoutMs = timeoutMs;
    this.#lookup = guardedLookup(rules);
  }

  /** For a request to `url`. Rejects with a `FetchError` of kind `private` or `proxy`, or with what the network says. */
  async connect(url: URL, way: Way): Promise<SiteConnection> {
    const proxy = way.isOwn ? undefined : this.#findProxy(url);
    if (url.protocol === 'http:' && proxy !== undefined)
      return { socket: await this.#toProxy(proxy, way.signal), proxy: { headers: authorize(proxy) } };
    const socket = await this.tunnel(url, way);
    return { socket: url.protocol === 'https:' ? await this.#secure(socket, url, way.signal) : socket };
  }

  /** The bytes to and from the port of `url`, without encryption of this program's. Rejects as `connect` does. */
  async tunnel(url: URL, { isOwn, signal }: Way): Promise<Socket> {
    const target = { host: toHost(url.hostname), port: toPort(url) };
    if (isOwn)
      return this.#dial({ ...target, port: this.#rules.movedPorts?.get(url.origin) ?? target.port }, signal);
    const proxy = this.#findProxy(url);
    if (proxy !== undefined) return this.#throughProxy(proxy, url, signal);
    return this.#dial({ ...target, lookup: this.#lookup }, signal);
  }

  /** Vets what can be vetted before a name is resolved; a proxy resolves names itself. */
  #findProxy(url: URL): URL | undefined {
    const host = toHost(url.hostname);
    const proxy = this.#rules.proxyFor?.(url);
    // Literal addresses skip the lookup.
    if (proxy === undefined ? isIP(host) !== 0 && !isPublicAddress(host) : !isPublicHost(host))
      throw privateAddress(url.origin);
    return proxy;
  }

  #dial(target: TcpNetConnectOpts, signal: AbortSignal): Promise<Socket> {
    return this.#settle(connect({ ...target, autoSelectFamily: true }), 'connect', signal);
  }

  #secure(socket: Socket, { hostname }: Pick<URL, 'hostname'>, signal: AbortSignal): Promise<Socket> {
    const host = toHost(hostname);
    const options: ConnectionOptions = { socket, host, ALPNProtocols: ['http/1.1'] };
    if (isIP(host) === 0) options.servername = host;
    return this.#settle(connectTls(options), 'secureConnect', signal);
  }

  /** Resolves with the socket at the event. */
  #settle(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => socket.destroy(new FetchError('timeout', 'The site took too long to answer')),
        this.#timeoutMs,
      );
      const onAbort = () => socket.destroy(signal.reason);
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      signal.addEventListener('abort', onAbort);
      // It stays: an error between two steps must not end the process.
      socket.on('error', (error) => {
        settle();
        reject(error);
      });
      socket.once('close', () => {
        settle();
        reject(new FetchError('reset', 'The site closed the connection'));
      });
      socket.once(event, () => {
        settle();
        resolve(socket);
      });
      if (signal.aborted) onAbort();
    });
  }

  async #toProxy(proxy: URL, signal: AbortSignal): Promise<Socket> {
    try {
      const socket = await this.#dial({ host: toHost(proxy.hostname), port: toPort(proxy) }, signal);
      return proxy.protocol === 'https:' ? await this.#secure(socket, proxy, signal) : socket;
    } catch (error) {
      if (signal.aborted) throw error;
      throw new FetchError('proxy', 'The proxy that SVC_FETCH_PROXY names cannot be reached', error);
    }
  }

  async #throughProxy(proxy: URL, url: URL, signal: AbortSignal): Promise<Socket> {
    const socket = await this.#toProxy(proxy, signal);
    const path = `${url.hostname}:${toPort(url)}`;
    const headers = { host: path, ...authorize(proxy) };
    return new Promise((resolve, reject) => {
      const asking = request({ method: 'CONNECT', path, headers, signal, createConnection: () => socket });
      socket.setTimeout(this.#timeoutMs, () =>
        asking.destroy(
          new FetchError('timeout', 'The proxy that SVC_FETCH_PROXY names took too long to answer'),
        ),
      );
      asking.once('error', (error) =>
        reject(
          error instanceof FetchError || signal.aborted
            ? error
            : new FetchError('proxy', 'The proxy that SVC_FETCH_PROXY names broke the connection', error),
        ),
      );
      asking.once('connect', ({ statusCode = 0 }, _, head) => {
        socket.setTimeout(0);
        socket.removeAllListeners('timeout');
        if (statusCode >= 200 && statusCode < 300) {
          if (head.length > 0) socket.unshift(head);
          resolve(socket);
          return;
        }
        socket.destroy();
        reject(proxyRefused(statusCode));
      });
      asking.end();
    });
  }
}

function authorize({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

export const proxyRefused = (status: number) =>
  new FetchError(
    'proxy',
    status === 407
      ? 'The proxy that SVC_FETCH_PROXY names asks for a user name and password: give them in its address'
      : `The proxy that SVC_FETCH_PROXY names did not reach the site (HTTP status ${status})`,
  );

/** Whether a host is one of `NO_PROXY`: names with their subdomains, `host:port`, or `*`. */
function isExcepted({ hostname, port }: URL, list: string): boolean {
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, name = '', wanted] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const suffix = name.replace(/^\*?\./, '');
      if (wanted !== undefined && wanted !== port) return false;
      return suffix === '*' || hostname === suffix || hostname.endsWith(`.${suffix}`);
    });
}

/** What `SVC_FETCH_PROXY` says: an address, or `env` for the variables that other programs obey. */
export function createProxyRule(
  setting: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): (url: URL) => URL | undefined {
  if (setting !== 'env') return () => new URL(setting);
  const read = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  return (url) => {
    const address = read(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? read('ALL_PROXY');
    if (address === undefined || isExcepted(url, read('NO_PROXY') ?? '')) return undefined;
    const text = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`;
    return URL.canParse(text) ? new URL(text) : undefined;
  };
}
