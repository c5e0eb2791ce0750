/**
 * The one way to the web: guarded, polite, bounded. Whatever asks for a page asks here.
 * Only http and https on their default ports, only public addresses (vetted at connect, at every hop),
 * robots.txt obeyed, sizes capped while decompressing, times capped, cookies only where the jar sends them.
 */
import type { Readable } from 'node:stream';
import type { CookieJar } from 'tough-cookie';
import { Agent } from 'undici';
import packageJson from '../../../package.json' with { type: 'json' };
import { readBody } from './body.ts';
import { guardedConnector, type Resolver } from './connector.ts';
import { FetchError, toFetchError } from './errors.ts';
import { Pacing } from './pacing.ts';
import { type Hop, nextHop } from './redirects.ts';
import { maxRobotsBytes, RobotsCache, type RobotsRules, readRobots } from './robots.ts';

export interface FetchRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Sends and keeps cookies, by the jar's own rules. */
  readonly jar?: CookieJar | undefined;
  /** Ends everything, the wait for the host's turn included. */
  readonly signal: AbortSignal;
}

export interface FetchedPage {
  /** The final address, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  /** The `Link` header (RFC 8288), which some interfaces page with. */
  readonly link: string;
  readonly body: Buffer;
}

export interface Fetcher {
  /** Rejects with a `FetchError` and with nothing else; any HTTP status is an answer. */
  fetch(request: FetchRequest): Promise<FetchedPage>;
  close(): Promise<void>;
}

export interface FetcherOptions {
  /** Exact origins that are fetched whatever their address and port, and without pacing. */
  readonly allowOrigins: readonly string[];
  readonly userAgent?: string | undefined;
  /** For tests: answers instead of the system's resolver. */
  readonly resolver?: Resolver | undefined;
  /** Called once for every request that was sent, robots.txt and redirects included. */
  readonly onFetch?: ((host: string) => void) | undefined;
  /** Milliseconds between two requests to one host; a site's Crawl-delay may raise it to at most 30 s. */
  readonly paceMs?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** Milliseconds for one request and its whole answer; a redirect is another request. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without a byte, before the headers and between two pieces of the body. */
  readonly idleTimeoutMs?: number | undefined;
}

const maxRedirects = 5;
const maxUrlChars = 2_048;
const maxCrawlDelayMs = 30_000;
interface RawAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: Readable;
}

interface Followed {
  /** Of the page itself. */
  readonly url: URL;
  readonly answer: RawAnswer;
  /** Aborts when the caller leaves or the last request's time is over. */
  readonly signal: AbortSignal;
}

export function createFetcher(options: FetcherOptions): Fetcher {
  const allowed = new Set(options.allowOrigins.map((origin) => new URL(origin).origin));
  const userAgent =
    options.userAgent ?? `svc-mcp/${packageJson.version} (catalog and task automation; obeys robots.txt)`;
  const maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
  const totalMs = options.timeoutMs ?? 30_000;
  const idleMs = options.idleTimeoutMs ?? 10_000;
  const agent = new Agent({
    connect: guardedConnector(allowed, { connectTimeoutMs: idleMs, resolver: options.resolver }),
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    maxHeaderSize: 32 * 1024,
    connections: 8,
  });
  const pacing = new Pacing();
  const robots = new RobotsCache();

  function admit(address: string, base?: string): URL {
    const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
    if (url === undefined) throw new FetchError('forbidden', 'The address is not a valid URL');
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new FetchError('forbidden', 'Only http and https addresses are fetched');
    if (url.username !== '' || url.password !== '')
      throw new FetchError('forbidden', 'An address with a user name or password in it is not fetched');
    if (url.href.length > maxUrlChars) throw new FetchError('forbidden', 'The address is too long');
    if (url.port !== '' && !allowed.has(url.origin))
      throw new FetchError('forbidden', 'The address is not on the default port, so it is not fetched');
    url.hash = '';
    return url;
  }

  async function send(hop: Hop, jar: CookieJar | undefined, signal: AbortSignal): Promise<RawAnswer> {
    const cookie = jar === undefined ? '' : await jar.getCookieString(hop.url.href);
    options.onFetch?.(hop.url.host);
    const { statusCode, headers, body } = await agent.request({
      origin: hop.url.origin,
      path: `${hop.url.pathname}${hop.url.search}`,
      method: hop.method,
      headers: {
        accept: 'text/html,application/xhtml+xml,application/json;q=0.9,*/*;q=0.8',
        ...hop.headers,
        'user-agent': userAgent,
        'accept-encoding': 'gzip, br, deflate',
        ...(cookie === '' ? {} : { cookie }),
      },
      body: hop.body ?? null,
      signal,
    });
    const all = (name: string) => [headers[name] ?? []].flat();
    if (jar !== undefined) {
      for (const line of all('set-cookie')) await jar.setCookie(line, hop.url.href, { ignoreError: true });
    }
    return { status: statusCode, header: (name) => all(name)[0], body };
  }

  function nextOf(hop: Hop, answer: RawAnswer): Hop | undefined {
    try {
      return nextHop(hop, { status: answer.status, location: answer.header('location') }, admit);
    } catch (error) {
      discard(answer);
      throw error;
    }
  }

  /** Follows redirects; `before` is asked about every address before anything is sent to it. */
  async function follow(
    first: Hop,
    jar: CookieJar | undefined,
    signal: AbortSignal,
    before: (url: URL) => Promise<void>,
  ): Promise<Followed> {
    let hop = first;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      await before(hop.url);
      const ends = AbortSignal.any([signal, AbortSignal.timeout(totalMs)]);
      const answer = await send(hop, jar, ends);
      const next = nextOf(hop, answer);
      if (next === undefined) return { url: hop.url, answer, signal: ends };
      discard(answer);
      hop = next;
    }
    throw new FetchError('redirects', `The site redirected more than ${maxRedirects} times`);
  }

  async function loadRobots(origin: string): Promise<RobotsRules> {
    const url = new URL('/robots.txt', origin);
    const hop: Hop = { url, method: 'GET', headers: {}, body: undefined };
    const { answer, signal } = await follow(hop, undefined, new AbortController().signal, async () => {});
    const body = await readBody(answer.body, {
      contentEncoding: answer.header('content-encoding'),
      maxBytes: maxRobotsBytes,
      signal,
      truncate: true,
    });
    return readRobots(url.href, { status: answer.status, text: body.toString('utf8') }, userAgent);
  }

  async function politely(url: URL, signal: AbortSignal): Promise<void> {
    // The file is read for everybody who asks at that time, so one who leaves does not end it.
    const reading = robots.rulesOf(url.origin, () => loadRobots(url.origin));
    const rules = await Promise.race([reading, aborted(signal)]);
    if (!rules.allows(url.href))
      throw new FetchError('robots', 'The robots.txt of the site asks programs not to fetch this page');
    if (allowed.has(url.origin)) return;
    const pace = Math.max(options.paceMs ?? 1_000, Math.min(rules.crawlDelayMs ?? 0, maxCrawlDelayMs));
    await pacing.turn(url.host, pace, signal);
  }

  async function fetchPage(request: FetchRequest): Promise<FetchedPage> {
    const { jar, method = 'GET', headers = {}, body } = request;
    try {
      const url = admit(request.url);
      const polite = (next: URL) => politely(next, request.signal);
      const found = await follow({ url, method, headers, body }, jar, request.signal, polite);
      const { answer } = found;
      return {
        url: found.url.href,
        status: answer.status,
        contentType: answer.header('content-type') ?? '',
        link: answer.header('link') ?? '',
        body: await readBody(answer.body, {
          contentEncoding: answer.header('content-encoding'),
          maxBytes,
          signal: found.signal,
        }),
      };
    } catch (error) {
      if (request.signal.aborted) throw new FetchError('cancelled', 'The fetch was cancelled', error);
      throw toFetchError(error);
    }
  }

  return { fetch: fetchPage, close: () => agent.destroy() };
}

/** A body that nobody reads would keep its connection. */
function discard({ body }: RawAnswer): void {
  body.on('error', () => {}).destroy();
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
