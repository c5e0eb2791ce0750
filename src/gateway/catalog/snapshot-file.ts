/** The snapshot on disk, so that the next start lists tools before the network answers. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readers, readList } from '../../contract/reading.ts';
import type { SnapshotData } from './snapshot.ts';

const FileContent = z.object({
  version: z.literal(1),
  fetchedAt: z.number(),
  results: z.array(z.unknown()),
  unreadable: z.array(z.object({ id: z.string(), reason: z.string() })),
  ownCatalogs: z.array(z.string()),
});

export interface SnapshotFile {
  /** Undefined where there is none, or none that can be read: then the network answers. */
  read(): Promise<SnapshotData | undefined>;
  write(data: SnapshotData): Promise<void>;
}

/** One file for each principal; written whole and renamed, so that other processes never see half of it. */
export function snapshotFile(directory: string, principalId: string): SnapshotFile {
  const path = join(directory, `catalog-${principalId}.json`);
  return {
    async read() {
      try {
        const content = FileContent.parse(JSON.parse(await readFile(path, 'utf8')));
        return { ...content, results: readList(readers.searchResult, content.results).items };
      } catch {
        return undefined;
      }
    },
    async write(data) {
      const temporary = `${path}.${process.pid}.${Date.now()}`;
      await mkdir(directory, { recursive: true, mode: 0o700 });
      try {
        await writeFile(temporary, JSON.stringify({ version: 1, ...data }), { mode: 0o600 });
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}
