/** The service keys of subjects, by the settings. */
import type { GatewayDatabase } from '../../gateway/store/gateway-database.ts';
import { SubjectKeys } from '../../gateway/store/subject-keys.ts';
import type { Settings } from '../config/load.ts';
import { keyFile, openGatewayDatabase } from './gateways.ts';

export const createSubjectKeys = (database: GatewayDatabase, settings: Settings): SubjectKeys =>
  new SubjectKeys(database, keyFile(settings));

/** For one command, which closes it. */
export function openSubjectKeys(settings: Settings): { keys: SubjectKeys; close(): Promise<void> } {
  const database = openGatewayDatabase(settings);
  return { keys: createSubjectKeys(database, settings), close: () => database.close() };
}
