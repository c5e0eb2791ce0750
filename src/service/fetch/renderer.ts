/**
 * Pages as a browser shows them, for sites that show nothing without scripts. Each page has its own context (no
 * downloads, permissions, dialogs, service workers), a single way to the network (the guarded proxy), and limits. A
 * page that breaks them fails without affecting the next one.
 */
import pLimit, { type LimitFunction } from 'p-limit';
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import packageJson from '../../../package.json' with { type: 'json' };
import { matchesAddress } from '../../compare/addresses.ts';
import { BrowserError, FetchError } from '../foundation/errors.ts';
import { type Deadline, startDeadline } from '../foundation/time-limit.ts';
import { BrowserProcess, killBrowser } from './browser-process.ts';
import type { NetworkRules } from './connector.ts';
import type { FetchedPage } from './fetcher.ts';
import type { BrowserLocation } from './find-browser.ts';
import { type GuardedProxy, startGuardedProxy } from './guarded-proxy.ts';
import { watchMemory } from './memory-watch.ts';
import { defaultPageLimits, PageGuard, type PageLimits, pageFailed } from './page-guard.ts';
import type { StorageState } from './session-state.ts';

interface RenderRequest {
  readonly url: string;
  /** Cookies and local storage of a signed-in session. */
  readonly session?: StorageState | undefined;
  /** CSS selector of an element without which the page is not complete. */
  readonly waitFor?: string | undefined;
  /** CSS selector of a button that shows more, and how often it is clicked at most. */
  readonly click?: { readonly selector: string; readonly times: number } | undefined;
  /** Patterns of the addresses whose JSON answers are kept. */
  readonly responses?: readonly string[];
  /** Private origins that the caller names; default: that of `url`. */
  readonly named?: readonly string[];
  readonly signal: AbortSignal;
}

export interface RenderedPage extends FetchedPage {
  /** JSON answers that the page fetched for itself, in their order, at most 50. */
  readonly responses: readonly FetchedPage[];
}

export interface RendererOptions {
  readonly location: BrowserLocation;
  readonly sandbox: boolean;
  /** Exact origins that pages may reach whatever their address, where the request names them. */
  readonly allowOrigins: readonly string[];
  /** Rejects with a `FetchError` for a document that must not be fetched now; waits for the host's turn. */
  readonly permit: (url: string, signal: AbortSignal, named: readonly string[]) => Promise<void>;
  readonly limits?: Partial<PageLimits>;
  readonly pagesAtOnce?: number;
  readonly idleMs?: number;
  /** Default: a direct way to public addresses. */
  readonly network?: NetworkRules;
}

const maxPageBytes = 10 * 1024 * 1024;
const maxResponses = 50;
const settleMs = 5_000;
const stepMs = 3_000;
const closeMs = 3_000;

const quietMs = 400;

/** Waits until a page has no request under way for a moment. */
class NetworkQuiet {
  #pending = 0;
  #changed = () => {};

  constructor(page: Page) {
    page.on('request', () => this.#count(1));
    page.on('requestfinished', () => this.#count(-1));
    page.on('requestfailed', () => this.#count(-1));
  }

  #count(change: number): void {
    this.#pending += change;
    this.#changed();
  }

  /** Resolves when no request was under way for 0.4 s, or after `mostMs`: some pages never stop asking. */
  wait(mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      let quiet: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(quiet);
        clearTimeout(most);
        this.#changed = () => {};
        resolve();
      };
      const most = setTimeout(end, mostMs);
      this.#changed = () => {
        clearTimeout(quiet);
        if (this.#pending <= 0) quiet = setTimeout(end, quietMs);
      };
      this.#changed();
    });
  }
}

export class Renderer {
  readonly #options: RendererOptions;
  readonly #limits: PageLimits;
  readonly #takeTurn: LimitFunction;
  #started: Promise<{ proxy: GuardedProxy; process: BrowserProcess }> | undefined;

  constructor(options: RendererOptions) {
    this.#options = options;
    this.#limits = { ...defaultPageLimits, ...options.limits };
    this.#takeTurn = pLimit(options.pagesAtOnce ?? 2);
  }

  /** Rejects with a `BrowserError` or a `FetchError`, and with nothing else. */
  render(request: RenderRequest): Promise<RenderedPage> {
    return this.#takeTurn(() => this.#renderNow(request));
  }

  /** The time of a page begins with its turn: pages that take long take none of it from others. */
  async #renderNow(request: RenderRequest): Promise<RenderedPage> {
    const { timeoutMs } = this.#limits;
    const deadline = startDeadline(timeoutMs, request.signal);
    try {
      deadline.signal.throwIfAborted();
      this.#started ??= this.#start();
      const { proxy, process } = await this.#started;
      return await process.use((browser) => this.#renderIn(browser, proxy, request, deadline));
    } catch (error) {
      if (request.signal.aborted) throw new FetchError('cancelled', 'The fetch was cancelled', error);
      // Not a timeout of the network, which a retry may fix: the page itself does not finish.
      if (deadline.isOver()) throw pageFailed(`The page was not complete after ${timeoutMs / 1000} s`);
      throw toRenderError(error);
    } finally {
      deadline.clear();
    }
  }

  async close(): Promise<void> {
    if (this.#started === undefined) return;
    const { proxy, process } = await this.#started;
    await process.close();
    await proxy.close();
  }

  async #start() {
    const { location, sandbox, idleMs, network } = this.#options;
    const proxy = await startGuardedProxy(network);
    return { proxy, process: new BrowserProcess({ location, sandbox, idleMs, proxyServer: proxy.server }) };
  }

  async #renderIn(browser: Browser, proxy: GuardedProxy, request: RenderRequest, deadline: Deadline) {
    const { permit, allowOrigins } = this.#options;
    const named = request.named ?? [new URL(request.url).origin];
    const guard = new PageGuard(this.#limits, (url) => permit(url, deadline.signal, named));
    deadline.signal.addEventListener('abort', () => guard.fail(deadline.signal.reason), { once: true });
    const { bytes } = this.#limits;
    const access = proxy.admit({
      maxBytes: bytes,
      allowOrigins: new Set(allowOrigins.filter((origin) => named.includes(origin))),
      onLimit: () =>
        guard.fail(new FetchError('too-large', `The page loads more than ${bytes / 1024 / 1024} MiB`)),
    });
    const opened = this.#openContext(browser, request, { server: proxy.server, ...access });
    const watching = watchMemory(browser, this.#limits.memoryBytes);
    const show = async () => {
      const [context] = await Promise.all([opened, watching]);
      await guard.guardContext(context);
      const page = await context.newPage();
      guard.guardPage(page);
      const rendered = await visit(page, request);
      await guard.redirectsChecked();
      return rendered;
    };
    const close = async () => {
      const [context, stopWatching] = await Promise.all([opened, watching]);
      await Promise.all([stopWatching(), context.close()]);
    };
    try {
      // A flooded browser answers nothing, not even that it opens or closes a page.
      return await Promise.race([show(), guard.failed]);
    } finally {
      access.revoke();
      await closeOrKill(close(), browser);
    }
  }

  async #openContext(
    browser: Browser,
    { session }: RenderRequest,
    { server, username, password }: { server: string; username: string; password: string },
  ): Promise<BrowserContext> {
    return browser.newContext({
      proxy: { server, bypass: '<-loopback>', username, password },
      userAgent: await readUserAgent(browser),
      ...(session !== undefined && { storageState: session }),
      serviceWorkers: 'block',
      acceptDownloads: false,
    });
  }
}

async function visit(page: Page, request: RenderRequest): Promise<RenderedPage> {
  const quiet = new NetworkQuiet(page);
  const answers: Promise<FetchedPage | undefined>[] = [];
  page.on('response', (response) => {
    const isWanted = request.responses?.some((pattern) => matchesAddress(pattern, response.url()));
    if (isWanted === true && isJson(response) && answers.length < maxResponses)
      answers.push(readAnswer(response));
  });
  const response = await page.goto(request.url, { waitUntil: 'domcontentloaded', timeout: 0 });
  if (request.waitFor !== undefined) {
    // If the element never appears, the page is read as it is: there may be nothing to show.
    await page
      .waitForSelector(`css=${request.waitFor}`, { state: 'attached', timeout: 2 * settleMs })
      .catch(() => undefined);
  }
  await quiet.wait(settleMs);
  for (let count = 0; count < (request.click?.times ?? 0); count++) {
    const button = page.locator(`css=${request.click?.selector ?? ''}`).first();
    if (!(await button.isVisible()) || !(await button.isEnabled())) break;
    await button.click({ timeout: stepMs });
    await quiet.wait(stepMs);
  }
  const responses = (await Promise.all(answers)).filter((answer) => answer !== undefined);
  return { ...(await readPage(page, response)), responses };
}

async function readPage(page: Page, response: Response | null): Promise<FetchedPage> {
  const contentType = response?.headers()['content-type'] ?? 'text/html';
  const isPage = /html|xhtml/i.test(contentType);
  const body = isPage || response === null ? Buffer.from(await page.content()) : await response.body();
  if (body.length > maxPageBytes)
    throw new FetchError('too-large', `The page is larger than the limit of ${maxPageBytes / 1024} KiB`);
  return {
    url: page.url(),
    status: response?.status() ?? 200,
    contentType: isPage ? 'text/html; charset=utf-8' : contentType,
    link: response?.headers().link ?? '',
    body,
  };
}

const isJson = (response: Response) => /json/i.test(response.headers()['content-type'] ?? '');

async function readAnswer(response: Response): Promise<FetchedPage | undefined> {
  try {
    const body = await response.body();
    if (body.length > maxPageBytes) return undefined;
    const contentType = response.headers()['content-type'] ?? '';
    return { url: response.url(), status: response.status(), contentType, link: '', body };
  } catch {
    // The page moved on before the answer was complete.
    return undefined;
  }
}

const userAgents = new WeakMap<Browser, Promise<string>>();

/** The browser's own name followed by svc-mcp's, so that sites know who asks. */
function readUserAgent(browser: Browser): Promise<string> {
  const read = async () => {
    const session = await browser.newBrowserCDPSession();
    const { userAgent } = await session.send('Browser.getVersion');
    await session.detach();
    return `${userAgent.replace('HeadlessChrome', 'Chrome')} svc-mcp/${packageJson.version}`;
  };
  const userAgent = userAgents.get(browser) ?? read();
  userAgents.set(browser, userAgent);
  return userAgent;
}

/**
 * A hanging page can keep its context from closing; then the whole browser is killed, and the next page gets a new one. To
 * ask it to end took half a minute, in which other pages had no turn.
 */
async function closeOrKill(closing: Promise<void>, browser: Browser): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), closeMs);
  });
  const closed = await Promise.race([closing.catch(() => undefined), late]);
  clearTimeout(timer);
  if (closed === 'late') await killBrowser(browser);
}

/** Replaces Playwright's messages, which quote addresses and scripts. */
function toRenderError(error: unknown): Error {
  if (error instanceof FetchError || error instanceof BrowserError) return error;
  const text = String(error);
  if (/Download is starting/i.test(text))
    return new FetchError('file', 'The address is a file to download, not a page', error);
  if (/ERR_TUNNEL_CONNECTION_FAILED|ERR_BLOCKED|ERR_PROXY/i.test(text))
    return new FetchError(
      'unreachable',
      'The site could not be reached, or its address is not on the public internet',
      error,
    );
  if (/net::ERR_/i.test(text))
    return new FetchError('unreachable', 'The site could not be reached, or the connection broke', error);
  return new BrowserError('page-failed', 'The page could not be shown by the browser', error);
}
