/** Files that decide what is spent and where keys go must be in the hands of the user who runs this program. */

import { lstatSync, type Stats, statSync } from 'node:fs';
import { SettingsError } from './errors.ts';

/** By group or others. */
const writable = 0o022;

/**
 * Throws a `SettingsError` with the command that fixes it where another user owns the path or can write to it. Nothing
 * is checked where there is nothing, nor on Windows, whose folders of a user are closed to others.
 */
export function checkOwner(path: string): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  // Checks both a link and its target.
  for (const stats of [lstatSync, statSync].map((read) => readStats(path, read))) {
    if (stats === undefined) continue;
    // Files of root are as safe as the system.
    if (stats.uid !== user && stats.uid !== 0) {
      throw new SettingsError(
        `${path} belongs to another user (uid ${stats.uid}), who could change settings and read keys. ` +
          `If it is yours, run: sudo chown -R ${user} ${quoted(path)}`,
      );
    }
    if (!stats.isSymbolicLink() && (stats.mode & writable) !== 0) {
      throw new SettingsError(
        `${path} can be written by other users, who could change settings and read keys. ` +
          `Run: chmod go-w ${quoted(path)}`,
      );
    }
  }
}

function readStats(path: string, read: (path: string) => Stats): Stats | undefined {
  try {
    return read(path);
  } catch {
    // The reader of the file reports what is wrong.
    return undefined;
  }
}

const quoted = (path: string) => (/^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
