/** Catalog files become rows of the database, which change nothing of what has another source. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { practiceCatalogs } from '../../src/practice/catalogs.ts';
import { deleteAction } from '../../src/service/catalog/publish-build.ts';
import { createCatalogSource } from '../../src/service/catalog/source.ts';
import { deleteBuiltAction } from '../../src/service/operations/manage-builds.ts';
import { useDatabases } from '../support/databases.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { engines } from '../support/postgres.ts';
import {
  action,
  addTestUser,
  gate,
  type Json,
  startTestService,
  type TestService,
  type TestServiceOptions,
  withDatabase,
} from '../support/service.ts';

const createDatabase = useDatabases();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await closeGateways();
});

/** Thirty searches are allowed in a minute. */
const eventually = <Value>(read: () => Value) => expect.poll(read, { interval: 500 });

const recipe = { request: { url: 'https://shop.example/' }, extract: { kind: 'article' } };
const fileAction = (action_id: string) => ({
  ...{ action_id, name: 'From a file', recipe },
  parameters: { type: 'object', properties: {} },
});
const catalogFile = (slug: string, ids: readonly string[], more: Json = {}) => ({
  ...{ slug, name: slug, url: 'https://shop.example/', category: 'web', description: 'From a file' },
  actions: ids.map(fileAction),
  ...more,
});

interface StartOptions extends TestServiceOptions {
  /** Names the folder of catalog files, where a database has several. */
  readonly folder?: string;
}

/** A service with a folder of catalog files. */
async function start({ folder, ...options }: StartOptions = {}) {
  const dataDir = options.dataDir ?? (await temporaryFolder());
  const directory = join(dataDir, 'catalogs');
  await mkdir(directory, { recursive: true });
  const lines: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const open = () => createCatalogSource({ directory, logger, ...(folder === undefined ? {} : { folder }) });
  const source = await open();
  closers.push(() => source.close());
  const service = await startTestService({
    catalogs: source,
    builder: {
      preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
      build: async ({ goal }) => ({ built: true, action: action({ action_id: goal, recipe }) }),
    },
    ...options,
    dataDir,
  });
  closers.push(() => service.close());
  return {
    ...{ service, source, lines, directory, open },
    put: (name: string, content: unknown) =>
      writeFile(
        join(directory, name),
        typeof content === 'string' ? content : JSON.stringify(content, undefined, 2),
      ),
    remove: (name: string) => rm(join(directory, name)),
  };
}

async function build(service: TestService, goal: string, more: Json = {}): Promise<void> {
  const body = { website_url: 'https://shop.example/', goal, force: true, ...more };
  expect((await service.call('POST', '/build-request', body)).status).toBe(201);
  const find = async () => {
    const { build_requests } = (await service.call('GET', '/build-requests')).body;
    return (Array.isArray(build_requests) ? build_requests : []).find((one) => one.goal === goal)?.status;
  };
  await eventually(find).toBe('success');
}

/** The ids of the actions that a user sees at this site. */
async function seenBy(service: TestService, headers = {}): Promise<string[]> {
  const { results } = (await service.call('GET', '/search', undefined, headers)).body;
  const ids = (Array.isArray(results) ? results : []).map(({ action_id }) => String(action_id));
  return ids.filter((id) => /books|shops|lamps/.test(id)).sort();
}

/** Current and earlier versions with their sources. */
const readVersions = (service: TestService, actionId: string) =>
  withDatabase(service, ({ query }) =>
    query
      .selectFrom('actions')
      .select(['id', 'version', 'source', 'retired_at'])
      .where('action_id', '=', actionId)
      .orderBy('updated_at')
      .execute(),
  );

const readBuiltRows = (service: TestService) =>
  withDatabase(service, async ({ query }) => ({
    actions: await query.selectFrom('actions').selectAll().where('source', '=', 'built').execute(),
    catalogs: await query.selectFrom('catalogs').selectAll().where('source', '=', 'built').execute(),
  }));

const nameOf = async (service: TestService, slug: string) =>
  Object((await service.call('GET', `/catalog/${slug}`)).body.catalog).name;

describe.each(engines)('on %s', (engine) => {
  const database = async () => ({
    databaseUrl: engine === 'postgres' ? await createDatabase() : undefined,
  });

  /** Two users, and two private actions that the operator has built. */
  async function startWithBuilt() {
    const started = await start(await database());
    const bob = await addTestUser(started.service, 'bob');
    await build(started.service, 'list_books');
    await build(started.service, 'list_shops');
    return { ...started, bob };
  }

  it.each([
    [
      'the slug of a built catalog',
      'shop-example',
      'list_lamps',
      /books\.json:2:3 .* slug: shop-example is already/,
    ],
    [
      'the id of a built action',
      'my-books',
      'list_books',
      /books\.json:9:7 .* list_books is already .*service builds delete/,
    ],
  ])(
    'a file with %s is a problem that names it, and what was built stays private',
    async (_name, slug, id, problem) => {
      const { service, source, bob, lines, put, remove } = await startWithBuilt();
      const rows = await readBuiltRows(service);
      const isUntouched = async () => {
        expect(await seenBy(service)).toEqual(['list_books', 'list_shops']);
        expect(await seenBy(service, bob.headers)).toEqual([]);
        expect(await readBuiltRows(service)).toEqual(rows);
      };
      await put('books.json', catalogFile(slug, [id]));
      await eventually(() => source.problems().map(({ file }) => file)).toEqual(['books.json']);
      await isUntouched();
      expect(lines.join('')).toMatch(problem);
      const fileDescription = () => source.current().at(-1)?.catalog?.description;
      await put('books.json', catalogFile(slug, [id], { description: 'Edited' }));
      await eventually(fileDescription).toBe('Edited');
      await isUntouched();
      await remove('books.json');
      await eventually(() => source.problems()).toEqual([]);
      await isUntouched();
      // One problem is one line.
      expect(lines).toHaveLength(1);
    },
  );

  it('a file takes the place of a built action that was deleted', async () => {
    const { service, source, bob, put } = await startWithBuilt();
    await put('books.json', catalogFile('shop-example', ['list_books']));
    await eventually(() => source.problems()).toHaveLength(1);
    for (const id of ['list_books', 'list_shops'])
      await withDatabase(service, (opened) =>
        opened.transaction((transaction) => deleteAction(transaction, id)),
      );
    expect(await seenBy(service, bob.headers)).toEqual(['list_books']);
    expect(source.problems()).toEqual([]);
    expect(await readVersions(service, 'list_books')).toMatchObject([
      { source: 'built', retired_at: expect.any(Number) },
      { source: 'file:catalogs/books.json', retired_at: null },
    ]);
  });

  it('an action that was built for the catalog of a file stays when the file changes its domain or goes', async () => {
    const { service, source, put, remove } = await start(await database());
    const bob = await addTestUser(service, 'bob');
    await put('shop.json', catalogFile('shop', ['list_lamps']));
    await eventually(() => seenBy(service)).toEqual(['list_lamps']);
    const { catalog } = (await service.call('GET', '/catalog/shop')).body;
    await build(service, 'list_books', { catalog_id: Object(catalog).id });
    expect(await seenBy(service)).toEqual(['list_books', 'list_lamps']);
    await put('shop.json', catalogFile('shop', ['list_shops'], { url: 'https://other.example/' }));
    await eventually(() => source.problems().map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^url: actions for shop\.example were built into the catalog shop/),
    ]);
    expect(await seenBy(service)).toEqual(['list_books', 'list_lamps']);
    await remove('shop.json');
    await eventually(() => seenBy(service)).toEqual(['list_books']);
    expect(await seenBy(service, bob.headers)).toEqual([]);
    const { body: task } = await service.call('POST', '/task', { action_id: 'list_books' });
    expect(await service.finished(task.job_id)).toMatchObject({ status: 'completed' });
    // A file of the same domain gets its catalog, with the same id, back.
    await put('renamed.json', catalogFile('shop', ['list_lamps']));
    await eventually(() => seenBy(service)).toEqual(['list_books', 'list_lamps']);
    expect((await service.call('GET', '/catalog/shop')).body.catalog).toMatchObject({
      id: Object(catalog).id,
      action_count: 2,
    });
  });

  it('a slug or action id belongs to the catalog that had it first; in one look, the order of the names decides', async () => {
    const options = { dataDir: await temporaryFolder(), ...(await database()) };
    const { service, source, put, remove, directory } = await start(options);
    await service.close();
    await source.close();
    await put('1.json', catalogFile('same', ['books_1'], { name: 'First' }));
    await put('2.json', catalogFile('same', ['books_2'], { name: 'Second' }));
    await put('3.json', catalogFile('third', ['books_1']));
    await put('4.json', catalogFile('wikipedia', ['books_4']));
    await put('5.json', catalogFile('fifth', ['books_5', 'books_5']));
    const next = await start(options);
    await next.service.call('GET', '/search');
    expect(next.source.problems()).toMatchObject([
      { file: '2.json', line: 2, column: 3, reason: 'slug: same is already the slug of First' },
      {
        ...{ file: '3.json', line: 9, column: 7 },
        reason: 'actions.0.action_id: books_1 is already the id of an action',
      },
      { file: '4.json', line: 2, column: 3, reason: 'slug: wikipedia is already the slug of Wikipedia' },
      expect.objectContaining({ file: '5.json', reason: expect.stringContaining('actions.1.action_id') }),
    ]);
    await rm(join(directory, '1.json'));
    await eventually(() => seenBy(next.service)).toEqual(['books_1', 'books_2']);
    // An earlier name does not take it away again.
    await put('1.json', catalogFile('same', ['books_3'], { name: 'First' }));
    await eventually(() => next.source.problems().map(({ file }) => file)).toContain('1.json');
    expect(await nameOf(next.service, 'same')).toBe('Second');
    await remove('3.json');
  });

  it('a file that was good and is wrong now keeps what was imported from it, also after a restart', async () => {
    const options = { dataDir: await temporaryFolder(), ...(await database()) };
    const { service, source, put, remove } = await start(options);
    await put('shop.json', catalogFile('shop', ['list_lamps'], { name: 'Good' }));
    await eventually(() => seenBy(service)).toEqual(['list_lamps']);
    await put('shop.json', '{"slug": ');
    await eventually(() => source.problems()).toHaveLength(1);
    expect(await nameOf(service, 'shop')).toBe('Good');
    await service.close();
    const next = await start(options);
    expect(await nameOf(next.service, 'shop')).toBe('Good');
    await put('shop.json', catalogFile('shop', ['list_lamps'], { name: 'Right' }));
    await eventually(() => nameOf(next.service, 'shop')).toBe('Right');
    await remove('shop.json');
    await eventually(() => seenBy(next.service)).toEqual([]);
  });

  it('actions move from file to file and keep their ids; what goes and comes back is the same version again', async () => {
    const { service, put, remove, directory } = await start(await database());
    await put('a.json', catalogFile('a', ['books_1', 'books_2']));
    await eventually(() => seenBy(service)).toEqual(['books_1', 'books_2']);
    const [first] = await readVersions(service, 'books_1');
    await put('b.json', catalogFile('b', ['books_2']));
    await put('a.json', catalogFile('a', ['books_1']));
    const slugOf = async (id: string) => {
      const { results } = (await service.call('GET', '/search')).body;
      return (results as Json[]).find(({ action_id }) => action_id === id)?.catalog_slug;
    };
    await eventually(() => slugOf('books_2')).toBe('b');
    await rename(join(directory, 'a.json'), join(directory, 'c.json'));
    await eventually(() => readVersions(service, 'books_1')).toMatchObject([
      { id: first?.id, version: first?.version, source: 'file:catalogs/c.json' },
    ]);
    expect(await slugOf('books_1')).toBe('a');
    await remove('c.json');
    await eventually(() => seenBy(service)).toEqual(['books_2']);
    await put('c.json', catalogFile('a', ['books_1']));
    await eventually(() => readVersions(service, 'books_1')).toMatchObject([
      { id: first?.id, version: first?.version, retired_at: null },
    ]);
  });

  it('processes that start at the same moment import once', async () => {
    const shared = { dataDir: await temporaryFolder(), ...(await database()) };
    await mkdir(join(shared.dataDir, 'catalogs'));
    await writeFile(
      join(shared.dataDir, 'catalogs/shop.json'),
      JSON.stringify(catalogFile('shop', ['list_lamps'])),
    );
    const started = await Promise.all([start(shared), start(shared), start(shared)]);
    for (const { service, lines } of started) {
      expect(await seenBy(service)).toEqual(['list_lamps']);
      expect(lines).toEqual([]);
    }
    expect(await readVersions({ ...started[0].service, ...shared }, 'list_lamps')).toHaveLength(1);
  });

  it('an unchanged import writes nothing', async () => {
    const options = { dataDir: await temporaryFolder(), ...(await database()) };
    const readRows = () =>
      withDatabase(options, async ({ query }) => [
        await query.selectFrom('catalogs').selectAll().orderBy('slug').execute(),
        await query.selectFrom('actions').selectAll().orderBy('action_id').execute(),
        await query.selectFrom('publications').selectAll().execute(),
      ]);
    const { service, put } = await start(options);
    await put('shop.json', catalogFile('shop', ['list_lamps']));
    await eventually(() => seenBy(service)).toEqual(['list_lamps']);
    await service.close();
    const rows = await readRows();
    const next = await start(options);
    expect(await seenBy(next.service)).toEqual(['list_lamps']);
    expect(await readRows()).toEqual(rows);
  });

  it('a job runs the version that it was accepted with, also where its file is edited and removed meanwhile', async () => {
    const { wait, open, reached } = gate();
    const recipes: unknown[] = [];
    const { service, put, remove } = await start({
      ...(await database()),
      jobs: { concurrency: 1 },
      runner: {
        run: async ({ recipe: run }) => {
          recipes.push(run);
          await wait();
          return { data: {} };
        },
      },
    });
    const priced = (cost: number, title: string) =>
      catalogFile('shop', [], {
        actions: [
          {
            ...fileAction('list_lamps'),
            credits_expression: `\`${cost}\``,
            recipe: { ...recipe, extract: { kind: 'article', fields: { title } } },
          },
        ],
      });
    await put('shop.json', priced(2, 'title'));
    await eventually(() => seenBy(service)).toEqual(['list_lamps']);
    const submit = async () => (await service.call('POST', '/task', { action_id: 'list_lamps' })).body.job_id;
    const [running, queued] = [await submit(), await submit()];
    await reached;
    await put('shop.json', priced(30, 'summary'));
    await eventually(async () => (await readVersions(service, 'list_lamps')).length).toBe(2);
    const later = await submit();
    await remove('shop.json');
    await eventually(() => seenBy(service)).toEqual([]);
    open();
    expect(await service.finished(running)).toMatchObject({ status: 'completed', credits_used: 2 });
    expect(await service.finished(queued)).toMatchObject({ status: 'completed', credits_used: 2 });
    expect(await service.finished(later)).toMatchObject({ status: 'completed', credits_used: 30 });
    expect(recipes[1]).toEqual(recipes[0]);
    expect(recipes[2]).not.toEqual(recipes[0]);
  });
});

describe.skipIf(!engines.includes('postgres'))('two data folders on one database', () => {
  async function startTwo() {
    const databaseUrl = await createDatabase();
    const one = await start({ databaseUrl, folder: 'one' });
    return { one, two: await start({ databaseUrl, folder: 'two' }), databaseUrl };
  }

  it('have the files of both, and neither retires what the other one imported', async () => {
    const { one, two, databaseUrl } = await startTwo();
    await one.put('shop.json', catalogFile('shop', ['list_lamps']));
    await eventually(() => seenBy(two.service)).toEqual(['list_lamps']);
    await two.put('shop.json', catalogFile('books', ['list_books']));
    await eventually(() => seenBy(one.service)).toEqual(['list_books', 'list_lamps']);
    await two.remove('shop.json');
    await eventually(() => seenBy(one.service)).toEqual(['list_lamps']);
    // A third one, with an empty folder, starts.
    const three = await start({ databaseUrl, folder: 'three' });
    expect(await seenBy(three.service)).toEqual(['list_lamps']);
  });

  it('a file in the way of another folder is a problem until that one is removed', async () => {
    const { one, two } = await startTwo();
    await one.put('shop.json', catalogFile('shop', ['list_lamps']));
    await eventually(() => seenBy(two.service)).toEqual(['list_lamps']);
    await two.put('shop.json', catalogFile('shop', ['list_books']));
    await eventually(() => two.source.problems()).toMatchObject([{ file: 'shop.json', line: 2 }]);
    expect(await seenBy(two.service)).toEqual(['list_lamps']);
    await one.remove('shop.json');
    await eventually(() => seenBy(one.service)).toEqual(['list_books']);
    expect(two.source.problems()).toEqual([]);
  });

  it('what a lost folder left is removed by its id, and its slug is free again', async () => {
    const { one, two } = await startTwo();
    await one.put('shop.json', catalogFile('shop', ['list_lamps']));
    await eventually(() => seenBy(two.service)).toEqual(['list_lamps']);
    await one.service.close();
    await two.put('shop.json', catalogFile('shop', ['list_books']));
    await eventually(() => two.source.problems()).toHaveLength(1);
    await withDatabase(two.service, (database) => deleteBuiltAction(database, 'list_lamps'));
    expect(await seenBy(two.service)).toEqual(['list_books']);
    expect(two.source.problems()).toEqual([]);
  });
});

it.each(engines)(
  'two processes with practice sites on one %s database share the rows, each with its own addresses',
  async (engine) => {
    const shared = {
      dataDir: await temporaryFolder(),
      databaseUrl: engine === 'postgres' ? await createDatabase() : undefined,
    };
    const logger = pino({ level: 'silent' });
    const open = async (practiceUrl: string | undefined) => {
      const further = practiceUrl === undefined ? [] : practiceCatalogs({ withBrowser: true });
      const catalogs = await createCatalogSource({ further, logger });
      closers.push(() => catalogs.close());
      const runner = { run: async (task: { recipe: unknown }) => ({ data: { recipe: task.recipe } }) };
      const service = await startTestService({ ...shared, catalogs, practiceUrl, runner });
      closers.push(() => service.close());
      return service;
    };
    const readRows = () =>
      withDatabase(shared, async ({ query }) => [
        await query.selectFrom('catalogs').selectAll().orderBy('slug').execute(),
        await query.selectFrom('actions').selectAll().orderBy('action_id').execute(),
      ]);
    const one = await open('http://127.0.0.1:28401');
    const rows = await readRows();
    expect(rows[1]?.length).toBeGreaterThan(20);
    const two = await open('http://127.0.0.1:28402');
    const none = await open(undefined);
    for (const [service, origin] of [
      [one, 'http://127.0.0.1:28401'],
      [two, 'http://127.0.0.1:28402'],
    ] as const) {
      const { catalog } = (await service.call('GET', '/catalog/members')).body;
      expect(catalog).toMatchObject({
        url: `${origin}/members/`,
        auth_login_url: `${origin}/members/login`,
        logo_url: `${origin}/favicon.ico`,
      });
    }
    expect((await none.call('GET', '/catalog/members')).status).toBe(404);
    for (const other of [one, none]) await other.close();
    const { body } = await two.call('POST', '/task', { action_id: 'bookshop_list_books' });
    expect(await two.finished(body.job_id)).toMatchObject({
      data: { recipe: { request: { url: 'http://127.0.0.1:28402/bookshop/' } } },
    });
    expect(await readRows()).toEqual(rows);
  },
);

it('a broken file is named to its operator only, also where its actions are called', async () => {
  const { service, source, put } = await start({ runner: { run: async () => ({ data: { items: [] } }) } });
  const bob = await addTestUser(service, 'bob');
  await put('books.json', catalogFile('my-books', ['list_books']));
  await eventually(() => seenBy(service)).toEqual(['list_books']);
  await put('books.json', '{"slug": 1,\n "name"}');
  await eventually(() => source.problems()).toHaveLength(1);
  const listed = await service.call('GET', '/catalog');
  expect(listed.body.catalog_problems).toEqual([expect.stringMatching(/^books\.json:2:8 not valid JSON/)]);
  expect((await service.call('GET', '/catalog', undefined, bob.headers)).body).not.toHaveProperty(
    'catalog_problems',
  );
  const { job_id } = (await service.call('POST', '/task', { action_id: 'list_books', params: {} })).body;
  await eventually(async () => (await service.call('GET', `/jobs/${job_id}`)).body).toMatchObject({
    status: 'completed',
    catalog_problem: expect.stringMatching(/as its file was before: books\.json:2:8/),
  });
});
