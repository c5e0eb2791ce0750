/** Sends one request of a fetch to a site, over connections that are vetted when they are opened. */
import type { Readable } from 'node:stream';
import type { CookieJar } from 'tough-cookie';
import { Agent, type Dispatcher } from 'undici';
import { guardedConnector, type Resolver } from './connector.ts';
import type { Hop } from './redirects.ts';
import { isBrokenConnection } from './to-fetch-error.ts';

interface SenderOptions {
  /** Origins that are connected to whatever their address. */
  readonly allowed: ReadonlySet<string>;
  readonly userAgent: string;
  /** Milliseconds without a byte, before the headers and between two pieces of the body. */
  readonly idleMs: number;
  readonly resolver: Resolver | undefined;
  /** Called once for every request that was sent. */
  readonly onFetch: ((host: string) => void) | undefined;
}

export interface SiteAnswer {
  readonly status: number;
  /** The first value of a header by its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** All values of a header, joined by commas. */
  readonly headers: (name: string) => string;
  /** As it is sent, perhaps compressed; read it or pass the answer to `discardBody`. */
  readonly body: Readable;
}

export class RequestSender {
  readonly #options: SenderOptions;
  // Two agents, so that a connection to an allowed origin is never reused by a request that must not reach it.
  readonly #agents: { readonly own: Agent; readonly web: Agent };

  constructor(options: SenderOptions) {
    this.#options = options;
    const createAgent = (origins: ReadonlySet<string>) =>
      new Agent({
        connect: guardedConnector(origins, { connectTimeoutMs: options.idleMs, resolver: options.resolver }),
        headersTimeout: options.idleMs,
        bodyTimeout: options.idleMs,
        maxHeaderSize: 32 * 1024,
        connections: 8,
      });
    this.#agents = { own: createAgent(options.allowed), web: createAgent(new Set()) };
  }

  /** `isOwn`: the request may reach the allowed origins. A GET whose connection broke is sent once more. */
  async send(
    hop: Hop,
    { jar, isOwn, signal }: { jar: CookieJar | undefined; isOwn: boolean; signal: AbortSignal },
  ): Promise<SiteAnswer> {
    const cookie = jar === undefined ? '' : await jar.getCookieString(hop.url.href);
    const request = this.#toRequest(hop, cookie, signal);
    const ask = () => {
      this.#options.onFetch?.(hop.url.host);
      return (isOwn ? this.#agents.own : this.#agents.web).request(request);
    };
    const { statusCode, headers, body } = await ask().catch((error: unknown) => {
      if (hop.method !== 'GET' || signal.aborted || !isBrokenConnection(error)) throw error;
      return ask();
    });
    const all = (name: string) => [headers[name] ?? []].flat();
    if (jar !== undefined) {
      for (const line of all('set-cookie')) await jar.setCookie(line, hop.url.href, { ignoreError: true });
    }
    return {
      status: statusCode,
      header: (name) => all(name)[0],
      headers: (name) => all(name).join(', '),
      body,
    };
  }

  #toRequest(hop: Hop, cookie: string, signal: AbortSignal): Dispatcher.RequestOptions {
    return {
      origin: hop.url.origin,
      path: `${hop.url.pathname}${hop.url.search}`,
      method: hop.method,
      headers: {
        accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8',
        ...hop.headers,
        'user-agent': this.#options.userAgent,
        'accept-encoding': 'gzip, br, deflate',
        ...(cookie === '' ? {} : { cookie }),
      },
      body: hop.body ?? null,
      signal,
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#agents.own.destroy(), this.#agents.web.destroy()]);
  }
}

/** A body that nobody reads would keep its connection. */
export function discardBody({ body }: SiteAnswer): void {
  body.on('error', () => {}).destroy();
}
