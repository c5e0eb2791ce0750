/**
 * The limits of a page in the browser. The proxy vets every address; documents obey the fetcher's rules (block list,
 * robots.txt, pacing), and everything is counted.
 */

import type { Browser, BrowserContext, Page, Request, Route } from 'playwright-core';
import { BrowserError, FetchError } from '../foundation/errors.ts';
import { killBrowser } from './browser-process.ts';

export interface PageLimits {
  readonly timeoutMs: number;
  readonly requests: number;
  /** Bytes from sites. */
  readonly bytes: number;
  /** Resident bytes of one page's process. */
  readonly memoryBytes: number;
}

export const defaultPageLimits: PageLimits = {
  timeoutMs: 30_000,
  requests: 200,
  bytes: 20 * 1024 * 1024,
  memoryBytes: 1024 * 1024 * 1024,
};

/**
 * What a page logs, throws or asks its person comes to this process, of any size and number, and nobody reads it. It stays in
 * the page: dialogs are answered there as they would be here.
 */
const withoutFloods = `{
  for (const name of Object.keys(console)) console[name] = () => undefined;
  globalThis.alert = () => undefined;
  globalThis.confirm = () => false;
  globalThis.prompt = () => null;
  const cancel = Function.prototype.call.bind(Event.prototype.preventDefault);
  for (const type of ['error', 'unhandledrejection']) addEventListener(type, (event) => cancel(event));
}`;

const maxWindows = 10;
/** The browser's own remarks on a page count, too. */
const maxLogs = 1_000;
/** Characters of all messages. */
const maxLogged = 1e6;
/** Pictures, films and fonts add nothing to a page's data. */
const unneeded = new Set(['image', 'media', 'font']);

export class PageGuard {
  readonly #limits: PageLimits;
  readonly #permit: (url: string) => Promise<void>;
  #fail: (error: Error) => void = () => {};
  /** Rejects with the first reason to give up the page. */
  readonly failed: Promise<never>;
  #requests = 0;
  #windows = 0;
  #logs = 0;
  #logged = 0;
  /** Pending permission checks of redirects, which the browser follows without asking. */
  readonly #checks: Promise<boolean>[] = [];

  /** `permit` rejects with a `FetchError` for a document that must not be fetched. */
  constructor(limits: PageLimits, permit: (url: string) => Promise<void>) {
    this.#limits = limits;
    this.#permit = permit;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    // It may reject while nobody waits for it.
    this.failed.catch(() => undefined);
  }

  fail(error: Error): void {
    this.#fail(error);
  }

  /** Call it before the context's first page is opened. */
  async guardContext(context: BrowserContext): Promise<void> {
    await context.addInitScript(withoutFloods);
    // Without WebRTC no traffic bypasses the proxy, even if a version of the browser ignores the switch. A headless
    // browser does not block unwanted windows.
    await context.addInitScript(
      'delete globalThis.RTCPeerConnection; delete globalThis.webkitRTCPeerConnection; globalThis.open = () => null;',
    );
    await context.route('**/*', (route) => this.#route(route).catch(() => undefined));
  }

  guardPage(page: Page): void {
    page.on('dialog', (dialog) => void dialog.dismiss().catch(() => undefined));
    page.on('download', (download) => void download.cancel().catch(() => undefined));
    page.on('crash', () => this.fail(pageFailed('The page crashed the browser or took too much memory')));
    page.on('close', () => void this.#explainClose(page.context().browser()));
    page.context().on('page', (popup) => {
      this.#windows += 1;
      if (this.#windows > maxWindows) this.fail(pageFailed('The page opened too many windows'));
      void popup.close().catch(() => undefined);
    });
    // A worker's scripts begin before ours, so that what it logs comes to this process whatever its size.
    page.on('console', (message) => {
      this.#logs += 1;
      this.#logged += message.text().length;
      if (this.#logs <= maxLogs && this.#logged <= maxLogged) return;
      this.fail(pageFailed('A script of the page logs without end'));
      // More is on its way, which a browser that is asked to close would still bring.
      const browser = page.context().browser();
      if (browser !== null) void killBrowser(browser);
    });
    page
      .context()
      .browser()
      ?.on('disconnected', () => this.fail(browserEnded()));
    // Playwright does not route redirects; their targets are checked before anything of them is used.
    page.on('request', (request) => {
      if (request.isNavigationRequest() && request.redirectedFrom() !== null)
        this.#checks.push(this.#check(request));
    });
  }

  /** Resolves when every address that a redirect led to is permitted; rejects when one is not. */
  async redirectsChecked(): Promise<void> {
    const verdicts = await Promise.all(this.#checks);
    if (verdicts.includes(false)) await this.failed;
  }

  /** A browser that ends closes its pages first, which is not the page's fault. */
  async #explainClose(browser: Browser | null): Promise<void> {
    try {
      const session = await browser?.newBrowserCDPSession();
      await session?.detach();
    } catch {
      return this.fail(browserEnded());
    }
    this.fail(pageFailed('The page closed its own window'));
  }

  async #route(route: Route): Promise<void> {
    const request = route.request();
    this.#requests += 1;
    if (this.#requests > this.#limits.requests) {
      this.fail(pageFailed(`The page made more than ${this.#limits.requests} requests`));
      return route.abort('blockedbyclient');
    }
    if (unneeded.has(request.resourceType())) return route.abort('blockedbyclient');
    if (request.isNavigationRequest() && !(await this.#check(request))) return route.abort('blockedbyclient');
    // Requests of a redirected document wait until the document is permitted.
    await this.redirectsChecked();
    return route.continue();
  }

  /** A refused document of a frame stays empty; a refused document of the page ends the visit. */
  async #check(request: Request): Promise<boolean> {
    try {
      await this.#permit(request.url());
      return true;
    } catch (error) {
      const isMainFrame = request.frame().parentFrame() === null;
      if (isMainFrame || request.redirectedFrom() !== null)
        this.fail(error instanceof FetchError ? error : pageFailed('The page could not be opened'));
      return false;
    }
  }
}

const browserEnded = () => new BrowserError('browser-ended', 'The browser ended while the page was open');

export const pageFailed = (message: string) => new BrowserError('page-failed', message);
