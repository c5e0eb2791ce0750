/** The embedded service on this machine: practice sites, catalogs, fetcher, runners and the service itself. */
import { join } from 'node:path';
import type { RunningService } from '../../service/service.ts';
import { SettingsError } from '../config/errors.ts';
import { remoteForOneUser, type Settings } from '../config/load.ts';
import { loadPino } from './logger.ts';

export interface EmbeddedService {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Where the practice sites are served; undefined with SVC_PRACTICE_SITES=off. */
  readonly practiceUrl: string | undefined;
  /** Calls the listener within a second after what the service offers changed; returns how to stop that. */
  onCatalogChange(listener: () => void): () => void;
  /** Lets a person sign in to a site in a visible browser; see `RunningService`. */
  readonly connectInBrowser: RunningService['connectInBrowser'];
  close(): Promise<void>;
}

/** Starts everything on loopback; rejects with what kept it from starting, and leaves nothing behind then. */
export async function startEmbeddedService(
  settings: Settings,
  listen: { host?: string | undefined; port?: number | undefined } = {},
): Promise<EmbeddedService> {
  // Nothing of the service is loaded by a start that uses a remote one.
  const [practice, catalogs, fetching, recipes, logins, builders, finder, browsers, windows, service, web] =
    await Promise.all([
      settings.practiceSites === false ? undefined : import('../../practice/practice.ts'),
      import('../../service/catalogs/source.ts'),
      import('../../service/fetching/fetcher.ts'),
      import('../../service/recipes/runner.ts'),
      import('../../service/login/runner.ts'),
      import('../../service/builder/builder.ts'),
      import('../../service/browser/find-browser.ts'),
      import('../../service/browser/renderer.ts'),
      import('../../service/login/sign-in-window.ts'),
      import('../../service/service.ts'),
      settings.webCatalog === false ? undefined : loadWebCatalog(),
    ]);
  const { pino: logger } = await loadPino(settings.logLevel);
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of closers.reverse().splice(0)) await closeOne();
  };
  try {
    const sites = await practice?.startPracticeSites();
    if (sites !== undefined) closers.push(() => sites.close());
    const allowOrigins = [
      ...(settings.serviceAllowOrigins ?? []),
      ...(sites === undefined ? [] : [sites.origin]),
    ];
    let fetches = 0;
    const fetcher = fetching.createFetcher({
      allowOrigins,
      onFetch: () => {
        fetches += 1;
      },
    });
    closers.push(() => fetcher.close());
    const location = finder.findBrowser(settings.browser ?? 'auto');
    const sandbox = settings.browserSandbox ?? true;
    const usable = finder.isUsable(location, sandbox);
    const source = await catalogs.createCatalogSource({
      further: [
        ...(web === undefined ? [] : [web.webCatalog()]),
        ...((sites && practice?.practiceCatalogs(sites.origin, { withBrowser: usable })) ?? []),
      ],
      directory: join(settings.dataDir, 'catalogs'),
      logger,
    });
    closers.push(() => source.close());
    const renderer = browsers.createRenderer({
      location,
      sandbox,
      allowOrigins,
      permit: fetcher.permit,
    });
    closers.push(() => renderer.close());
    const signInBrowser =
      location.kind === 'installed' && windows.hasDisplay()
        ? windows.createSignInBrowser({ location, sandbox, allowOrigins })
        : undefined;
    const recipeRunner = recipes.createRunner({ fetcher, renderer });
    closers.push(() => recipeRunner.close());
    const webRunner = web?.createWebRunner({
      fetcher,
      recipes: recipeRunner,
      check: web.createWebPageCheck({
        dataDir: settings.dataDir,
        ownOrigins: settings.serviceAllowOrigins ?? [],
        logger,
      }),
      ownOrigins: sites === undefined ? [] : [sites.origin],
    });
    if (webRunner !== undefined) closers.push(() => webRunner.close());
    const runner = webRunner ?? recipeRunner;
    const loginRunner = logins.createLoginRunner({ fetcher });
    closers.push(() => loginRunner.close());
    const builder = builders.createBuilder({ fetcher, runner, logger, ...(usable && { renderer }) });
    closers.push(() => builder.close());
    const running = await service.startService({
      ...listen,
      dataDir: settings.dataDir,
      databaseUrl: settings.databaseUrl,
      apiPrefix: settings.apiPrefix,
      catalogs: source,
      runner,
      logins: loginRunner,
      signInBrowser,
      builder,
      allowedOrigins: allowOrigins,
      keepResultsDays: settings.keepResultsDays,
      trustProxy: settings.trustProxy,
      publicUrl: settings.publicUrl,
      fetchCount: () => fetches,
      logger,
    });
    closers.push(() => running.close());
    if (location.kind === 'remote' && (await running.countUsers()) > 1)
      throw new SettingsError(remoteForOneUser);
    const { baseUrl, apiKey, onCatalogChange, connectInBrowser } = running;
    return { baseUrl, apiKey, practiceUrl: sites?.origin, onCatalogChange, connectInBrowser, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function loadWebCatalog() {
  const [catalog, runner, check] = await Promise.all([
    import('../../service/catalogs/web.ts'),
    import('../../service/web/runner.ts'),
    import('../../service/fetching/web-page-check.ts'),
  ]);
  return { ...catalog, ...runner, ...check };
}
