/** The embedded service, put together: database, catalogs, worker and HTTP. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { defaultApiPrefix } from '../contract/endpoints.ts';
import { EncryptionKeys } from '../store/encryption-keys.ts';
import { openDatabase } from '../store/open-database.ts';
import { defaultRetention, Sweeper } from '../store/retention.ts';
import type { LoginRunner } from './accounts/login-runner.ts';
import type { SignInBrowser } from './accounts/sign-in-window.ts';
import { createRateLimits, type RateLimits } from './api/rate-limits.ts';
import { serveApplication } from './api/server.ts';
import { createApplication } from './application.ts';
import { Publication } from './catalog/publication.ts';
import { getDomain } from './catalog/resources.ts';
import { blockedDomains, blockListFile } from './fetch/block-list.ts';
import { checkWebsite, type WebsiteCheck } from './fetch/website.ts';
import type {
  ActionRunner,
  Builder,
  CatalogProblem,
  CatalogSource,
  HealthCheck,
} from './foundation/ports.ts';
import { defaultJobSettings, type JobSettings } from './jobs/job-settings.ts';
import { BuildRuns } from './jobs/run-build.ts';
import { TaskRuns } from './jobs/run-task.ts';
import { Worker } from './jobs/worker.ts';
import { readDefaultKey } from './money/default-key.ts';
import { embeddedKeyLabel, registerKey, whenUsesNoted } from './money/keys.ts';
import { addUserIfNew, findUser, operatorName } from './money/users.ts';
import { connectInBrowser, type WindowSession } from './operations/connect-in-browser.ts';
import type { Context } from './operations/context.ts';
import { jobsChannel } from './operations/enqueue.ts';
import { findExistingActions } from './operations/existing-actions.ts';
import { createPreviewBuild, createPreviewRuns } from './operations/preview-build.ts';
import { createPreviewRepair } from './operations/preview-repair.ts';
import { migrations } from './store/migrations.ts';
import { retentionSteps } from './store/retention.ts';
import type { ServiceDatabase, ServiceSchema } from './store/schema.ts';

export interface ServiceOptions {
  /** Holds the key files, and the SQLite database where no `databaseUrl` is given. */
  readonly dataDir: string;
  /** `postgres://…`: several services may share it. */
  readonly databaseUrl?: string | undefined;
  readonly host?: string | undefined;
  /** 0, the default: any free one. */
  readonly port?: number | undefined;
  readonly apiPrefix?: string;
  readonly catalogs: CatalogSource;
  /** Where this process serves the practice sites; undefined: it does not. */
  readonly practiceUrl?: string | undefined;
  readonly runner: ActionRunner;
  /** Undefined: POST /login answers `LOGIN_NOT_AVAILABLE`. */
  readonly logins: Pick<LoginRunner, 'login'> | undefined;
  /** Undefined: no browser can be shown to a person on this machine. */
  readonly signInBrowser?: SignInBrowser | undefined;
  /** Undefined: builds fail with `BUILDER_NOT_AVAILABLE` and are refunded. */
  readonly builder?: Builder;
  /** One's own origins: builds are accepted for them although their addresses are not public. */
  readonly allowedOrigins?: readonly string[];
  readonly logger: Logger;
  /** Days for which the results of finished jobs are kept. */
  readonly keepResultsDays?: number | undefined;
  readonly trustProxy?: boolean | undefined;
  /** Where browsers reach the console if that is another address than the service's own, such as a proxy's. */
  readonly publicUrl?: string | undefined;
  /** The count of requests sent to sites, for GET /metrics. */
  readonly fetchCount?: () => number;
  readonly jobs?: Partial<JobSettings>;
  /** What the operator sees of the machine. */
  readonly healthChecks?: () => Promise<readonly HealthCheck[]>;
}

export interface RunningService {
  /** `http://host:port`, without the API prefix. */
  readonly baseUrl: string;
  /** The default user's key, as in `<dataDir>/api-key`. */
  readonly apiKey: string;
  /**
   * Calls the listener within a second after anything published changed: a file in `catalogs/`, a build, a review, a
   * removal, in this process or in another one on the same database. Returns how to stop that.
   */
  onCatalogChange(listener: () => void): () => void;
  /** What is wrong with the catalog files of this process at present. */
  catalogProblems(): readonly CatalogProblem[];
  /** Lets a person sign in to a site in a visible browser, as the default user. Refuses with a `RequestError`. */
  connectInBrowser(body: Parameters<typeof connectInBrowser>[2]): Promise<WindowSession>;
  /** Answers open requests, ends jobs or releases them, and closes the database. Idempotent. */
  close(): Promise<void>;
}

/** The user that the embedded service is used as, and the credits it starts with. */
const defaultUser = { name: operatorName, credits: 1_000 };
/** How long open requests may still take at shutdown. */
const answerGraceMs = 2_000;

export const openServiceDatabase = (options: {
  dataDir: string;
  databaseUrl?: string | undefined;
}): Promise<ServiceDatabase> =>
  openDatabase<ServiceSchema>(
    options.databaseUrl === undefined
      ? { file: join(options.dataDir, 'service.db') }
      : { url: options.databaseUrl },
    migrations,
  );

type Closer = () => Promise<void> | void;

/** The service before it listens. */
interface Assembly {
  readonly context: Context;
  readonly jobs: Worker;
  readonly publication: Publication;
  readonly rateLimits: RateLimits;
  /** Aborts waits when the service stops. */
  readonly stopped: AbortController;
  readonly apiKey: string;
}

/**
 * Starts the service. Rejects with a `StoreError` if the database is damaged, newer than this program or not
 * reachable, and with the socket's error if the port is taken.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  return startServiceOn(await openServiceDatabase(options), options);
}

/** As `startService`, on a database that is open; the service closes it. */
export async function startServiceOn(
  database: ServiceDatabase,
  options: ServiceOptions,
): Promise<RunningService> {
  const closers: Closer[] = [() => database.close(), async () => void (await whenUsesNoted())];
  const close = async () => {
    for (const closeOne of closers.reverse().splice(0)) await closeOne();
  };
  try {
    const assembly = await assemble(options, database, closers);
    const { context, publication, apiKey } = assembly;
    const baseUrl = await serve(options, assembly, closers);
    let closing: Promise<void> | undefined;
    return {
      baseUrl,
      apiKey,
      catalogProblems: () => options.catalogs.problems(),
      connectInBrowser: async (body) =>
        connectInBrowser(context, (await findUser(database, defaultUser.name)).id, body),
      onCatalogChange: (listener) => publication.onChange(listener),
      close: () => {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Checks the database and creates every part of the service; adds a function to `closers` for each. */
async function assemble(
  options: ServiceOptions,
  database: ServiceDatabase,
  closers: Closer[],
): Promise<Assembly> {
  const { dataDir, logger } = options;
  // Checking a large file takes seconds.
  if (database.hasLog) await database.checkIntegrity();
  const sweeper = new Sweeper(
    database,
    'retention',
    retentionSteps(options.keepResultsDays ?? defaultRetention.resultsDays),
    logger,
  );
  sweeper.start();
  closers.push(() => sweeper.stop());
  const keys = await EncryptionKeys.openIfReadable(join(dataDir, 'credential-keys.json'), ({ message }) =>
    logger.error(`Accounts need a new sign-in: ${message}`),
  );
  const apiKey = await openDefaultUser(database, dataDir);
  const { catalogs, practiceUrl } = options;
  const findProblem = (recipe: unknown) => options.runner.findProblem?.(recipe);
  const publication = new Publication({ database, source: catalogs, practiceUrl, findProblem, logger });
  closers.push(await publication.watch());
  const websiteCheck: WebsiteCheck = async (text) =>
    checkWebsite(text, {
      allowedOrigins: options.allowedOrigins ?? [],
      blockedDomains: await blockedDomains(join(dataDir, blockListFile), logger),
    });
  const { runner, builder, logins, signInBrowser } = options;
  const tasks = new TaskRuns({ database, practiceUrl, runner, keys, logger });
  const checked = { database, builder, checkWebsite: websiteCheck };
  const builds = new BuildRuns({ ...checked, publication, logger });
  const jobs = new Worker({
    database,
    handlers: {
      task: (lease, signal) => tasks.run(lease, signal),
      build: (lease, signal) => builds.run(lease, signal),
    },
    settings: { ...defaultJobSettings, ...options.jobs },
    logger,
  });
  const stopped = new AbortController();
  const rateLimits = await createRateLimits(options.databaseUrl);
  closers.push(() => rateLimits.close());
  const runPreview = createPreviewRuns(stopped.signal);
  const mayShow = (userId: string) => mayRender(rateLimits, userId);
  const context: Context = {
    database,
    publication,
    catalogProblems: () => catalogs.problems(),
    healthChecks: options.healthChecks ?? (async () => []),
    jobs,
    logins,
    signInBrowser,
    keys,
    logger,
    checkWebsite: websiteCheck,
    previewBuild: createPreviewBuild({
      ...checked,
      mayRender: mayShow,
      runPreview,
      findExisting: (userId, url) =>
        findExistingActions({ database, publication }, userId, { url, domain: getDomain(url.href) }),
    }),
    previewRepair: createPreviewRepair({ database, builder, runPreview, mayRender: mayShow }),
    apiPrefix: options.apiPrefix ?? defaultApiPrefix,
    stopped: stopped.signal,
  };
  return { context, jobs, publication, rateLimits, stopped, apiKey };
}

const mayRender = (rateLimits: RateLimits, userId: string): Promise<boolean> =>
  rateLimits.count('renderPreview', { userId, address: '' }).then(
    () => true,
    () => false,
  );

/** Starts the jobs and the server; resolves with the origin. */
async function serve(options: ServiceOptions, assembly: Assembly, closers: Closer[]): Promise<string> {
  const { context, jobs, publication, rateLimits, stopped } = assembly;
  const { database, logger } = context;
  const application = createApplication({
    context,
    rateLimits,
    trustProxy: options.trustProxy ?? false,
    publicUrl: options.publicUrl,
    fetchCount: options.fetchCount,
  });
  // Catalogs are imported before the first job is claimed.
  await publication.current();
  jobs.start();
  closers.push(() => jobs.stop());
  closers.push(await database.listen(jobsChannel, () => jobs.wake()));
  const server = await serveApplication(application, {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
  });
  closers.push(async () => {
    stopped.abort(new Error('The service stops'));
    // A waiting sync task is answered once its job has ended or was released.
    await Promise.all([server.close(answerGraceMs + jobs.settings.stopGrace), jobs.stop()]);
  });
  logger.info({ url: server.origin, database: database.engine }, 'The service listens');
  return server.origin;
}

async function openDefaultUser(database: ServiceDatabase, dataDir: string): Promise<string> {
  await addUserIfNew(database, defaultUser.name, defaultUser.credits);
  const apiKey = await readDefaultKey(dataDir);
  const user = await findUser(database, defaultUser.name);
  await registerKey(database, user.id, apiKey, embeddedKeyLabel);
  return apiKey;
}
