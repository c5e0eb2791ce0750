import { sql } from 'kysely';
import type { Database, Migration } from './database.ts';
import { errorCode, StoreError } from './errors.ts';

/** Any number; the same in every version of the program. */
const advisoryLock = 7_376_632;

/** Whether the schema is up to date. Asked without a lock, so that most starts need none. */
export async function isMigrated<Schema>(
  database: Database<Schema>,
  migrations: readonly Migration[],
  owner: string,
): Promise<boolean> {
  return (await readVersion(database, owner)) === migrations.length;
}

/** The schema version of a PostgreSQL database; undefined where it was never migrated. */
export async function readVersion<Schema>(
  database: Database<Schema>,
  owner: string,
): Promise<number | undefined> {
  try {
    const table = sql.table(`${owner}_schema_version`);
    const { rows } = await sql<{ version: number }>`select version from ${table}`.execute(database.query);
    return rows[0]?.version;
  } catch (error) {
    if (errorCode(error) === undefinedTable) return undefined;
    throw error;
  }
}
/** SQLSTATE. */
const undefinedTable = '42P01';

/**
 * Applies the missing migrations, all in one transaction under a lock that other processes wait for:
 * SQLite's write lock, PostgreSQL's advisory lock. A death in between leaves the old schema. `copyBefore` copies a
 * database that is about to get the given version by a migration that cannot be undone.
 */
export async function migrate<Schema>(
  database: Database<Schema>,
  migrations: readonly Migration[],
  owner: string,
  copyBefore?: (version: number) => void,
): Promise<void> {
  const table = sql.table(`${owner}_schema_version`);
  await database.transaction(async (transaction) => {
    if (database.engine === 'postgres') {
      await sql`select pg_advisory_xact_lock(${advisoryLock})`.execute(transaction);
    }
    await sql`create table if not exists ${table} (version integer not null)`.execute(transaction);
    const versionRow = await sql<{ version: number }>`select version from ${table}`.execute(transaction);
    const version = versionRow.rows[0]?.version;
    if (version === undefined) await sql`insert into ${table} values (0)`.execute(transaction);
    if (version !== undefined && version > migrations.length) {
      throw newerSchema(version, migrations.length);
    }
    const applied = version ?? 0;
    const marked = migrations.findIndex(({ copiesFile }, index) => copiesFile && index >= applied);
    // An empty database needs no copy.
    if (marked !== -1 && applied > 0) copyBefore?.(marked + 1);
    for (const migration of migrations.slice(applied)) {
      await migration({ schema: transaction.schema, engine: database.engine, transaction });
    }
    await sql`update ${table} set version = ${migrations.length}`.execute(transaction);
  });
}

export const newerSchema = (version: number, newest: number): StoreError =>
  new StoreError(
    'newer-schema',
    `The database has schema version ${version}, but this program knows only ${newest}: ` +
      'install the newer svc-mcp that wrote it, or use another data folder',
  );
