/** `svc-mcp service builds` and `service accounts`, on a data folder with builds of several users. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Builder } from '../../src/service/foundation/ports.ts';
import { temporaryFolder } from '../support/gateway.ts';
import { connectProgram, endPrograms } from '../support/program.ts';
import { runHere } from '../support/run-here.ts';
import { action, addTestUser, type Json, startTestService, withDatabase } from '../support/service.ts';

afterEach(endPrograms);

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

/** Builds an action whose id follows from the site and the goal. */
const builder: Builder = {
  preview: async () => ({ ok: false, errorType: 'NO_DATA_FOUND', message: 'No' }),
  build: async ({ goal, websiteUrl }) => ({
    built: true,
    action: action({
      action_id: `${new URL(websiteUrl).hostname.replace('.', '-')}_${goal}`,
      name: goal,
      recipe: { request: { url: websiteUrl }, extract: { kind: 'html', fields: { title: 'h1' } } },
    }),
  }),
};

/** A data folder with builds of two users, and an account that each of them has connected. */
async function fillFolder(dataDir: string): Promise<void> {
  const service = await startTestService({ dataDir, builder });
  try {
    const users = {
      default: { headers: {} },
      alice: await addTestUser(service, 'alice'),
      bob: await addTestUser(service, 'bob'),
    };
    const built: readonly (readonly [keyof typeof users, string, string])[] = [
      ['default', 'https://shared.example/', 'list_flats'],
      ['alice', 'https://bank.example/', 'list_accounts'],
      ['alice', 'https://evil.example/', 'list_secrets'],
      ['bob', 'https://alone.example/', 'list_boats'],
    ];
    for (const [user, website_url, goal] of built) {
      const { headers } = users[user];
      await service.call('POST', '/build-request', { website_url, goal }, headers);
      const statuses = async () => {
        const { body } = await service.call('GET', '/build-requests', undefined, headers);
        return (body.build_requests as Json[]).map(({ status }) => status);
      };
      await expect.poll(async () => new Set(await statuses())).toEqual(new Set(['success']));
    }
    await withDatabase(service, async ({ query }) => {
      const { id: catalogId } = await query.selectFrom('catalogs').select('id').executeTakeFirstOrThrow();
      for (const { id: userId, name } of await query.selectFrom('users').select(['id', 'name']).execute()) {
        const [identityId, now] = [randomUUID(), Date.now()];
        const identity = { id: identityId, user_id: userId, catalog_id: catalogId, name: `${name}@site` };
        await query
          .insertInto('identities')
          .values({ ...identity, is_default: 1, created_at: now })
          .execute();
        const credential = { id: randomUUID(), identity_id: identityId, credential_type: 'credentials' };
        const times = { expires_at: now + 3_600_000, last_used_at: null, created_at: now };
        const content = { site_user: null, signed_in_at: 0, key_id: null, encrypted_data: null };
        await query
          .insertInto('credentials')
          .values({ ...credential, ...times, ...content, status: 'active' })
          .execute();
      }
    });
  } finally {
    await service.close();
  }
}

async function openFolder() {
  const dataDir = await temporaryFolder();
  await fillFolder(dataDir);
  const run = (...args: string[]) => runHere(['service', ...args], { SVC_DATA_DIR: dataDir });
  const builds = async (): Promise<Record<string, unknown>[]> =>
    JSON.parse((await run('builds', 'list', '--json')).stdout).builds;
  return { dataDir, run, builds };
}

it('svc-mcp service lists, approves, rejects, renames and deletes built actions', {
  timeout: 120_000,
}, async () => {
  const { dataDir, run, builds } = await openFolder();
  const built = await builds();
  expect(built).toHaveLength(4);
  const idOf = (name: string) => String(built.find((one) => one.name === name)?.action_id);
  const [accounts, boats, secrets] = [idOf('list_accounts'), idOf('list_boats'), idOf('list_secrets')];
  await withDatabase({ dataDir }, (database) =>
    database.query
      .updateTable('actions')
      .set({ status: 'pending_review' })
      .where('action_id', 'in', [accounts, boats])
      .execute(),
  );
  expect((await builds()).slice(0, 3).map(({ state }) => state)).toEqual(['waiting', 'waiting', 'private']);
  expect((await run('builds', 'list')).stdout).toContain('waits for review');
  expect(await run('builds', 'approve', accounts)).toMatchObject({ code: 0 });
  expect(await run('builds', 'reject', boats)).toMatchObject({ code: 0 });
  expect(await run('builds', 'approve', boats)).toMatchObject({
    code: 1,
    stderr: `svc-mcp: No built action with the id ${boats} waits for a review; svc-mcp service builds list shows all built actions\n`,
  });
  await run('builds', 'rename', boats, 'All boats');
  await run('builds', 'delete', secrets);
  const after = await builds();
  expect(after).toHaveLength(3);
  expect(after).toContainEqual(
    expect.objectContaining({ action_id: accounts, state: 'public', user: 'alice' }),
  );
  expect(after).toContainEqual(
    expect.objectContaining({ action_id: boats, state: 'private', name: 'All boats' }),
  );
  const unknown = await run('builds', 'delete', secrets);
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    `svc-mcp: There is no built action with the id ${secrets}; svc-mcp service builds list shows all built actions\n`,
  ]);
});

it('svc-mcp actions lists, renames, removes and brings back what one built, and repairs nothing without proof', {
  timeout: 120_000,
}, async () => {
  const { dataDir } = await openFolder();
  const run = (...args: string[]) => runHere(['actions', ...args], { SVC_DATA_DIR: dataDir });
  const listed = async () => (await run('list')).stdout.trim().split('\n');
  const [head = '', own = '', ...others] = await listed();
  expect(head).toMatch(/^ACTION +BUILT +PAGE +GOAL$/);
  expect(own).toMatch(/https:\/\/shared\.example\/ +list_flats$/);
  expect(others).toEqual([]);
  const [id = ''] = own.split(' ');
  expect(await run('rename', id, 'All flats')).toMatchObject({ code: 0 });
  const found = await runHere(['call', 'browse_catalogs', '{"catalog": "shared-example"}', '--json'], {
    SVC_DATA_DIR: dataDir,
  });
  expect(found.stdout).toContain('"All flats"');
  const repair = await run('repair', id, '--preview', '--json');
  expect(repair.code).toBe(1);
  expect(await run('remove', id)).toMatchObject({ code: 0 });
  expect((await listed())[1]).toMatch(/ removed +https:\/\/shared\.example\//);
  expect(await run('revert', id)).toMatchObject({ code: 0 });
  expect((await listed())[1]).not.toContain('removed');
  const unknown = await run('remove', 'shared-example_nothing');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('NOT_FOUND')]);
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
  await expect.poll(toolsOf, { timeout: 15_000 }).toContain('shared-example_list_flats');
  await run('builds', 'delete', 'shared-example_list_flats');
  await expect.poll(toolsOf, { timeout: 15_000 }).not.toContain('shared-example_list_flats');
  await writeFile(join(dataDir, 'catalogs', 'extra.json'), JSON.stringify(extraCatalog));
  await expect.poll(toolsOf, { timeout: 15_000 }).toContain('extra_page');
  await expect.poll(() => changes, { timeout: 5_000 }).toBeGreaterThanOrEqual(2);
}, 60_000);

it('svc-mcp service lists and disconnects accounts', async () => {
  const { run } = await openFolder();
  const accounts = async (): Promise<Record<string, string>[]> =>
    JSON.parse((await run('accounts', 'list', '--json')).stdout).accounts;
  const before = await accounts();
  const hers = before.find(({ user }) => user === 'alice');
  expect(await run('accounts', 'disconnect', String(hers?.id))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('alice@site'),
  });
  expect(await accounts()).toEqual(before.filter(({ id }) => id !== hers?.id));
  expect(await run('accounts', 'disconnect', String(hers?.id))).toMatchObject({ code: 1 });
});

it('the service serves no practice sites and none of their actions if they are switched off', async () => {
  const dataDir = await temporaryFolder();
  const environment = { SVC_DATA_DIR: dataDir, SVC_PRACTICE_SITES: 'off' };
  const tools = await runHere(['tools', '--json'], environment);
  expect(tools.code).toBe(0);
  expect(tools.stdout).toContain('wikipedia');
  expect(tools.stdout).not.toMatch(/bookshop|practice/i);
});

it('the service has actions for any public page, unless they are switched off', async () => {
  const toolsWith = async (environment: Record<string, string>) =>
    (await runHere(['tools', '--json'], { SVC_DATA_DIR: await temporaryFolder(), ...environment })).stdout;
  expect(await toolsWith({})).toContain('web_page');
  expect(await toolsWith({ SVC_WEB_CATALOG: 'off' })).not.toContain('web_page');
});
