/** A gateway by the settings: to the remote service they name, or to the embedded one. */
import { join } from 'node:path';
import { createHttpClient } from '../../client/http-client.ts';
import type { Api } from '../../contract/api.ts';
import type { SignInOptions } from '../../gateway/accounts/sign-in-methods.ts';
import { SnapshotFile } from '../../gateway/catalog/snapshot-file.ts';
import { createGateway } from '../../gateway/create-gateway.ts';
import type { Logger } from '../../gateway/foundation/logger.ts';
import type { GatewayDependencies } from '../../gateway/gateway-parts.ts';
import type { Gateway } from '../../gateway/interface/gateway.ts';
import { createPrincipal, embeddedOrigin } from '../../gateway/interface/principal.ts';
import { defaultGatewaySettings, type GatewaySettings } from '../../gateway/interface/settings.ts';
import { reservedByStaticTools } from '../../mcp/tools/tool-list.ts';
import { readRegularFileSync } from '../../store/regular-file.ts';
import type { Settings } from '../config/load.ts';
import { deferredApi } from './deferred-api.ts';
import type { EmbeddedService } from './embedded.ts';

export interface Connection {
  readonly gateway: Gateway;
  readonly api: Api;
  /** Resolves when the embedded service runs; undefined for a remote one. */
  readonly embedded: Promise<EmbeddedService> | undefined;
  /** Closes the gateway and the embedded service. */
  close(graceMs?: number): Promise<void>;
}

/** `signIn`: how this process lets a person sign in; it is not closed with the connection. */
export async function connect(
  settings: Settings,
  logger: Logger,
  signIn?: SignInOptions,
): Promise<Connection> {
  if (settings.baseUrl !== undefined && settings.apiKey !== undefined) {
    const { baseUrl, apiKey, apiPrefix } = settings;
    const api = createHttpClient({ baseUrl, apiKey, apiPrefix });
    const gateway = createGatewayFor(api, { origin: api.origin, apiKey }, settings, logger, signIn);
    return { gateway, api, embedded: undefined, close: (graceMs) => gateway.close(graceMs) };
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
      // What changed while no process was running is in no snapshot yet.
      listener();
      return service.onCatalogChange(listener);
    });
    return () => void stopping.then((stop) => stop()).catch(() => undefined);
  };
  const principal = { origin: embeddedOrigin, apiKey };
  const gateway = createGatewayFor(api, principal, settings, logger, signIn, onServiceChange);
  return {
    gateway,
    api,
    embedded,
    async close(graceMs) {
      await gateway.close(graceMs);
      await (await embedded.catch(() => undefined))?.close();
    },
  };
}

function createGatewayFor(
  api: Api,
  { origin, apiKey }: { origin: string; apiKey: string },
  settings: Settings,
  logger: Logger,
  signIn: SignInOptions | undefined,
  onServiceChange?: GatewayDependencies['onServiceChange'],
): Gateway {
  const principal = createPrincipal(origin, apiKey);
  const { databaseUrl, dataDir } = settings;
  return createGateway({
    api,
    principal,
    settings: gatewaySettings(settings),
    snapshotFile: new SnapshotFile(dataDir, principal.id),
    store: databaseUrl === undefined ? { file: join(dataDir, 'gateway.db') } : { url: databaseUrl },
    logger,
    signIn,
    onServiceChange,
  });
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
    return readRegularFileSync(join(dataDir, 'api-key')).trim() || undefined;
  } catch {
    return undefined;
  }
}
