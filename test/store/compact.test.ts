import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compactFile } from '../../src/store/compact.ts';
import type { Migration } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';

const createThing: Migration = () => ['create table thing (id integer primary key, bytes blob)'];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-compact-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('deleted rows leave the file when it is compacted, and nothing else does', async () => {
  const file = join(folder, 'large.db');
  const database = await openDatabase<object>({ file }, [createThing]);
  for (let id = 0; id < 20; id += 1) {
    await sql`insert into thing values (${id}, ${Buffer.alloc(200_000, id)})`.execute(database.query);
  }
  await sql`delete from thing where id > 1`.execute(database.query);
  await database.close();
  const sizes = await compactFile(file);
  expect(sizes?.before).toBeGreaterThan(4_000_000);
  expect(sizes?.after).toBeLessThan(1_000_000);
  const again = await openDatabase<object>({ file }, [createThing]);
  const { rows } = await sql`select id, length(bytes) as length from thing`.execute(again.query);
  expect(rows).toEqual([
    { id: 0, length: 200_000 },
    { id: 1, length: 200_000 },
  ]);
  await again.close();
  expect(await compactFile(join(folder, 'none.db'))).toBeUndefined();
});

it('only a file whose last process did not end properly has a log', async () => {
  const file = join(folder, 'clean.db');
  const first = await openDatabase<object>({ file }, [createThing]);
  expect(first.hasLog).toBe(false);
  await sql`insert into thing values (1, null)`.execute(first.query);
  // As a kill would leave them.
  const killed = join(folder, 'killed.db');
  for (const end of ['', '-wal']) await copyFile(file + end, killed + end);
  await first.close();
  const next = await openDatabase<object>({ file }, [createThing]);
  expect(next.hasLog).toBe(false);
  await next.close();
  const afterKill = await openDatabase<object>({ file: killed }, [createThing]);
  expect(afterKill.hasLog).toBe(true);
  await afterKill.checkIntegrity();
  await afterKill.close();
});
