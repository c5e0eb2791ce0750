/** Calls that wait for a run that shows the cost. Nothing is written for them, and what ends the one is no answer to the other. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { CallContext, Gateway, RunActionInput } from '../../../src/gateway/interface/gateway.ts';
import type { Outcome } from '../../../src/gateway/interface/outcomes.ts';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  startGateway,
} from '../../support/gateway.ts';

afterEach(closeGateways);

const call = { action_id: 'shop-list', params: { n: 1 } };
const waiting = 'Waiting for a run that shows the cost';

/** A run that shows the cost, 9 credits, is under way until `end`. */
async function start(settings: Partial<GatewaySettings> = {}) {
  const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };
  const limits = { maxCreditsPerDay: 100, ...settings };
  const { gateway, upstream, folder } = await startGateway(
    { actions: [{ ...list, job: { ms: Number.POSITIVE_INFINITY } }] },
    limits,
  );
  const first = gateway.runAction({ ...call, params: { n: 0 } }, callContext());
  await upstream.waitForRequests('submitTask', 1);
  const { query } = await openStore(folder);
  const rows = () => query.selectFrom('gateway_intent').select('state').execute();
  /** A call that waits. */
  const wait = async (input: Partial<RunActionInput> = {}, more: Partial<CallContext> = {}) => {
    const progress = vi.fn();
    const answer = gateway.runAction({ ...call, ...input }, callContext({ progress, ...more }));
    await expect.poll(() => progress).toHaveBeenCalledWith(expect.objectContaining({ message: waiting }));
    expect(await rows()).toHaveLength(1);
    return { answer };
  };
  const end = async () => {
    const script = { creditsUsed: 9, data: 'done' };
    upstream.service.addAction({ ...list, job: script });
    for (const job of upstream.service.jobs.values()) job.script = script;
    await first;
  };
  return { gateway, upstream, wait, end, rows, other: () => openGateway(upstream, folder, limits).gateway };
}

it('a call whose max_credits is too low for the cost does not end the same call with a larger one', async () => {
  const { upstream, wait, end } = await start();
  const small = await wait({ max_credits: 5 });
  const large = await wait();
  await end();
  expect((await large.answer).body).toMatchObject({ status: 'completed', data: 'done' });
  // Where the other one has paid for it by then, it joins.
  const { body } = await small.answer;
  if (body.status !== 'completed') expect(body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

it('a call whose time ends while it waits is refused, unsent, and told when to come again', async () => {
  const { gateway, upstream, wait, end, rows } = await start();
  const { answer } = await wait({}, { waitMs: 1_000 });
  expect((await answer).body).toMatchObject({
    status: 'error',
    error: { code: 'BUDGET_EXCEEDED', price: 3, retry_after_seconds: expect.any(Number) },
  });
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  expect(await rows()).toHaveLength(1);
  await end();
  expect((await gateway.runAction(call, callContext())).body).toMatchObject({ status: 'completed' });
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

it('a consent of a call that was refused while it waited is as good as before', async () => {
  const { gateway, wait, end } = await start({ confirmAboveCredits: 3 });
  const confirmation = { credits: 9, answer: 'accepted', consent: 'yes' } as const;
  const { answer } = await wait({}, { waitMs: 1_000, confirmation });
  expect((await answer).body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  await end();
  const again = () => gateway.runAction(call, callContext({ confirmation }));
  expect((await deliver(again())).body).toMatchObject({ status: 'completed', credits_used: 9 });
  expect((await again()).body).not.toMatchObject({ status: 'completed' });
});

it('a call that is cancelled while it waits does not end the same call of another', async () => {
  const { upstream, wait, end } = await start();
  const cancel = new AbortController();
  const cancelled = await wait({}, { signal: cancel.signal });
  const other = await wait();
  cancel.abort();
  expect((await cancelled.answer).body).toMatchObject({ error: { code: 'CANCELLED' } });
  await end();
  expect((await other.answer).body).toMatchObject({ status: 'completed', data: 'done' });
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

it('a call that was cancelled while it waited alone is sent by the same call later, once', async () => {
  const { gateway, upstream, wait, end } = await start();
  const cancel = new AbortController();
  const cancelled = await wait({}, { signal: cancel.signal });
  cancel.abort();
  await cancelled.answer;
  await end();
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  expect((await gateway.runAction(call, callContext())).body).toMatchObject({ status: 'completed' });
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

it('the same call by two processes that wait is sent once', async () => {
  const { upstream, wait, end, other } = await start();
  const first = await wait();
  const second = other().runAction(call, callContext());
  await end();
  const bodies = [(await first.answer).body, (await second).body];
  expect(bodies).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

it('a call that waits for a run that nobody else looks at any more learns its cost', async () => {
  const action = {
    action_id: 'shop-list',
    catalog_slug: 'shop',
    credits: 3,
    overrides: { credits_computed: true },
    job: { ms: Number.POSITIVE_INFINITY },
  };
  const { gateway, upstream, folder } = await startGateway({ actions: [action] });
  const limited = { ...call, max_credits: 50 };
  const left = await gateway.runAction({ ...limited, params: { n: 0 } }, callContext({ waitMs: 100 }));
  expect(left.body).toMatchObject({ status: 'processing' });
  const { query } = await openStore(folder);
  const accepted = query.selectFrom('gateway_intent').select('id').where('state', '=', 'submitted');
  await expect.poll(() => accepted.execute()).toHaveLength(1);
  // Its process is gone, and another one takes the call.
  await gateway.close();
  for (const job of upstream.service.jobs.values()) job.script = { creditsUsed: 9, data: 'done' };
  upstream.service.addAction({ ...action, job: { creditsUsed: 9, data: 'done' } });
  const { gateway: next } = openGateway(upstream, folder);
  const answer = await next.runAction(limited, callContext({ waitMs: 20_000 }));
  expect(answer.body).toMatchObject({ status: 'completed', data: 'done' });
});

/** A call of one gateway is being sent when another one joins it; then the first is cancelled unsent. */
async function cancelUnsent(join: (other: Gateway) => Promise<Outcome>) {
  const { gateway, upstream, folder } = await startGateway({
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop', job: { data: 'done' } }],
  });
  upstream.fail('submitTask', { kind: 'hang', carriedOut: false }, { times: 1 });
  const cancel = new AbortController();
  const left = gateway.runAction(call, callContext({ signal: cancel.signal }));
  await upstream.waitForRequests('submitTask', 1);
  const stayed = join(openGateway(upstream, folder).gateway);
  const { query } = await openStore(folder);
  const refusal = JSON.stringify({ code: 'CANCELLED', message: 'The call was cancelled.' });
  // It looks at the row until that is answered.
  await delay(500);
  await query
    .updateTable('gateway_intent')
    .set({ state: 'refused', open: 0, refusal })
    .where('state', '=', 'intended')
    .execute();
  const { body } = await stayed;
  cancel.abort();
  await left;
  return body;
}

it('a call that joins one which another process cancels before it is sent is sent itself', async () => {
  const body = await cancelUnsent((other) => other.runAction(call, callContext()));
  expect(body).toMatchObject({ status: 'completed', data: 'done' });
});

it('a batch that joins a call which is cancelled before it is sent pays that input itself', async () => {
  const batch = [1, 2, 3, 4, 5, 6, 7].map((n) => ({ n }));
  const body = await cancelUnsent((other) =>
    other.runBatch({ action_id: 'shop-list', batch }, callContext({ waitMs: 20_000 })),
  );
  expect(body).toMatchObject({ status: 'completed', rows_completed: 7 });
  expect(body).not.toHaveProperty('stopped');
});
