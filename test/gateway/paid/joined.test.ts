/** A single call and a row of a batch with the same input are one paid call. */
import { afterEach, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import { callContext, closeGateways, deliver, openGateway, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };
const batch = Array.from({ length: 8 }, (_, n) => ({ n }));

async function start() {
  const actions = [{ ...list, job: { ms: Number.POSITIVE_INFINITY } }];
  const { upstream, folder, gateway } = await startGateway({ actions });
  const { gateway: other } = openGateway(upstream, folder);
  const run = (n: number, at: Gateway = gateway) =>
    deliver(at.runAction({ action_id: 'shop-list', params: { n } }, callContext({ waitMs: 30_000 })));
  const runBatch = (inputs = batch, at: Gateway = gateway) =>
    deliver(at.runBatch({ action_id: 'shop-list', batch: inputs }, callContext({ waitMs: 30_000 })));
  /** Ends every job, and those to come at once. */
  const endJobs = () => {
    upstream.service.addAction(list);
    for (const job of upstream.service.jobs.values()) job.script = {};
  };
  const submissions = () => upstream.requestsTo('submitTask').length;
  return { upstream, gateway, other, run, runBatch, endJobs, submissions };
}

const completed = { status: 'completed' };

it.each(['this', 'another'])(
  'a single call joins a row of a batch that is under way, at %s gateway',
  async (place) => {
    const { upstream, gateway, other, run, runBatch, endJobs, submissions } = await start();
    const whole = runBatch();
    await upstream.waitForRequests('submitTask', 5);
    const single = run(0, place === 'this' ? gateway : other);
    await upstream.waitForRequests('getJob', 6);
    endJobs();
    expect((await single).body).toMatchObject(completed);
    expect((await whole).body).toMatchObject({ rows_completed: 8 });
    expect(submissions()).toBe(8);
    expect(upstream.service.balance).toBe(1000 - 24);
  },
);

it.each(['this', 'another'])(
  'a row of a batch joins a single call that is under way, at %s gateway',
  async (place) => {
    const { upstream, gateway, other, run, runBatch, endJobs, submissions } = await start();
    const single = run(0);
    await upstream.waitForRequests('submitTask', 1);
    const whole = runBatch(batch, place === 'this' ? gateway : other);
    await upstream.waitForRequests('submitTask', 5);
    endJobs();
    expect((await single).body).toMatchObject({ ...completed, credits_used: 3 });
    expect((await whole).body).toMatchObject({ rows_completed: 8 });
    expect(submissions()).toBe(8);
  },
);

it('a single call whose row of a batch was not sent yet is that row', async () => {
  const { upstream, run, runBatch, endJobs, submissions } = await start();
  const whole = runBatch();
  await upstream.waitForRequests('submitTask', 5);
  // Five rows run at a time, so this one waits for its turn.
  const single = run(7);
  await upstream.waitForRequests('submitTask', 6);
  for (const job of upstream.service.jobs.values()) if (Object(job.params).n === 7) job.script = {};
  expect((await single).body).toMatchObject(completed);
  endJobs();
  expect((await whole).body).toMatchObject({ rows_completed: 8 });
  expect(submissions()).toBe(8);
});

it('two batches that overlap pay what they share once', async () => {
  const { upstream, other, runBatch, endJobs, submissions } = await start();
  const one = runBatch(batch.slice(0, 5));
  await upstream.waitForRequests('submitTask', 5);
  const two = runBatch(batch.slice(3, 8), other);
  await upstream.waitForRequests('submitTask', 8);
  endJobs();
  for (const { body } of [await one, await two]) expect(body).toMatchObject({ rows_completed: 5 });
  expect(submissions()).toBe(8);
});
