/** kysely's driver for a SQLite file, and how its one connection is shared with the batches. */

import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type Libsql from 'libsql';
import { errorCode, refusal, storeFailure } from './errors.ts';
import type { LogFlush } from './log-flush.ts';
import { numbered, type Turn, withBuffers } from './sqlite-batches.ts';
import { bindable, onlyReads } from './statement.ts';

/**
 * How long a statement waits for another process's write lock, in milliseconds. A process that stands still within a
 * transaction keeps the lock; clients give a paid request 30 s, and the certain refusal must reach them before.
 */
const busyDeadline = 20_000;

/**
 * Executes and waits for a lock that another process holds: they last a few milliseconds, so a short random pause
 * finds a gap. It is `exec`, because a prepared statement that met a lock stays open and then blocks every commit.
 */
export async function execute(
  connection: Libsql.Database,
  statement: string,
  pause: (ms: number) => Promise<unknown> = delay,
): Promise<void> {
  const started = performance.now();
  for (;;) {
    try {
      connection.exec(statement);
      return;
    } catch (error) {
      const waited = performance.now() - started;
      if (!isBusy(error) || waited > busyDeadline) throw error;
      // Older statements retry more often, so that the lock goes to the oldest.
      await pause(Math.random() * Math.max(4, 30 - waited / 50));
    }
  }
}

/** Failures of the file or the disk as `StoreError`s. */
async function toStoreErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storeFailure(error);
  }
}

const isBusy = (error: unknown): boolean => errorCode(error)?.startsWith('SQLITE_BUSY') === true;

/** Identifies a file, to tell it from one that replaced it; undefined if there is none. */
function getFileIdentity(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

export function createDialect(driver: FileDriver): Dialect {
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
export class FileDriver extends SqliteDriver implements Turn {
  readonly #database: Libsql.Database;
  readonly #log: LogFlush;
  readonly #file: string;
  readonly #identity: string | undefined;
  #closed = false;
  /** Transactions that wait for the lock; meanwhile others may use the connection. */
  readonly #beginnings = new Set<Promise<void>>();
  /** Whether what was committed on the connection in use has to be on the disk before its user goes on. */
  waitForDisk = false;

  constructor(database: Libsql.Database, log: LogFlush, file: string) {
    super({ database: asKyselyDatabase(database) });
    this.#database = database;
    this.#log = log;
    this.#file = file;
    this.#identity = getFileIdentity(file);
  }

  /** Whether the connection can be used at this moment without waiting for a turn. */
  get isFree(): boolean {
    return !this.#closed && !this.#database.inTransaction;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await this.#acquire();
    return {
      executeQuery: <Row>(query: CompiledQuery) =>
        toStoreErrors(async () =>
          this.#database.inTransaction || SelectQueryNode.is(query.query) || onlyReads(query.sql)
            ? await connection.executeQuery<Row>(query)
            : await this.#executeInTransaction<Row>(connection, query),
        ),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
  }

  /** The next user gets the connection during the wait for the disk: many commits share one flush. */
  override async releaseConnection(): Promise<void> {
    const wait = this.waitForDisk;
    this.waitForDisk = false;
    await super.releaseConnection();
    if (wait) await this.#log.flush();
  }

  async #acquire(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    try {
      if (this.#closed) throw closedError();
      // After a failed rollback, its writes must not be committed with other work.
      this.rollback();
      return connection;
    } catch (error) {
      await super.releaseConnection();
      throw storeFailure(error);
    }
  }

  /**
   * Waits for the running query, because libsql ends the whole process if a closed connection is used, and for writes
   * that wait for another process's lock.
   */
  override async destroy(): Promise<void> {
    while (this.#beginnings.size > 0) await Promise.allSettled(this.#beginnings);
    await super.acquireConnection();
    if (!this.#closed) {
      this.#closed = true;
      // libsql releases the file only when its statements are garbage-collected, so the log is merged here.
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

  check(): void {
    this.#log.check();
  }

  tryBegin(): boolean {
    if (!this.isFree) return false;
    this.#checkFile();
    return this.#tryExecute('begin immediate');
  }

  tryCommit(): boolean {
    const isCommitted = this.#tryExecute('commit');
    if (!isCommitted) this.rollback();
    return isCommitted;
  }

  #tryExecute(statement: string): boolean {
    try {
      this.#database.exec(statement);
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw storeFailure(error);
    }
  }

  async begin(): Promise<void> {
    await this.#acquire();
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

  get flushing(): Promise<void> | undefined {
    return this.#log.underWay;
  }

  release(): Promise<void> {
    this.waitForDisk = false;
    return this.releaseConnection();
  }

  flush(): Promise<void> {
    return this.#log.flush();
  }

  override async beginTransaction(): Promise<void> {
    this.#checkFile();
    const beginning = toStoreErrors(() =>
      execute(this.#database, 'begin immediate', (ms) => this.#giveTurn(ms)),
    );
    this.#beginnings.add(beginning);
    try {
      await beginning;
    } finally {
      this.#beginnings.delete(beginning);
    }
  }

  /**
   * Others use the connection while another process holds the lock: reads need not wait, and writes wait in parallel.
   * One after another, each with its own deadline, the last ones would wait for minutes.
   */
  async #giveTurn(ms: number): Promise<void> {
    await super.releaseConnection();
    await delay(ms);
    await super.acquireConnection();
    if (this.#closed) throw closedError();
  }

  /** Throws if the file was deleted or replaced, because writes to it would be lost. */
  #checkFile(): void {
    const fileIdentity = getFileIdentity(this.#file);
    if (fileIdentity !== undefined && fileIdentity === this.#identity) return;
    throw refusal(
      'replaced',
      `The database file ${this.#file} was ${fileIdentity === undefined ? 'deleted' : 'replaced'} while the program runs: restart it`,
    );
  }

  override async commitTransaction(): Promise<void> {
    await toStoreErrors(() => execute(this.#database, 'commit'));
    this.waitForDisk = true;
  }

  override async rollbackTransaction(): Promise<void> {
    this.rollback();
  }

  async #executeInTransaction<Row>(
    connection: DatabaseConnection,
    query: CompiledQuery,
  ): Promise<QueryResult<Row>> {
    this.#log.check();
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

/** Thrown before the lock is taken, so nothing is written. */
const closedError = () => refusal('failed', 'The database is closed');

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
