/**
 * A visible browser with a fresh profile, in which a person signs in to a site. Nothing typed is seen or logged: only
 * the cookies and the local storage are taken when the person is signed in.
 */

import type { BrowserContext, Page } from 'playwright-core';
import { BrowserProcess } from '../fetch/browser-process.ts';
import type { NetworkRules } from '../fetch/connector.ts';
import type { BrowserLocation } from '../fetch/find-browser.ts';
import { startGuardedProxy } from '../fetch/guarded-proxy.ts';
import type { StorageState } from '../fetch/session-state.ts';
import { BrowserError } from '../foundation/errors.ts';
import { withAbort } from '../foundation/time-limit.ts';
import type { ParsePool } from '../recipes/page-pool.ts';
import { PageTest } from '../recipes/recipe-schema.ts';

const lookIntervalMs = 1_000;

export interface SignInWindowOptions {
  readonly location: BrowserLocation;
  readonly sandbox: boolean;
  readonly parsePool: ParsePool;
  /** Exact origins that are reached whatever their address. */
  readonly allowOrigins: readonly string[];
  readonly network?: NetworkRules | undefined;
  /** For tests: no window is shown. */
  readonly headless?: boolean;
}

interface SignInRequest {
  readonly url: string;
  /** A page test of the catalog that holds once a person is signed in. */
  readonly signedIn: unknown;
  readonly done?: Promise<void> | undefined;
  readonly signal: AbortSignal;
}

/** A visible browser in which a person signs in to a site. */
export type SignInBrowser = ReturnType<typeof createSignInBrowser>;

export function createSignInBrowser(options: SignInWindowOptions) {
  return {
    /**
     * Opens `url` and resolves with the cookies and local storage when `signedIn` holds, when `done` resolves, or when the person closes the window. Rejects with the signal's reason, or with a
     * `BrowserError`.
     */
    async signIn({ url, signedIn, done, signal }: SignInRequest): Promise<StorageState> {
      const check =
        signedIn === undefined
          ? undefined
          : createCheck({ test: PageTest.parse(signedIn), pool: options.parsePool, signal });
      const proxy = await startGuardedProxy(options.network);
      const access = proxy.admit({
        maxBytes: Number.POSITIVE_INFINITY,
        allowOrigins: new Set(options.allowOrigins),
        onLimit: () => {},
      });
      const process = new BrowserProcess({
        location: options.location,
        sandbox: options.sandbox,
        proxyServer: proxy.server,
        visible: options.headless !== true,
      });
      try {
        return await process.use(async (browser) => {
          const { username, password } = access;
          const context = await browser.newContext({
            proxy: { server: proxy.server, bypass: '<-loopback>', username, password },
            // The window's own size.
            viewport: null,
          });
          const page = await context.newPage();
          // A person can sign in at a slow page too.
          page.goto(url).catch(() => undefined);
          return await withAbort(waitForPerson(context, page, check, done), signal);
        });
      } finally {
        await process.close();
        await proxy.close();
      }
    },
  };
}

/** The storage state once the check holds, `done` resolves, or the person closes the window. */
async function waitForPerson(
  context: BrowserContext,
  page: Page,
  check: ReturnType<typeof createCheck> | undefined,
  done: Promise<void> | undefined,
): Promise<StorageState> {
  let ended = false;
  const end = () => {
    ended = true;
    wake();
  };
  let wake = () => {};
  page.on('close', end);
  context.browser()?.on('disconnected', end);
  done?.then(end);
  let state: StorageState | undefined;
  for (;;) {
    // The state is gone once the window closes, so it is read while the window is open.
    state = await context.storageState().catch(() => state);
    if (ended) break;
    if (check !== undefined && (await check.holds(page))) return context.storageState();
    await new Promise<void>((resolve) => {
      wake = resolve;
      setTimeout(resolve, lookIntervalMs);
    });
  }
  if (state === undefined)
    throw new BrowserError('page-failed', 'The window was closed before anybody signed in');
  return state;
}

/** Checks the page with the tests of recipes. */
function createCheck({ test, pool, signal }: { test: PageTest; pool: ParsePool; signal: AbortSignal }) {
  return {
    async holds(page: Page): Promise<boolean> {
      try {
        const body = Buffer.from(await page.content());
        const pageState = {
          url: page.url(),
          status: 200,
          contentType: 'text/html; charset=utf-8',
          link: '',
          body,
        };
        const { tests } = await pool.parse({ page: pageState, tests: [test] }, signal);
        return tests[0] === true;
      } catch {
        // Between two pages there is no document to check.
        return false;
      }
    },
  };
}
