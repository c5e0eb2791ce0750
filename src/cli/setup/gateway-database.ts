/** The gateways' database, by the settings. */
import { join } from 'node:path';
import type { Logger } from '../../gateway/foundation/logger.ts';
import { GatewayDatabase } from '../../gateway/store/gateway-database.ts';
import type { Settings } from '../config/load.ts';
import { gatewaySettings } from './connection.ts';

/** Connects nowhere yet. */
export function openGatewayDatabase(settings: Settings, logger?: Logger): GatewayDatabase {
  const { databaseUrl, dataDir } = settings;
  return new GatewayDatabase(
    databaseUrl === undefined ? { file: join(dataDir, 'gateway.db') } : { url: databaseUrl },
    // A command that ends at once deletes nothing.
    logger && { retention: gatewaySettings(settings).retention, logger },
  );
}
