/** A result that nobody fetched is deleted in time, like every other one. */
import { afterEach, expect, it } from 'vitest';
import { retentionSteps } from '../../../src/gateway/store/retention.ts';
import { dayMs, Sweeper } from '../../../src/store/retention.ts';
import { callContext, closeGateways, deliver, openStore, startGateway } from '../../support/gateway.ts';
import { recordingLogger } from '../../support/mcp-pipe.ts';

afterEach(closeGateways);

const retention = { resultsDays: 10, intentsDays: 60 };

async function start() {
  const actions = [{ action_id: 'shop-list', catalog_slug: 'shop', job: { data: 'paid' } }];
  const { gateway, upstream, folder } = await startGateway({ actions });
  const run = (n: number) => gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext());
  const database = await openStore(folder);
  const sweep = (days: number) => {
    const steps = retentionSteps(retention);
    const sweeper = new Sweeper(database, 'gateway_retention', steps, recordingLogger());
    return sweeper.sweep(Date.now() + days * dayMs);
  };
  const rows = () => database.query.selectFrom('gateway_intent').select(['state', 'open']).execute();
  const results = () => database.query.selectFrom('gateway_result').select('size').execute();
  /** The end of a run is written behind its answer. */
  const written = (count: number) => expect.poll(() => results()).toHaveLength(count);
  return { gateway, upstream, run, sweep, rows, results, written, database };
}

async function expectExpiry(isDelivered: boolean) {
  const { gateway, upstream, run, sweep, rows, results, written } = await start();
  const { body } = await (isDelivered ? deliver(run(0)) : run(0));
  await written(1);
  await expect.poll(() => rows()).toMatchObject([{ open: isDelivered ? 0 : 1 }]);
  await sweep(9);
  expect(await results()).toHaveLength(1);
  await sweep(11);
  expect(await results()).toEqual([]);
  // The service does not know it any more either.
  upstream.service.jobs.clear();
  const read = await gateway.getJob({ job_id: String(body.job_id) }, callContext());
  expect(read.body).toMatchObject({ status: 'error', error: { code: 'RESULT_EXPIRED' } });
}

it('the result of a run that was fetched is gone once it is older than results are kept', () =>
  expectExpiry(true));

it('the result of a run that nobody fetched is gone at the same age', () => expectExpiry(false));

it('a run that nobody fetched is closed with its result: the same call is a new run', async () => {
  const { upstream, run, sweep, rows, written } = await start();
  await run(0);
  await written(1);
  await sweep(11);
  expect(await rows()).toMatchObject([{ open: 0 }]);
  await deliver(run(0));
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

it('a run that was being sent when its process died is closed as in doubt', async () => {
  const { upstream, run, sweep, rows, written, database } = await start();
  await run(0);
  await written(1);
  await database.query.updateTable('gateway_intent').set({ state: 'intended', open: 1 }).execute();
  await sweep(0.5);
  expect(await rows()).toEqual([{ state: 'intended', open: 1 }]);
  await sweep(8);
  expect(await rows()).toEqual([{ state: 'unknown', open: 0 }]);
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
});

it('a run that nobody fetched is deleted once it is older than paid calls are kept', async () => {
  const { run, sweep, rows, written } = await start();
  await run(0);
  await written(1);
  await sweep(61);
  expect(await rows()).toEqual([]);
});
