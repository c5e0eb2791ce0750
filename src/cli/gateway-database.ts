/** The gateways' database, by the settings. */
import { join } from 'node:path';
import { GatewayDatabase } from '../gateway/store/gateway-store.ts';
import type { Settings } from './config/load.ts';

/** Connects nowhere yet. */
export function openGatewayDatabase({ databaseUrl, dataDir }: Settings): GatewayDatabase {
  return new GatewayDatabase(
    databaseUrl === undefined ? { file: join(dataDir, 'gateway.db') } : { url: databaseUrl },
  );
}
