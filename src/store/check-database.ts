/** Inspects a database without changing it, to explain why it does not work. */
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import Libsql from 'libsql';
import { errorCode, openingFailure, StoreError } from './errors.ts';
import { countServerMigrations, type SchemaOf } from './migrations.ts';
import { countApplied, readFileHash, schemaHashes } from './schema-hash.ts';
import { checkIntegrity } from './sqlite.ts';

/** Milliseconds to wait for a process that recovers the file's log. */
const patience = 2_000;
/** Bytes of free space; with less, the log would soon fill the disk. */
const leastSpace = 16 * 1024 * 1024;

/** Resolves with what is there, in words; rejects with a `StoreError`. */
export function checkDatabase(schema: SchemaOf): Promise<string> {
  const { target } = schema;
  return 'url' in target ? checkServer(target.url, schema) : checkFile(target.file, schema);
}

async function checkFile(file: string, { target, migrations }: SchemaOf): Promise<string> {
  try {
    await checkSpace(dirname(file));
    const entry = await stat(file);
    for (const name of [file, `${file}-wal`, `${file}-shm`]) await checkWritable(name, name === file);
    const connection = new Libsql(file, { readonly: true, timeout: patience });
    try {
      await checkIntegrity(connection, file);
      const applied = countApplied(readFileHash(file), schemaHashes(migrations, 'sqlite'), target);
      return `${file}: intact, ${(entry.size / 1024 / 1024).toFixed(1)} MB, ${describe(applied, migrations)}`;
    } finally {
      connection.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return `${file}: none yet; it is made when it is needed`;
    throw error instanceof StoreError ? error : openingFailure(file, error);
  }
}

async function checkSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= leastSpace) return;
  const megabytes = (free / 1024 / 1024).toFixed(1);
  throw new StoreError('full', `The disk of ${folder} has ${megabytes} MB left: free some space`);
}

/** The log's files come and go while other processes use the database. */
async function checkWritable(file: string, isNeeded: boolean): Promise<void> {
  try {
    await access(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    if (isNeeded || errorCode(error) !== 'ENOENT') throw error;
  }
}

function describe(applied: number, migrations: SchemaOf['migrations']): string {
  if (applied === 0) return 'empty';
  return applied === migrations.length ? 'of this version' : 'the next start upgrades it';
}

async function checkServer(url: string, schema: SchemaOf): Promise<string> {
  const { openPostgres } = await import('./postgres.ts');
  const startedAt = performance.now();
  const database = await openPostgres<object>(url);
  try {
    const { rows } = await sql<{ transaction_read_only: string }>`show transaction_read_only`.execute(
      database.query,
    );
    const elapsedMs = Math.round(performance.now() - startedAt);
    if (rows[0]?.transaction_read_only === 'on') {
      throw new StoreError(
        'not-writable',
        'PostgreSQL is read-only (a standby?): set SVC_DATABASE_URL to the server that takes writes',
      );
    }
    const applied = await countServerMigrations(database, schema);
    return `PostgreSQL answered in ${elapsedMs} ms, ${describe(applied, schema.migrations)}`;
  } finally {
    await database.close();
  }
}
