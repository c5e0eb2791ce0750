/** Which version wrote a file, read without a change to it or its folder. */
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, describe, expect, it } from 'vitest';
import type { Migration } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { countApplied, readFileHash, schemaHashes } from '../../src/store/schema-hash.ts';
import { statement } from '../../src/store/statement.ts';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { hasPostgres } from '../support/postgres.ts';

afterEach(closeGateways);
const createDatabase = useDatabases({ isEmpty: true });

const createThing: Migration = () => ['create table thing (id text primary key)'];
const addColumn: Migration = () => ['alter table thing add column more text'];
const hashes = schemaHashes([createThing], 'sqlite');

/** A copy of the file and its log as a process that is killed now leaves them. */
async function leave(file: string): Promise<string> {
  const left = join(await temporaryFolder(), 'left.db');
  for (const end of ['', '-wal']) await copyFile(`${file}${end}`, `${left}${end}`);
  return left;
}

/** A file of a version before 0.2.0, which counted its steps in a table; open. */
async function writeEarlier(): Promise<{ file: string; connection: Libsql.Database }> {
  const file = join(await temporaryFolder(), 'earlier.db');
  const connection = new Libsql(file);
  connection.exec('pragma journal_mode = wal');
  connection.exec('create table service_schema_version (version integer not null)');
  connection.exec('insert into service_schema_version values (15)');
  return { file, connection };
}

/** The hash, and that reading it changed nothing. */
async function read(file: string): Promise<number | undefined> {
  const content = async () => {
    const names = (await readdir(join(file, '..'))).sort();
    return Promise.all(names.map(async (name) => [name, await readFile(join(file, '..', name), 'base64')]));
  };
  const before = await content();
  const hash = readFileHash(file);
  expect(await content()).toEqual(before);
  return hash;
}

it('the hash of a list begins with that of each shorter one, and differs with any statement and between them', () => {
  const both = schemaHashes([createThing, addColumn], 'sqlite');
  expect(both[0]).toBe(hashes[0]);
  const merged: Migration = (engine) => [...createThing(engine), ...addColumn(engine)];
  const other: Migration = () => ['create table thing (id text)'];
  expect(schemaHashes([other], 'sqlite')).not.toEqual(hashes);
  expect(new Set([...both, ...schemaHashes([merged, addColumn], 'sqlite')]).size).toBe(3);
  expect(both.every((hash) => hash > 0 && hash < 2 ** 31)).toBe(true);
});

describe('a file', () => {
  it('that is not there, is empty, or has only its header has no hash yet', async () => {
    const file = join(await temporaryFolder(), 'store.db');
    expect(readFileHash(file)).toBeUndefined();
    await writeFile(file, '');
    expect(await read(file)).toBeUndefined();
    const connection = new Libsql(file);
    connection.exec('pragma journal_mode = wal');
    connection.close();
    expect(await read(file)).toBeUndefined();
  });

  it('has that of its version, once its process has ended and when it was killed before the first checkpoint', async () => {
    const file = join(await temporaryFolder(), 'store.db');
    const database = await openDatabase<object>({ file }, [createThing]);
    const left = await leave(file);
    expect((await readFile(left)).includes('create table thing')).toBe(false);
    expect(await read(left)).toBe(hashes[0]);
    await database.close();
    // Alone, as it lies there without its process: here the engine takes the empty log away when memory is collected.
    const closed = join(await temporaryFolder(), 'closed.db');
    await copyFile(file, closed);
    expect(await read(closed)).toBe(hashes[0]);
    await (await openDatabase<object>({ file: left }, [createThing])).close();
  });

  it('has the newest of its log, not what a log before it has left there', async () => {
    const file = join(await temporaryFolder(), 'store.db');
    const connection = new Libsql(file);
    connection.exec('pragma journal_mode = wal');
    for (const hash of [5, 7]) connection.exec(`pragma user_version = ${hash}`);
    expect(await read(await leave(file))).toBe(7);
    const stale = await leave(file);
    const log = await readFile(`${stale}-wal`);
    // As a reset log: its header has new salts, and no frame of its own follows.
    log.writeUInt32BE(log.readUInt32BE(16) + 1, 16);
    await writeFile(`${stale}-wal`, log);
    expect(await read(stale)).toBeUndefined();
    connection.close();
  });

  it('of before 0.2.0 has none, and is refused', async () => {
    const { file, connection } = await writeEarlier();
    const left = await leave(file);
    expect(await read(left)).toBe(0);
    connection.exec('pragma wal_checkpoint(truncate)');
    connection.close();
    expect(await read(file)).toBe(0);
    const refuse = () => countApplied(readFileHash(file), hashes, { file });
    expect(refuse).toThrow(`The data folder ${join(file, '..')} (earlier.db) was written by another version`);
    const opening = openDatabase<object>({ file }, [createThing]);
    await expect(opening).rejects.toMatchObject({ kind: 'other-schema' });
  });

  it('that is no database is left to the one who opens it', async () => {
    const file = join(await temporaryFolder(), 'store.db');
    await writeFile(file, 'not a database'.repeat(1_000));
    expect(await read(file)).toBeUndefined();
    expect(readFileHash(join(file, '..'))).toBeUndefined();
  });
});

it.skipIf(!hasPostgres)(
  'a server’s database of before 0.2.0 is refused, named without its password, and left as it is',
  async () => {
    const url = await createDatabase();
    const writer = await openDatabase<object>({ url }, []);
    await writer.batch([
      statement('create table service_schema_version (version integer not null)'),
      statement('insert into service_schema_version values (15)'),
      statement('create table thing (id text primary key)'),
    ]);
    const withPassword = new URL(url);
    withPassword.password = 'open-sesame';
    const { host, pathname } = withPassword;
    const opening = openDatabase<object>({ url: withPassword.href }, [createThing]);
    const error = await opening.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      kind: 'other-schema',
      message: expect.stringMatching(`^The PostgreSQL database ${host}${pathname} was written by another`),
    });
    expect(String(error)).not.toContain('open-sesame');
    const [row] = await writer.read(statement<{ version: number }>('select * from service_schema_version'));
    expect(row).toEqual({ version: 15 });
    await writer.close();
  },
);
