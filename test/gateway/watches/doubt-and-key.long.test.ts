/** What a watch tells of a run that is in doubt and of a key that was revoked: to an agent, as a resource, and to a person. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { closeGateways, closeLater, openStore, temporaryFolder } from '../../support/gateway.ts';
import { connectProgram, endPrograms, expectBuilt, runProgram, spawnProgram } from '../../support/program.ts';
import { minuteMs, passTime } from '../../support/watches.ts';

beforeAll(expectBuilt);
afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

const Started = z.object({ base_url: z.string() });
const Made = z.object({ id: z.string(), key: z.string() });
const Told = z.looseObject({ changes: z.array(z.object({ kind: z.string(), summary: z.string() })) });

async function startTeam() {
  const environment = { SVC_DATA_DIR: await temporaryFolder() };
  const { child } = spawnProgram(['service', '--port', '0'], environment);
  const [line] = await new Promise<[Buffer]>((resolve) =>
    child.stdout.once('data', (...data) => resolve(data)),
  );
  const run = (...args: string[]) => runProgram(['service', ...args], environment);
  await run('users', 'add', 'maria', '--credits', '50');
  const { id, key } = Made.parse(JSON.parse((await run('keys', 'add', 'maria', '--json')).stdout));
  const revoke = () => run('keys', 'revoke', id);
  return { baseUrl: Started.parse(JSON.parse(String(line))).base_url, key, revoke };
}

async function start() {
  const { baseUrl, key, revoke } = await startTeam();
  const proxy = await startFaultProxy(baseUrl);
  closeLater(() => proxy.close());
  const folder = await temporaryFolder();
  const environment = { SVC_BASE_URL: proxy.origin, SVC_API_KEY: key, SVC_DATA_DIR: folder };
  const { client } = await connectProgram('legacy', environment);
  const call = async (name: string, args: Record<string, unknown>) =>
    Object((await client.callTool({ name, arguments: args })).structuredContent);
  const { watch_id } = await call('watch', { action_id: 'bookshop_new_books', every: '15m' });
  const store = await openStore(folder);
  const outcomes = async () => {
    const runs = store.query.selectFrom('gateway_watch_run').select('outcome').orderBy('due_at');
    return (await runs.execute()).map(({ outcome }) => outcome);
  };
  return {
    ...{ proxy, revoke, call, id: String(watch_id) },
    /** Resolves when the run was sent, asked about by its key, and left. */
    inDoubt: () =>
      vi.waitFor(
        async () => {
          const paid = store.query.selectFrom('gateway_intent').select('state').orderBy('created_at', 'desc');
          expect(await paid.executeTakeFirst()).toEqual({ state: 'unknown' });
          const sent = proxy.posts.length;
          await delay(2_000);
          expect(proxy.posts).toHaveLength(sent);
        },
        { timeout: 40_000 },
      ),
    show: async () => Told.parse(await call('list_watches', { watch_id })),
    read: async () => {
      const { contents } = await client.readResource({ uri: `svc://watches/${watch_id}` });
      return JSON.parse(z.object({ text: z.string() }).parse(contents[0]).text);
    },
    command: async (...args: string[]) => (await runProgram(['watches', ...args], environment)).stdout,
    /** Lets time pass until the runs have these outcomes. */
    pass: async (minutes: number, expected: readonly (string | null)[]) => {
      await passTime(store, minutes * minuteMs);
      await vi.waitFor(
        async () => {
          // A look at what was told makes the clock look, too.
          await call('list_watches', { watch_id });
          expect(await outcomes()).toEqual(expected);
        },
        { timeout: 40_000, interval: 500 },
      );
    },
  };
}

it('a run in doubt is told as one and does not stop the watch; a refused key does, and says whose the watch is', async () => {
  const { proxy, inDoubt, revoke, call, id, show, read, command, pass } = await start();
  proxy.inject('task', 'bad-gateway-before', 1_000);
  await pass(16, ['first', null]);
  await inDoubt();
  await pass(11, ['first', 'unknown']);
  const told = await show();
  expect(told).toMatchObject({
    state: 'active',
    changes: [{ kind: 'unknown' }],
    last_run: { outcome: 'unknown' },
  });
  expect(told).not.toHaveProperty('next');
  const doubt = 'A run is in doubt; the next due time is a run of its own. It is not known whether';
  expect(told.changes[0]?.summary).toContain(doubt);
  expect(await read()).toMatchObject({ changes: [{ kind: 'unknown' }], last_run: { outcome: 'unknown' } });
  expect(await command('list')).toMatch(
    /Its last run \(.* UTC\) brought no version, unknown: It is not known/,
  );
  expect(await command('show', id)).toMatch(/brought no version, unknown: .*\nactive; /);

  await proxy.heal();
  await pass(16, ['first', 'unknown', 'same']);
  expect(await show()).not.toHaveProperty('last_run');
  expect(await command('list')).not.toContain('brought no version');

  await revoke();
  await pass(16, ['first', 'unknown', 'same', 'failed']);
  const next = expect.stringMatching(
    /^A watch belongs to its key: with another key make it again\..*"set":"resume"/,
  );
  const refused = { state: 'needs_person', error: { code: 'UNAUTHORIZED' }, next };
  expect(await show()).toMatchObject({
    ...refused,
    changes: [{ kind: 'unknown' }, { kind: 'needs_person' }],
  });
  expect(await read()).toMatchObject(refused);
  expect(await command('list')).toMatch(/UNAUTHORIZED.* A watch belongs to its key/);
  expect(await call('watch', { watch_id: id, set: 'resume' })).toMatchObject({ state: 'active' });
  await pass(16, ['first', 'unknown', 'same', 'failed', 'failed']);
  expect(await show()).toMatchObject(refused);
}, 240_000);
