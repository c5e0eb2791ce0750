/**
 * The snapshot on disk, so that the next start lists tools before the network answers. The first line says what it
 * is and can be read alone; the second has what is asked of all actions; each further line is one action.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { runInSlices } from '../../client/slices.ts';
import { PackedActions } from './packed-actions.ts';
import type { Snapshot, SnapshotData } from './snapshot.ts';

/** A file of another version is not read: the network answers instead. */
const Header = z.object({
  version: z.literal(3),
  fetchedAt: z.number(),
  /** As `Snapshot.websites` has them. */
  websites: z.array(z.string()),
  ownCatalogs: z.array(z.string()),
  goals: z.record(z.string(), z.string()),
  unreadable: z.array(z.object({ id: z.string(), reason: z.string() })),
  /** Beside which the tools were named. */
  reserved: z.array(z.string()),
});
const Columns = z.object({
  ids: z.array(z.string()),
  slugs: z.array(z.string()),
  credits: z.array(z.number()),
  needsAccount: z.array(z.boolean()),
  names: z.array(z.string()),
});

/** More than any first line takes. */
const maxHeaderBytes = 1_048_576;
const maxWebsites = 20;
const linesAtOnce = 1_000;

interface SavedSnapshot {
  readonly data: SnapshotData;
  /** Of the tools, where they were named beside the same reserved names. */
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
        return await parse(await readFile(path, 'utf8'), reserved);
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
      await mkdir(directory, { recursive: true, mode: 0o700 });
      try {
        const file = await open(temporary, 'w', 0o600);
        await writeLines(file, snapshot, reserved).finally(() => file.close());
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
  };
}

async function parse(text: string, reserved: readonly string[]): Promise<SavedSnapshot | undefined> {
  const lines = text.split('\n');
  const {
    version: _,
    websites: _websites,
    reserved: before,
    ...rest
  } = Header.parse(JSON.parse(lines[0] ?? ''));
  const columns = Columns.parse(JSON.parse(lines[1] ?? ''));
  const { ids, names } = columns;
  // The text ends in a line break.
  const isWhole =
    lines.length === ids.length + 3 && Object.values(columns).every(({ length }) => length === ids.length);
  if (!isWhole) return undefined;
  const actions = new PackedActions();
  await runInSlices(
    (function* () {
      for (const index of ids.keys()) {
        if (index % linesAtOnce === 0) yield;
        actions.addLine(lines[index + 2] ?? '', columns, index);
      }
    })(),
  );
  const sameNames = JSON.stringify(before) === JSON.stringify(reserved);
  return { data: { ...rest, actions }, names: sameNames ? names : undefined };
}

async function writeLines(file: FileHandle, snapshot: Snapshot, reserved: readonly string[]): Promise<void> {
  const { actions, ...header } = snapshot.data;
  const { ids, slugs, credits, needsAccount } = actions;
  const websites = snapshot.websites().slice(0, maxWebsites);
  const first = { version: 3, ...header, websites, reserved };
  const second = { ids, slugs, credits, needsAccount, names: snapshot.names };
  await file.writeFile(`${JSON.stringify(first)}\n${JSON.stringify(second)}\n`);
  for (let start = 0; start < actions.size; start += linesAtOnce) {
    const count = Math.min(linesAtOnce, actions.size - start);
    const lines = Array.from(
      { length: count },
      (_, offset) => `${onOneLine(actions.line(start + offset))}\n`,
    );
    await file.writeFile(lines.join(''));
  }
}

/** A service may indent its JSON; a line break within a string is escaped. */
const onOneLine = (json: string) => (json.includes('\n') ? json.replaceAll('\n', ' ') : json);

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
