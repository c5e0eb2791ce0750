/** Two calls that wait for one planned row: what refuses or ends the one must not be the answer to the other. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import type { Outcome } from '../../../src/gateway/interface/outcomes.ts';
import type { GatewaySettings } from '../../../src/gateway/interface/settings.ts';
import { callContext, closeGateways, openGateway, openStore, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const call = { action_id: 'shop-list', params: { n: 1 } };

/** A run that shows the cost, 9 credits, is under way until `end`. */
async function start(settings: Partial<GatewaySettings> = {}) {
  const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };
  const { gateway, upstream, folder } = await startGateway(
    { actions: [{ ...list, job: { ms: Number.POSITIVE_INFINITY } }] },
    { maxCreditsPerDay: 100, ...settings },
  );
  const first = gateway.runAction({ ...call, params: { n: 0 } }, callContext());
  await upstream.waitForRequests('submitTask', 1);
  const { query } = await openStore(folder);
  const planned = () =>
    vi.waitFor(async () => {
      const rows = await query
        .selectFrom('gateway_intent')
        .select('id')
        .where('state', '=', 'planned')
        .execute();
      expect(rows).toHaveLength(1);
    }, 10_000);
  const end = async () => {
    const script = { creditsUsed: 9, data: 'done' };
    upstream.service.addAction({ ...list, job: script });
    for (const job of upstream.service.jobs.values()) job.script = script;
    await first;
  };
  return { gateway, upstream, planned, end };
}

// The refused call drops the row that both wait for, and the other one is answered with that refusal.
it('a call whose max_credits is too low for the cost does not end the same call with a larger one', async () => {
  const { gateway, upstream, planned, end } = await start();
  const small = gateway.runAction({ ...call, max_credits: 5 }, callContext());
  const large = gateway.runAction(call, callContext());
  await planned();
  await end();
  expect((await large).body).toMatchObject({ status: 'completed', data: 'done' });
  // Where the other one has paid for it by then, it joins.
  const { body } = await small;
  if (body.status !== 'completed') expect(body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

// What is kept with the row then is a limit that the first caller never set.
it.each([
  ['max_credits', { max_credits: 4 }, {}, 'BUDGET_EXCEEDED'],
  ['no confirmation', {}, { confirmation: 'cannot-ask' as const }, 'CONFIRMATION_UNAVAILABLE'],
  [
    'a person who declines',
    {},
    { confirmation: { credits: 9, answer: 'declined' as const, consent: 'no' } },
    'CONFIRMATION_DECLINED',
  ],
])(
  'a call that may not spend so much, by %s, does not end the one that was answered before',
  async (...of) => {
    const [, input, context, code] = of;
    const { gateway, upstream, end } = await start({ confirmAboveCredits: 3 });
    const confirmation = { credits: 9, answer: 'accepted', consent: 'yes' } as const;
    const first = await gateway.runAction(
      { ...call, max_credits: 50 },
      callContext({ confirmation, waitMs: 300 }),
    );
    expect(first.body).toMatchObject({ status: 'processing' });
    await end();
    const second = await gateway.runAction({ ...call, ...input }, callContext({ confirmation, ...context }));
    expect(second.body).toMatchObject({ error: { code } });
    const { body } = await gateway.getJob({ job_id: String(first.body.job_id) }, callContext());
    expect(body).toMatchObject({ status: 'completed', data: 'done', credits_used: 9 });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  },
);

it('a call that is cancelled while it waits does not end the same call of another', async () => {
  const { gateway, upstream, planned, end } = await start();
  const cancel = new AbortController();
  const cancelled = gateway.runAction(call, callContext({ signal: cancel.signal }));
  await planned();
  const other = gateway.runAction(call, callContext());
  cancel.abort();
  expect((await cancelled).body).toMatchObject({ error: { code: 'CANCELLED' } });
  await end();
  expect((await other).body).toMatchObject({ status: 'completed', data: 'done' });
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

it('a call that was cancelled while it waited alone is sent by the same call later, once', async () => {
  const { gateway, upstream, planned, end } = await start();
  const cancel = new AbortController();
  const cancelled = gateway.runAction(call, callContext({ signal: cancel.signal }));
  await planned();
  cancel.abort();
  await cancelled;
  await end();
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  expect((await gateway.runAction(call, callContext())).body).toMatchObject({ status: 'completed' });
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

it.each([
  [9, { status: 'completed', data: 'done', credits_used: 9 }, 2],
  [undefined, { status: 'error', error: { code: 'CONFIRMATION_UNAVAILABLE' } }, 1],
])('get_job sends a call that still waits for what a person confirmed: %s', async (credits, body, sent) => {
  const { gateway, upstream, end } = await start({ confirmAboveCredits: 3 });
  const confirmation =
    credits === undefined ? 'cannot-ask' : ({ credits, answer: 'accepted', consent: 'one' } as const);
  const waits = await gateway.runAction(call, callContext({ confirmation, waitMs: 300 }));
  expect(waits.body).toMatchObject({ status: 'processing' });
  await end();
  const answer = await gateway.getJob({ job_id: String(waits.body.job_id) }, callContext());
  expect(answer.body).toMatchObject(body);
  expect(upstream.requestsTo('submitTask')).toHaveLength(sent);
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
