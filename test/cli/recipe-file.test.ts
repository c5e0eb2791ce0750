/** What `svc-mcp build --save` does where the recipe does not fit into a catalog file. */
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { loadSettings } from '../../src/cli/config/load.ts';
import { recipeFile } from '../../src/cli/setup/recipe-file.ts';
import { addCatalog } from '../../src/service/catalog/build-file.ts';
import { createCatalogSource } from '../../src/service/catalog/source.ts';
import type { ActionDefinition } from '../../src/service/foundation/ports.ts';
import { listBuiltActions } from '../../src/service/operations/manage-builds.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { action, type Json, startTestService, withDatabase } from '../support/service.ts';

const websiteUrl = 'https://shop.example/';

/** A data folder whose service has built this action. */
async function buildIn(dataDir: string, built: ActionDefinition): Promise<void> {
  const service = await startTestService({
    dataDir,
    builder: {
      preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
      build: async () => ({ built: true, action: built }),
    },
  });
  const goal = `List ${built.action_id}`;
  await service.call('POST', '/build-request', { website_url: websiteUrl, goal, force: true });
  const listBuilds = async () => (await service.call('GET', '/build-requests')).body.build_requests as Json[];
  await expect.poll(async () => (await listBuilds())[0]).toMatchObject({ status: 'success', goal });
  await service.close();
}

const recipe = { request: { url: websiteUrl }, extract: { kind: 'article' } };

it('the file becomes the only home of the action, also among the catalogs of the same data folder', async () => {
  onTestFinished(closeGateways);
  const dataDir = await temporaryFolder();
  await mkdir(join(dataDir, 'catalogs'));
  await buildIn(dataDir, action({ action_id: 'shop_books', recipe }));
  const settings = loadSettings({ SVC_DATA_DIR: dataDir }, {});
  const { save } = await recipeFile(join(dataDir, 'catalogs', 'books.json'), websiteUrl, settings);
  await save('shop_books');
  expect(await withDatabase({ dataDir }, (database) => listBuiltActions(database))).toEqual([]);
  const logger = pino({ level: 'silent' });
  const catalogs = await createCatalogSource({ directory: join(dataDir, 'catalogs'), logger });
  onTestFinished(() => catalogs.close());
  const service = await startTestService({ dataDir, catalogs });
  onTestFinished(() => service.close());
  const { body } = await service.call('GET', '/catalog/shop-example');
  expect(body.actions).toMatchObject([{ action_id: 'shop_books', owner_user_id: null }]);
  expect(catalogs.problems()).toEqual([]);
});

it('a file beside other built actions of its site has a slug of its own', async () => {
  onTestFinished(closeGateways);
  const dataDir = await temporaryFolder();
  await mkdir(join(dataDir, 'catalogs'));
  await buildIn(dataDir, action({ action_id: 'shop_books', recipe }));
  await buildIn(dataDir, action({ action_id: 'shop_lamps', recipe }));
  const settings = loadSettings({ SVC_DATA_DIR: dataDir }, {});
  const { save } = await recipeFile(join(dataDir, 'catalogs', 'books.json'), websiteUrl, settings);
  await save('shop_books');
  const logger = pino({ level: 'silent' });
  const catalogs = await createCatalogSource({ directory: join(dataDir, 'catalogs'), logger });
  onTestFinished(() => catalogs.close());
  const service = await startTestService({ dataDir, catalogs });
  onTestFinished(() => service.close());
  const idsOf = async (slug: string) =>
    ((await service.call('GET', `/catalog/${slug}`)).body.actions as Json[]).map((one) => one.action_id);
  expect(await idsOf('shop-example')).toEqual(['shop_lamps']);
  expect(await idsOf('shop-example-file')).toEqual(['shop_books']);
});

it('an action of the file is replaced by one with the same fields of the same page, and by no other', () => {
  const one = {
    action_id: 'shop_books',
    name: 'List books: title',
    recipe: { request: { url: websiteUrl } },
  };
  const file = JSON.stringify({ slug: 'shop', actions: [one] });
  const again = addCatalog(file, { actions: [{ ...one, action_id: 'shop_books_2', tags: ['new'] }] });
  expect(again).toEqual({
    ...{ actionId: 'shop_books', content: { slug: 'shop', actions: [{ ...one, tags: ['new'] }] } },
  });
  const otherPage = { ...one, recipe: { request: { url: `${websiteUrl}history` } } };
  expect(addCatalog(file, { actions: [otherPage] })).toEqual({
    actionId: 'shop_books_2',
    content: { slug: 'shop', actions: [one, { ...otherPage, action_id: 'shop_books_2' }] },
  });
});

it('a recipe that no catalog file takes is not written', async () => {
  onTestFinished(closeGateways);
  const folder = await temporaryFolder();
  const dataDir = join(folder, 'data');
  const file = join(folder, 'books.json');
  // Earlier versions made such ids, and a build in place keeps them.
  await buildIn(dataDir, action({ action_id: 'shop_список', recipe }));
  const { save } = await recipeFile(file, websiteUrl, loadSettings({ SVC_DATA_DIR: dataDir }, {}));
  await expect(save('shop_список')).rejects.toThrow(
    /the action was built, but its recipe cannot be saved \(actions\.0\.action_id: must be letters/,
  );
  await expect(access(file)).rejects.toThrow('ENOENT');
});
