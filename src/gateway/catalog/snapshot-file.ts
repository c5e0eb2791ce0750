/** The snapshot on disk, so that the next start lists tools before the network answers. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { SearchResult } from '../../contract/resources.ts';
import { makeFolder } from '../../store/folder.ts';
import { readRegularFile, toText } from '../../store/regular-file.ts';
import type { SnapshotData } from './snapshot.ts';

/** The file is our own: checking each of its actions would take longer than the rest of a start. */
const maxBytes = 64 * 1024 * 1024;
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A file of another version is ignored; the catalog is then fetched from the service. */
const Saved = z.object({
  version: z.literal(6),
  fetchedAt: z.number(),
  ownCatalogs: z.array(z.string()),
  goals: z.record(z.string(), z.string()),
  unreadable: z.array(z.object({ id: z.string(), reason: z.string() })),
  catalogTypes: z.custom<SnapshotData['catalogTypes']>(isObject),
  lacksEditing: z.boolean().default(false),
  actions: z.custom<SearchResult[]>(Array.isArray),
});

/** A snapshot before its actions were named. */
export type SavedSnapshot = Omit<z.infer<typeof Saved>, 'version'>;

/** One file for each principal; written whole and renamed, so that other processes never see half of it. */
export class SnapshotFile {
  readonly #directory: string;
  readonly #path: string;

  constructor(directory: string, principalId: string) {
    this.#directory = directory;
    this.#path = join(directory, `catalog-${principalId}.json`);
  }

  /** Undefined if the file is absent or unreadable; the catalog is then fetched from the service. */
  async read(): Promise<SavedSnapshot | undefined> {
    try {
      const { version: _, ...saved } = Saved.parse(
        JSON.parse(toText(await readRegularFile(this.#path, maxBytes))),
      );
      return saved;
    } catch {
      return undefined;
    }
  }

  async write({ actions, ...data }: SnapshotData): Promise<void> {
    const temporary = `${this.#path}.${process.pid}.${Date.now()}`;
    await makeFolder(this.#directory);
    try {
      const saved = { version: 6, ...data, actions: actions.all };
      await writeFile(temporary, JSON.stringify(saved), { mode: 0o600 });
      await rename(temporary, this.#path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}
