/** Catalog files beside built actions: what was built, and paid, stays as it is. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, expect, it } from 'vitest';
import { practiceCatalogs } from '../../src/practice/catalogs.ts';
import { createCatalogSource } from '../../src/service/catalogs/source.ts';
import { deleteAction } from '../../src/service/listing/built-actions.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import {
  action,
  addTestUser,
  type Json,
  sourceOf,
  startTestService,
  type TestService,
  withDatabase,
} from '../support/service.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await closeGateways();
});

const recipe = { request: { url: 'https://shop.example/' }, extract: { kind: 'article' } };
const fileAction = (action_id: string) => ({
  ...{ action_id, name: 'From a file', recipe },
  parameters: { type: 'object', properties: {} },
});
const catalogFile = (slug: string, ids: readonly string[], description = 'From a file') => ({
  ...{ slug, name: slug, url: 'https://shop.example/', category: 'web', description },
  actions: ids.map(fileAction),
});

/** A service with catalog files, two users, and two private actions that its own user has built. */
async function start() {
  const dataDir = await temporaryFolder();
  const directory = join(dataDir, 'catalogs');
  await mkdir(directory, { recursive: true });
  const lines: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const source = await createCatalogSource({ directory, logger });
  closers.push(() => source.close());
  const service = await startTestService({
    dataDir,
    catalogs: source,
    builder: {
      preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
      build: async ({ goal }) => ({ built: true, action: action({ action_id: goal, recipe }) }),
    },
  });
  closers.push(() => service.close());
  const bob = await addTestUser(service, 'bob');
  return {
    ...{ service, source, bob, lines },
    put: (name: string, content: unknown) =>
      writeFile(join(directory, name), JSON.stringify(content, undefined, 2)),
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
  await expect.poll(find).toBe('success');
}

/** The ids of the actions that a user sees at this site. */
async function seenBy(service: TestService, headers = {}): Promise<string[]> {
  const { results } = (await service.call('GET', '/search', undefined, headers)).body;
  const ids = (Array.isArray(results) ? results : []).map(({ action_id }) => String(action_id));
  return ids.filter((id) => /books|shops|lamps/.test(id)).sort();
}

const readBuiltRows = (service: TestService) =>
  withDatabase(service, async ({ query }) => ({
    actions: await query.selectFrom('actions').selectAll().where('definition', 'is not', null).execute(),
    catalogs: await query.selectFrom('catalogs').selectAll().where('definition', 'is not', null).execute(),
  }));

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
    const { service, source, bob, lines, put, remove } = await start();
    await build(service, 'list_books');
    await build(service, 'list_shops');
    const rows = await readBuiltRows(service);
    const isUntouched = async () => {
      expect(await seenBy(service)).toEqual(['list_books', 'list_shops']);
      expect(await seenBy(service, bob.headers)).toEqual([]);
      expect(await readBuiltRows(service)).toEqual(rows);
    };
    await put('books.json', catalogFile(slug, [id]));
    await expect.poll(() => source.current().some((catalog) => catalog.slug === slug)).toBe(true);
    await isUntouched();
    expect(lines.join('')).toMatch(problem);
    expect(source.problems()).toMatchObject([{ file: 'books.json' }]);
    await put('books.json', catalogFile(slug, [id], 'Edited'));
    await expect
      .poll(() => source.current().find((catalog) => catalog.slug === slug)?.description)
      .toBe('Edited');
    await isUntouched();
    await remove('books.json');
    await expect.poll(() => source.current().some((catalog) => catalog.slug === slug)).toBe(false);
    await isUntouched();
    expect(source.problems()).toEqual([]);
    // One problem is one line.
    expect(lines).toHaveLength(1);
  },
);

it('a file takes the place of a built action that was deleted', async () => {
  const { service, source, bob, put } = await start();
  await build(service, 'list_books');
  await put('books.json', catalogFile('shop-example', ['list_books']));
  await expect.poll(() => source.current().some(({ slug }) => slug === 'shop-example')).toBe(true);
  expect(await seenBy(service, bob.headers)).toEqual([]);
  await withDatabase(service, (database) =>
    database.transaction((transaction) => deleteAction(transaction, 'list_books')),
  );
  expect(await seenBy(service, bob.headers)).toEqual(['list_books']);
  expect(source.problems()).toEqual([]);
});

it('an action that was built for the catalog of a file stays when the file is removed', async () => {
  const { service, source, bob, put, remove } = await start();
  await put('shop.json', catalogFile('shop', ['list_lamps']));
  await expect.poll(() => source.current().some(({ slug }) => slug === 'shop')).toBe(true);
  const { body } = await service.call('GET', '/catalog/shop');
  const { id } = body.catalog as Json;
  await build(service, 'list_books', { catalog_id: id });
  expect(await seenBy(service)).toEqual(['list_books', 'list_lamps']);
  await remove('shop.json');
  await expect.poll(() => source.current().some(({ slug }) => slug === 'shop')).toBe(false);
  expect(await seenBy(service)).toEqual(['list_books']);
  expect(await seenBy(service, bob.headers)).toEqual([]);
  const { body: task } = await service.call('POST', '/task', { action_id: 'list_books' });
  expect(await service.finished(task.job_id)).toMatchObject({ status: 'completed' });
});

it('two processes whose practice sites have other ports do not rewrite the rows of each other', async () => {
  const dataDir = await temporaryFolder();
  const readRows = async (port: number) => {
    const catalogs = sourceOf(...practiceCatalogs(`http://127.0.0.1:${port}`));
    const service = await startTestService({ dataDir, catalogs });
    await service.call('GET', '/search');
    await service.close();
    return withDatabase({ dataDir }, async ({ query }) => [
      await query.selectFrom('catalogs').selectAll().orderBy('slug').execute(),
      await query.selectFrom('actions').selectAll().orderBy('action_id').execute(),
    ]);
  };
  const first = await readRows(28_401);
  expect(first[1]?.length).toBeGreaterThan(5);
  expect(await readRows(28_402)).toEqual(first);
});
