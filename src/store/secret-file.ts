/** Small secret files of the data folder that several processes may create at once. */
import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './errors.ts';
import { makeFolder } from './folder.ts';
import { readRegularFile, toText } from './regular-file.ts';

/**
 * The file's text; where there is none, it is created (0600) whole or not at all, and the first process wins.
 */
export async function readOrCreate(path: string, create: () => string): Promise<string> {
  const existing = await readIfPresent(path);
  if (existing !== undefined) return existing;
  await makeFolder(dirname(path));
  const draft = `${path}.${randomUUID()}`;
  await writeDurably(draft, create());
  // Unlike a rename, a link never replaces what another process has put there meanwhile.
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return toText(await readRegularFile(path));
}

export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return toText(await readRegularFile(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces the file (0600), whole or not at all. */
export async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeDurably(draft, text);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Writes a new file (0600) and waits until it is on the disk. */
async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
