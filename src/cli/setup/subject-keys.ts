/** The service keys of subjects, by the settings. */
import { join } from 'node:path';
import type { GatewayDatabase } from '../../gateway/store/gateway-database.ts';
import { SubjectKeys } from '../../gateway/store/subject-keys.ts';
import type { Settings } from '../config/load.ts';
import { openGatewayDatabase } from './connection.ts';

export function createSubjectKeys(
  database: GatewayDatabase,
  { dataDir, oauthKeysFile }: Settings,
): SubjectKeys {
  return new SubjectKeys(database, oauthKeysFile ?? join(dataDir, 'oauth-keys.json'));
}

/** For one command, which closes it. */
export function openSubjectKeys(settings: Settings): { keys: SubjectKeys; close(): Promise<void> } {
  const database = openGatewayDatabase(settings);
  return { keys: createSubjectKeys(database, settings), close: () => database.close() };
}
