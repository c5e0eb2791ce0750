/** The copy of a SQLite file before a migration that cannot be undone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open as openFile, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { afterCopy, type Migration } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { bundleProgram } from '../support/bundled-program.ts';
import { holdWriteLock } from '../support/write-lock.ts';

interface Schema {
  thing: { id: string };
}
const createThing: Migration = async ({ schema }) => {
  await schema.createTable('thing').addColumn('id', 'text').execute();
};
const addColumn: Migration = async ({ schema }) => {
  await schema.alterTable('thing').addColumn('more', 'text').execute();
};
const dropThing = () =>
  afterCopy(async ({ schema }) => {
    await schema.dropTable('thing').execute();
  });

let folder: string;
let file: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-copy-'));
  file = join(folder, 'store.db');
  const database = await openDatabase<Schema>({ file }, [createThing]);
  await database.query.insertInto('thing').values({ id: 'kept' }).execute();
  await database.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

const open = async (...migrations: Migration[]) => {
  const database = await openDatabase<Schema>({ file }, [createThing, ...migrations]);
  await database.close();
};
const copies = async () => (await readdir(folder)).filter((name) => name.includes('before'));

function read(name: string): { things: unknown; version: unknown } {
  const database = new Libsql(join(folder, name), { readonly: true });
  try {
    const [thing] = database.prepare('select id from thing').pluck().all();
    const [version] = database.prepare('select version from service_schema_version').pluck().all();
    return { things: thing, version };
  } finally {
    database.close();
  }
}
const before = { things: 'kept', version: 1 };

it('a file is copied, for its owner only, before a migration that cannot be undone', async () => {
  await open(dropThing());
  expect(await copies()).toEqual(['store.db.before-2']);
  expect(read('store.db.before-2')).toEqual(before);
  expect((await stat(join(folder, 'store.db.before-2'))).mode & 0o777).toBe(0o600);
  // The earlier version can go on with it.
  file = join(folder, 'store.db.before-2');
  await open();
});

it('a copy is named after the migration that it was made for, whatever comes before and after', async () => {
  await open(addColumn, dropThing(), createThing);
  expect(await copies()).toEqual(['store.db.before-3']);
  expect(read('store.db.before-3')).toEqual(before);
});

it('no copy is made of a new file, of one that is migrated, and before any other migration', async () => {
  await open(addColumn);
  file = join(folder, 'new.db');
  await open(dropThing());
  await open(dropThing());
  expect(await copies()).toEqual([]);
});

it('a copy holds what another process has written and not yet merged into the file', async () => {
  const other = new Libsql(file);
  other.exec("insert into thing values ('late')");
  await open(dropThing());
  other.close();
  const copy = new Libsql(join(folder, 'store.db.before-2'), { readonly: true });
  expect(copy.prepare('select id from thing').pluck().all()).toEqual(['kept', 'late']);
  copy.close();
});

it('a copy that exists is kept', async () => {
  await writeFile(join(folder, 'store.db.before-2'), 'of an earlier upgrade');
  await open(dropThing());
  expect(await readFile(join(folder, 'store.db.before-2'), 'utf8')).toBe('of an earlier upgrade');
});

it('what a process left that died while it copied is made anew', async () => {
  await writeFile(join(folder, 'store.db.before-2.part'), 'half of a copy');
  await open(dropThing());
  expect(await copies()).toEqual(['store.db.before-2']);
  expect(read('store.db.before-2')).toEqual(before);
});

it('of two processes that start at once, one copies the file, and both go on', async () => {
  const release = holdWriteLock(file);
  const program = await bundleProgram(new URL('../support/upgrading-process.ts', import.meta.url));
  const ends: Promise<unknown[]>[] = [];
  for (let count = 0; count < 2; count += 1) {
    const env = { ...process.env, SVC_TEST_FILE: file };
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    ends.push(once(child, 'exit'));
    if (child.stdout !== null) await once(child.stdout, 'data');
  }
  release();
  expect(await Promise.all(ends)).toEqual([
    [0, null],
    [0, null],
  ]);
  expect(await copies()).toEqual(['store.db.before-2']);
  expect(read('store.db.before-2')).toEqual(before);
});

it('a file that cannot be copied is not migrated, and one line says why and what to do', async () => {
  // No process can replace a folder by its copy.
  await mkdir(join(folder, 'store.db.before-2.part'));
  const failure = await open(dropThing()).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    name: 'StoreError',
    kind: 'not-writable',
    message: expect.stringMatching(/^The database file .+ was not upgraded, .+: check that its folder .+$/),
  });
  expect(read('store.db')).toEqual(before);
  await rm(join(folder, 'store.db.before-2.part'), { recursive: true });
  await open(dropThing());
  expect(read('store.db.before-2')).toEqual(before);
});

it('a full disk refuses the migration, leaves no part of a copy, and says to free some space', async () => {
  const prepare = Libsql.prototype.prepare;
  vi.spyOn(Libsql.prototype, 'prepare').mockImplementation(function (this: Libsql.Database, text: string) {
    if (!text.startsWith('vacuum into')) return prepare.call(this, text);
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  });
  await expect(open(dropThing())).rejects.toMatchObject({
    kind: 'full',
    message: expect.stringMatching(
      /not upgraded.+\(database or disk is full\): free some space on its disk$/,
    ),
  });
  vi.restoreAllMocks();
  expect(await copies()).toEqual([]);
  expect(read('store.db')).toEqual(before);
});

it('a damaged file is neither copied nor migrated', async () => {
  const database = await openDatabase<Schema>({ file }, [createThing]);
  const things = Array.from({ length: 2_000 }, (_, index) => ({ id: `${index}`.padEnd(100, 'x') }));
  await database.query.insertInto('thing').values(things).execute();
  await database.close();
  const { size } = await stat(file);
  const handle = await openFile(file, 'r+');
  await handle.write(Buffer.alloc(8_192, 0xa5), 0, 8_192, Math.floor(size / 2 / 4_096) * 4_096);
  await handle.close();
  await expect(open(dropThing())).rejects.toMatchObject({ kind: 'corrupt' });
  expect(await copies()).toEqual([]);
});
