/** Two callers of one batch at two gateways on one store: neither's cancel stops what the other one wants. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import { callContext, closeGateways, openGateway, openStore, startGateway } from '../../support/gateway.ts';
import type { JobScript } from '../../support/upstream-script.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop' };
const all = { status: 'completed', rows_completed: 20 };

/** A batch of twenty rows at two gateways; five rows run at a time. */
async function start(job: JobScript) {
  const { upstream, folder, gateway } = await startGateway({ actions: [{ ...list, job }] });
  const { gateway: other } = openGateway(upstream, folder);
  const call = { action_id: 'shop-list', batch: Array.from({ length: 20 }, (_, n) => ({ n })) };
  const cancel = new AbortController();
  const run = (at: Gateway, context: Parameters<typeof callContext>[0] = {}) =>
    at.runBatch(call, callContext({ waitMs: 40_000, ...context }));
  /** Joins the batch of the first gateway at the other one; resolves when both have begun. */
  const join = async (signal?: AbortSignal) => {
    await upstream.waitForRequests('submitTask', 5);
    const answer = run(other, signal && { signal });
    // Nothing tells when a call waits. One that is cancelled before stops nothing either.
    await delay(500);
    return { answer };
  };
  return { upstream, folder, gateway, cancel, run, join };
}

const cancelled = { status: 'error', error: { code: 'CANCELLED' } };

it('the cancel of a caller who joined at another gateway stops no row of the first caller', async () => {
  // Longer in all than the pause after which a gateway looks whether others want its batch stopped.
  const { upstream, gateway, cancel, run, join } = await start({ ms: 2_000 });
  const first = run(gateway);
  const { answer } = await join(cancel.signal);
  cancel.abort();
  expect((await answer).body).toMatchObject(cancelled);
  expect((await first).body).toMatchObject(all);
  expect(upstream.requestsTo('submitTask')).toHaveLength(20);
});

it('the cancel of the first caller stops no row of a caller who joined at another gateway', async () => {
  const { upstream, gateway, cancel, run, join } = await start({ ms: Number.POSITIVE_INFINITY });
  const first = run(gateway, { signal: cancel.signal });
  const { answer } = await join();
  cancel.abort();
  expect((await first).body).toMatchObject(cancelled);
  upstream.service.addAction(list);
  for (const job of upstream.service.jobs.values()) job.script = {};
  expect((await answer).body).toMatchObject(all);
  expect(upstream.requestsTo('submitTask')).toHaveLength(20);
});

it('the cancels of both callers stop the batch', async () => {
  const { upstream, folder, gateway, cancel, run, join } = await start({ ms: Number.POSITIVE_INFINITY });
  const first = run(gateway, { signal: cancel.signal });
  const { answer } = await join(cancel.signal);
  cancel.abort();
  for (const { body } of [await first, await answer]) expect(body).toMatchObject(cancelled);
  for (const job of upstream.service.jobs.values()) job.script = {};
  const { query } = await openStore(folder);
  const completed = () =>
    query.selectFrom('gateway_intent').select('id').where('outcome', '=', 'completed').execute();
  await expect.poll(() => completed()).toHaveLength(5);
  expect(upstream.requestsTo('submitTask')).toHaveLength(5);
});
