/** Which schema a database has: the hash of the statements that made it. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Engine, Migration, Target } from './database.ts';
import { errorCode, StoreError } from './errors.ts';

/** The hash of the schema after each of the migrations: 31 bits, because SQLite keeps it as `user_version`; never 0. */
export function schemaHashes(migrations: readonly Migration[], engine: Engine): readonly number[] {
  const hash = createHash('sha256');
  return migrations.map((migration) => {
    for (const statement of migration(engine)) hash.update(`${statement};\n`);
    return (hash.copy().digest().readUInt32BE() & 0x7fff_ffff) | 1;
  });
}

/**
 * How many of the migrations made the database that has this hash; 0 where it has none yet. Throws a `StoreError` where
 * another version of the program wrote it.
 */
export function countApplied(hash: number | undefined, hashes: readonly number[], target: Target): number {
  if (hash === undefined) return 0;
  const applied = hashes.indexOf(hash) + 1;
  if (applied === 0) throw otherSchema(target);
  return applied;
}

/** No address is quoted whole: it may hold a password. */
function otherSchema(target: Target): StoreError {
  const [what, setting] =
    'file' in target
      ? [
          `The data folder ${dirname(target.file)} (${basename(target.file)})`,
          'SVC_DATA_DIR to another folder',
        ]
      : [`The PostgreSQL database ${nameServer(target.url)}`, 'SVC_DATABASE_URL to another database'];
  return new StoreError(
    'other-schema',
    `${what} was written by another version of svc-mcp and is left as it is: use that version, or set ${setting}`,
  );
}

function nameServer(url: string): string {
  if (!URL.canParse(url)) return 'of SVC_DATABASE_URL';
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/**
 * The hash of a SQLite file as `countApplied` takes it: undefined where nothing was written yet, 0 where the program that
 * wrote it left none. Only reads, and takes no lock, because SQLite changes what it opens (`-shm`, `-wal`). Closing a file
 * drops the locks that this process holds on it, so this is only for files that it has not opened yet. What is no
 * database is left to the one who opens it.
 */
export function readFileHash(file: string): number | undefined {
  const header = readStart(file, headerBytes);
  if (header === undefined || (header.length > 0 && !header.toString('latin1').startsWith(magic)))
    return undefined;
  // Before the first checkpoint all is in the log: the process was killed, or runs.
  return hashOf(header) ?? hashOf(findFirstPage(readStart(`${file}-wal`)));
}

/** Of the database file format (sqlite.org/fileformat2.html, 1.3). */
const magic = 'SQLite format 3\0';
const headerBytes = 100;

/** Of a file's first page. Its schema cookie tells whether a table was ever made. */
function hashOf(page: Buffer | undefined): number | undefined {
  if (page === undefined || page.length < headerBytes) return undefined;
  const userVersion = page.readUInt32BE(60);
  const schemaCookie = page.readUInt32BE(40);
  return userVersion === 0 && schemaCookie === 0 ? undefined : userVersion;
}

/** Of the write-ahead log (4.1): frames of a header and a page, valid while they have the salts of the log's header. */
function findFirstPage(log: Buffer | undefined): Buffer | undefined {
  if (log === undefined || log.length < logHeaderBytes) return undefined;
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let newest: Buffer | undefined;
  for (let at = logHeaderBytes; at + frameBytes <= log.length; at += frameBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    if (log.readUInt32BE(at) === 1) newest = log.subarray(at + frameHeaderBytes, at + frameBytes);
  }
  return newest;
}
const logHeaderBytes = 32;
const frameHeaderBytes = 24;

/** The first bytes, or all of them; undefined where there is no file that can be read. What opens it says why. */
function readStart(file: string, count?: number): Buffer | undefined {
  try {
    const stats = statSync(file);
    // Opening a pipe would wait for its writer.
    if (!stats.isFile()) return undefined;
    const descriptor = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(Math.min(count ?? stats.size, stats.size));
      return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
