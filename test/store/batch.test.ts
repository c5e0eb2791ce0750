import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { binaryType, type Database, type Migration } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { statement } from '../../src/store/statement.ts';
import { useDatabases } from '../support/databases.ts';
import { engines } from '../support/postgres.ts';
import { holdWriteLock } from '../support/write-lock.ts';

interface Thing {
  id: string;
  count: number;
  text: string | null;
  bytes: Buffer | null;
}
const createThing: Migration = (engine) => [
  `create table thing (id text primary key, count bigint not null, text text, bytes ${binaryType(engine)})`,
];

let folder = '';
const createDatabase = useDatabases({ isEmpty: true });
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-batch-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

it('batches that come while the disk is busy commit together', async () => {
  const disk = vi.spyOn(fs, 'fdatasync');
  const database = await openDatabase<{ thing: Thing }>({ file: join(folder, 'busy.db') }, [createThing]);
  const insert = (id: string) =>
    database.batch([statement('insert into thing (id, count) values ($1, 0)', id)]);
  await insert('before');
  let release = () => {};
  const flushing = new Promise<void>((resolve) => {
    disk.mockImplementationOnce((_file, end) => {
      resolve();
      release = () => end(null);
    });
  });
  const first = insert('first');
  await flushing;
  const execute = vi.spyOn(Libsql.prototype, 'exec');
  const others = [];
  for (const id of ['second', 'third', 'fourth']) {
    others.push(insert(id));
    await setImmediate();
  }
  // What only reads does not wait for the disk.
  expect(await database.query.selectFrom('thing').select('id').execute()).toEqual([
    { id: 'before' },
    { id: 'first' },
  ]);
  release();
  await Promise.all([first, ...others]);
  expect(execute.mock.calls.filter(([sql]) => sql === 'commit')).toHaveLength(1);
  vi.restoreAllMocks();
  await database.close();
});

it('a batch that does not wait for another process’s lock is refused at once, and no other one is', async () => {
  const file = join(folder, 'locked.db');
  const database = await openDatabase<{ thing: Thing }>({ file }, [createThing]);
  const insert = (id: string) => statement('insert into thing (id, count) values ($1, 0)', id);
  const refused = expect.objectContaining({ name: 'StoreError', isRefused: true });
  const release = holdWriteLock(file);
  const patient = database.batch([insert('patient')]);
  await expect(database.batch([insert('hasty')], { mayWait: false })).rejects.toEqual(refused);
  // By now the first one waits.
  await setImmediate();
  await expect(database.batch([insert('late')], { mayWait: false })).rejects.toEqual(refused);
  release();
  await patient;
  expect(await database.query.selectFrom('thing').select('id').execute()).toEqual([{ id: 'patient' }]);
  await database.close();
});

it('a batch that fails and cannot be rolled back ends nothing but itself', async () => {
  const database = await openDatabase<{ thing: Thing }>({ file: join(folder, 'rollback.db') }, [createThing]);
  const insert = (id: string) => statement('insert into thing (id, count) values ($1, 0)', id);
  await database.batch([insert('taken')]);
  const { exec } = Libsql.prototype;
  let refused = 0;
  vi.spyOn(Libsql.prototype, 'exec').mockImplementation(function refuse(this: Libsql.Database, sql: string) {
    if (sql !== 'rollback' || refused === 2) return exec.call(this, sql);
    refused += 1;
    throw new Error('disk I/O error');
  });
  await expect(database.batch([insert('undone'), insert('taken')])).rejects.toThrow('UNIQUE');
  // The next one finds the transaction still open.
  await expect(database.query.selectFrom('thing').selectAll().execute()).rejects.toThrow('disk I/O error');
  await database.batch([insert('kept')]);
  expect(refused).toBe(2);
  vi.restoreAllMocks();
  const rows = await database.query.selectFrom('thing').select('id').orderBy('id').execute();
  expect(rows).toEqual([{ id: 'kept' }, { id: 'taken' }]);
  await database.close();
});

describe.each(engines)('on %s', (engine) => {
  async function opened(): Promise<Database<{ thing: Thing }>> {
    if (engine === 'sqlite') return openDatabase({ file: join(folder, `${files++}.db`) }, [createThing]);
    return openDatabase({ url: await createDatabase() }, [createThing]);
  }
  const insert = (id: string, text: string | null = null, bytes: Uint8Array | null = null) =>
    statement<{ id: string }>(
      'insert into thing (id, count, text, bytes) values ($1, 0, $2, $3) returning id',
      id,
      text,
      bytes,
    );
  const count = statement<{ count: number }>('select count(*) as count from thing');

  it('every value arrives as it was bound, whatever it contains', async () => {
    const database = await opened();
    const texts = ["it's", '\\', "\\'; drop table thing; --", '$1 $2', '?1', 'ü€😀', '', '{"a":"\\n"}'];
    const rows = await database.batch([
      ...texts.map((text, index) => insert(String(index), text, Buffer.from(text))),
      insert('null'),
      statement('update thing set count = count - $1 where id = $2', -(2 ** 50), 'null'),
    ]);
    expect(rows[0]?.rows).toEqual([{ id: '0' }]);
    const all = await database.query.selectFrom('thing').selectAll().orderBy('id').execute();
    expect(all).toEqual([
      ...texts.map((text, index) => ({ id: String(index), count: 0, text, bytes: Buffer.from(text) })),
      { id: 'null', count: 2 ** 50, text: null, bytes: null },
    ]);
    await database.close();
  });

  it('a statement reads what an earlier one wrote, and changes are counted', async () => {
    const database = await opened();
    const [, some, none, read] = await database.batch([
      insert('a'),
      statement('update thing set count = count + 1 where exists (select 1 from thing where id = $1)', 'a'),
      statement('update thing set count = 9 where id = $1', 'b'),
      statement<{ count: number; bytes: Buffer | null }>('select count, bytes from thing'),
    ]);
    expect([some.changes, none.changes, read.rows]).toEqual([1, 0, [{ count: 1, bytes: null }]]);
    await database.close();
  });

  it('an error undoes its own batch and no other one that commits with it', async () => {
    const database = await opened();
    await database.batch([insert('taken')]);
    const results = await Promise.allSettled([
      database.batch([insert('a')]),
      database.batch([insert('b'), insert('taken')]),
      database.batch([insert('c')]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const rows = await database.query.selectFrom('thing').select('id').orderBy('id').execute();
    expect(rows.map(({ id }) => id)).toEqual(['a', 'c', 'taken']);
    await database.close();
  });

  it('reads go on while a transaction is under way', async () => {
    const database = await opened();
    await database.batch([insert('a')]);
    await database.transaction(async (transaction) => {
      await sql`insert into thing (id, count) values ('b', 0)`.execute(transaction);
    });
    const reads = Promise.all(Array.from({ length: 20 }, () => database.read(count)));
    const write = database.transaction(async (transaction) => {
      await sql`insert into thing (id, count) values ('c', 0)`.execute(transaction);
    });
    await write;
    for (const rows of await reads) expect([2, 3]).toContain(rows[0]?.count);
    await database.close();
  });

  it('a hundred batches at once under a lock each see what the others did', async () => {
    const database = await opened();
    await database.batch([insert('sum')]);
    const seen = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        database.batch(
          [
            database.lockStatement('sum'),
            statement<{ count: number }>('select count from thing where id = $1', 'sum'),
            statement('update thing set count = count + 1 where id = $1', 'sum'),
          ],
          { synced: index % 2 === 0 },
        ),
      ),
    );
    expect(new Set(seen.map(([, { rows }]) => rows[0]?.count)).size).toBe(100);
    await database.close();
  });

  it('batches, transactions and single statements take turns', async () => {
    const database = await opened();
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        if (index % 3 === 0) await database.batch([insert(`batch ${index}`)]);
        else if (index % 3 === 1) {
          await database.transaction(async (transaction) => {
            await sql`insert into thing (id, count) values (${`transaction ${index}`}, 0)`.execute(
              transaction,
            );
          });
        } else {
          await sql`insert into thing (id, count) values (${`single ${index}`}, 0)`.execute(database.query);
        }
      }),
    );
    const [{ rows }] = await database.batch([count]);
    expect(rows).toEqual([{ count: 30 }]);
    await database.close();
  });
});
