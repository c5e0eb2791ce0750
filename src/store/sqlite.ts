/** The engine for one machine: a SQLite file by libsql with a write-ahead log; who commits waits for the disk. */
import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Kysely } from 'kysely';
import Libsql from 'libsql';
import type { Database } from './database.ts';
import { corrupt, errorCode, isCorruption, openingFailure, storeFailure, UnfitFileError } from './errors.ts';
import { makeFolder } from './folder.ts';
import { LogFlush } from './log-flush.ts';
import { SqliteBatches } from './sqlite-batches.ts';
import { createDialect, execute, FileDriver } from './sqlite-driver.ts';
import { asRows, asTyped, type Statement, statement } from './statement.ts';

export async function openSqlite<Schema>(file: string): Promise<Database<Schema>> {
  // A process that ends properly merges its log and empties it.
  const hasLog = hasUnwrittenLog(file);
  const connection = await connect(file);
  const log = new LogFlush(`${file}-wal`);
  const driver = new FileDriver(connection, log, file);
  const query = new Kysely<Schema>({ dialect: createDialect(driver) });
  const batches = new SqliteBatches(connection, driver);
  return {
    engine: 'sqlite',
    query,
    batch: (statements, { synced = true, mayWait } = {}) =>
      asTyped(batches.run(statements, { synced, mayWait })),
    read: async (statement) => asRows(await readNow(statement, driver, batches)),
    // A batch has the file for itself.
    lockStatement: () => statement('select 1'),
    notifyStatement: () => statement('select 1'),
    transaction: async (work) => {
      log.check();
      return query.transaction().execute(work);
    },
    lock: () => Promise.resolve(),
    notify: () => Promise.resolve(),
    listen: () => Promise.resolve(() => Promise.resolve()),
    hasLog,
    checkIntegrity: () => checkIntegrity(connection, file),
    close: async () => {
      await batches.settle();
      await query.destroy();
    },
  };
}

/** Runs a statement that only reads. It waits for a turn only where it must, because a read disturbs nobody. */
async function readNow(
  one: Statement,
  driver: FileDriver,
  batches: SqliteBatches,
): Promise<readonly unknown[]> {
  if (driver.isFree) {
    try {
      return batches.read(one);
    } catch (error) {
      if (errorCode(error)?.startsWith('SQLITE_BUSY') !== true) throw storeFailure(error);
    }
  }
  const [result] = await batches.run([one], { synced: false });
  return result?.rows ?? [];
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
    await makeFolder(dirname(file));
    createFile(file);
    // No blocking wait for locks: it would stop the whole event loop. `execute` waits instead.
    const connection = new Libsql(file, { timeout: 0 });
    await execute(connection, 'pragma journal_mode = wal');
    // A commit only writes the log; the driver flushes it, off the event loop and once for all who wait.
    connection.pragma('synchronous = normal');
    connection.pragma('foreign_keys = on');
    return connection;
  } catch (error) {
    throw openingFailure(file, error);
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
    if (!statSync(file).isFile()) throw new UnfitFileError(file);
  }
}

/** Rejects with a `StoreError` of kind `corrupt` where the file's structure is damaged. */
export async function checkIntegrity(connection: Libsql.Database, file: string): Promise<void> {
  try {
    const rows = connection.prepare('pragma quick_check(1)').all() as unknown;
    const intact = JSON.stringify(rows) === '[{"quick_check":"ok"}]';
    if (!intact) throw corrupt(file, new Error(JSON.stringify(rows)));
  } catch (error) {
    throw isCorruption(error) ? corrupt(file, error) : error;
  }
}
