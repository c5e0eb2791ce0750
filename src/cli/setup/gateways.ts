/** The service that the settings name, remote or embedded, and gateways to it that share one database. */
import { join } from 'node:path';
import { ServiceStartError } from '../../client/errors.ts';
import { createHttpClient } from '../../client/http-client.ts';
import type { Api } from '../../contract/api.ts';
import { defaultApiPrefix, type EndpointName } from '../../contract/endpoints.ts';
import { toApiRoot } from '../../contract/web-address.ts';
import { SharedActions } from '../../gateway/catalog/shared-actions.ts';
import { SnapshotFile } from '../../gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../gateway/create-gateway.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { GatewayDependencies } from '../../gateway/gateway-parts.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import { createPrincipal, embeddedService, type Subject } from '../../gateway/interface/principal.ts';
import { defaultGatewaySettings, type GatewaySettings } from '../../gateway/interface/settings.ts';
import { GatewayDatabase, UnusableDatabase } from '../../gateway/store/gateway-database.ts';
import { reservedByStaticTools } from '../../mcp/tools/tool-list.ts';
import { readDefaultKey } from '../../service/money/default-key.ts';
import type { Settings } from '../config/load.ts';
import { prepareDataFolder } from './data-folder.ts';
import type { EmbeddedService } from './embedded.ts';

/** A key, and the subject that acts with it where subjects have keys. */
export interface ServiceCaller {
  readonly apiKey: string;
  readonly subject?: Subject;
}

/** What differs between gateways of one service. */
type GatewayOptions = Pick<GatewayDependencies, 'signIn' | 'keyHolder' | 'watchOutlets' | 'sealWatchKey'>;

export interface Gateways {
  /** Starts with the first request; undefined for a remote service. */
  readonly embedded: LateService | undefined;
  readonly database: GatewayDatabase;
  /** Of the settings, or of the embedded service; undefined where each caller brings a key, or has one of its own. */
  readonly ownKey: string | undefined;
  createApi(apiKey: string): Api;
  getPrincipalId(caller: ServiceCaller): string;
  /** The caller that opens it closes it. */
  open(caller: ServiceCaller, options?: GatewayOptions): Gateway;
  /** Closes the database and the embedded service. The gateways must be closed before. */
  close(): Promise<void>;
}

/**
 * Opens no database and starts no service: the first call does. Rejects where the data folder, or the embedded service's key
 * in it, cannot be used.
 */
export async function openGateways(settings: Settings, logger: Logger): Promise<Gateways> {
  const { baseUrl, apiPrefix, dataDir } = settings;
  const database = openGatewayDatabase(settings, logger);
  const embedded = baseUrl === undefined ? new LateService(settings) : undefined;
  if (embedded !== undefined) await prepareDataFolder(settings);
  const service = baseUrl === undefined ? embeddedService : toApiRoot(baseUrl, apiPrefix);
  const createApi = (apiKey: string): Api =>
    embedded === undefined
      ? createHttpClient({ baseUrl: baseUrl ?? '', apiKey, apiPrefix })
      : deferredApi(async () => {
          const { baseUrl } = await embedded.start();
          return createHttpClient({ baseUrl, apiKey, apiPrefix });
        });
  const options = gatewaySettings(settings);
  const sharedActions = new SharedActions(options.reserved.names);
  return {
    embedded,
    database,
    ownKey: settings.apiKey ?? (embedded && (await readDefaultKey(dataDir))),
    createApi,
    getPrincipalId: ({ apiKey, subject }) => createPrincipal(service, apiKey, subject).id,
    open({ apiKey, subject }, further = {}) {
      const principal = createPrincipal(service, apiKey, subject);
      return createGateway({
        api: createApi(apiKey),
        principal,
        settings: options,
        snapshotFile: new SnapshotFile(dataDir, principal.id),
        store: database,
        logger,
        sharedActions,
        onServiceChange: embedded && ((listener) => embedded.onCatalogChange(listener)),
        ...further,
      });
    },
    async close() {
      await database.close();
      await embedded?.close();
    },
  };
}

/** Of a process that serves one key: settings without one were refused before. */
export const ownCaller = ({ ownKey = '' }: Gateways): ServiceCaller => ({ apiKey: ownKey });

/** A gateway that answers every call with what keeps this program from its data folder. */
export function unusableGateway(problem: unknown, logger: Logger): Gateway {
  const settings: Settings = { apiPrefix: defaultApiPrefix, dataDir: '', logLevel: 'silent' };
  return createGateway({
    api: deferredApi(() => Promise.reject(problem)),
    principal: createPrincipal(embeddedService, ''),
    settings: gatewaySettings(settings),
    snapshotFile: undefined,
    store: new UnusableDatabase(problem),
    logger,
  });
}

/** The gateways' database, by the settings. Connects nowhere yet. */
export function openGatewayDatabase(settings: Settings, logger?: Logger): GatewayDatabase {
  const { databaseUrl, dataDir } = settings;
  return new GatewayDatabase(
    databaseUrl === undefined ? { file: join(dataDir, 'gateway.db') } : { url: databaseUrl },
    // Short-lived commands delete nothing.
    logger && { retention: gatewaySettings(settings).retention, logger },
  );
}

/** Of all service keys in the gateways' database. */
export const keyFile = ({ dataDir, oauthKeysFile }: Settings): string =>
  oauthKeysFile ?? join(dataDir, 'oauth-keys.json');

function gatewaySettings(settings: Settings): GatewaySettings {
  const defaults = defaultGatewaySettings;
  return {
    catalogs: settings.catalogs,
    maxTools: settings.maxTools ?? defaults.maxTools,
    maxToolsChars: settings.maxToolsChars ?? defaults.maxToolsChars,
    outputSchemas: settings.outputSchemas ?? defaults.outputSchemas,
    resultChars: settings.resultChars ?? defaults.resultChars,
    maxCreditsPerCall: settings.maxCreditsPerCall,
    maxCreditsPerDay: settings.maxCreditsPerDay,
    maxCreditsPerDayPerKey: settings.maxCreditsPerDayPerKey,
    confirmAboveCredits: settings.confirmAboveCredits,
    loginParams: settings.loginParams ?? defaults.loginParams,
    retention: {
      resultsDays: settings.keepResultsDays ?? defaults.retention.resultsDays,
      intentsDays: settings.keepIntentsDays ?? defaults.retention.intentsDays,
    },
    reserved: reservedByStaticTools(),
  };
}

/** `start` rejects with what kept the service from starting, which every request then says. */
function deferredApi(start: () => Promise<Api>): Api {
  let started: Api | undefined;
  let starting: Promise<Api> | undefined;
  const via = async <Result>(endpoint: EndpointName, request: (api: Api) => Promise<Result>) => {
    starting ??= start();
    try {
      started = await starting;
    } catch (error) {
      starting = undefined;
      throw new ServiceStartError(endpoint, error);
    }
    return request(started);
  };
  return {
    get origin() {
      return started?.origin ?? 'http://127.0.0.1';
    },
    get extensions() {
      return started?.extensions ?? new Set<string>();
    },
    get hasAnswered() {
      return started?.hasAnswered ?? false;
    },
    listCatalogs: (...args) => via('listCatalogs', (api) => api.listCatalogs(...args)),
    getCatalog: (...args) => via('getCatalog', (api) => api.getCatalog(...args)),
    search: (...args) => via('search', (api) => api.search(...args)),
    login: (...args) => via('login', (api) => api.login(...args)),
    submitTask: (...args) => via('submitTask', (api) => api.submitTask(...args)),
    getJob: (...args) => via('getJob', (api) => api.getJob(...args)),
    listIdentities: (...args) => via('listIdentities', (api) => api.listIdentities(...args)),
    getIdentity: (...args) => via('getIdentity', (api) => api.getIdentity(...args)),
    requestBuild: (...args) => via('requestBuild', (api) => api.requestBuild(...args)),
    previewBuild: (...args) => via('previewBuild', (api) => api.previewBuild(...args)),
    editAction: (...args) => via('editAction', (api) => api.editAction(...args)),
    removeAction: (...args) => via('removeAction', (api) => api.removeAction(...args)),
    revertAction: (...args) => via('revertAction', (api) => api.revertAction(...args)),
    repairAction: (...args) => via('repairAction', (api) => api.repairAction(...args)),
    previewRepair: (...args) => via('repairAction', (api) => api.previewRepair(...args)),
    listBuildRequests: (...args) => via('listBuildRequests', (api) => api.listBuildRequests(...args)),
    getUsage: (...args) => via('getUsage', (api) => api.getUsage(...args)),
    close: async () => (await starting?.catch(() => undefined))?.close(),
  };
}

class LateService {
  readonly #settings: Settings;
  readonly #listeners = new Set<() => void>();
  #starting: Promise<EmbeddedService> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Rejects with what kept it from starting; the next call tries again. */
  start(): Promise<EmbeddedService> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<EmbeddedService> {
    const { startEmbeddedService } = await import('./embedded.ts');
    const service = await startEmbeddedService(this.#settings);
    const notify = () => {
      for (const listener of this.#listeners) listener();
    };
    service.onCatalogChange(notify);
    // Changes made before this process ran are in no snapshot yet.
    notify();
    return service;
  }

  /** Calls the listener when the service has started, and when what it offers changes; returns how to stop that. */
  onCatalogChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await (await this.#starting?.catch(() => undefined))?.close();
  }
}
