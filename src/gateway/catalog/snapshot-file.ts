/**
 * The snapshot on disk, so that the next start lists tools before the network answers. The first line says what it is
 * and can be read alone, the second has the columns of all actions; then the JSON of the actions follows, of which a
 * start parses only what it lists.
 */
import { closeSync, readSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { makeFolder } from '../../store/folder.ts';
import { openRegularFile, openRegularFileSync } from '../../store/regular-file.ts';
import { PackedActions } from './packed-actions.ts';
import type { Snapshot, SnapshotData } from './snapshot.ts';

/** A file of another version is not read: the network answers instead. */
const Header = z.object({
  version: z.literal(5),
  fetchedAt: z.number(),
  /** As `Snapshot.websites` has them. */
  websites: z.array(z.string()),
  ownCatalogs: z.array(z.string()),
  goals: z.record(z.string(), z.string()),
  unreadable: z.array(z.object({ id: z.string(), reason: z.string() })),
  /** The reserved names when the tools were named. */
  reserved: z.array(z.string()),
});

/** The file is our own: checking hundreds of thousands of values would take longer than the rest of a start. */
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const arrayOf = <Value>() => z.custom<Value[]>(Array.isArray);
const Columns = z.object({
  ids: arrayOf<string>(),
  slugs: arrayOf<string>(),
  credits: arrayOf<number>(),
  needsAccount: arrayOf<boolean>(),
  /** The names of the tools; absent where each is its action's id. */
  names: arrayOf<string>().optional(),
  catalogTypes: z.custom<SnapshotData['catalogTypes']>(isObject).default({}),
  /** Where the JSON of each action ends, in bytes after the end of this line. */
  ends: arrayOf<number>(),
});

/** Larger than any first line. */
const maxHeaderBytes = 1_048_576;
const maxWebsites = 20;
const writtenAtOnce = 500;
const lineBreak = 0x0a;

interface SavedSnapshot {
  readonly data: SnapshotData;
  /** The names of the tools, if they were chosen beside the same reserved names. */
  readonly names: readonly string[] | undefined;
}

export interface SnapshotFile {
  /** Undefined where there is none, or none that can be read: then the network answers. */
  read(reserved: readonly string[]): Promise<SavedSnapshot | undefined>;
  /** Only `websites`, without waiting; empty where they cannot be read. */
  readWebsites(): readonly string[];
  write(snapshot: Snapshot, reserved: readonly string[]): Promise<void>;
}

/** One file for each principal; written whole and renamed, so that other processes never see half of it. */
export function snapshotFile(directory: string, principalId: string): SnapshotFile {
  const path = join(directory, `catalog-${principalId}.json`);
  return {
    async read(reserved) {
      try {
        return parse(await readWhole(path), reserved);
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
    async write(snapshot, reserved) {
      const temporary = `${path}.${process.pid}.${Date.now()}`;
      await makeFolder(directory);
      try {
        const file = await open(temporary, 'w', 0o600);
        await writeTo(file, snapshot, reserved).finally(() => file.close());
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}

/** In one piece: `readFile` copies a large file together from many. */
async function readWhole(path: string): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    const bytes = Buffer.allocUnsafeSlow((await file.stat()).size);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

function parse(bytes: Buffer, reserved: readonly string[]): SavedSnapshot | undefined {
  const headerEnd = bytes.indexOf(lineBreak);
  const columnsEnd = bytes.indexOf(lineBreak, headerEnd + 1);
  const {
    version: _,
    websites: _websites,
    reserved: before,
    ...rest
  } = Header.parse(JSON.parse(bytes.toString('utf8', 0, headerEnd)));
  const columns = Columns.parse(JSON.parse(bytes.toString('utf8', headerEnd + 1, columnsEnd)));
  const { names = columns.ids, ends, catalogTypes, ...others } = columns;
  const block = bytes.subarray(columnsEnd + 1);
  const isWhole =
    block.length === (ends.at(-1) ?? 0) &&
    [names, ends, ...Object.values(others)].every(({ length }) => length === columns.ids.length);
  if (!isWhole) return undefined;
  const data = { ...rest, catalogTypes, actions: PackedActions.fromBlock(block, ends, others) };
  const sameNames = JSON.stringify(before) === JSON.stringify(reserved);
  return { data, names: sameNames ? names : undefined };
}

async function writeTo(file: FileHandle, snapshot: Snapshot, reserved: readonly string[]): Promise<void> {
  const { actions, catalogTypes, ...header } = snapshot.data;
  const { ids, slugs, credits, needsAccount, size } = actions;
  const websites = snapshot.websites().slice(0, maxWebsites);
  const names = snapshot.names.every((name, index) => name === ids[index]) ? undefined : snapshot.names;
  let end = 0;
  const ends = ids.map((_, index) => {
    end += actions.json(index).length;
    return end;
  });
  const first = { version: 5, ...header, websites, reserved };
  const second = { ids, slugs, credits, needsAccount, names, ends, catalogTypes };
  await file.writeFile(`${JSON.stringify(first)}\n${JSON.stringify(second)}\n`);
  for (let start = 0; start < size; start += writtenAtOnce) {
    const count = Math.min(writtenAtOnce, size - start);
    await file.writeFile(
      Buffer.concat(Array.from({ length: count }, (_, offset) => actions.json(start + offset))),
    );
  }
}

function readFirstLine(path: string): string {
  const file = openRegularFileSync(path);
  try {
    const bytes = Buffer.alloc(maxHeaderBytes);
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, maxHeaderBytes, 0));
    return text.slice(0, text.indexOf('\n'));
  } finally {
    closeSync(file);
  }
}
