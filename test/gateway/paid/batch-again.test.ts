/** A batch that was cancelled, or whose price rose: what a repeat may send, and what goes on for those who still want it. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunBatchInput } from '../../../src/gateway/interface/gateway.ts';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import {
  callContext,
  closeGateways,
  openGateway,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';

afterEach(closeGateways);

const inputs = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

async function start(settings: Partial<GatewaySettings> = {}, isComputed = false) {
  const action = {
    action_id: 'shop-list',
    catalog_slug: 'shop',
    credits: 3,
    overrides: { credits_computed: isComputed },
    // Until they are let end, however slow the machine is.
    job: { ms: Number.POSITIVE_INFINITY },
  };
  const upstream = await scriptedUpstream({ balance: 100_000, actions: [action] });
  // The clock by which a price is at most 10 s old.
  let aheadMs = 0;
  const clock = { now: () => Date.now(), monotonic: () => performance.now() + aheadMs };
  const { gateway } = openGateway(upstream, await temporaryFolder(), settings, upstream.apiKey, { clock });
  const submissions = () => upstream.requestsTo('submitTask').length;
  const batch = (input: Partial<RunBatchInput> = {}, signal = new AbortController().signal) =>
    gateway.runBatch(
      { action_id: 'shop-list', batch: inputs(20), ...input },
      callContext({ waitMs: 50_000, signal }),
    );
  /** From now on, jobs end at once. */
  const letJobsEnd = () => {
    upstream.service.addAction({ ...action, job: {} });
    for (const job of upstream.service.jobs.values()) job.script = {};
  };
  /** Cancelled while its first runs are under way; resolves when they have ended. */
  const cancelledBatch = async (input: Partial<RunBatchInput> = {}) => {
    const cancel = new AbortController();
    const running = batch(input, cancel.signal);
    await upstream.waitForRequests('submitTask', isComputed ? 1 : 5);
    cancel.abort();
    letJobsEnd();
    expect((await running).body).toMatchObject({ error: { code: 'CANCELLED' } });
    return submissions();
  };
  const setPrice = (credits: number) => {
    upstream.service.addAction({ ...action, credits, job: {} });
    aheadMs += 11_000;
  };
  return { upstream, gateway, batch, cancelledBatch, letJobsEnd, submissions, setPrice };
}

describe('a batch that was cancelled and is repeated', () => {
  it('sends no more than its max_credits allows', async () => {
    const { batch, cancelledBatch, submissions } = await start();
    const before = await cancelledBatch();
    const { body } = await batch({ max_credits: 3 * (20 - before) - 1 });
    expect(body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
    expect(submissions()).toBe(before);
    const again = await batch({ max_credits: 3 * (20 - before) });
    expect(again.body).toMatchObject({
      rows_completed: 20,
      attached: true,
      submitted_at: expect.stringMatching(/Z$/),
    });
    expect(submissions()).toBe(20);
    await again.delivered?.();
    expect((await batch()).body).not.toHaveProperty('attached');
  });

  it('does not exceed what its first call agreed to', async () => {
    const { batch, cancelledBatch, submissions } = await start();
    await cancelledBatch({ max_credits: 60 });
    expect((await batch({ max_credits: 60 })).body).toMatchObject({ rows_completed: 20, credits_used: 60 });
    expect(submissions()).toBe(20);
  });

  it('is refused whole at a higher price, and goes on when it is repeated', async () => {
    const { batch, cancelledBatch, submissions, setPrice } = await start({ maxCreditsPerDay: 1_000 });
    const before = await cancelledBatch();
    setPrice(9);
    expect((await batch()).body).toMatchObject({ error: { code: 'PRICE_CHANGED', price: 9 } });
    expect(submissions()).toBe(before);
    expect((await batch()).body).toMatchObject({ rows_completed: 20 });
  });

  it('sends nothing after the run that shows its cost', async () => {
    const { gateway, cancelledBatch, submissions } = await start({ maxCreditsPerDay: 1_000 }, true);
    expect(await cancelledBatch()).toBe(1);
    await vi.waitFor(
      async () => {
        const { body } = await gateway.getJob({}, callContext());
        expect(JSON.stringify(body)).toContain('"credits":3');
      },
      { timeout: 10_000 },
    );
    expect(submissions()).toBe(1);
  });
});

it('a batch whose task was polled is stopped by the cancel of the task', async () => {
  const { upstream, gateway, submissions } = await start();
  const outcome = await gateway.runBatch(
    { action_id: 'shop-list', batch: inputs(20) },
    callContext({ waitMs: 50_000, taskAfterMs: 50 }),
  );
  const { id } = await gateway.tasks.open(outcome);
  await upstream.waitForRequests('submitTask', 5);
  await gateway.tasks.look(id, { signal: new AbortController().signal, waitMs: 20 });
  await gateway.tasks.cancel(id);
  const atCancel = submissions();
  await gateway.close();
  expect(submissions()).toBe(atCancel);
  expect(atCancel).toBeLessThan(20);
});

it('a batch that two tasks want goes on when one is cancelled', async () => {
  const { upstream, gateway, letJobsEnd } = await start();
  const begin = () =>
    gateway.runBatch(
      { action_id: 'shop-list', batch: inputs(20) },
      callContext({ waitMs: 50_000, taskAfterMs: 50 }),
    );
  const first = await gateway.tasks.open(await begin());
  const second = await gateway.tasks.open(await begin());
  await upstream.waitForRequests('submitTask', 5);
  await gateway.tasks.cancel(first.id);
  letJobsEnd();
  const look = () => gateway.tasks.look(second.id, { signal: new AbortController().signal, waitMs: 1_000 });
  await expect.poll(() => look()).toHaveProperty('outcome');
  expect((await look())?.outcome?.body).toMatchObject({ status: 'completed', rows_completed: 20 });
});
