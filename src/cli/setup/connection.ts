/** A gateway by the settings: to the remote service they name, or to the embedded one. */
import { join } from 'node:path';
import { createHttpClient } from '../../client/http-client.ts';
import type { Api } from '../../contract/api.ts';
import { defaultApiPrefix } from '../../contract/endpoints.ts';
import { toApiRoot } from '../../contract/web-address.ts';
import type { SignInOptions } from '../../gateway/accounts/sign-in-methods.ts';
import { SnapshotFile } from '../../gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../gateway/create-gateway.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { GatewayDependencies } from '../../gateway/gateway-parts.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import { createPrincipal, embeddedService } from '../../gateway/interface/principal.ts';
import { defaultGatewaySettings, type GatewaySettings } from '../../gateway/interface/settings.ts';
import { GatewayDatabase, UnusableDatabase } from '../../gateway/store/gateway-database.ts';
import { reservedByStaticTools } from '../../mcp/tools/tool-list.ts';
import { readDefaultKey } from '../../service/money/default-key.ts';
import type { Settings } from '../config/load.ts';
import { prepareDataFolder } from './data-folder.ts';
import { deferredApi } from './deferred-api.ts';
import { LateService } from './late-service.ts';
import { watchOutlets } from './watch-outlets.ts';

export interface GatewayConnection {
  readonly gateway: Gateway;
  readonly api: Api;
  /** Starts with the first request; undefined for a remote one. */
  readonly embedded: LateService | undefined;
  /** Closes the gateway and the embedded service. */
  close(graceMs?: number): Promise<void>;
}

interface ConnectionParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly signIn: Omit<SignInOptions, 'apiKey'> | undefined;
  readonly database: GatewayDatabase;
}

/**
 * Opens no database and starts no service: the first call does. Rejects where the data folder or the embedded service's key
 * in it cannot be used. `signIn`: how this process lets a person sign in; it is not closed with the connection.
 * `database` is.
 */
export async function connect(
  settings: Settings,
  logger: Logger,
  signIn?: Omit<SignInOptions, 'apiKey'>,
  database = openGatewayDatabase(settings, logger),
): Promise<GatewayConnection> {
  const common = { settings, logger, signIn, database };
  if (settings.baseUrl !== undefined && settings.apiKey !== undefined) {
    const { baseUrl, apiKey, apiPrefix } = settings;
    const api = createHttpClient({ baseUrl, apiKey, apiPrefix });
    const gateway = createGatewayFor(api, { service: toApiRoot(baseUrl, apiPrefix), apiKey }, common);
    return { gateway, api, embedded: undefined, close: closing(gateway, database) };
  }
  await prepareDataFolder(settings);
  const apiKey = settings.apiKey ?? (await readDefaultKey(settings.dataDir));
  const embedded = new LateService(settings);
  const api = deferredApi(async () => {
    const { baseUrl } = await embedded.start();
    return createHttpClient({ baseUrl, apiKey, apiPrefix: settings.apiPrefix });
  });
  const gateway = createGatewayFor(api, { service: embeddedService, apiKey }, common, (listener) =>
    embedded.onCatalogChange(listener),
  );
  return { gateway, api, embedded, close: closing(gateway, database, embedded) };
}

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

const closing =
  (gateway: Gateway, database: GatewayDatabase, embedded?: LateService) =>
  async (graceMs?: number): Promise<void> => {
    await gateway.close(graceMs);
    await database.close();
    await embedded?.close();
  };

function createGatewayFor(
  api: Api,
  { service, apiKey }: { service: string; apiKey: string },
  { settings, logger, signIn, database }: ConnectionParts,
  onServiceChange?: GatewayDependencies['onServiceChange'],
): Gateway {
  const principal = createPrincipal(service, apiKey);
  return createGateway({
    api,
    principal,
    settings: gatewaySettings(settings),
    snapshotFile: new SnapshotFile(settings.dataDir, principal.id),
    store: database,
    logger,
    signIn: signIn && { ...signIn, apiKey },
    watchOutlets: watchOutlets(settings),
    onServiceChange,
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

export function gatewaySettings(settings: Settings): GatewaySettings {
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
