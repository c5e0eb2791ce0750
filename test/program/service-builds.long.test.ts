/** `svc-mcp service builds` and `service accounts`, on a data folder with builds of several users. */
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { temporaryFolder } from '../support/gateway.ts';
import { connectProgram, endPrograms, runProgram } from '../support/program.ts';
import { withDatabase } from '../support/service.ts';

afterEach(endPrograms);

const fixture = join(import.meta.dirname, '../service/fixtures/folder-72feb6c');

const extraCatalog = {
  slug: 'extra',
  name: 'Extra',
  url: 'https://extra.example/',
  category: 'test',
  description: 'A site',
  actions: [
    {
      action_id: 'extra_page',
      name: 'Page',
      description: 'Reads the page',
      credits_per_call: 1,
      parameters: { type: 'object', properties: {} },
      recipe: {
        request: { url: 'https://extra.example/' },
        extract: { kind: 'html', fields: { title: 'h1' } },
      },
    },
  ],
};

async function openFolder() {
  const dataDir = await temporaryFolder();
  await writeFile(join(dataDir, 'service.db'), gunzipSync(await readFile(join(fixture, 'service.db.gz'))));
  await copyFile(join(fixture, 'api-key'), join(dataDir, 'api-key'));
  await copyFile(join(fixture, 'credential-keys.json'), join(dataDir, 'credential-keys.json'));
  const run = (...args: string[]) => runProgram(['service', ...args], { SVC_DATA_DIR: dataDir });
  const builds = async (): Promise<Record<string, unknown>[]> =>
    JSON.parse((await run('builds', 'list', '--json')).stdout).builds;
  return { dataDir, run, builds };
}

it('svc-mcp service lists, approves, rejects, renames and deletes built actions', {
  timeout: 120_000,
}, async () => {
  const { dataDir, run, builds } = await openFolder();
  expect(await builds()).toHaveLength(11);
  await withDatabase({ dataDir }, (database) =>
    database.query
      .updateTable('actions')
      .set({ status: 'pending_review' })
      .where('action_id', 'in', ['my-bank-t-com_list_account', 'alone-example_list_boat'])
      .execute(),
  );
  expect((await builds()).slice(0, 3).map(({ state }) => state)).toEqual(['waiting', 'waiting', 'private']);
  expect((await run('builds', 'list')).stdout).toContain('waits for review');
  expect(await run('builds', 'approve', 'my-bank-t-com_list_account')).toMatchObject({ code: 0 });
  expect(await run('builds', 'reject', 'alone-example_list_boat')).toMatchObject({ code: 0 });
  expect(await run('builds', 'approve', 'alone-example_list_boat')).toMatchObject({
    code: 1,
    stderr:
      'svc-mcp: No built action with the id alone-example_list_boat waits for a review; svc-mcp service builds list shows all built actions\n',
  });
  await run('builds', 'rename', 'alone-example_list_boat', 'All boats');
  await run('builds', 'delete', 'shop_list_secret');
  const after = await builds();
  expect(after).toHaveLength(10);
  expect(after).toContainEqual(
    expect.objectContaining({ action_id: 'my-bank-t-com_list_account', state: 'public', user: 'alice' }),
  );
  expect(after).toContainEqual(
    expect.objectContaining({ action_id: 'alone-example_list_boat', state: 'private', name: 'All boats' }),
  );
  const unknown = await run('builds', 'delete', 'shop_list_secret');
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    'svc-mcp: There is no built action with the id shop_list_secret; svc-mcp service builds list shows all built actions\n',
  ]);
});

it('a client hears within seconds of changes that another process or a file makes', async () => {
  const { dataDir, run } = await openFolder();
  let changes = 0;
  const onChanged = () => {
    changes += 1;
  };
  const environment = { SVC_DATA_DIR: dataDir, SVC_MAX_TOOLS: '0' };
  const { client } = await connectProgram('legacy', environment, { listChanged: { tools: { onChanged } } });
  const toolsOf = async () => (await client.listTools()).tools.map(({ name }) => name);
  await expect.poll(toolsOf, { timeout: 15_000 }).toContain('shared-example_list_flat');
  await run('builds', 'delete', 'shared-example_list_flat');
  await expect.poll(toolsOf, { timeout: 15_000 }).not.toContain('shared-example_list_flat');
  await writeFile(join(dataDir, 'catalogs', 'extra.json'), JSON.stringify(extraCatalog));
  await expect.poll(toolsOf, { timeout: 15_000 }).toContain('extra_page');
  await expect.poll(() => changes, { timeout: 5_000 }).toBeGreaterThanOrEqual(2);
}, 60_000);

it('svc-mcp service lists and disconnects accounts', async () => {
  const { run } = await openFolder();
  const accounts = async (): Promise<Record<string, string>[]> =>
    JSON.parse((await run('accounts', 'list', '--json')).stdout).accounts;
  const before = await accounts();
  const shop = before.find(({ user, catalog }) => user === 'alice' && catalog === 'shop');
  expect(await run('accounts', 'disconnect', String(shop?.id))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('alice@site'),
  });
  expect(await accounts()).toEqual(before.filter(({ id }) => id !== shop?.id));
  expect(await run('accounts', 'disconnect', String(shop?.id))).toMatchObject({ code: 1 });
});

it('the service serves no practice sites and none of their actions if they are switched off', async () => {
  const dataDir = await temporaryFolder();
  const environment = { SVC_DATA_DIR: dataDir, SVC_PRACTICE_SITES: 'off' };
  const tools = await runProgram(['tools', '--json'], environment);
  expect(tools.code).toBe(0);
  expect(tools.stdout).toContain('wikipedia');
  expect(tools.stdout).not.toMatch(/bookshop|practice/i);
});

it('the service has actions for any public page, unless they are switched off', async () => {
  const toolsWith = async (environment: Record<string, string>) =>
    (await runProgram(['tools', '--json'], { SVC_DATA_DIR: await temporaryFolder(), ...environment })).stdout;
  expect(await toolsWith({})).toContain('web_page');
  expect(await toolsWith({ SVC_WEB_CATALOG: 'off' })).not.toContain('web_page');
});
