/** The folders of what is kept. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './errors.ts';

/**
 * Makes a folder (0700) and those above it. Node's own `recursive` never returns where a file system answers ENOENT for a
 * folder whose parent exists, as `/proc` does.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === 'ENOENT' && dirname(path) !== path) {
      await makeFolder(dirname(path));
      await mkdir(path, { mode: 0o700 }).catch((again: unknown) => passIfFolder(path, again));
    } else await passIfFolder(path, error);
  }
}

/** Another process may have made it, or it exists on a read-only file system. */
async function passIfFolder(path: string, error: unknown): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isDirectory() !== true) throw error;
}
