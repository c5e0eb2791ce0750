/** The engine for one machine: a SQLite file by libsql with a write-ahead log; who commits waits for the disk. */
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  Kysely,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import Libsql from 'libsql';
import { bindable } from './binding.ts';
import type { Database } from './database.ts';
import { corrupt, errorCode, isCorruption, StoreError, storeFailure } from './errors.ts';
import { LogFlush } from './log-flush.ts';
import { numbered, SqliteBatches, type Turn, withBuffers } from './sqlite-batches.ts';
import { asTyped, statement } from './statement.ts';

/** How long a statement waits for another process's write lock, in milliseconds. */
const busyDeadline = 30_000;

export async function openSqlite<Schema>(file: string): Promise<Database<Schema>> {
  // A process that ends properly merges its log and empties it.
  const hasLog = hasUnwrittenLog(file);
  const connection = await connect(file);
  const driver = new FileDriver(connection, new LogFlush(`${file}-wal`), file);
  const query = new Kysely<Schema>({ dialect: dialectOf(driver) });
  const batches = new SqliteBatches(connection, driver);
  return {
    engine: 'sqlite',
    query,
    batch: async (statements, options) =>
      asTyped(
        await batches.run(statements, {
          synced: options?.synced ?? true,
          beforeCommit: options?.beforeCommit,
        }),
      ),
    // A batch has the file for itself.
    lockStatement: () => statement('select 1'),
    notifyStatement: () => statement('select 1'),
    transaction: (work) => query.transaction().execute(work),
    // Inside `connection` nobody else uses the file's one connection.
    unsyncedTransaction: (work) =>
      query.connection().execute(async (own) => {
        const result = await own.transaction().execute(work);
        driver.waitForDisk = false;
        return result;
      }),
    lock: () => Promise.resolve(),
    notify: () => Promise.resolve(),
    listen: () => Promise.resolve(() => Promise.resolve()),
    hasLog,
    checkIntegrity: () => checkIntegrity(connection, file),
    close: () => query.destroy(),
  };
}

function hasUnwrittenLog(file: string): boolean {
  try {
    return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch {
    // The folder cannot be read; opening the file says what is wrong.
    return false;
  }
}

async function connect(file: string): Promise<Libsql.Database> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    createFile(file);
    // No blocking wait for locks: it would stop the whole event loop. `execute` waits instead.
    const connection = new Libsql(file, { timeout: 0 });
    await execute(connection, 'pragma journal_mode = wal');
    // A commit only writes the log; the driver flushes it, off the event loop and once for all who wait.
    connection.pragma('synchronous = normal');
    connection.pragma('foreign_keys = on');
    return connection;
  } catch (error) {
    throw isCorruption(error) ? corrupt(file, error) : unreachable(file, error);
  }
}

/**
 * SQLite gives its log files the mode of the database file. A file that exists is not touched: closing a descriptor
 * of it would drop all the locks that this process holds on it.
 */
function createFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

const unreachable = (file: string, cause: unknown) =>
  new StoreError(
    'unreachable',
    `The database file ${file} cannot be opened (${cause instanceof Error ? cause.message : String(cause)}): ` +
      'check that its folder exists, is writable and has space',
    cause,
  );

/**
 * Executes and waits for a lock that another process holds: they last a few milliseconds, so a short random pause
 * finds a gap. It is `exec`, because a prepared statement that met a lock stays open and then blocks every commit.
 */
async function execute(connection: Libsql.Database, statement: string): Promise<void> {
  const started = performance.now();
  for (;;) {
    try {
      connection.exec(statement);
      return;
    } catch (error) {
      const waited = performance.now() - started;
      if (!errorCode(error)?.startsWith('SQLITE_BUSY') || waited > busyDeadline) throw error;
      // Whoever has waited longer looks more often, so that the lock goes to the oldest rather than to the newest.
      await delay(Math.random() * Math.max(4, 30 - waited / 50));
    }
  }
}

/** Failures of the file or the disk as `StoreError`s. */
async function reported<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storeFailure(error);
  }
}

async function checkIntegrity(connection: Libsql.Database, file: string): Promise<void> {
  try {
    const rows = connection.prepare('pragma quick_check(1)').all() as unknown;
    const intact = JSON.stringify(rows) === '[{"quick_check":"ok"}]';
    if (!intact) throw corrupt(file, new Error(JSON.stringify(rows)));
  } catch (error) {
    throw isCorruption(error) ? corrupt(file, error) : error;
  }
}

/** Tells a file from one that took its place; undefined where there is none. */
function identityOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

function dialectOf(driver: FileDriver): Dialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new Compiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (query) => new SqliteIntrospector(query),
  };
}

class Compiler extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    super.appendValue(bindable(value));
  }
}

/**
 * kysely's driver (one connection behind a mutex), but whatever writes takes the write lock at once and waits for
 * it without blocking: of two deferred transactions that read first, one could not write any more.
 */
class FileDriver extends SqliteDriver implements Turn {
  readonly #database: Libsql.Database;
  readonly #log: LogFlush;
  readonly #file: string;
  readonly #identity: string | undefined;
  #closed = false;
  /** Whether what was committed on the connection in use has to be on the disk before its user goes on. */
  waitForDisk = false;

  constructor(database: Libsql.Database, log: LogFlush, file: string) {
    super({ database: asKyselyDatabase(database) });
    this.#database = database;
    this.#log = log;
    this.#file = file;
    this.#identity = identityOf(file);
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    if (this.#closed) {
      await this.releaseConnection();
      throw new StoreError('unreachable', 'The database is closed');
    }
    return {
      executeQuery: <Row>(query: CompiledQuery) =>
        reported(async () =>
          this.#database.inTransaction || SelectQueryNode.is(query.query)
            ? await connection.executeQuery<Row>(query)
            : await this.#executeInTransaction<Row>(connection, query),
        ),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
  }

  /** The next user has the connection while the disk is waited for: many commits share one flush. */
  override async releaseConnection(): Promise<void> {
    const wait = this.waitForDisk;
    this.waitForDisk = false;
    await super.releaseConnection();
    if (wait) await this.#log.flush();
  }

  /** Waits for the query that runs: libsql ends the whole process where a closed connection is used. */
  override async destroy(): Promise<void> {
    await super.acquireConnection();
    if (!this.#closed) {
      this.#closed = true;
      // libsql lets go of the file only when its statements are collected, so the log is merged here already.
      try {
        this.#database.exec('pragma wal_checkpoint(truncate)');
      } catch {
        // Another process uses it: the log stays for the next one.
      }
      await super.destroy();
      await this.#log.close();
    }
    await this.releaseConnection();
  }

  async begin(): Promise<void> {
    await this.acquireConnection();
    try {
      await this.beginTransaction();
    } catch (error) {
      await this.releaseConnection();
      throw error;
    }
  }

  commit(): Promise<void> {
    return this.commitTransaction();
  }

  rollback(): void {
    // Some errors, a full disk for one, have rolled back already.
    if (this.#database.inTransaction) this.#database.exec('rollback');
  }

  async end({ synced }: { synced: boolean }): Promise<void> {
    this.waitForDisk = synced;
    await this.releaseConnection();
  }

  override async beginTransaction(): Promise<void> {
    this.#checkFile();
    return reported(() => execute(this.#database, 'begin immediate'));
  }

  /** What is written to a file that nobody can open any more is lost. */
  #checkFile(): void {
    const found = identityOf(this.#file);
    if (found !== undefined && found === this.#identity) return;
    throw new StoreError(
      'unreachable',
      `The database file ${this.#file} was ${found === undefined ? 'deleted' : 'replaced'} while the program runs: restart it`,
    );
  }

  override async commitTransaction(): Promise<void> {
    await reported(() => execute(this.#database, 'commit'));
    this.waitForDisk = true;
  }

  override async rollbackTransaction(): Promise<void> {
    this.rollback();
  }

  async #executeInTransaction<Row>(
    connection: DatabaseConnection,
    query: CompiledQuery,
  ): Promise<QueryResult<Row>> {
    await this.beginTransaction();
    try {
      const result = await connection.executeQuery<Row>(query);
      await this.commitTransaction();
      return result;
    } catch (error) {
      await this.rollbackTransaction();
      throw error;
    }
  }
}

function asKyselyDatabase(connection: Libsql.Database): SqliteDatabase {
  return {
    close: () => {
      connection.close();
    },
    prepare(sql) {
      const statement = connection.prepare<unknown[]>(numbered(sql));
      return {
        reader: statement.reader,
        all: (parameters) => statement.all(parameters).map(withBuffers),
        run: (parameters) => statement.run(parameters),
        iterate: (parameters) => statement.iterate(parameters),
      };
    },
  };
}
