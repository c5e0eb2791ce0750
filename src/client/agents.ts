/** The connections to the service. undici is loaded with the first request: it would cost every start its time. */
import type { Dispatcher } from 'undici';
import { isLoopback } from './address.ts';
import { maxConnections } from './limits.ts';

export class Agents {
  readonly #origin: string;
  readonly #connectMs: number;
  #loaded: Promise<Record<'GET' | 'POST', Dispatcher>> | undefined;
  #closed = false;

  constructor(origin: string, connectMs: number) {
    this.#origin = origin;
    this.#connectMs = connectMs;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Rejects where the proxy settings are unusable, or after `close`. */
  async of(method: 'GET' | 'POST'): Promise<Dispatcher> {
    if (this.#closed) throw new Error('The client is closed');
    this.#loaded ??= this.#load();
    return (await this.#loaded)[method];
  }

  /** Ends every connection at once, with what runs on it. */
  async close(): Promise<void> {
    this.#closed = true;
    const loaded = await this.#loaded?.catch(() => undefined);
    if (loaded !== undefined) await Promise.all([loaded.GET.destroy(), loaded.POST.destroy()]);
  }

  async #load(): Promise<Record<'GET' | 'POST', Dispatcher>> {
    const { EnvHttpProxyAgent, Pool } = await import('./undici.ts');
    const shared = { connect: { timeout: this.#connectMs }, connections: maxConnections };
    const create = (own: { readonly keepAliveTimeout?: number } = {}) => {
      const options = { ...shared, ...own };
      if (isLoopback(this.#origin)) return new Pool(this.#origin, options);
      try {
        // No tunnel for plain HTTP: proxies commonly allow CONNECT for TLS only.
        return new EnvHttpProxyAgent({ ...options, proxyTunnel: false });
      } catch {
        // Without the cause, which repeats the address with the proxy's password.
        throw new Error('HTTPS_PROXY or HTTP_PROXY is not the URL of a proxy');
      }
    };
    // A POST must never go out on a connection that the service may just have closed: its connections are never
    // shared with GET, carry one request (`reset`) and do not wait idly for one.
    return { GET: create(), POST: create({ keepAliveTimeout: 1 }) };
  }
}
