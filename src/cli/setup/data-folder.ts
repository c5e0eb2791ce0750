/** The data folder, as the embedded service and its commands need it. */
import { access, constants } from 'node:fs/promises';
import { makeFolder } from '../../store/folder.ts';
import { DataFolderError } from '../config/errors.ts';
import type { Settings } from '../config/load.ts';

/**
 * Makes the folder. Throws a `DataFolderError` where this user cannot read it or, unless the databases are elsewhere, write
 * in it.
 */
export async function prepareDataFolder({
  dataDir,
  databaseUrl,
}: Pick<Settings, 'dataDir' | 'databaseUrl'>): Promise<void> {
  const { R_OK, W_OK, X_OK } = constants;
  try {
    await makeFolder(dataDir);
    await access(dataDir, R_OK | X_OK | (databaseUrl === undefined ? W_OK : 0));
  } catch (error) {
    throw new DataFolderError(dataDir, error);
  }
}
