/** Everything that reaches websites: the fetcher, the browser, the processes in which pages are read, and their users. */
import type { Logger } from 'pino';
import { LoginRunner } from '../../service/accounts/login-runner.ts';
import { createSignInBrowser, type SignInBrowser } from '../../service/accounts/sign-in-window.ts';
import { createBuilder } from '../../service/builder/builder.ts';
import { createProxyRule, type NetworkRules } from '../../service/fetch/connector.ts';
import { Fetcher } from '../../service/fetch/fetcher.ts';
import type { BrowserLocation } from '../../service/fetch/find-browser.ts';
import { Renderer } from '../../service/fetch/renderer.ts';
import { createWebPageCheck } from '../../service/fetch/web-page-check.ts';
import type { ActionRunner, Builder } from '../../service/foundation/ports.ts';
import { createPageProcesses, type ParsePool } from '../../service/recipes/page-pool.ts';
import { RecipeRunner } from '../../service/recipes/runner.ts';
import { createWebRunner, type ReadingPool, type WebRunnerOptions } from '../../service/web/runner.ts';
import type { Settings } from '../config/load.ts';
import type { PracticeSites } from './practice-sites.ts';

export interface UsedBrowser {
  readonly location: BrowserLocation;
  readonly sandbox: boolean;
  /** Whether it can show pages. */
  readonly usable: boolean;
  /** The browser that can show a person a window on this machine. */
  readonly windowPath: string | undefined;
}

/** What the readers are made from. */
export interface SiteReading {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly browser: UsedBrowser;
  readonly practice: PracticeSites | undefined;
  /** Exact origins that are reached whatever their address. */
  readonly allowOrigins: readonly string[];
}

export interface SiteReaders {
  readonly runner: ActionRunner;
  readonly logins: LoginRunner;
  readonly builder: Required<Builder>;
  /** `path`: of a browser that can show windows. */
  signInBrowser(path: string): SignInBrowser;
  close(): Promise<void>;
}

/** `onFetch`: at each request to a website. */
export function createSiteReaders(reading: SiteReading, onFetch: () => void): SiteReaders {
  const { settings, logger, browser, allowOrigins } = reading;
  const { location, sandbox, usable } = browser;
  const network = networkRules(reading);
  const fetcher = new Fetcher({ allowOrigins, network, onFetch });
  const processes = createPageProcesses();
  // Recipes of actions and sign-ins, and the test of a sign-in window.
  const parsePool: ParsePool = processes.for('extract');
  const renderer = new Renderer({
    location,
    sandbox,
    allowOrigins,
    network,
    permit: (url, signal, named) => fetcher.permit(url, signal, named),
  });
  const recipes = new RecipeRunner({ fetcher, renderer, parsePool });
  const readingPool: ReadingPool = processes.for('reading');
  const shown = usable ? renderer : undefined;
  const runner =
    settings.webCatalog === false
      ? recipes
      : createRunner(reading, { fetcher, recipes, pool: readingPool, renderer: shown });
  return {
    runner,
    logins: new LoginRunner({ fetcher, parsePool }),
    builder: createBuilder({
      fetcher,
      runner,
      pool: processes.for('candidates'),
      logger,
      renderer: shown,
    }),
    signInBrowser: (path) =>
      createSignInBrowser({
        location: { kind: 'installed', path, windowPath: path },
        sandbox,
        parsePool,
        allowOrigins,
        network,
      }),
    async close() {
      await renderer.close();
      await processes.close();
      await fetcher.close();
    },
  };
}

/** The way to websites, for the fetcher and for pages in a browser. */
function networkRules({ settings: { fetchFakeIps, fetchProxy }, practice }: SiteReading): NetworkRules {
  return {
    movedPorts: practice && new Map([[practice.origin, practice.port]]),
    fakeIps: fetchFakeIps,
    proxyFor: fetchProxy === undefined ? undefined : createProxyRule(fetchProxy),
  };
}

/** Runs the actions of the catalog `web`, and all others. */
function createRunner(
  { settings, logger, practice }: SiteReading,
  pages: Pick<WebRunnerOptions, 'fetcher' | 'pool' | 'recipes' | 'renderer'>,
): ActionRunner {
  return createWebRunner({
    ...pages,
    check: createWebPageCheck({
      dataDir: settings.dataDir,
      ownOrigins: settings.serviceAllowOrigins ?? [],
      logger,
    }),
    ownOrigins: practice === undefined ? [] : [practice.origin],
  });
}
