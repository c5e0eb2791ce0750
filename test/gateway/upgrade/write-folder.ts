/**
 * Wrote `gateway-af234df.db.gz` with the gateway of commit af234df, and printed the ids of `issued-ids.ts`. To write it
 * again, copy this folder into a checkout of that commit and run `npx tsx test/gateway/upgrade/write-folder.ts` there. It
 * calls the code of that version, so its types are not checked here.
 *
 * The file is copied while requests and jobs are under way, which is what a death leaves.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import Libsql from 'libsql';
import { createHttpClient } from '../../../src/client/http-client.ts';
import { createGateway } from '../../../src/gateway/create-gateway.ts';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import { createPrincipal } from '../../../src/gateway/interface/principal.ts';
import { defaultGatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { callContext, deliver, temporaryFolder } from '../../support/gateway.ts';
import { recordingLogger } from '../../support/mcp-pipe.ts';
import { startUpstream } from '../../support/upstream.ts';
import { envelope } from '../../support/upstream-faults.ts';
import { batches, builds, runs, script } from './calls.ts';

const upstream = await startUpstream(script);
const { service } = upstream;
const file = join(await temporaryFolder(), 'gateway.db');
const principal = createPrincipal(upstream.origin, upstream.apiKey);
const subject = { issuer: 'https://issuer.example', subject: 'somebody' };
const other = createPrincipal(upstream.origin, upstream.apiKey, subject);

function open(as = principal): Gateway {
  return createGateway({
    api: createHttpClient({ baseUrl: upstream.origin, apiKey: upstream.apiKey }),
    principal: as,
    settings: defaultGatewaySettings,
    snapshotFile: undefined,
    store: { file },
    logger: recordingLogger(),
    limits: { lostAfterMs: 100 },
  });
}

const gateway = open();
const run = (name: keyof typeof runs, by = gateway) => by.runAction(runs[name], callContext());
const begin = (name: keyof typeof runs) => gateway.runAction(runs[name], callContext({ taskAfterMs: 0 }));
const openTask = async (outcome: Parameters<Gateway['handles']['open']>[0]) =>
  (await gateway.handles.open(outcome)).id;
const reset = { kind: 'reset', carriedOut: true } as const;
const hang = { kind: 'hang', carriedOut: true } as const;
const submitted = () => upstream.requestsTo('submitTask').length;

async function lose(name: 'lost' | 'lostAndTold') {
  const { body } = await begin(name);
  const job_id = String(body.job_id);
  service.jobs.delete(job_id);
  return gateway.getJob({ job_id }, callContext());
}

async function writeEnded(): Promise<Record<string, string>> {
  await deliver(run('delivered'));
  await deliver(run('deliveredInline'));
  for (const name of ['finished', 'finishedInline', 'finishedLarge', 'finishedComputed'] as const) {
    await run(name);
  }
  await run('finishedOfAccount');
  const byTask = await gateway.runAction(
    { ...runs.finishedByTask, select: 'params.q' },
    callContext({ taskAfterMs: 0 }),
  );
  upstream.fail('submitTask', envelope(402, 'INSUFFICIENT_CREDITS', 'Too few', { balance: 1 }), { times: 1 });
  await run('refused');
  await (await run('unconfirmed')).unconfirmed?.();
  await lose('lost');
  await deliver(lose('lostAndTold'));
  const answered = await gateway.getJob({ limit: 1 }, callContext());
  return { finished: await openTask(byTask), answered: await openTask(answered) };
}

async function writeUnderWay(): Promise<Record<string, string>> {
  await begin('underWay');
  const underWay = await openTask(await begin('underWayByTask'));
  const givenUp = await openTask(await begin('givenUp'));
  await gateway.handles.giveUp(givenUp);
  return { underWay, givenUp };
}

async function writeBuilds(): Promise<Record<string, string>> {
  const finished = gateway.requestBuild(builds.finished, callContext());
  await upstream.waitForRequests('requestBuild', 1);
  service.finishBuild(service.builds[0]?.id ?? '', {
    action_id: 'finished-prices',
    catalog_slug: 'finished',
  });
  await finished;
  const pending = await gateway.requestBuild(builds.pending, callContext({ waitMs: 0 }));
  const task = await openTask(pending);
  // The last one, because the next look at the list settles it.
  upstream.fail('requestBuild', reset, { times: 1 });
  await gateway.requestBuild(builds.inDoubt, callContext());
  return { build: task };
}

async function writeDoubts(): Promise<void> {
  for (const name of ['unknown', 'unknownInBatch'] as const) {
    upstream.fail('submitTask', reset, { times: 1 });
    await run(name);
  }
}

/** Leaves the answer to the call under way for ever. */
async function leave(name: keyof typeof runs, by = gateway): Promise<void> {
  const count = submitted();
  upstream.fail('submitTask', hang, { times: 1 });
  void run(name, by);
  await upstream.waitForRequests('submitTask', count + 1);
}

/** The last calls: a gateway that has heard of the keys once sends them with every request. */
async function writeWithKeys(): Promise<void> {
  service.extensions = 'idempotency';
  const keyed = open();
  upstream.fail('submitTask', reset, { times: 3 });
  await run('unknownWithKey', keyed);
  await leave('intendedWithKey', keyed);
}

async function writeBatches(): Promise<Record<string, string>> {
  await deliver(gateway.runBatch(batches.delivered, callContext()));
  const running = await gateway.runBatch(batches.ended, callContext({ taskAfterMs: 0 }));
  const ended = await openTask(running);
  await gateway.runBatch(batches.ended, callContext());
  const count = submitted();
  const halfDone = openTask(await gateway.runBatch(batches.halfDone, callContext({ taskAfterMs: 0 })));
  // Two that end, the gate and four that do not: the one that is free after the gate is the last to be begun.
  await upstream.waitForRequests('submitTask', count + 7);
  upstream.fail('submitTask', hang, { times: 1 });
  for (const job of service.jobs.values()) {
    const isGate = Object(job.params).q === 'gate failed and linked';
    if (isGate) job.script = { error: { code: 'EXECUTION_FAILED', message: 'The gate is closed' } };
  }
  await upstream.waitForRequests('submitTask', count + 8);
  return { ended, halfDone: await halfDone };
}

const stateCounts =
  "select group_concat(state || ' ' || count, ', ') as counts from (select state, count(*) as count from gateway_intent group by state order by state)";
const expectedCounts = 'delivered 5, finished 13, intended 3, lost 2, refused 1, submitted 8, unknown 4';

/** Ends of jobs are written a moment after their answers. */
async function copyFile(to: string): Promise<void> {
  const source = new Libsql(file);
  for (let tries = 0; ; tries += 1) {
    const counts = JSON.stringify(source.prepare(stateCounts).get());
    if (counts.includes(`"${expectedCounts}"`)) break;
    if (tries === 50) throw new Error(`Not the states that are expected: ${counts}`);
    await delay(100);
  }
  source.exec(`vacuum into '${to}'`);
  source.close();
  const copy = new Libsql(to);
  const rename = (table: string, column: string, from: string, name: string) =>
    copy.prepare(`update ${table} set ${column} = replace(${column}, ?, ?)`).run(from, name);
  for (const table of ['gateway_intent', 'gateway_result', 'gateway_handle', 'gateway_batch']) {
    rename(table, 'principal', principal.id, 'earlier');
    rename(table, 'principal', other.id, 'earlier-other');
  }
  rename('gateway_intent', 'service_key', principal.serviceKey, 'earlier');
  for (const table of ['gateway_intent', 'gateway_batch']) {
    rename(table, 'owner', `${hostname()}:${process.pid}:`, 'earlier:1:');
  }
  copy.exec('pragma journal_mode = delete; vacuum');
  copy.close();
}

/** Every id that was given out, by the call's action and name. */
function printIds(copied: Libsql.Database, tasks: Readonly<Record<string, string>>): void {
  const print = (name: string, id: unknown) => process.stdout.write(`${name}: ${id}\n`);
  const nameOf = (params: string) => /"q":"([^"]*)"/.exec(params)?.[1] ?? '';
  const intents = copied.prepare(
    "select subject, params, coalesce(job_id, 'local-' || id) as id from gateway_intent where principal = 'earlier'",
  );
  for (const { subject: action, params, id } of intents.all().map(Object)) {
    print(`${action} ${nameOf(params)}`, id);
  }
  for (const { id, website_url } of service.builds) print(website_url, id);
  const first = copied.prepare('select batch_id, params from gateway_batch_row where position = 0');
  for (const { batch_id, params } of first.all().map(Object)) print(`batch of ${nameOf(params)}`, batch_id);
  for (const [name, id] of Object.entries(tasks)) print(`task ${name}`, id);
}

const tasks = { ...(await writeEnded()), ...(await writeUnderWay()) };
await deliver(open(other).runAction(runs.delivered, callContext()));
await writeDoubts();
Object.assign(tasks, await writeBatches(), await writeBuilds());
await leave('intended');
await writeWithKeys();
const copy = join(await temporaryFolder(), 'copy.db');
await copyFile(copy);
const database = new Libsql(copy, { readonly: true });
printIds(database, tasks);
database.close();
await writeFile(
  join(import.meta.dirname, 'gateway-af234df.db.gz'),
  gzipSync(await readFile(copy), { level: 9 }),
);
// Requests and jobs are under way, and stay so.
process.exit();
