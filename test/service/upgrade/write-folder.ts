/**
 * Wrote `folder-354e098` with the service of commit 354e098, and printed the ids of `ids.ts`. To write it again, copy this file into a checkout of that
 * commit and run `npx tsx test/service/upgrade/write-folder.ts` there. It calls the code of that version, so its types
 * are not checked here.
 *
 * The database is copied while jobs are under way, which is what a death leaves.
 */
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Libsql from 'libsql';
import pino from 'pino';
import { practiceCatalogs } from '../../../src/practice/catalogs.ts';
import { createCatalogSource } from '../../../src/service/catalog/source.ts';
import { temporaryFolder } from '../../support/gateway.ts';
import { action, addTestUser, type Json, startTestService, withDatabase } from '../../support/service.ts';

const dataDir = await temporaryFolder();
const catalogs = join(dataDir, 'catalogs');
await mkdir(catalogs);

const recipeOf = (url: string, title: string) => ({
  request: { url },
  extract: { kind: 'html', list: 'li', fields: { title } },
});
const put = (name: string, content: unknown) =>
  writeFile(join(catalogs, name), `${JSON.stringify(content, undefined, 2)}\n`);
const shopFile = (title: string, more: Json = {}) => ({
  ...{ slug: 'shop', name: 'Some Shop', url: 'https://shop.example/', category: 'commerce' },
  ...{ description: 'A shop', auth_types: ['credentials'], auth_login_url: 'https://shop.example/login' },
  login: {
    fields: [{ name: 'user', type: 'string', required: true, description: 'Name' }],
    recipe: {
      page: 'https://shop.example/login',
      form: { select: 'form', fields: { user: '{user}' } },
      success: { select: 'a' },
    },
  },
  actions: [
    {
      ...{ action_id: 'shop_search', name: 'Search', credits_per_call: 3, ...more },
      parameters: { type: 'object', properties: {} },
      recipe: recipeOf('https://shop.example/search', title),
    },
  ],
});
await put('shop.json', shopFile('h1'));

const logger = pino({ level: 'silent' });
const source = await createCatalogSource({
  directory: catalogs,
  further: practiceCatalogs('http://127.0.0.1:28401'),
  logger,
});

/** Runs end at once, or never. */
let isSlow = false;
let built: Json = {};
const service = await startTestService({
  dataDir,
  catalogs: source,
  logger,
  runner: {
    run: ({ recipe }, { signal }) =>
      isSlow
        ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        : Promise.resolve({ data: { recipe } }),
  },
  logins: {
    login: async () => ({
      verified: true,
      cookies: JSON.stringify({ cookies: [] }),
      expiresAt: new Date('2099-01-01'),
    }),
  },
  builder: {
    preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
    build: async ({ catalog, websiteUrl, goal }) => ({
      built: true,
      action: action({
        action_id: `${catalog?.slug}_${goal.split(' ')[1]}`,
        name: goal,
        recipe: recipeOf(websiteUrl, 'h1'),
        ...built,
      }),
    }),
  },
});
// The operator is `default`.
const mine = {};
const alice = await addTestUser(service, 'alice', 1_000);
const bob = await addTestUser(service, 'bob', 1_000);

async function build(headers: Record<string, string>, site: string, goal: string, more: Json = {}) {
  const body = { website_url: `https://${site}/`, goal, force: true, ...more };
  const asked = await service.call('POST', '/build-request', body, headers);
  if (asked.status !== 201) throw new Error(asked.text);
  const { id } = asked.body.build_request as Json;
  for (;;) {
    const { build_requests } = (await service.call('GET', '/build-requests', undefined, headers)).body;
    const found = (build_requests as Json[]).find((one) => one.id === id);
    if (found?.status === 'success') return String(found.action_id);
  }
}

async function run(action_id: string, headers: Record<string, string> = mine, params: Json = {}) {
  const { body, text } = await service.call('POST', '/task', { action_id, params }, headers);
  if (body.job_id === undefined) throw new Error(text);
  return String(body.job_id);
}

const { catalog: shop } = (await service.call('GET', '/catalog/shop')).body as { catalog: Json };
await service.call('POST', '/login', { catalog_slug: 'shop', params: { user: 'ann' } });
const ids: Record<string, string> = {
  private: await build(mine, 'books.example', 'List books'),
  other: await build(mine, 'books.example', 'List shops'),
  public: await build(mine, 'news.example', 'List news', { visibility: 'public' }),
  alices: await build(alice.headers, 'books.example', 'List books'),
  bobs: await build(bob.headers, 'books.example', 'List films'),
  deleted: await build(mine, 'old.example', 'List things'),
  inFile: await build(mine, 'shop.example', 'List lamps', { catalog_id: shop.id }),
};
const { reviewBuiltAction, deleteBuiltAction } = await import(
  '../../../src/service/operations/built-actions.ts'
);
await withDatabase(service, (database) => reviewBuiltAction(database, ids.public ?? '', 'approve'));
ids.waiting = await build(alice.headers, 'films.example', 'List actors', { visibility: 'public' });
const jobs: Record<string, string> = { ended: await run(ids.private ?? '') };
await service.finished(jobs.ended);

isSlow = true;
// The version that was published when each of these was accepted is not the current one any more.
jobs.ofEarlierBuild = await run(ids.private ?? '');
jobs.ofEarlierFile = await run('shop_search');
jobs.ofDeleted = await run(ids.deleted ?? '');
jobs.ofPractice = await run('bookshop_list_books');
jobs.ofShipped = await run('hackernews_front_page');
await withDatabase(service, (database) => deleteBuiltAction(database, ids.deleted ?? ''));
built = { recipe: recipeOf('https://books.example/', 'h2'), wheel_version: '2' };
isSlow = false;
await build(mine, 'books.example', 'List books');
isSlow = true;
await put('shop.json', shopFile('h2', { credits_per_call: 4 }));
// It is refused: the slug and the id are those of built actions.
await put('books.json', {
  ...{ slug: 'books-example', name: 'Books', url: 'https://books.example/', category: 'web' },
  description: 'Saved by an earlier version',
  actions: [
    {
      ...{ action_id: ids.private, name: 'From a file' },
      parameters: { type: 'object', properties: {} },
      recipe: recipeOf('https://books.example/', 'h3'),
    },
  ],
});
while (source.problems().length === 0 || !JSON.stringify(source.current()).includes('"h2"'))
  await service.call('GET', '/search');
jobs.ofCurrentFile = await run('shop_search');

const folder = join(import.meta.dirname, 'folder-354e098');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const copy = join(await temporaryFolder(), 'copy.db');
const database = new Libsql(join(dataDir, 'service.db'));
database.exec(`vacuum into '${copy}'`);
database.close();
const compact = new Libsql(copy);
compact.exec('pragma journal_mode = delete; vacuum');
compact.close();
await writeFile(join(folder, 'service.db.gz'), gzipSync(await readFile(copy), { level: 9 }));
for (const name of ['api-key', 'credential-keys.json'])
  await copyFile(join(dataDir, name), join(folder, name));
await cp(catalogs, join(folder, 'catalogs'), { recursive: true });
process.stdout.write(`${JSON.stringify({ actions: ids, jobs }, undefined, 2)}\n`);
// Jobs are under way, and stay so.
process.exit();
