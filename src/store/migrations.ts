import { type QueryExecutorProvider, sql } from 'kysely';
import type { Database, Migration, Target } from './database.ts';
import { errorCode } from './errors.ts';
import { countApplied, schemaHashes } from './schema-hash.ts';

/** Any number; the same in every version of the program. */
const advisoryLock = 7_376_632;

/** What a database is opened with. */
export interface SchemaOf {
  readonly target: Target;
  readonly migrations: readonly Migration[];
  /** Keeps the versions apart where two parts of the program share one PostgreSQL database. */
  readonly owner: string;
}

/**
 * How many migrations a PostgreSQL database has. Asked without a lock, so that most starts need none. Throws a
 * `StoreError` where another version wrote it.
 */
export async function countServerMigrations<Schema>(
  { query }: Database<Schema>,
  { target, migrations, owner }: SchemaOf,
): Promise<number> {
  try {
    return countApplied(await readServerHash(query, owner), schemaHashes(migrations, 'postgres'), target);
  } catch (error) {
    if (errorCode(error) === undefinedTable) return 0;
    throw error;
  }
}
/** SQLSTATE. */
const undefinedTable = '42P01';

/**
 * Applies the missing migrations, all in one transaction under a lock that other processes wait for:
 * SQLite's write lock, PostgreSQL's advisory lock. A death in between leaves the old schema. Throws a `StoreError` where
 * another version wrote the database.
 */
export async function migrate<Schema>(
  database: Database<Schema>,
  { target, migrations, owner }: SchemaOf,
): Promise<void> {
  const { engine } = database;
  const hashes = schemaHashes(migrations, engine);
  await database.transaction(async (transaction) => {
    const stored =
      engine === 'sqlite' ? await readOwnHash(transaction) : await lockServerHash(transaction, owner);
    const applied = countApplied(stored, hashes, target);
    const newest = hashes.at(-1);
    if (applied === hashes.length || newest === undefined) return;
    for (const migration of migrations.slice(applied))
      for (const statement of migration(engine)) await sql.raw(statement).execute(transaction);
    if (engine === 'sqlite') await sql`pragma user_version = ${sql.lit(newest)}`.execute(transaction);
    else {
      const table = versionTable(owner);
      await sql`delete from ${table}`.execute(transaction);
      await sql`insert into ${table} (hash) values (${newest})`.execute(transaction);
    }
  });
}

const versionTable = (owner: string) => sql.table(`${owner}_schema_version`);

async function readServerHash(query: QueryExecutorProvider, owner: string): Promise<number | undefined> {
  const { rows } = await sql<{ hash?: number }>`select * from ${versionTable(owner)}`.execute(query);
  // A row of another form is of another version.
  return rows[0] && (rows[0].hash ?? 0);
}

async function lockServerHash(
  transaction: QueryExecutorProvider,
  owner: string,
): Promise<number | undefined> {
  await sql`select pg_advisory_xact_lock(${advisoryLock})`.execute(transaction);
  await sql`create table if not exists ${versionTable(owner)} (hash integer not null)`.execute(transaction);
  return readServerHash(transaction, owner);
}

/** As `readFileHash` reads it, of a SQLite file that is open. */
async function readOwnHash(transaction: QueryExecutorProvider): Promise<number | undefined> {
  const version = await sql<{ user_version: number }>`pragma user_version`.execute(transaction);
  const tables = await sql`select name from sqlite_schema limit 1`.execute(transaction);
  return tables.rows.length === 0 ? undefined : (version.rows[0]?.user_version ?? 0);
}
