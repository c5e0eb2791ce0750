/** Opens a database on the engine that its target names, and migrates it. */
import type { Database, Migration, Target } from './database.ts';
import { corrupt, isCorruption, storeFailure } from './errors.ts';
import { countServerMigrations, migrate, type SchemaOf } from './migrations.ts';

/**
 * Opens the database, creating a SQLite file (0600) where there is none, and migrates it under a lock:
 * several processes may start at once. Rejects with a `StoreError`.
 *
 * One file is opened once in a process: its connection is shared by all queries in turn.
 */
export async function openDatabase<Schema>(
  target: Target,
  migrations: readonly Migration[],
  owner = 'service',
): Promise<Database<Schema>> {
  const schema: SchemaOf = { target, migrations, owner };
  // The engines are loaded when needed: both cost time at start.
  if ('url' in target) return openServer(target.url, schema);
  const { openSqlite } = await import('./sqlite.ts');
  const database = await openSqlite<Schema>(target.file);
  try {
    await migrate(database, schema);
    return database;
  } catch (error) {
    await database.close();
    throw isCorruption(error) ? corrupt(target.file, error) : storeFailure(error);
  }
}

/** A migration may take longer than any other statement, so only a start that migrates waits that long. */
async function openServer<Schema>(url: string, schema: SchemaOf): Promise<Database<Schema>> {
  const { openPostgres } = await import('./postgres.ts');
  const database = await openPostgres<Schema>(url);
  try {
    if ((await countServerMigrations(database, schema)) === schema.migrations.length) return database;
  } catch (error) {
    await database.close();
    throw error;
  }
  await database.close();
  const unlimited = await openPostgres<Schema>(url, { unlimited: true });
  try {
    await migrate(unlimited, schema);
  } finally {
    await unlimited.close();
  }
  return openPostgres<Schema>(url);
}
