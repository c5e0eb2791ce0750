/** One database on either engine: a SQLite file (libsql) or PostgreSQL (pg), with typed queries by kysely. */
import type { Kysely, QueryExecutorProvider, SchemaModule, Transaction } from 'kysely';
import { corrupt, isCorruption } from './errors.ts';
import { migrate } from './migrations.ts';

export type Engine = 'sqlite' | 'postgres';
export type Target = { readonly file: string } | { readonly url: string };

/**
 * Brings the schema one version forward. Written once, never changed after a release.
 * Only column types that both engines have: `integer`, `bigint` (64 bits), `text` and `binaryType(engine)`.
 * Rows are changed with `sql`…`.execute(transaction)`.
 */
export type Migration = (step: {
  readonly schema: SchemaModule;
  readonly engine: Engine;
  readonly transaction: QueryExecutorProvider;
}) => Promise<void>;

/**
 * Values are bound alike on both engines: a boolean is 0 or 1, bytes are `Uint8Array`s in and `Buffer`s out,
 * 64-bit integers are numbers. A Date or a text with NUL is a programming error and throws a TypeError.
 */
export interface Database<Schema> {
  readonly engine: Engine;
  /** Single statements, each its own transaction. */
  readonly query: Kysely<Schema>;
  /**
   * Runs `work` in one transaction; what it throws rolls back. On SQLite the write lock is taken at the start
   * (`begin immediate`) and every other query of this process waits, so `work` awaits nothing but its queries.
   */
  transaction<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result>;
  /**
   * The same without waiting for the disk: the end of the process does not undo it, a power failure may. For what
   * can be found out again.
   */
  unsyncedTransaction<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result>;
  /**
   * Until the transaction ends, others that ask for the same name wait. On SQLite nothing is to be done: a transaction
   * has the file for itself.
   */
  lock(transaction: QueryExecutorProvider, name: string): Promise<void>;
  /** Wakes the listeners of `channel` in all processes when the transaction commits. Nothing on SQLite. */
  notify(transaction: QueryExecutorProvider, channel: string): Promise<void>;
  /** Calls `listener` after a `notify` of any process, and after a lost connection came back. Returns how to stop. */
  listen(channel: string, listener: () => void): Promise<() => Promise<void>>;
  /** Rejects with a `StoreError` of kind `corrupt` where the file's structure is damaged. */
  checkIntegrity(): Promise<void>;
  close(): Promise<void>;
}

/** The type of a bytes column. */
export const binaryType = (engine: Engine): 'blob' | 'bytea' => (engine === 'sqlite' ? 'blob' : 'bytea');

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
  const database =
    'file' in target
      ? await (await import('./sqlite.ts')).openSqlite<Schema>(target.file)
      : await (await import('./postgres.ts')).openPostgres<Schema>(target.url);
  try {
    await migrate(database, migrations, owner);
    return database;
  } catch (error) {
    await database.close();
    throw 'file' in target && isCorruption(error) ? corrupt(target.file, error) : error;
  }
}
