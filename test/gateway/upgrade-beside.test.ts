/**
 * A process of commit af234df runs on while the current version opens and migrates its database: what it goes on with
 * is paid once, an accepted job keeps its id, and its statements harm nothing.
 */
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import type { Engine } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { useDatabases } from '../support/databases.ts';
import {
  callContext,
  closeGateways,
  openGateway,
  scriptedUpstream,
  temporaryFolder,
} from '../support/gateway.ts';
import { engines } from '../support/postgres.ts';
import { earlierVersion } from './upgrade/earlier-folder.ts';
import { type Call, EarlierProcess } from './upgrade/earlier-process.ts';

const createDatabase = useDatabases();
const running: EarlierProcess[] = [];
afterEach(async () => {
  for (const earlier of running.splice(0)) await earlier.close();
  await closeGateways();
});

const run = (q: string): Call => ({ action_id: 'list', params: { q } });
const completed = ({ params }: Call) => ({ status: 'completed', data: { params } });

async function startBeside(engine: Engine) {
  const upstream = await scriptedUpstream({
    actions: [
      { action_id: 'list', credits: 3 },
      { action_id: 'inline', credits: 3, mode: 'sync' },
    ],
  });
  const folder = await temporaryFolder();
  const target = engine === 'sqlite' ? { file: `${folder}/gateway.db` } : { url: await createDatabase() };
  await (await openDatabase(target, gatewayMigrations.slice(0, earlierVersion), 'gateway')).close();
  const earlier = await EarlierProcess.start(target, upstream);
  running.push(earlier);
  /** A gateway of the current version that has migrated the database. */
  const upgrade = async (settings = {}) => {
    const { gateway } = openGateway(upstream, folder, settings, upstream.apiKey, { store: target });
    await gateway.getJob({}, callContext());
    return gateway;
  };
  const sent = () => upstream.requestsTo('submitTask').map(({ body }) => Object(Object(body).params).q);
  return { upstream, target, earlier, upgrade, sent };
}

/** Begins an input, unless it is begun, sends it and links it to its batch; resolves to its intent. */
async function pay(earlier: EarlierProcess, batch: string, call: Call): Promise<string> {
  const id = await earlier.begin(call);
  if (id === undefined) return '';
  await earlier.run('accept', id, await earlier.send(id, call));
  await earlier.link(batch, call, id);
  return id;
}

describe.each(engines)('on %s', (engine) => {
  const start = () => startBeside(engine);

  it('a request under way is not sent again, and its answer reaches whoever waits for it', async () => {
    const { earlier, upgrade, sent } = await start();
    const call = run('under way');
    const id = (await earlier.begin(call)) ?? '';
    const gateway = await upgrade();
    const joined = gateway.runAction(call, callContext());
    expect(await earlier.find(call)).toMatchObject({ id, state: 'intended' });
    const jobId = (await earlier.send(id, call)) ?? '';
    expect(await earlier.run('accept', id, jobId)).toMatchObject([{ id, state: 'submitted', open: 1 }]);
    expect((await joined).body).toMatchObject({ ...completed(call), attached: true, job_id: jobId });
    // It has read the end as well, and writes it after the current version has.
    await earlier.finish(id, jobId, { params: call.params });
    await earlier.run('deliver', id);
    const read = await gateway.getJob({ job_id: jobId }, callContext());
    expect(read.body).toMatchObject(completed(call));
    expect(sent()).toEqual(['under way']);
  });

  it('an answer that comes after the current version has called it unknown is kept', async () => {
    const { earlier, upgrade, sent } = await start();
    const call = run('late');
    const id = (await earlier.begin(call)) ?? '';
    const jobId = (await earlier.send(id, call)) ?? '';
    const gateway = await upgrade();
    await earlier.run('doubt', id);
    const { body } = await gateway.runAction(call, callContext());
    expect(body).toMatchObject({ error: { code: 'SUBMISSION_UNKNOWN' } });
    await earlier.run('accept', id, jobId);
    const again = await gateway.runAction(call, callContext());
    expect(again.body).toMatchObject({ ...completed(call), attached: true, job_id: jobId });
    expect(sent()).toEqual(['late']);
  });

  it('a request whose process stood still beyond its deadline is not sent any more', async () => {
    const { earlier, upgrade, sent } = await start();
    const call = run('stood still');
    const id = (await earlier.begin(call, { withinMs: -10_000 })) ?? '';
    const gateway = await upgrade();
    const { body } = await gateway.runAction(call, callContext());
    expect(body).toMatchObject({ error: { code: 'SUBMISSION_UNKNOWN' } });
    expect(await earlier.send(id, call)).toBeUndefined();
    expect(sent()).toEqual([]);
  });

  it('a call that it begins after the migration is paid once, whoever was first', async () => {
    const { upstream, earlier, upgrade, sent } = await start();
    const gateway = await upgrade();
    const first = run('earlier first');
    const id = (await earlier.begin(first)) ?? '';
    const joined = gateway.runAction(first, callContext());
    const jobId = (await earlier.send(id, first)) ?? '';
    await earlier.run('accept', id, jobId);
    expect((await joined).body).toMatchObject({ ...completed(first), attached: true, job_id: jobId });

    const second = run('current first');
    const paying = gateway.runAction(second, callContext());
    await upstream.waitForRequests('submitTask', 2);
    expect(await earlier.begin(second)).toBeUndefined();
    const { body } = await paying;
    expect(body).toMatchObject(completed(second));
    expect(await earlier.find(second)).toMatchObject({ job_id: body.job_id, open: 1 });
    expect(sent()).toEqual(['earlier first', 'current first']);
  });

  it('a sync result that it stores after the migration is read by its id and by the same call', async () => {
    const { earlier, upgrade, sent } = await start();
    const call = { action_id: 'inline', params: { q: 'stored' } };
    const id = (await earlier.begin(call)) ?? '';
    const gateway = await upgrade();
    await earlier.finish(id, `local-${id}`, 'the only copy');
    const stored = { status: 'completed', data: 'the only copy', job_id: `local-${id}` };
    const again = await gateway.runAction(call, callContext());
    expect(again.body).toMatchObject({ ...stored, attached: true });
    const read = await gateway.getJob({ job_id: `local-${id}` }, callContext());
    expect(read.body).toMatchObject(stored);
    await earlier.run('deliver', id);
    expect(await earlier.find(call)).toBeUndefined();
    expect(sent()).toEqual([]);
  });

  it('a refusal that it writes after the migration keeps its reason, and the same call is a new one', async () => {
    const { earlier, upgrade, sent } = await start();
    const call = run('refused');
    const id = (await earlier.begin(call)) ?? '';
    const gateway = await upgrade();
    await earlier.run('refuse', id, 0, JSON.stringify({ code: 'FORBIDDEN', message: 'Not allowed' }));
    const read = await gateway.getJob({ job_id: `local-${id}` }, callContext());
    expect(read.body).toMatchObject({ error: { code: 'FORBIDDEN', message: 'Not allowed' } });
    const again = await gateway.runAction(call, callContext());
    expect(again.body).toMatchObject(completed(call));
    expect(sent()).toEqual(['refused']);
  });

  it('what either of them spends counts for both', async () => {
    const { earlier, upgrade, sent } = await start();
    const gateway = await upgrade({ maxCreditsPerDay: 10 });
    const id = (await earlier.begin(run('1'))) ?? '';
    await earlier.run('accept', id, await earlier.send(id, run('1')));
    await gateway.runAction(run('2'), callContext());
    expect(await earlier.spent()).toBe(6);
    expect(await earlier.begin(run('3'), { ceiling: 7 - 3 })).toBeUndefined();
    expect(await earlier.begin(run('3'), { ceiling: 10 - 3 })).toBeDefined();
    const { body } = await gateway.runAction(run('4'), callContext());
    expect(body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
    expect(sent()).toEqual(['1', '2']);
  });

  it('no statement of it changes a planned call, and none begins it again', async () => {
    const { earlier, upgrade, target, sent } = await start();
    await upgrade();
    const call = run('planned');
    const id = (await earlier.begin(call, { withinMs: -10_000 })) ?? '';
    const database = await openDatabase<object>(target, gatewayMigrations, 'gateway');
    await sql`update gateway_intent set state = 'planned' where id = ${id}`.execute(database.query);
    await database.close();
    const before = await earlier.run('byId', id);
    expect(before).toMatchObject([{ id, state: 'planned', open: 1 }]);

    expect(await earlier.begin(call)).toBeUndefined();
    await earlier.find(call);
    expect(await earlier.send(id, call)).toBeUndefined();
    await earlier.run('accept', id, 'a-job');
    await earlier.run('finish', id, 'a-job', 'completed', 3, 5);
    await earlier.run('refuse', id, 0, null);
    await earlier.run('askAgain', 30_000, id, earlier.owner);
    await earlier.run('charge', id, 0);
    for (const name of ['doubt', 'lose', 'answered', 'deliver'] as const) await earlier.run(name, id);
    expect(await earlier.run('byId', id)).toEqual(before);
    expect(sent()).toEqual([]);
  });

  it('every other statement of it still runs', async () => {
    const { earlier, upgrade } = await start();
    await upgrade();
    const { principal } = earlier;
    const none = 'none';
    await earlier.run('findBatch', none, principal);
    await earlier.run('openBatch', principal, none);
    await earlier.run('refuseInput', none, none, none);
    for (const name of ['inputs', 'renew', 'finishBatch', 'deliverBatch'] as const) {
      await earlier.run(name, none);
    }
    await earlier.run('findHandle', none, principal, 0);
    for (const name of ['sweepResults', 'sweepInputs', 'sweepBatches', 'sweepCalls'] as const) {
      await earlier.run(name, 0);
    }
    expect(await earlier.run('countJobs', principal)).toMatchObject([{ count: expect.anything() }]);
  });
});

describe.each(engines)('a batch of the earlier version on %s', (engine) => {
  const [one, two, three] = [run('one'), run('two'), run('three')];
  const batchOf = (...calls: readonly Call[]) => ({
    action_id: 'list',
    batch: calls.map(({ params }) => params),
  });
  const rowsOf = (...calls: readonly Call[]) => ({
    status: 'completed',
    rows_completed: calls.length,
    rows: calls.map(completed),
  });

  it('goes on beside the current version, and each input is paid once', async () => {
    const { earlier, upgrade, sent } = await startBeside(engine);
    const batch = await earlier.addBatch([one, two, three]);
    await pay(earlier, batch, one);
    const id = (await earlier.begin(two)) ?? '';
    const jobId = await earlier.send(id, two);
    const gateway = await upgrade();
    const joined = gateway.runBatch(batchOf(one, two, three), callContext());
    await earlier.run('accept', id, jobId);
    await earlier.link(batch, two, id);
    await earlier.run('renew', batch);
    await pay(earlier, batch, three);
    await earlier.run('finishBatch', batch);
    expect((await joined).body).toMatchObject({ ...rowsOf(one, two, three), batch_id: batch });
    const read = await gateway.getJob({ job_id: batch }, callContext());
    expect(read.body).toMatchObject(rowsOf(one, two, three));
    await earlier.run('deliverBatch', batch);
    expect(sent().sort()).toEqual(['one', 'three', 'two']);
  });

  it('that is begun after the migration is paid once with the same batch of the current version', async () => {
    const { earlier, upgrade, sent } = await startBeside(engine);
    const gateway = await upgrade();
    const batch = await earlier.addBatch([one, two]);
    await pay(earlier, batch, one);
    const joined = gateway.runBatch(batchOf(one, two), callContext());
    await pay(earlier, batch, two);
    await earlier.run('finishBatch', batch);
    expect((await joined).body).toMatchObject(rowsOf(one, two));
    expect(sent().sort()).toEqual(['one', 'two']);
  });

  it('that is begun after the migration answers by the job of each input, and its calls attach', async () => {
    const { upstream, earlier, upgrade, sent } = await startBeside(engine);
    const gateway = await upgrade();
    const batch = await earlier.addBatch([one]);
    await earlier.addHandle({ batch, intent: await pay(earlier, batch, one) });
    await earlier.run('finishBatch', batch);
    const [job_id = ''] = upstream.service.jobs.keys();
    const read = await gateway.getJob({ job_id }, callContext());
    expect(read.body).toMatchObject({ ...completed(one), job_id });
    const again = await gateway.runAction(one, callContext());
    expect(again.body).toMatchObject({ ...completed(one), attached: true, job_id });
    expect(sent()).toEqual(['one']);
  });
});
