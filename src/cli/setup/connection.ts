/** A gateway by the settings: to the remote service they name, or to the embedded one. */
import { join } from 'node:path';
import { createHttpClient } from '../../client/http-client.ts';
import type { Api } from '../../contract/api.ts';
import { toApiRoot } from '../../contract/web-address.ts';
import type { SignInOptions } from '../../gateway/accounts/sign-in-methods.ts';
import { SnapshotFile } from '../../gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../gateway/create-gateway.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { GatewayDependencies } from '../../gateway/gateway-parts.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import { createPrincipal, embeddedService } from '../../gateway/interface/principal.ts';
import { defaultGatewaySettings, type GatewaySettings } from '../../gateway/interface/settings.ts';
import { GatewayDatabase } from '../../gateway/store/gateway-database.ts';
import { reservedByStaticTools } from '../../mcp/tools/tool-list.ts';
import { readRegularFileSync, toText } from '../../store/regular-file.ts';
import type { Settings } from '../config/load.ts';
import { deferredApi } from './deferred-api.ts';
import type { EmbeddedService } from './embedded.ts';

export interface GatewayConnection {
  readonly gateway: Gateway;
  readonly api: Api;
  /** Resolves when the embedded service runs; undefined for a remote one. */
  readonly embedded: Promise<EmbeddedService> | undefined;
  /** Closes the gateway and the embedded service. */
  close(graceMs?: number): Promise<void>;
}

interface ConnectionParts {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly signIn: Omit<SignInOptions, 'apiKey'> | undefined;
  readonly database: GatewayDatabase;
}

/** `signIn`: how this process lets a person sign in; it is not closed with the connection. `database` is. */
export async function connect(
  settings: Settings,
  logger: Logger,
  signIn?: Omit<SignInOptions, 'apiKey'>,
  database = openGatewayDatabase(settings, logger),
): Promise<GatewayConnection> {
  await database.refuseOther();
  const common = { settings, logger, signIn, database };
  if (settings.baseUrl !== undefined && settings.apiKey !== undefined) {
    const { baseUrl, apiKey, apiPrefix } = settings;
    const api = createHttpClient({ baseUrl, apiKey, apiPrefix });
    const gateway = createGatewayFor(api, { service: toApiRoot(baseUrl, apiPrefix), apiKey }, common);
    return {
      gateway,
      api,
      embedded: undefined,
      async close(graceMs) {
        await gateway.close(graceMs);
        await database.close();
      },
    };
  }
  const embedded = import('./embedded.ts').then(({ startEmbeddedService }) => startEmbeddedService(settings));
  const starting = embedded.then(({ baseUrl, apiKey }) =>
    createHttpClient({
      baseUrl,
      apiKey: settings.apiKey ?? apiKey,
      apiPrefix: settings.apiPrefix,
    }),
  );
  const api = deferredApi(starting);
  const apiKey = settings.apiKey ?? readStoredKey(settings.dataDir) ?? (await embedded).apiKey;
  const onServiceChange = (listener: () => void) => {
    const stopping = embedded.then((service) => {
      // Changes made before this process ran are in no snapshot yet.
      listener();
      return service.onCatalogChange(listener);
    });
    return () => void stopping.then((stop) => stop()).catch(() => undefined);
  };
  const principal = { service: embeddedService, apiKey };
  const gateway = createGatewayFor(api, principal, common, onServiceChange);
  return {
    gateway,
    api,
    embedded,
    async close(graceMs) {
      await gateway.close(graceMs);
      await database.close();
      await (await embedded.catch(() => undefined))?.close();
    },
  };
}

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

/** The embedded service's key, once a first start has made it. */
function readStoredKey(dataDir: string): string | undefined {
  try {
    return toText(readRegularFileSync(join(dataDir, 'api-key'))).trim() || undefined;
  } catch {
    return undefined;
  }
}
