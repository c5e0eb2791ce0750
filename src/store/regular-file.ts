/** Reads files of the data folder and of users: a pipe, a device or a huge file in one's place is an error, never a wait. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { UnfitFileError } from './errors.ts';

// Opening a pipe waits for its writer, but for this flag, which Windows lacks. Regular files ignore it.
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const smallFileBytes = 1024 * 1024;

/** Rejects with an `UnfitFileError` for a pipe, a device, a folder or a file of more than `maxBytes`. */
export async function readRegularFile(path: string, maxBytes = smallFileBytes): Promise<Buffer> {
  const file = await open(path, flags);
  try {
    check(path, await file.stat(), maxBytes);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** The same; throws. */
export function readRegularFileSync(path: string, maxBytes = smallFileBytes): Buffer {
  const file = openSync(path, flags);
  try {
    check(path, fstatSync(file), maxBytes);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function check(path: string, stats: Stats, maxBytes: number): void {
  if (!stats.isFile()) throw new UnfitFileError(path);
  if (stats.size > maxBytes) throw new UnfitFileError(path, maxBytes);
}

/** The text of a file, by its byte order mark, which is left out; UTF-8 where it has none. */
export function toText(bytes: Buffer): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
