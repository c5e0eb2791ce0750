import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { binaryType, type Database, type Migration, type Target } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { statement } from '../../src/store/statement.ts';
import { useDatabases } from '../support/databases.ts';
import { engines, hasPostgres } from '../support/postgres.ts';
import { holdWriteLock } from '../support/write-lock.ts';

interface Schema {
  thing: { id: string; flag: number; count: number; bytes: Uint8Array | null };
}
const createThing: Migration = (engine) => [
  `create table thing (
    id text primary key,
    flag integer not null,
    count bigint not null,
    bytes ${binaryType(engine)}
  )`,
];

let folder = '';
const createDatabase = useDatabases({ isEmpty: true });
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-store-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const newFile = () => join(folder, `${files++}`, 'store.db');

describe.each(engines)('on %s', (engine) => {
  async function newTarget(): Promise<Target> {
    if (engine === 'sqlite') return { file: newFile() };
    return { url: await createDatabase() };
  }

  async function opened(target?: Target): Promise<Database<Schema>> {
    return openDatabase<Schema>(target ?? (await newTarget()), [createThing]);
  }

  it('values come back as they were bound: 64-bit integers as numbers, bytes as Buffers, booleans as 0 and 1', async () => {
    const database = await opened();
    const bytes = new Uint8Array([0, 1, 255]);
    await sql`insert into thing (id, flag, count, bytes) values (${'a'}, ${true}, ${2 ** 50}, ${bytes})`.execute(
      database.query,
    );
    const rows = await database.query.selectFrom('thing').selectAll().execute();
    expect(rows).toEqual([{ id: 'a', flag: 1, count: 2 ** 50, bytes: Buffer.from(bytes) }]);
    const sums = await database.query
      .selectFrom('thing')
      .select((from) => from.fn.sum<number>('count').as('sum'))
      .execute();
    expect(sums).toEqual([{ sum: 2 ** 50 }]);
    await database.close();
  });

  it.each([
    ['text with NUL', 'a\0b'],
    ['a Date', new Date()],
    ['an object', {}],
  ])('%s is refused before it reaches the engine', async (_name, value) => {
    const database = await opened();
    await expect(sql`select ${value}`.execute(database.query)).rejects.toThrow(TypeError);
    await database.close();
  });

  it('a transaction that throws leaves nothing behind', async () => {
    const database = await opened();
    const thing = { id: 'a', flag: 0, count: 1, bytes: null };
    await expect(
      database.transaction(async (transaction) => {
        await transaction.insertInto('thing').values(thing).execute();
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await database.query.selectFrom('thing').selectAll().execute()).toEqual([]);
    await database.close();
  });

  it('300 read-then-write transactions of three connections all take effect', async () => {
    const target = await newTarget();
    const databases = await Promise.all([opened(target), opened(target), opened(target)]);
    const [any] = databases;
    await any.query.insertInto('thing').values({ id: 'a', flag: 0, count: 0, bytes: null }).execute();
    await Promise.all(
      databases.flatMap((database) =>
        Array.from({ length: 100 }, () =>
          database.transaction(async (transaction) => {
            const query = transaction.selectFrom('thing').select('count').where('id', '=', 'a');
            const { count } = await (database.engine === 'postgres'
              ? query.forUpdate()
              : query
            ).executeTakeFirstOrThrow();
            await transaction
              .updateTable('thing')
              .set({ count: count + 1 })
              .execute();
          }),
        ),
      ),
    );
    expect(await any.query.selectFrom('thing').select('count').execute()).toEqual([{ count: 300 }]);
    await Promise.all(databases.map((database) => database.close()));
  });

  it('starts at the same time migrate once', async () => {
    const target = await newTarget();
    const counting: Migration = () => ['create table run (at integer)', 'insert into run values (1)'];
    const databases = await Promise.all(
      Array.from({ length: 5 }, () => openDatabase<{ run: { at: number } }>(target, [counting])),
    );
    const [any] = databases;
    expect(await any?.query.selectFrom('run').selectAll().execute()).toHaveLength(1);
    await Promise.all(databases.map((database) => database.close()));
  });

  it('later migrations are added with their rows kept, and a program that knows fewer refuses', async () => {
    const target = await newTarget();
    const older = await opened(target);
    await older.query.insertInto('thing').values({ id: 'a', flag: 0, count: 1, bytes: null }).execute();
    await older.close();
    const addColumn: Migration = () => ["alter table thing add column more text default 'new'"];
    for (let start = 0; start < 2; start += 1) {
      const newer = await openDatabase<Schema>(target, [createThing, addColumn]);
      const { rows } = await sql`select id, more from thing`.execute(newer.query);
      expect(rows).toEqual([{ id: 'a', more: 'new' }]);
      await newer.close();
    }
    await expect(opened(target)).rejects.toMatchObject({
      name: 'StoreError',
      kind: 'other-schema',
      message: expect.stringContaining('was written by another version of svc-mcp'),
    });
  });

  it('a migration that fails leaves the old schema', async () => {
    const target = await newTarget();
    const failing: Migration = (one) => [...createThing(one), 'insert into nowhere values (1)'];
    await expect(openDatabase<Schema>(target, [failing])).rejects.toThrow('nowhere');
    const database = await opened(target);
    expect(await database.query.selectFrom('thing').selectAll().execute()).toEqual([]);
    await database.close();
  });
});

it('a file is for its owner only, and so is its log', async () => {
  const file = newFile();
  const database = await openDatabase<Schema>({ file }, [createThing]);
  for (const name of [file, `${file}-wal`, `${file}-shm`]) {
    expect((await stat(name)).mode & 0o777, name).toBe(0o600);
  }
  await database.close();
});

it('opening a file once more drops no lock: another process that ends leaves the log of this one alone', async () => {
  const file = newFile();
  const database = await openDatabase<Schema>({ file }, [createThing]);
  const again = await openDatabase<Schema>({ file }, [createThing]);
  const other = `const other = new (require('libsql'))(${JSON.stringify(file)});`;
  await promisify(execFile)(process.execPath, [
    '-e',
    `${other} other.exec('create table more (a)'); other.close()`,
  ]);
  expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
  await database.query.insertInto('thing').values({ id: 'a', flag: 0, count: 1, bytes: null }).execute();
  const third = await openDatabase<Schema>({ file }, [createThing]);
  expect(await third.query.selectFrom('thing').select('id').execute()).toEqual([{ id: 'a' }]);
  await Promise.all([database.close(), again.close(), third.close()]);
});

it('a closed database can be closed again, and answers with an error', async () => {
  const database = await openDatabase<Schema>({ file: newFile() }, [createThing]);
  await Promise.all([database.close(), database.close()]);
  await database.close();
  await expect(database.query.selectFrom('thing').selectAll().execute()).rejects.toThrow(
    'driver has already been destroyed',
  );
});

it('a file that is no database is refused and left alone', async () => {
  const file = join(folder, 'garbage.db');
  await writeFile(file, 'not a database'.repeat(1000));
  await expect(openDatabase<Schema>({ file }, [createThing])).rejects.toMatchObject({ kind: 'corrupt' });
  expect((await stat(file)).size).toBe(14_000);
});

it('a damaged file is found by the integrity check', async () => {
  const file = newFile();
  const database = await openDatabase<Schema>({ file }, [createThing]);
  const things = Array.from({ length: 2000 }, (_, index) => ({
    id: `thing-${index}`.padEnd(100, 'x'),
    flag: 0,
    count: index,
    bytes: null,
  }));
  for (const thing of things) await database.query.insertInto('thing').values(thing).execute();
  await database.checkIntegrity();
  await database.close();
  const { size } = await stat(file);
  const handle = await open(file, 'r+');
  await handle.write(Buffer.alloc(8192, 0xa5), 0, 8192, Math.floor(size / 2 / 4096) * 4096);
  await handle.close();
  const damaged = await openDatabase<Schema>({ file }, [createThing]);
  await expect(damaged.checkIntegrity()).rejects.toMatchObject({ kind: 'corrupt' });
  await damaged.close();
});

it('a folder that cannot be made is a database that is not writable', async () => {
  const file = join(folder, 'plain-file');
  await writeFile(file, '');
  await expect(openDatabase<Schema>({ file: join(file, 'store.db') }, [])).rejects.toMatchObject({
    kind: 'not-writable',
  });
});

it.skipIf(!hasPostgres)(
  'listeners hear of a committed notification, also after their connection was cut',
  async () => {
    const database = await openDatabase<Schema>({ url: await createDatabase() }, [createThing]);
    let heard = 0;
    const stop = await database.listen('things', () => {
      heard += 1;
    });
    const notify = () => database.transaction((transaction) => database.notify(transaction, 'things'));
    await notify();
    await expect.poll(() => heard).toBe(1);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'listen%' and datname = current_database()`.execute(database.query);
    await expect.poll(() => heard, { timeout: 10_000 }).toBe(2);
    await notify();
    await expect.poll(() => heard).toBe(3);
    await stop();
    await database.close();
  },
);

it('a file closes after the transaction that runs, and refuses what comes later', async () => {
  const target = { file: newFile() };
  const database = await openDatabase<Schema>(target, [createThing]);
  const [running, waiting, closing, late] = await Promise.allSettled([
    database.transaction(async (transaction) => {
      await delay(50);
      await sql`insert into thing (id, flag, count) values ('a', 0, 0)`.execute(transaction);
    }),
    database.query.selectFrom('thing').selectAll().execute(),
    database.close(),
    delay(10).then(() => database.query.selectFrom('thing').selectAll().execute()),
  ]);
  expect([running, waiting, closing, late].map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
  const reopened = await openDatabase<Schema>(target, [createThing]);
  expect(await reopened.query.selectFrom('thing').select('id').execute()).toEqual([{ id: 'a' }]);
  await reopened.close();
});

it('a statement that only reads takes no lock and waits for no disk, whichever way it is written', async () => {
  const file = newFile();
  const database = await openDatabase<Schema>({ file }, [createThing]);
  const flush = vi.spyOn(fs, 'fdatasync');
  const release = holdWriteLock(file);
  await expect(sql`select count(*) as n from thing`.execute(database.query)).resolves.toMatchObject({
    rows: [{ n: 0 }],
  });
  await sql`
    select 1`.execute(database.query);
  await database.query
    .with('some', (query) => query.selectFrom('thing').selectAll())
    .selectFrom('some')
    .selectAll()
    .execute();
  const rows = await database.read(statement('select count(*) as n from thing'));
  expect(rows).toEqual([{ n: 0 }]);
  expect(flush).not.toHaveBeenCalled();
  release();
  vi.restoreAllMocks();
  await sql`with one as (select 'a' as id) insert into thing (id, flag, count) select id, 0, 0 from one`.execute(
    database.query,
  );
  expect(await database.query.selectFrom('thing').select('id').execute()).toEqual([{ id: 'a' }]);
  await database.close();
});

it('a file closes after the writes that wait for the lock of another process', async () => {
  const target = { file: newFile() };
  const [database, other] = [
    await openDatabase<Schema>(target, [createThing]),
    await openDatabase<Schema>(target, [createThing]),
  ];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holding = other.transaction(() => held);
  const write = sql`insert into thing (id, flag, count) values ('a', 0, 0)`.execute(database.query);
  // It waits, or the read would stand behind it.
  await database.query.selectFrom('thing').selectAll().execute();
  const closing = database.close();
  release();
  await expect(Promise.all([write, closing, holding])).resolves.toHaveLength(3);
  expect(await other.query.selectFrom('thing').select('id').execute()).toEqual([{ id: 'a' }]);
  await other.close();
});
