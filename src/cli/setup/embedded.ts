/** The embedded service on this machine: practice sites, catalogs, fetcher, runners and the service itself. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { withoutEndSlashes } from '../../contract/web-address.ts';
import type { CatalogSource } from '../../service/foundation/ports.ts';
import { findRecipeProblem } from '../../service/recipes/recipe-problem.ts';
import type { RunningService, ServiceOptions } from '../../service/service.ts';
import { readOrCreate } from '../../store/secret-file.ts';
import type { Settings } from '../config/load.ts';
import { prepareDataFolder } from './data-folder.ts';
import { loadPino } from './logger.ts';
import { browserCheck, websitesCheck } from './machine-checks.ts';
import type { SiteReaders, SiteReading, UsedBrowser } from './site-readers.ts';

export interface EmbeddedService {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Where the practice sites are served; undefined with SVC_PRACTICE_SITES=off. */
  readonly practiceUrl: string | undefined;
  /** Calls the listener within a second after what the service offers changed; returns how to stop that. */
  onCatalogChange(listener: () => void): () => void;
  /** What is wrong with the catalog files of the data folder at present. */
  readonly catalogProblems: RunningService['catalogProblems'];
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
    const sites = await modules.practice?.sites.servePracticeSites(settings.dataDir, logger);
    if (sites !== undefined) closers.push(() => sites.close());
    const allowOrigins = [
      ...(settings.serviceAllowOrigins ?? []),
      ...(sites === undefined ? [] : [sites.origin]),
    ];
    const parts: Parts = { modules, settings, logger, closers };
    const browser = findBrowser(parts);
    const catalogs = await createCatalogs(parts, browser);
    const readers = startReadingLate({ settings, logger, browser, practice: sites, allowOrigins });
    closers.push(() => readers.close());
    const running = await modules.service.startService({
      ...listen,
      dataDir: settings.dataDir,
      databaseUrl: settings.databaseUrl,
      apiPrefix: withoutEndSlashes(settings.apiPrefix),
      catalogs,
      practiceUrl: sites?.origin,
      ...readers,
      allowedOrigins: allowOrigins,
      keepResultsDays: settings.keepResultsDays,
      trustProxy: settings.trustProxy,
      publicUrl: settings.publicUrl,
      healthChecks: () => Promise.all([browserCheck(settings), websitesCheck(settings)]),
      logger,
    });
    closers.push(() => running.close());
    const { baseUrl, apiKey, onCatalogChange, catalogProblems, connectInBrowser } = running;
    const showsBrowser = readers.signInBrowser !== undefined;
    return {
      baseUrl,
      apiKey,
      onCatalogChange,
      catalogProblems,
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
}

/** Nothing of the service is loaded by a start that uses a remote one. */
const loadModules = async (settings: Settings) => ({
  service: await import('../../service/service.ts'),
  catalogs: await import('../../service/catalog/source.ts'),
  finder: await import('../../service/fetch/find-browser.ts'),
  practice: settings.practiceSites === false ? undefined : await loadPractice(),
  web: settings.webCatalog === false ? undefined : await import('../../service/web/catalog.ts'),
});

const loadPractice = async () => ({
  sites: await import('./practice-sites.ts'),
  ...(await import('../../practice/practice.ts')),
});

function findBrowser({ modules: { finder }, settings }: Parts): UsedBrowser {
  const location = finder.findBrowser(settings.browser ?? 'auto');
  const sandbox = settings.browserSandbox ?? true;
  return {
    location,
    sandbox,
    usable: finder.isUsable(location, sandbox),
    windowPath: location.kind === 'installed' && finder.hasDisplay() ? location.windowPath : undefined,
  };
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

type LateReaders = Pick<ServiceOptions, 'runner' | 'logins' | 'builder' | 'signInBrowser' | 'fetchCount'> & {
  close(): Promise<void>;
};

function startReadingLate(reading: SiteReading): LateReaders {
  let loading: Promise<SiteReaders> | undefined;
  const readers = () => {
    loading ??= import('./site-readers.ts').then(({ createSiteReaders }) =>
      createSiteReaders(reading, onFetch),
    );
    return loading;
  };
  const { windowPath } = reading.browser;
  let fetches = 0;
  const onFetch = () => {
    fetches += 1;
  };
  return {
    runner: {
      findProblem: findRecipeProblem,
      run: async (task, limits) => (await readers()).runner.run(task, limits),
    },
    logins: { login: async (task, limits) => (await readers()).logins.login(task, limits) },
    builder: {
      build: async (task, limits) => (await readers()).builder.build(task, limits),
      repair: async (task, limits) => (await readers()).builder.repair(task, limits),
      preview: async (task, limits) => (await readers()).builder.preview(task, limits),
    },
    signInBrowser:
      windowPath === undefined
        ? undefined
        : { signIn: async (request) => (await readers()).signInBrowser(windowPath).signIn(request) },
    fetchCount: () => fetches,
    close: async () => (await loading?.catch(() => undefined))?.close(),
  };
}
