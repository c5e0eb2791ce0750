/** The operator's catalog files, one by one. */
import { readdir } from 'node:fs/promises';
import { errorCode } from '../../store/errors.ts';
import { readRegularFile, toText } from '../../store/regular-file.ts';
import { type ReadCatalog, readCatalog } from './read-file.ts';

export const maxCatalogFileBytes = 4 * 1024 * 1024;

export interface KnownFile {
  readonly text: string;
  readonly read: ReadCatalog;
}

/** Their names, in order. Rejects where the directory cannot be read. */
export async function listCatalogFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
}

/** Undefined where there is no such file; `previous` where its text has not changed. */
export async function readCatalogFile(path: string, previous?: KnownFile): Promise<KnownFile | undefined> {
  try {
    const text = toText(await readRegularFile(path, maxCatalogFileBytes));
    return text === previous?.text ? previous : { text, read: await readCatalog(text) };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    const reason = `cannot be read: ${error instanceof Error ? error.message : 'unknown reason'}`;
    return { text: '', read: { ok: false, reason, line: 1, column: 1 } };
  }
}
