/** Reads files of the data folder: a pipe or a device in a file's place is an error, never a wait. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { NotRegularFileError } from './errors.ts';

// Opening a pipe waits for its writer, but for this flag, which Windows lacks. Regular files ignore it.
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Rejects with a `NotRegularFileError` for a pipe, a device or a folder. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, flags);
  try {
    if (!(await file.stat()).isFile()) throw new NotRegularFileError(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

export async function readRegularFile(path: string): Promise<string> {
  const file = await openRegularFile(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

export function readRegularFileSync(path: string): string {
  const file = openSync(path, flags);
  try {
    if (!fstatSync(file).isFile()) throw new NotRegularFileError(path);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
