/**
 * The snapshot on disk, so that the next start lists tools before the network answers. The first line says what it
 * is, each further line is one action: the first line alone can be read at once, however many actions follow.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readers, readList } from '../../contract/reading.ts';
import type { SnapshotData } from './snapshot.ts';

/** A file of another version is not read: the network answers instead. */
const Header = z.object({
  version: z.literal(2),
  fetchedAt: z.number(),
  /** As `Snapshot.websites` has them. */
  websites: z.array(z.string()),
  ownCatalogs: z.array(z.string()),
  goals: z.record(z.string(), z.string()),
  unreadable: z.array(z.object({ id: z.string(), reason: z.string() })),
  count: z.int(),
});

/** More than any first line takes. */
const maxHeaderBytes = 1_048_576;

export interface SnapshotFile {
  /** Undefined where there is none, or none that can be read: then the network answers. */
  read(): Promise<SnapshotData | undefined>;
  /** Only `websites`, without waiting; empty where they cannot be read. */
  readWebsites(): readonly string[];
  write(data: SnapshotData, websites: readonly string[]): Promise<void>;
}

/** One file for each principal; written whole and renamed, so that other processes never see half of it. */
export function snapshotFile(directory: string, principalId: string): SnapshotFile {
  const path = join(directory, `catalog-${principalId}.json`);
  return {
    async read() {
      try {
        const [header = '', ...lines] = (await readFile(path, 'utf8')).split('\n');
        const { version: _, websites: _websites, count, ...rest } = Header.parse(JSON.parse(header));
        const { items } = readList(
          readers.searchResult,
          lines.filter((line) => line !== '').map((line): unknown => JSON.parse(line)),
        );
        return items.length === count ? { ...rest, results: items } : undefined;
      } catch {
        return undefined;
      }
    },
    readWebsites() {
      try {
        return Header.parse(JSON.parse(readFirstLine(path))).websites;
      } catch {
        return [];
      }
    },
    async write({ results, ...header }, websites) {
      const first = { version: 2, ...header, websites: websites.slice(0, 20), count: results.length };
      const temporary = `${path}.${process.pid}.${Date.now()}`;
      await mkdir(directory, { recursive: true, mode: 0o700 });
      try {
        const lines = [first, ...results].map((value) => `${JSON.stringify(value)}\n`);
        await writeFile(temporary, lines.join(''), { mode: 0o600 });
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}

function readFirstLine(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(maxHeaderBytes);
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, maxHeaderBytes, 0));
    return text.slice(0, text.indexOf('\n'));
  } finally {
    closeSync(file);
  }
}
