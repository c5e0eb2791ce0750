/** A copy of a SQLite file beside it, made before a migration that cannot be undone. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { copyFailure } from './errors.ts';

/**
 * Copies what is committed in `file` to `file.before-<version>` (0600), whole or not at all; a copy that exists is kept.
 * The caller holds the file's write lock: nothing comes in between the copy and the migration, and no other process
 * copies at the same time. Throws a `StoreError`.
 */
export function copyBefore(file: string, version: number): void {
  const copy = `${file}.before-${version}`;
  if (existsSync(copy)) return;
  // Left behind by a process that died while copying.
  const part = `${copy}.part`;
  try {
    rmSync(part, { force: true });
    // SQLite fills an empty file and leaves its mode as it is.
    closeSync(openSync(part, 'wx', 0o600));
    const connection = new Libsql(file, { readonly: true });
    try {
      connection.prepare('vacuum into ?').run(part);
    } finally {
      connection.close();
    }
    flush(part);
    renameSync(part, copy);
    flushFolder(dirname(copy));
  } catch (error) {
    remove(part);
    throw copyFailure(file, error);
  }
}

/** The next attempt removes what cannot be removed now. */
function remove(part: string): void {
  try {
    rmSync(part, { force: true });
  } catch {
    // Why there is no copy is what the caller must hear.
  }
}

function flush(file: string): void {
  const descriptor = openSync(file, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Without it, a power failure may undo the rename after the migration. Windows cannot open a folder. */
function flushFolder(folder: string): void {
  if (process.platform !== 'win32') flush(folder);
}
