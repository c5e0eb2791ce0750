/**
 * All outgoing requests for pages go through this class.
 * Only http and https on their default ports, only public addresses (vetted at connect, at every hop),
 * robots.txt obeyed, sizes capped while decompressing, times capped, cookies only where the jar sends them.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { CookieJar } from 'tough-cookie';
import packageJson from '../../../package.json' with { type: 'json' };
import { FetchError } from '../foundation/errors.ts';
import { startDeadline, withAbort } from '../foundation/time-limit.ts';
import type { NetworkRules } from './connector.ts';
import { parsePageAddress } from './network-addresses.ts';
import { findRefresh, type Hop, nextHop } from './redirects.ts';

import { discardBody, RequestSender, type SiteAnswer } from './request-sender.ts';
import { readBody } from './response-body.ts';
import { maxRobotsBytes, RobotsCache, type RobotsRules, readRobots } from './robots.ts';
import { toFetchError } from './to-fetch-error.ts';

interface FetchRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Sends and keeps cookies, by the jar's own rules. Without it, cookies live for this fetch. */
  readonly jar?: CookieJar | undefined;
  /** Ends everything, including the wait for the host's turn. */
  readonly signal: AbortSignal;
  /**
   * Origins that a build or a catalog file names. Of the allowed origins only these are reachable, so that no redirect
   * or link of another site leads there. Default: the origin of `url`.
   */
  readonly named?: readonly string[] | undefined;
  /** Asked before anything is sent to an address, at every redirect; rejects with a `FetchError` to refuse it. */
  readonly check?: (url: URL) => Promise<void>;
}

export interface FetchedPage {
  /** The final address, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  /** The `Link` headers (RFC 8288), joined by commas, which some interfaces page with. */
  readonly link: string;
  /** The address that the page sends its readers on to, where that was not followed. */
  readonly refresh?: string | undefined;
  /** The header: seconds, or a date. */
  readonly retryAfter?: string | undefined;
  readonly body: Buffer;
}

export interface FetcherOptions {
  /** Exact origins that are fetched whatever their address and port, and without pacing. */
  readonly allowOrigins: readonly string[];
  readonly userAgent?: string;
  /** Default: a direct way to public addresses. */
  readonly network?: NetworkRules;
  /** Called once for every request that was sent, robots.txt and redirects included. */
  readonly onFetch?: (host: string) => void;
  /** Milliseconds between two requests to one host; a site's Crawl-delay may raise it to at most 30 s. */
  readonly paceMs?: number;
  readonly maxBytes?: number;
  /** Milliseconds for one request and its whole answer; a redirect is another request. */
  readonly timeoutMs?: number;
  /** Milliseconds without a byte, before the headers and between two pieces of the body. */
  readonly idleTimeoutMs?: number;
}

/** As many as browsers follow. */
const maxRedirects = 20;
/** A page that sends its readers on within this time is a redirect; after more, it is a page of its own. */
const redirectSeconds = 10;
const maxCrawlDelayMs = 30_000;

/** Which of the allowed origins a request may reach. */
interface Reach {
  readonly isOwn: (url: URL) => boolean;
}

/** Reads the last answer within the time limit of its request. */
type Read<Result> = (url: URL, answer: SiteAnswer, signal: AbortSignal) => Promise<Result>;

export class Fetcher {
  readonly #allowed: ReadonlySet<string>;
  readonly #userAgent: string;
  readonly #maxBytes: number;
  readonly #totalMs: number;
  readonly #paceMs: number;
  readonly #sender: RequestSender;
  readonly #pacing = new Pacing();
  readonly #robots = new RobotsCache();

  constructor(options: FetcherOptions) {
    this.#allowed = new Set(options.allowOrigins.map((origin) => new URL(origin).origin));
    this.#userAgent =
      options.userAgent ?? `svc-mcp/${packageJson.version} (catalog and task automation; obeys robots.txt)`;
    this.#maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
    this.#totalMs = options.timeoutMs ?? 30_000;
    this.#paceMs = options.paceMs ?? 1_000;
    this.#sender = new RequestSender({
      userAgent: this.#userAgent,
      idleMs: options.idleTimeoutMs ?? 10_000,
      network: options.network ?? {},
      onFetch: options.onFetch,
    });
  }

  /** Rejects with a `FetchError` and with nothing else; any HTTP status is an answer. */
  async fetch(request: FetchRequest): Promise<FetchedPage> {
    const { signal, method = 'GET', headers = {}, body } = request;
    try {
      const jar = request.jar ?? (await createJar());
      const reach = this.#getReach(request);
      const hop: Hop = { url: parsePageAddress(request.url, undefined, reach.isOwn), method, headers, body };
      const before = async (url: URL) => {
        await request.check?.(url);
        await this.#waitForPermission(url, reach, signal);
      };
      const read: Read<AnsweredPage> = (url, answer, signal) => this.#readPage(url, answer, signal);
      const follow = (first: Hop) => this.#follow(first, jar, signal, { reach, before, read });
      return await this.#followRefresh(await follow(hop), hop, { reach, follow });
    } catch (error) {
      if (signal.aborted) throw new FetchError('cancelled', 'The fetch was cancelled', error);
      throw toFetchError(error);
    }
  }

  /**
   * For pages that a browser fetches: resolves when the address may be fetched now, after its host's turn came.
   * Rejects with a `FetchError`.
   */
  async permit(url: string, signal: AbortSignal, named?: readonly string[]): Promise<void> {
    try {
      const reach = this.#getReach({ url, named });
      await this.#waitForPermission(parsePageAddress(url, undefined, reach.isOwn), reach, signal);
    } catch (error) {
      throw toFetchError(error);
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#sender.close();
  }

  #getReach({ named, url }: Pick<FetchRequest, 'named' | 'url'>): Reach {
    const origins = named ?? (URL.canParse(url) ? [new URL(url).origin] : []);
    const namedOrigins = new Set(origins.filter((origin) => this.#allowed.has(origin)));
    return { isOwn: (address) => namedOrigins.has(address.origin) };
  }

  /** A page that sends its readers on is followed once; an address that is not followed is told. */
  async #followRefresh(
    page: AnsweredPage,
    hop: Hop,
    { reach, follow }: { reach: Reach; follow: (hop: Hop) => Promise<AnsweredPage> },
  ): Promise<FetchedPage> {
    const target = findRefresh(page);
    if (target === undefined) return toPage(page);
    if (target.seconds > redirectSeconds) return toPage(page, target.url);
    try {
      const last = { ...hop, url: new URL(page.url) };
      const next = nextHop(last, { status: 302, location: target.url }, (address, base) =>
        parsePageAddress(address, base, reach.isOwn),
      );
      if (next === undefined) return toPage(page, target.url);
      const followed = await follow(next);
      return toPage(followed, findRefresh(followed)?.url);
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      return toPage(page, target.url);
    }
  }

  /** Follows redirects; `before` vets every address before anything is sent to it. */
  async #follow<Result>(
    first: Hop,
    jar: CookieJar | undefined,
    signal: AbortSignal,
    steps: { reach: Reach; before: (url: URL) => Promise<void>; read: Read<Result> },
  ): Promise<Result> {
    const { reach } = steps;
    let hop = first;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      await steps.before(hop.url);
      const deadline = startDeadline(this.#totalMs, signal);
      try {
        const isOwn = reach.isOwn(hop.url);
        const answer = await this.#sender.send(hop, { jar, isOwn, signal: deadline.signal });
        const next = getNextHop(hop, answer, reach);
        if (next === undefined) return await steps.read(hop.url, answer, deadline.signal);
        discardBody(answer);
        hop = next;
      } finally {
        deadline.clear();
      }
    }
    throw new FetchError('redirects', `The site redirected more than ${maxRedirects} times`);
  }

  #loadRobots(origin: string, reach: Reach): Promise<RobotsRules> {
    const url = new URL('/robots.txt', origin);
    const read: Read<RobotsRules> = async (_, answer, signal) => {
      const contentEncoding = answer.header('content-encoding');
      const limits = { contentEncoding, maxBytes: maxRobotsBytes, truncate: true, signal };
      const body = await readBody(answer.body, limits);
      return readRobots({ status: answer.status, text: body.toString('utf8') }, this.#userAgent);
    };
    const hop: Hop = { url, method: 'GET', headers: {}, body: undefined };
    return this.#follow(hop, undefined, new AbortController().signal, {
      reach,
      before: async () => {},
      read,
    });
  }

  async #waitForPermission(url: URL, reach: Reach, signal: AbortSignal): Promise<void> {
    const isOwn = reach.isOwn(url);
    // All requests share one read of the file, so a cancelled one must not end it.
    const rules = await withAbort(
      this.#robots.getRules(`${isOwn ? 'own' : 'web'} ${url.origin}`, () =>
        this.#loadRobots(url.origin, reach),
      ),
      signal,
    );
    if (rules.unavailable !== undefined)
      throw new FetchError(
        'unreachable',
        `The site answers HTTP ${rules.unavailable} for its robots.txt, so no page of it is fetched for a minute`,
      );
    if (!rules.allows(url.href))
      throw new FetchError('robots', 'The robots.txt of the site asks programs not to fetch this page');
    if (isOwn) return;
    const pace = Math.max(this.#paceMs, Math.min(rules.crawlDelayMs ?? 0, maxCrawlDelayMs));
    await this.#pacing.turn(url.host, pace, signal);
  }

  async #readPage(url: URL, answer: SiteAnswer, signal: AbortSignal): Promise<AnsweredPage> {
    const contentEncoding = answer.header('content-encoding');
    return {
      url: url.href,
      status: answer.status,
      contentType: answer.header('content-type') ?? '',
      link: answer.headers('link'),
      ...(answer.headers('retry-after') !== '' && { retryAfter: answer.headers('retry-after') }),
      header: answer.header('refresh'),
      body: await readBody(answer.body, { contentEncoding, maxBytes: this.#maxBytes, signal }),
    };
  }
}

/** A page with its header `Refresh`. */
type AnsweredPage = Omit<FetchedPage, 'refresh'> & { readonly header: string | undefined };

const toPage = ({ header: _, ...page }: AnsweredPage, refresh?: string): FetchedPage =>
  refresh === undefined ? page : { ...page, refresh };

async function createJar(): Promise<CookieJar> {
  const { CookieJar } = await import('tough-cookie');
  return new CookieJar();
}

function getNextHop(hop: Hop, answer: SiteAnswer, { isOwn }: Reach): Hop | undefined {
  try {
    return nextHop(hop, { status: answer.status, location: answer.header('location') }, (address, base) =>
      parsePageAddress(address, base, isOwn),
    );
  } catch (error) {
    discardBody(answer);
    throw error;
  }
}

const maxHosts = 10_000;

/** Polite pacing: requests to one host start at least an interval apart. */
export class Pacing {
  readonly #next = new Map<string, number>();

  /** Waits for the host's turn. Rejects when the signal is aborted; the turn is then lost, which only delays others. */
  async turn(host: string, intervalMs: number, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const start = Math.max(now, this.#next.get(host) ?? 0);
    this.#next.set(host, start + intervalMs);
    if (this.#next.size > maxHosts) {
      for (const [name, time] of this.#next) if (time <= now) this.#next.delete(name);
    }
    if (start > now) await delay(start - now, undefined, { signal });
  }
}
