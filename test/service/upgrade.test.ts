/**
 * `upgrade/folder-354e098` is a data folder of commit 354e098, copied while jobs were under way: built actions of three users
 * (private, public, in review, rebuilt, deleted, in the catalog of a file), and catalog files, one of them with the slug
 * and an id of built actions.
 */
import { copyFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import Libsql from 'libsql';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { practiceCatalogs } from '../../src/practice/catalogs.ts';
import { createCatalogSource } from '../../src/service/catalog/source.ts';
import { addKey } from '../../src/service/money/keys.ts';
import { migrations } from '../../src/service/store/migrations.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { withBuffers } from '../../src/store/sqlite-batches.ts';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { engines } from '../support/postgres.ts';
import { type Json, startTestService, type TestService, withDatabase } from '../support/service.ts';
import { actions, jobs } from './upgrade/ids.ts';

const fixture = join(import.meta.dirname, 'upgrade/folder-354e098');
/** The schema version of the file. */
const earlierVersion = 12;
const createDatabase = useDatabases();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await closeGateways();
});

/** Puts the rows of the file into a PostgreSQL database that the earlier schema was made in. */
async function copyToServer(file: string): Promise<string> {
  const url = await createDatabase();
  const database = await openDatabase<object>({ url }, migrations.slice(0, earlierVersion));
  const from = new Libsql(file, { readonly: true });
  await sql`delete from publications`.execute(database.query);
  const tables = [
    ...['users', 'api_keys', 'ledger', 'catalogs', 'actions', 'action_versions', 'publications', 'jobs'],
    ...['identities', 'credentials', 'build_requests'],
  ];
  for (const table of tables) {
    for (const row of from.prepare(`select * from ${table}`).all().map(withBuffers)) {
      const columns = Object.entries(Object(row)).filter(([name]) => name !== '_metadata');
      const names = sql.join(columns.map(([name]) => sql.ref(name)));
      const values = sql.join(columns.map(([, value]) => value));
      await sql`insert into ${sql.table(table)} (${names}) values (${values})`.execute(database.query);
    }
  }
  from.close();
  await database.close();
  return url;
}

async function openFolder(engine: string) {
  const dataDir = await temporaryFolder();
  const file = join(dataDir, 'service.db');
  await writeFile(file, gunzipSync(await readFile(join(fixture, 'service.db.gz'))));
  for (const name of ['api-key', 'credential-keys.json'])
    await copyFile(join(fixture, name), join(dataDir, name));
  await cp(join(fixture, 'catalogs'), join(dataDir, 'catalogs'), { recursive: true });
  const databaseUrl = engine === 'postgres' ? await copyToServer(file) : undefined;
  const catalogs = await createCatalogSource({
    directory: join(dataDir, 'catalogs'),
    further: practiceCatalogs(),
    logger: pino({ level: 'silent' }),
  });
  closers.push(() => catalogs.close());
  const service = await startTestService({
    ...{ dataDir, databaseUrl, catalogs, practiceUrl: 'http://127.0.0.1:28499' },
    runner: { run: async ({ recipe }) => ({ data: { recipe } }) },
  });
  closers.push(() => service.close());
  const keyOf = (name: string) =>
    withDatabase(service, async (database) => ({
      'x-api-key': (await addKey(database, name, 'test')).key,
    }));
  return { service, source: catalogs, alice: await keyOf('alice'), bob: await keyOf('bob') };
}

/** Ids by the slugs of their catalogs, of the sites of the fixture. */
async function seenBy(service: TestService, headers = {}): Promise<Record<string, string[]>> {
  const { results } = (await service.call('GET', '/search', undefined, headers)).body;
  const seen: Record<string, string[]> = {};
  for (const { catalog_slug, action_id } of results as Json[]) {
    const slug = String(catalog_slug);
    if (!/^(shop|books-|news-|films-|old-)/.test(slug)) continue;
    seen[slug] = [...(seen[slug] ?? []), String(action_id)];
  }
  return seen;
}

const ownSlug = (site: string) => expect.stringMatching(new RegExp(`^${site}-[0-9a-f]{6}$`));

describe.each(engines)('a data folder of the last version on %s', (engine) => {
  it('opens with every action under its id, in its catalog, and seen by whom it was seen', async () => {
    const { service, source, alice, bob } = await openFolder(engine);
    const shared = { 'news-example': [actions.public], shop: ['shop_search'] };
    expect(await seenBy(service)).toEqual({
      'books-example': [actions.private, actions.other],
      ...shared,
      shop: [actions.inFile, 'shop_search'],
    });
    expect(Object.entries(await seenBy(service, alice)).sort()).toEqual(
      [
        [ownSlug('books-example'), [actions.alices]],
        [ownSlug('films-example'), [actions.waiting]],
        ...Object.entries(shared),
      ].sort(),
    );
    expect(await seenBy(service, bob)).toEqual({
      [Object.keys(await seenBy(service, bob))[0] ?? '']: [actions.bobs],
      ...shared,
    });
    // The file with the slug and an id of built actions is as little used as before.
    expect(source.problems()).toMatchObject([{ file: 'books.json', line: 2 }]);
    const { body } = await service.call('GET', '/build-requests', undefined, alice);
    expect(body.build_requests).toMatchObject([
      { action_id: actions.waiting },
      { action_id: actions.alices },
    ]);
  });

  it('runs each job under way in the version that was accepted', async () => {
    const { service } = await openFolder(engine);
    const recipeOf = async (id: string) => {
      const job = await service.finished(id);
      expect(job).toMatchObject({ status: 'completed' });
      return Object(job.data).recipe;
    };
    const titled = (title: unknown) => ({ extract: { fields: { title } } });
    expect(await recipeOf(jobs.ofEarlierBuild)).toMatchObject(titled('h1'));
    expect(await recipeOf(jobs.ofEarlierFile)).toMatchObject(titled({ select: 'h1' }));
    expect(await recipeOf(jobs.ofCurrentFile)).toMatchObject(titled({ select: 'h2' }));
    expect(await recipeOf(jobs.ofDeleted)).toMatchObject({ request: { url: 'https://old.example/' } });
    expect(await recipeOf(jobs.ofShipped)).toMatchObject({ request: { url: expect.any(String) } });
    expect(await recipeOf(jobs.ofPractice)).toMatchObject({
      request: { url: 'http://127.0.0.1:28499/bookshop/' },
    });
    expect((await service.call('GET', `/jobs/${jobs.ended}`)).body).toMatchObject({ status: 'completed' });
  });

  it('has one home for each definition, with its versions, and keeps the accounts', async () => {
    const { service } = await openFolder(engine);
    const rows = await withDatabase(service, ({ query }) =>
      query
        .selectFrom('actions')
        .select(['action_id', 'version', 'source', 'retired_at', 'owner'])
        .where('action_id', 'in', [actions.private, actions.deleted, actions.public, 'shop_search'])
        .orderBy('action_id')
        .orderBy('version')
        .execute(),
    );
    const current = rows.filter(({ retired_at }) => retired_at === null);
    expect(current.map(({ action_id, source, owner }) => [action_id, source, owner !== null])).toEqual([
      [actions.private, 'built', true],
      [actions.public, 'built', false],
      ['shop_search', 'file:catalogs/shop.json', false],
    ]);
    expect(rows.map(({ action_id }) => action_id)).toEqual([
      ...[actions.private, actions.private, actions.public, actions.deleted],
      ...['shop_search', 'shop_search'],
    ]);
    const { catalog } = (await service.call('GET', '/catalog/shop')).body;
    const { identities } = (await service.call('GET', '/identities')).body;
    expect(identities).toMatchObject([
      { catalog_id: Object(catalog).id, credentials: [{ status: 'active' }] },
    ]);
  });

  it('keeps processes of the last version from claiming jobs, and lets them end those that they run', async () => {
    const { service } = await openFolder(engine);
    await withDatabase(service, async ({ query }) => {
      const claim = sql`select id from jobs where status = 'processing' and lease_until <= 0 and run_after <= 0`;
      await expect(claim.execute(query)).rejects.toThrow('run_after');
      await sql`update jobs set status = 'completed', result = null, error_code = null, error_message = null,
        execution_ms = 1, credits_used = 1, credits_excess = 0, finished_at = 1, lease_owner = null, lease_until = 0
        where id = 'none' and fence = 1 and status = 'processing'`.execute(query);
      await sql`update jobs set lease_until = 1 where lease_owner = 'none' and status = 'processing'`.execute(
        query,
      );
    });
  });

  it('goes on: what is built again, reviewed, renamed and removed behaves as before', async () => {
    const { service, bob } = await openFolder(engine);
    const { deleteBuiltAction, renameBuiltAction, reviewBuiltAction } = await import(
      '../../src/service/operations/built-actions.ts'
    );
    await withDatabase(service, async (database) => {
      await reviewBuiltAction(database, actions.waiting, 'approve');
      await renameBuiltAction(database, actions.public, 'Newest news');
      await deleteBuiltAction(database, actions.other);
    });
    const seen = await seenBy(service, bob);
    expect(Object.values(seen).flat()).toContain(actions.waiting);
    expect((await seenBy(service))['books-example']).toEqual([actions.private]);
    const { body } = await service.call('GET', '/catalog/news-example');
    expect(body.actions).toMatchObject([{ name: 'Newest news' }]);
  });
});
