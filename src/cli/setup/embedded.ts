/** The embedded service on this machine: practice sites, catalogs, fetcher, runners and the service itself. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { withoutEndSlashes } from '../../contract/web-address.ts';
import type { AnalysisPool } from '../../service/builder/visits/page-visits.ts';
import type { NetworkRules } from '../../service/fetch/connector.ts';
import type { Fetcher } from '../../service/fetch/fetcher.ts';
import type { BrowserLocation } from '../../service/fetch/find-browser.ts';
import type { ActionRunner, CatalogSource } from '../../service/foundation/ports.ts';
import type { ParsePool } from '../../service/recipes/page-pool.ts';
import type { RunningService } from '../../service/service.ts';
import type { ReadingPool, WebRunnerOptions } from '../../service/web/runner.ts';
import { readOrCreate } from '../../store/secret-file.ts';
import type { Settings } from '../config/load.ts';
import { prepareDataFolder } from './data-folder.ts';
import { loadPino } from './logger.ts';

export interface EmbeddedService {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Where the practice sites are served; undefined with SVC_PRACTICE_SITES=off. */
  readonly practiceUrl: string | undefined;
  /** Calls the listener within a second after what the service offers changed; returns how to stop that. */
  onCatalogChange(listener: () => void): () => void;
  /** Whether a browser window can be shown on this machine. */
  readonly showsBrowser: boolean;
  /** Lets a person sign in to a site in a visible browser; see `RunningService`. */
  readonly connectInBrowser: RunningService['connectInBrowser'];
  close(): Promise<void>;
}

/** Starts everything on loopback; rejects with what kept it from starting, and leaves nothing behind then. */
export async function startEmbeddedService(
  settings: Settings,
  listen: { host?: string | undefined; port?: number | undefined } = {},
): Promise<EmbeddedService> {
  await prepareDataFolder(settings);
  const modules = await loadModules(settings);
  const { pino: logger } = await loadPino(settings.logLevel);
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of closers.reverse().splice(0)) await closeOne();
  };
  try {
    const sites = await modules.practice?.startPracticeSites();
    if (sites !== undefined) closers.push(() => sites.close());
    const allowOrigins = [
      ...(settings.serviceAllowOrigins ?? []),
      ...(sites === undefined ? [] : [sites.origin]),
    ];
    const parts: Parts = { modules, settings, logger, closers, practiceUrl: sites?.origin, allowOrigins };
    const browser = findBrowser(parts);
    const { fetcher, fetchCount } = createFetcher(parts);
    const catalogs = await createCatalogs(parts, browser);
    const runners = createRunners(parts, fetcher, browser);
    const running = await modules.service.startService({
      ...listen,
      dataDir: settings.dataDir,
      databaseUrl: settings.databaseUrl,
      apiPrefix: withoutEndSlashes(settings.apiPrefix),
      catalogs,
      practiceUrl: sites?.origin,
      ...runners,
      allowedOrigins: allowOrigins,
      keepResultsDays: settings.keepResultsDays,
      trustProxy: settings.trustProxy,
      publicUrl: settings.publicUrl,
      fetchCount,
      logger,
    });
    closers.push(() => running.close());
    const { baseUrl, apiKey, onCatalogChange, connectInBrowser } = running;
    const showsBrowser = runners.signInBrowser !== undefined;
    return {
      baseUrl,
      apiKey,
      onCatalogChange,
      connectInBrowser,
      close,
      practiceUrl: sites?.origin,
      showsBrowser,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What the parts of the service are made from. */
interface Parts {
  readonly modules: Awaited<ReturnType<typeof loadModules>>;
  readonly settings: Settings;
  readonly logger: Logger;
  /** Each part adds what ends it; the last one ends first. */
  readonly closers: (() => Promise<void>)[];
  readonly practiceUrl: string | undefined;
  readonly allowOrigins: readonly string[];
}

interface UsedBrowser {
  readonly location: BrowserLocation;
  readonly sandbox: boolean;
  /** Whether it can show pages. */
  readonly usable: boolean;
}

/** Nothing of the service is loaded by a start that uses a remote one. */
const loadModules = async (settings: Settings) => ({
  service: await import('../../service/service.ts'),
  catalogs: await import('../../service/catalog/source.ts'),
  connector: await import('../../service/fetch/connector.ts'),
  fetching: await import('../../service/fetch/fetcher.ts'),
  pools: await import('../../service/recipes/page-pool.ts'),
  recipes: await import('../../service/recipes/runner.ts'),
  logins: await import('../../service/accounts/login-runner.ts'),
  builders: await import('../../service/builder/builder.ts'),
  finder: await import('../../service/fetch/find-browser.ts'),
  browsers: await import('../../service/fetch/renderer.ts'),
  signIns: await import('../../service/accounts/sign-in-window.ts'),
  practice: settings.practiceSites === false ? undefined : await import('../../practice/practice.ts'),
  web: settings.webCatalog === false ? undefined : await loadWebCatalog(),
});

function findBrowser({ modules: { finder }, settings }: Parts): UsedBrowser {
  const location = finder.findBrowser(settings.browser ?? 'auto');
  const sandbox = settings.browserSandbox ?? true;
  return { location, sandbox, usable: finder.isUsable(location, sandbox) };
}

/** The way to websites, for the fetcher and for pages in a browser. */
function networkRules({ modules, settings }: Parts): NetworkRules {
  const { fetchFakeIps, fetchProxy } = settings;
  return {
    fakeIps: fetchFakeIps,
    proxyFor: fetchProxy === undefined ? undefined : modules.connector.createProxyRule(fetchProxy),
  };
}

function createFetcher(parts: Parts) {
  const { modules, closers, allowOrigins } = parts;
  let fetches = 0;
  const fetcher = new modules.fetching.Fetcher({
    allowOrigins,
    network: networkRules(parts),
    onFetch: () => {
      fetches += 1;
    },
  });
  closers.push(() => fetcher.close());
  return { fetcher, fetchCount: () => fetches };
}

async function createCatalogs(parts: Parts, { usable }: UsedBrowser): Promise<CatalogSource> {
  const { modules, settings, logger, closers } = parts;
  const source = await modules.catalogs.createCatalogSource({
    further: [
      ...(modules.web === undefined ? [] : [{ origin: 'web:', catalogs: [modules.web.webCatalog()] }]),
      ...(modules.practice?.practiceCatalogs({ withBrowser: usable }) ?? []),
    ],
    directory: join(settings.dataDir, 'catalogs'),
    folder: await nameFolder(settings),
    logger,
  });
  closers.push(() => source.close());
  return source;
}

/**
 * A SQLite file has one folder of catalogs, its own. A PostgreSQL database is shared by data folders, of which each has a name
 * that stays when the folder is moved.
 */
async function nameFolder({ databaseUrl, dataDir }: Settings): Promise<string> {
  if (databaseUrl === undefined) return 'catalogs';
  return (await readOrCreate(join(dataDir, 'folder-id'), () => `${randomUUID()}\n`)).trim();
}

function createRunners(parts: Parts, fetcher: Fetcher, { location, sandbox, usable }: UsedBrowser) {
  const { modules, logger, closers, allowOrigins } = parts;
  const { parsePool, readingPool, analysisPool } = createPagePools(parts);
  const renderer = new modules.browsers.Renderer({
    location,
    sandbox,
    allowOrigins,
    network: networkRules(parts),
    permit: (url, signal, named) => fetcher.permit(url, signal, named),
  });
  closers.push(() => renderer.close());
  const signInBrowser =
    location.kind === 'installed' && location.windowPath !== undefined && modules.signIns.hasDisplay()
      ? modules.signIns.createSignInBrowser({
          location: { ...location, path: location.windowPath },
          sandbox,
          parsePool,
          allowOrigins,
          network: networkRules(parts),
        })
      : undefined;
  const recipes = new modules.recipes.RecipeRunner({ fetcher, renderer, parsePool });
  const runner =
    createWebRunner(parts, {
      fetcher,
      pool: readingPool,
      recipes,
      renderer: usable ? renderer : undefined,
    }) ?? recipes;
  const logins = new modules.logins.LoginRunner({ fetcher, parsePool });
  const builder = modules.builders.createBuilder({
    fetcher,
    runner,
    pool: analysisPool,
    logger,
    ...(usable && { renderer }),
  });
  return { signInBrowser, runner, logins, builder };
}

/** The worker processes in which pages are read, shared by everything that reads them. */
function createPagePools({ modules, closers }: Parts) {
  const processes = modules.pools.createPageProcesses();
  closers.push(() => processes.close());
  // Recipes of actions and sign-ins, and the test of a sign-in window.
  const parsePool: ParsePool = processes.for('extract');
  const readingPool: ReadingPool = processes.for('reading');
  const analysisPool: AnalysisPool = processes.for('candidates');
  return { parsePool, readingPool, analysisPool };
}

/** Undefined with SVC_WEB_CATALOG=off. */
function createWebRunner(
  parts: Parts,
  dependencies: Pick<WebRunnerOptions, 'fetcher' | 'pool' | 'recipes' | 'renderer'>,
): ActionRunner | undefined {
  const { modules, settings, logger, practiceUrl } = parts;
  if (modules.web === undefined) return undefined;
  return modules.web.createWebRunner({
    ...dependencies,
    check: modules.web.createWebPageCheck({
      dataDir: settings.dataDir,
      ownOrigins: settings.serviceAllowOrigins ?? [],
      logger,
    }),
    ownOrigins: practiceUrl === undefined ? [] : [practiceUrl],
  });
}

async function loadWebCatalog() {
  const [catalog, runner, check] = await Promise.all([
    import('../../service/web/catalog.ts'),
    import('../../service/web/runner.ts'),
    import('../../service/fetch/web-page-check.ts'),
  ]);
  return { ...catalog, ...runner, ...check };
}
