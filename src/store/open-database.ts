/** Opens a database on the engine that its target names, and migrates it. */
import type { Database, Migration, Target } from './database.ts';
import { corrupt, isCorruption, storeFailure } from './errors.ts';
import { isMigrated, migrate } from './migrations.ts';

/**
 * Opens the database, creating a SQLite file (0600) where there is none, and migrates it under a lock:
 * several processes may start at once. Rejects with a `StoreError`.
 *
 * One file is opened once in a process: its connection is shared by all queries in turn. `owner` keeps the
 * versions apart where two parts of the program share one PostgreSQL database.
 */
export async function openDatabase<Schema>(
  target: Target,
  migrations: readonly Migration[],
  owner = 'service',
): Promise<Database<Schema>> {
  // The engines are loaded when needed: both cost time at start.
  if ('url' in target) return openServer(target.url, migrations, owner);
  const [{ openSqlite }, { copyBefore }] = await Promise.all([
    import('./sqlite.ts'),
    import('./file-copy.ts'),
  ]);
  const database = await openSqlite<Schema>(target.file);
  try {
    await migrate(database, migrations, owner, (version) => copyBefore(target.file, version));
    return database;
  } catch (error) {
    await database.close();
    throw isCorruption(error) ? corrupt(target.file, error) : storeFailure(error);
  }
}

/** A migration may take longer than any other statement, so only a start that migrates waits that long. */
async function openServer<Schema>(
  url: string,
  migrations: readonly Migration[],
  owner: string,
): Promise<Database<Schema>> {
  const { openPostgres } = await import('./postgres.ts');
  const database = await openPostgres<Schema>(url);
  try {
    if (await isMigrated(database, migrations, owner)) return database;
  } catch (error) {
    await database.close();
    throw error;
  }
  await database.close();
  const unlimited = await openPostgres<Schema>(url, { unlimited: true });
  try {
    await migrate(unlimited, migrations, owner);
  } finally {
    await unlimited.close();
  }
  return openPostgres<Schema>(url);
}
