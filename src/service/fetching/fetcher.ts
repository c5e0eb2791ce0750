/**
 * The one way to the web: guarded, polite, bounded. Whatever asks for a page asks here.
 * Only http and https on their default ports, only public addresses (vetted at connect, at every hop),
 * robots.txt obeyed, sizes capped while decompressing, times capped, cookies only where the jar sends them.
 */

import type { Readable } from 'node:stream';
import type { CookieJar } from 'tough-cookie';
import { Agent, type Dispatcher } from 'undici';
import packageJson from '../../../package.json' with { type: 'json' };
import { startDeadline, withAbort } from '../foundation/deadline.ts';
import { FetchError } from '../foundation/errors.ts';
import { readBody } from './body.ts';
import { guardedConnector, type Resolver } from './connector.ts';
import { isBrokenConnection, toFetchError } from './errors.ts';
import { Pacing } from './pacing.ts';
import { type Hop, nextHop } from './redirects.ts';
import { maxRobotsBytes, RobotsCache, type RobotsRules, readRobots } from './robots.ts';

interface FetchRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Sends and keeps cookies, by the jar's own rules. */
  readonly jar?: CookieJar | undefined;
  /** Ends everything, the wait for the host's turn included. */
  readonly signal: AbortSignal;
  /**
   * Origins that a build or a catalog file names: of the allowed ones only these are reached, so that no redirect or
   * link of another site leads there. If not given, the origin of `url`.
   */
  readonly named?: readonly string[] | undefined;
  /** Asked before anything is sent to an address, at every redirect; rejects with a `FetchError` to refuse it. */
  readonly check?: ((url: URL) => Promise<void>) | undefined;
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
  /**
   * For pages that a browser fetches: resolves when the address may be fetched now, after its host's turn came.
   * Rejects with a `FetchError`.
   */
  permit(url: string, signal: AbortSignal, named?: readonly string[]): Promise<void>;
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

/** Which of the allowed origins a request may reach. */
interface Reach {
  readonly isOwn: (url: URL) => boolean;
}

/** Makes of the last answer what is wanted, before the time of its request is over. */
type Read<Result> = (url: URL, answer: RawAnswer, signal: AbortSignal) => Promise<Result>;

export function createFetcher(options: FetcherOptions): Fetcher {
  const allowed = new Set(options.allowOrigins.map((origin) => new URL(origin).origin));
  const userAgent =
    options.userAgent ?? `svc-mcp/${packageJson.version} (catalog and task automation; obeys robots.txt)`;
  const maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
  const totalMs = options.timeoutMs ?? 30_000;
  const idleMs = options.idleTimeoutMs ?? 10_000;
  const agentFor = (origins: ReadonlySet<string>) =>
    new Agent({
      connect: guardedConnector(origins, { connectTimeoutMs: idleMs, resolver: options.resolver }),
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
      maxHeaderSize: 32 * 1024,
      connections: 8,
    });
  // Two, so that an open connection to an allowed origin is never used by a request that must not reach it.
  const agents = { own: agentFor(allowed), web: agentFor(new Set()) };
  const pacing = new Pacing();
  const robots = new RobotsCache();

  const reachable = (named: readonly string[]): Reach => {
    const origins = new Set(named.filter((origin) => allowed.has(origin)));
    return { isOwn: (url) => origins.has(url.origin) };
  };
  const named = ({ named: namedOrigins, url }: Pick<FetchRequest, 'named' | 'url'>) =>
    reachable(namedOrigins ?? (URL.canParse(url) ? [new URL(url).origin] : []));

  function admit({ isOwn }: Reach, address: string, base?: string): URL {
    const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
    if (url === undefined) throw new FetchError('forbidden', 'The address is not a valid URL');
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new FetchError('forbidden', 'Only http and https addresses are fetched');
    if (url.username !== '' || url.password !== '')
      throw new FetchError('forbidden', 'An address with a user name or password in it is not fetched');
    if (url.href.length > maxUrlChars) throw new FetchError('forbidden', 'The address is too long');
    if (url.port !== '' && !isOwn(url))
      throw new FetchError('forbidden', 'The address is not on the default port, so it is not fetched');
    url.hash = '';
    return url;
  }

  async function send(
    hop: Hop,
    jar: CookieJar | undefined,
    agent: Agent,
    signal: AbortSignal,
  ): Promise<RawAnswer> {
    const cookie = jar === undefined ? '' : await jar.getCookieString(hop.url.href);
    const request: Dispatcher.RequestOptions = {
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
    };
    const ask = () => {
      options.onFetch?.(hop.url.host);
      return agent.request(request);
    };
    const { statusCode, headers, body } = await ask().catch((error: unknown) => {
      if (hop.method !== 'GET' || signal.aborted || !isBrokenConnection(error)) throw error;
      return ask();
    });
    const all = (name: string) => [headers[name] ?? []].flat();
    if (jar !== undefined) {
      for (const line of all('set-cookie')) await jar.setCookie(line, hop.url.href, { ignoreError: true });
    }
    return { status: statusCode, header: (name) => all(name)[0], body };
  }

  function getNextHop(hop: Hop, answer: RawAnswer, reach: Reach): Hop | undefined {
    try {
      return nextHop(hop, { status: answer.status, location: answer.header('location') }, (address, base) =>
        admit(reach, address, base),
      );
    } catch (error) {
      discard(answer);
      throw error;
    }
  }

  /** Follows redirects; `before` is asked about every address before anything is sent to it. */
  async function follow<Result>(
    first: Hop,
    jar: CookieJar | undefined,
    signal: AbortSignal,
    steps: { reach: Reach; before: (url: URL) => Promise<void>; read: Read<Result> },
  ): Promise<Result> {
    const { reach } = steps;
    let hop = first;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      await steps.before(hop.url);
      const deadline = startDeadline(totalMs, signal);
      try {
        const agent = reach.isOwn(hop.url) ? agents.own : agents.web;
        const answer = await send(hop, jar, agent, deadline.signal);
        const next = getNextHop(hop, answer, reach);
        if (next === undefined) return await steps.read(hop.url, answer, deadline.signal);
        discard(answer);
        hop = next;
      } finally {
        deadline.clear();
      }
    }
    throw new FetchError('redirects', `The site redirected more than ${maxRedirects} times`);
  }

  function loadRobots(origin: string, reach: Reach): Promise<RobotsRules> {
    const url = new URL('/robots.txt', origin);
    const read: Read<RobotsRules> = async (_, answer, signal) => {
      const contentEncoding = answer.header('content-encoding');
      const limits = { contentEncoding, maxBytes: maxRobotsBytes, truncate: true, signal };
      const body = await readBody(answer.body, limits);
      return readRobots({ status: answer.status, text: body.toString('utf8') }, userAgent);
    };
    const hop: Hop = { url, method: 'GET', headers: {}, body: undefined };
    return follow(hop, undefined, new AbortController().signal, {
      reach,
      before: async () => {},
      read,
    });
  }

  async function waitForPermission(url: URL, reach: Reach, signal: AbortSignal): Promise<void> {
    const isOwn = reach.isOwn(url);
    // The file is read for everybody who asks at that time, so one who leaves does not end it.
    const rules = await withAbort(
      robots.getRules(`${isOwn ? 'own' : 'web'} ${url.origin}`, () => loadRobots(url.origin, reach)),
      signal,
    );
    if (!rules.allows(url.href))
      throw new FetchError('robots', 'The robots.txt of the site asks programs not to fetch this page');
    if (isOwn) return;
    const pace = Math.max(options.paceMs ?? 1_000, Math.min(rules.crawlDelayMs ?? 0, maxCrawlDelayMs));
    await pacing.turn(url.host, pace, signal);
  }

  async function readPage(url: URL, answer: RawAnswer, signal: AbortSignal): Promise<FetchedPage> {
    const contentEncoding = answer.header('content-encoding');
    return {
      url: url.href,
      status: answer.status,
      contentType: answer.header('content-type') ?? '',
      link: answer.header('link') ?? '',
      body: await readBody(answer.body, { contentEncoding, maxBytes, signal }),
    };
  }

  async function fetchPage(request: FetchRequest): Promise<FetchedPage> {
    const { jar, signal, method = 'GET', headers = {}, body } = request;
    try {
      const reach = named(request);
      const hop: Hop = { url: admit(reach, request.url), method, headers, body };
      const before = async (url: URL) => {
        await request.check?.(url);
        await waitForPermission(url, reach, signal);
      };
      return await follow(hop, jar, signal, { reach, before, read: readPage });
    } catch (error) {
      if (signal.aborted) throw new FetchError('cancelled', 'The fetch was cancelled', error);
      throw toFetchError(error);
    }
  }

  async function permit(url: string, signal: AbortSignal, namedOrigins?: readonly string[]): Promise<void> {
    try {
      const reach = named({ url, named: namedOrigins });
      await waitForPermission(admit(reach, url), reach, signal);
    } catch (error) {
      throw toFetchError(error);
    }
  }

  return {
    fetch: fetchPage,
    permit,
    close: async () => void (await Promise.all([agents.own.destroy(), agents.web.destroy()])),
  };
}

/** A body that nobody reads would keep its connection. */
function discard({ body }: RawAnswer): void {
  body.on('error', () => {}).destroy();
}
