/** Gateways for many principals in one process, by the settings: they share a database, and the embedded service. */
import { join } from 'node:path';
import { createHttpClient } from '../client/http-client.ts';
import type { Api } from '../contract/api.ts';
import type { SignInOptions } from '../gateway/accounts/sign-in.ts';
import { snapshotFile } from '../gateway/catalog/snapshot-file.ts';
import { createGateway } from '../gateway/create-gateway.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Logger } from '../gateway/logger.ts';
import { principalOf } from '../gateway/principal.ts';
import { GatewayDatabase } from '../gateway/store/gateway-store.ts';
import type { Settings } from './config/load.ts';
import { embeddedOrigin, gatewaySettings } from './connection.ts';

export interface Gateways {
  /** The one key that all act with; undefined: each client brings its own. */
  readonly sharedKey: string | undefined;
  /** A gateway of its own for each key; whoever opens it closes it. */
  open(apiKey: string): { readonly principalId: string; readonly gateway: Gateway };
  /** Rejects while calls that cost credits could not be written down. */
  checkReady(): Promise<unknown>;
  /** Closes what the gateways shared; they are closed before. */
  close(): Promise<void>;
}

/** Rejects where the embedded service cannot start. */
export async function openGateways(
  settings: Settings,
  signIn: SignInOptions,
  logger: Logger,
): Promise<Gateways> {
  const { databaseUrl, dataDir, apiPrefix } = settings;
  const database = new GatewayDatabase(
    databaseUrl === undefined ? { file: join(dataDir, 'gateway.db') } : { url: databaseUrl },
  );
  const embedded =
    settings.baseUrl === undefined
      ? await (await import('./embedded.ts')).startEmbeddedService(settings)
      : undefined;
  const baseUrl = embedded?.baseUrl ?? settings.baseUrl ?? '';
  const openTo = (api: Api, origin: string, apiKey: string) => {
    const principal = principalOf(origin, apiKey);
    const gateway = createGateway({
      api,
      principal,
      settings: gatewaySettings(settings),
      snapshotFile: snapshotFile(dataDir, principal.id),
      store: database,
      signIn,
      logger,
    });
    return { principalId: principal.id, gateway };
  };
  return {
    sharedKey: settings.apiKey ?? embedded?.apiKey,
    open(apiKey) {
      const api = createHttpClient({ baseUrl, apiKey, apiPrefix });
      return openTo(api, embedded === undefined ? api.origin : embeddedOrigin, apiKey);
    },
    checkReady: () => database.open(),
    async close() {
      await database.close();
      await embedded?.close();
    },
  };
}
