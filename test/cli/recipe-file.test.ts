/** What `svc-mcp build --save` does where the recipe does not fit into a catalog file. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadSettings } from '../../src/cli/config/load.ts';
import { recipeFile } from '../../src/cli/setup/recipe-file.ts';
import type { ActionDefinition } from '../../src/service/foundation/ports.ts';
import { closeGateways, temporaryFolder } from '../support/gateway.ts';
import { action, type Json, startTestService } from '../support/service.ts';

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
  await service.call('POST', '/build-request', { website_url: websiteUrl, goal: 'List books' });
  const listBuilds = async () => (await service.call('GET', '/build-requests')).body.build_requests;
  await expect.poll(listBuilds).toMatchObject([{ status: 'success' } satisfies Json]);
  await service.close();
}

const recipe = { request: { url: websiteUrl }, extract: { kind: 'article' } };

it('a file among the catalogs of the same data folder is refused before anything is paid', async () => {
  onTestFinished(closeGateways);
  const dataDir = await temporaryFolder();
  const file = join(dataDir, 'catalogs', 'books.json');
  const opened = recipeFile(file, websiteUrl, loadSettings({ SVC_DATA_DIR: dataDir }, {}));
  await expect(opened).rejects.toThrow(/has the built action already.*Save it elsewhere/);
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
