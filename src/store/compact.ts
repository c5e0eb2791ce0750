/** Gives the free pages of a SQLite file back to the disk. */
import { existsSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Libsql from 'libsql';
import { errorCode, storeFailure } from './errors.ts';

/** Milliseconds to wait for other processes that use the file. */
const patience = 10_000;

/** Bytes before and after; undefined where there is no file. Needs as much free space as the data takes. */
export async function compactFile(file: string): Promise<{ before: number; after: number } | undefined> {
  if (!existsSync(file)) return undefined;
  const before = statSync(file).size;
  const connection = new Libsql(file, { timeout: 0 });
  try {
    const started = performance.now();
    for (;;) {
      try {
        connection.exec('vacuum');
        connection.exec('pragma wal_checkpoint(truncate)');
        break;
      } catch (error) {
        const isBusy = errorCode(error)?.startsWith('SQLITE_BUSY') === true;
        if (!isBusy || performance.now() - started > patience) throw storeFailure(error);
        await delay(100);
      }
    }
  } finally {
    connection.close();
  }
  return { before, after: statSync(file).size };
}
