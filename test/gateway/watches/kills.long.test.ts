/** A real death (SIGKILL) at each commit of a run that is due: the next process pays it once in all, and tells it once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import * as z from 'zod';
import { gatewayMigrations } from '../../../src/gateway/store/migrations.ts';
import type { GatewaySchema } from '../../../src/gateway/store/schema.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { closeGateways, scriptedUpstream, temporaryFolder } from '../../support/gateway.ts';
import { endPrograms, environmentOf, expectBuilt, programFile } from '../../support/program.ts';
import { runHere } from '../../support/run-here.ts';
import { hourMs, passTime } from '../../support/watches.ts';

afterEach(async () => {
  await endPrograms();
  await closeGateways();
});

/** One of five: what changes in more rows at once is read a second time before it is told. */
const books = (price: number) => ({
  books: [price, 20, 30, 40, 50].map((cost, id) => ({ url: `https://shop.example/${id}`, price: cost })),
  has_more: false,
});
const Made = z.looseObject({ watch_id: z.string(), first: z.looseObject({ rows: z.literal(5) }) });
const Shown = z.looseObject({
  state: z.string(),
  missed: z.number(),
  credits_used: z.number(),
  changes: z.array(z.looseObject({ kind: z.string() })),
});

async function setUp() {
  expectBuilt();
  let price = 10;
  const upstream = await scriptedUpstream({
    extensions: 'idempotency',
    actions: [
      {
        action_id: 'shop-list',
        credits: 2,
        overrides: { type: 'scrape' },
        job: () => ({ data: books(price) }),
      },
    ],
  });
  const folder = await temporaryFolder();
  const input = JSON.stringify({ action_id: 'shop-list', every: '1h' });
  const { stdout } = await runHere(['call', 'watch', input, '--json'], environmentOf(upstream, folder));
  const { watch_id } = Made.parse(JSON.parse(stdout));
  const file = join(folder, 'gateway.db');
  const database = await openDatabase<GatewaySchema>({ file }, gatewayMigrations, 'gateway');
  await passTime(database, 1.2 * hourMs);
  await database.close();
  price = 9;
  return { upstream, folder, watch_id };
}

const isGone = (error: unknown) => {
  if (Object(error).code !== 'ENOENT') throw error;
  return false;
};

/** Runs what is due in a copy of the folder, in a process that dies at its nth commit. */
async function dieAt(
  commit: number,
  { upstream, folder }: Omit<Awaited<ReturnType<typeof setUp>>, 'watch_id'>,
) {
  const copy = await temporaryFolder();
  // The log of a closed database may go while it is copied: then the copy is made anew.
  while (!(await cp(folder, copy, { recursive: true }).then(() => true, isGone)))
    await rm(copy, { recursive: true });
  const environment = environmentOf(upstream, copy);
  const before = upstream.service.jobs.size;
  const child = spawn(
    process.execPath,
    ['--import', './test/support/dying.js', programFile, 'watches', 'run-due'],
    {
      env: { ...environment, SVC_TEST_DIES_AT: `commit ${commit}`, SVC_LOG_LEVEL: 'silent' },
      stdio: 'ignore',
    },
  );
  const [, signal] = await once(child, 'exit');
  return { environment, copy, before, signal };
}

it('a due run whose process dies at any of its commits is paid once and told once', async () => {
  const { upstream, folder, watch_id } = await setUp();
  let deaths = 0;
  for (let commit = 1; ; commit += 1) {
    const { environment, before, signal } = await dieAt(commit, { upstream, folder });
    await runHere(['watches', 'run-due'], environment);
    const { stdout } = await runHere(['watches', 'show', watch_id, '--json'], environment);
    expect({
      commit,
      jobs: upstream.service.jobs.size - before,
      ...Shown.parse(JSON.parse(stdout)),
    }).toMatchObject({
      commit,
      jobs: 1,
      state: 'active',
      missed: 0,
      credits_used: 4,
      changes: [{ kind: 'changed' }],
    });
    if (signal !== 'SIGKILL') break;
    deaths += 1;
  }
  // The plan, the claim, the end and what is told of it are commits of their own.
  expect(deaths).toBeGreaterThanOrEqual(4);
}, 300_000);

it('a due run that was planned by a process that died is not sent once its watch is paused', async () => {
  const { upstream, folder, watch_id } = await setUp();
  let tried = 0;
  for (let commit = 1; tried === 0; commit += 1) {
    const { environment, copy, before, signal } = await dieAt(commit, { upstream, folder });
    expect(signal).toBe('SIGKILL');
    const file = join(copy, 'gateway.db');
    const database = await openDatabase<GatewaySchema>({ file }, gatewayMigrations, 'gateway');
    const planned = await database.query
      .selectFrom('gateway_intent')
      .select('id')
      .where('state', '=', 'planned')
      .execute();
    if (planned.length > 0) {
      // By a command, its process could run what is due before it pauses.
      await database.query.updateTable('gateway_watch').set({ state: 'paused' }).execute();
    }
    await database.close();
    if (planned.length === 0) continue;
    tried += 1;
    await runHere(['watches', 'run-due'], environment);
    expect(upstream.service.jobs.size).toBe(before);
    const { stdout } = await runHere(['watches', 'show', watch_id, '--json'], environment);
    expect(Shown.parse(JSON.parse(stdout))).toMatchObject({ state: 'paused', credits_used: 2 });
    expect(JSON.parse(stdout)).not.toHaveProperty('running');
  }
}, 120_000);
