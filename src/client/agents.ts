/**
 * The connections to the service. undici is loaded with the first request, because loading it would slow down every
 * start.
 */
import type { Dispatcher } from 'undici';
import { isLoopback } from '../contract/web-address.ts';
import { maxConnections } from './request-limits.ts';

/**
 * `kept`: one that an earlier request may have used. `own`: a new one, closed after the request, for what must not be
 * sent twice: the service may close a kept connection while the request is on its way.
 */
export type ConnectionUse = 'kept' | 'own';
type Dispatchers = Readonly<Record<ConnectionUse, Dispatcher>>;

/** A connection that idles longer may have been forgotten by a router on its way. */
const maxIdleMs = 30_000;

export class Agents {
  readonly #origin: string;
  readonly #connectMs: number;
  #loading: Promise<Dispatchers> | undefined;
  #loaded: Dispatchers | undefined;
  #closed = false;

  constructor(origin: string, connectMs: number) {
    this.#origin = origin;
    this.#connectMs = connectMs;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Rejects where the proxy settings are unusable, or after `close`. */
  async getDispatcher(connection: ConnectionUse): Promise<Dispatcher> {
    if (this.#closed) throw new Error('The client is closed');
    this.#loading ??= this.#load();
    this.#loaded = await this.#loading;
    return this.#loaded[connection];
  }

  /** As `getDispatcher`, where that needs no wait; else undefined. */
  findDispatcher(connection: ConnectionUse): Dispatcher | undefined {
    return this.#closed ? undefined : this.#loaded?.[connection];
  }

  /** Ends every connection at once, with what runs on it. */
  async close(): Promise<void> {
    this.#closed = true;
    const loaded = await this.#loading?.catch(() => undefined);
    if (loaded !== undefined) await Promise.all([loaded.kept.destroy(), loaded.own.destroy()]);
  }

  async #load(): Promise<Dispatchers> {
    const { EnvHttpProxyAgent, Pool } = await import('./undici.ts');
    const shared = { connect: { timeout: this.#connectMs }, connections: maxConnections };
    const create = (idle: { readonly keepAliveTimeout?: number; readonly keepAliveMaxTimeout?: number }) => {
      const options = { ...shared, ...idle };
      // This machine is never reached through a proxy.
      if (isLoopback(new URL(this.#origin).hostname)) return new Pool(this.#origin, options);
      try {
        // No tunnel for plain HTTP: proxies commonly allow CONNECT for TLS only.
        return new EnvHttpProxyAgent({ ...options, proxyTunnel: false });
      } catch {
        // The cause is left out: it repeats the address with the proxy's password.
        throw new Error('HTTPS_PROXY or HTTP_PROXY is not the URL of a proxy');
      }
    };
    // `own` connections carry one request (`reset`) and close.
    return { kept: create({ keepAliveMaxTimeout: maxIdleMs }), own: create({ keepAliveTimeout: 1 }) };
  }
}
