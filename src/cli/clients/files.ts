/** The file operations that change a client's configuration. Only `replace` and `remove` are atomic. */

import { chown, mkdir, open, readdir, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ClientConfigError } from '../config/errors.ts';

export interface Files {
  /** Undefined where there is no such file. */
  read(path: string): Promise<Buffer | undefined>;
  /** Names of the files beside one. */
  beside(path: string): Promise<readonly string[]>;
  /** Creates a file with the rights and owner of another one, and syncs it. Fails if it exists; a crash can cut it short. */
  create(path: string, content: Uint8Array, like: string): Promise<void>;
  /** Puts one file in the place of another. */
  replace(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export const files: Files = {
  async read(path) {
    try {
      return await readFile(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },

  async beside(path) {
    try {
      return await readdir(dirname(path));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },

  async create(path, content, like) {
    await mkdir(dirname(path), { recursive: true });
    const model = await stat(like).catch(() => undefined);
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(content);
      if (model !== undefined) await file.chmod(model.mode & 0o777);
      await file.sync();
    } finally {
      await file.close();
    }
    const user = process.getuid?.();
    if (model !== undefined && user !== undefined && model.uid !== user)
      await chown(path, model.uid, model.gid);
  },

  replace: (from, to) => rename(from, to),
  remove: (path) => unlink(path),
};

/** Follows symbolic links, so that the target is changed and the link stays. */
export async function linkedFile(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const folder = await readdir(dirname(path)).catch((): string[] => []);
    if (folder.includes(basename(path))) {
      throw new ClientConfigError(`${path} is a link to a file that does not exist: remove the link`);
    }
    return path;
  }
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';
