/** A batch that is asked for again, after the first caller was cancelled and before what was under way has ended. */
import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { callContext, closeGateways, openGateway, openStore, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

// The run of the group is stopped for good by the cancel, and who joins it before its end is told CANCELLED.
it('a batch whose first caller was cancelled is sent whole for the one who asks again meanwhile', async () => {
  const { gateway, upstream } = await startGateway({
    actions: [{ action_id: 'slow', credits: 1, job: { ms: 400 } }],
  });
  const input = { action_id: 'slow', batch: Array.from({ length: 7 }, (_, page) => ({ page })) };
  const leaving = new AbortController();
  const first = gateway.runBatch(input, { ...callContext(), signal: leaving.signal, waitMs: 5_000 });
  await upstream.waitForRequests('submitTask', 5);
  leaving.abort();
  await first;
  const second = await gateway.runBatch(input, { ...callContext(), waitMs: 5_000 });
  expect(second.body).toMatchObject({ status: 'completed', rows_completed: 7 });
  expect(second.body).not.toHaveProperty('stopped');
  expect(upstream.requestsTo('submitTask')).toHaveLength(7);
});

// The reason of an earlier cancel is still in the store, or reaches it only now.
it('a batch goes on for who joined it, though the call that had it go on leaves', async () => {
  const action = { action_id: 'slow', catalog_slug: 'shop', credits: 1 };
  const { gateway, upstream, folder } = await startGateway({
    actions: [{ ...action, job: { ms: Number.POSITIVE_INFINITY } }],
  });
  const input = { action_id: 'slow', batch: Array.from({ length: 7 }, (_, page) => ({ page })) };
  const leaving = new AbortController();
  const first = gateway.runBatch(input, { ...callContext(), signal: leaving.signal, waitMs: 50_000 });
  await upstream.waitForRequests('submitTask', 5);
  const store = await openStore(folder);
  await sql`update gateway_group set stopped = '{"code":"CANCELLED","message":"The call was cancelled."}'`.execute(
    store.query,
  );
  let joined = false;
  const progress = () => (joined = true);
  const second = gateway.runBatch(input, { ...callContext(), progress, waitMs: 50_000 });
  await expect.poll(() => joined).toBe(true);
  leaving.abort();
  upstream.service.addAction({ ...action, job: {} });
  for (const job of upstream.service.jobs.values()) job.script = {};
  await first;
  const { body } = await second;
  expect(body).toMatchObject({ status: 'completed', rows_completed: 7, attached: true });
  expect(body).not.toHaveProperty('stopped');
});

// A call that joins has the group go on, and clears the reason to stop that another one is about to read.
it('a batch says why it was stopped, though another call has it go on before its answer is read', async () => {
  const { gateway, folder } = await startGateway({
    actions: [
      { action_id: 'dear', credits: 3, overrides: { credits_computed: true }, job: { creditsUsed: 8 } },
    ],
  });
  await gateway.getUsage(callContext());
  const store = await openStore(folder);
  await sql`create trigger joins after update of stopped on gateway_group when new.stopped is not null
    begin update gateway_group set stopped = null where id = new.id; end`.execute(store.query);
  const { body } = await gateway.runBatch(
    { action_id: 'dear', batch: [{ n: 1 }, { n: 2 }], max_credits: 7 },
    callContext({ waitMs: 5_000 }),
  );
  expect(body).toMatchObject({ rows_not_sent: 1, stopped: { code: 'BUDGET_EXCEEDED' } });
});

// The single call that began a row of the batch is cancelled before it is sent, as the batch is written.
it('a batch pays for a row whose first caller had gone before it was sent', async () => {
  const action = { action_id: 'slow', catalog_slug: 'shop', credits: 1 };
  const { gateway, upstream, folder } = await startGateway({
    actions: [{ ...action, job: { ms: Number.POSITIVE_INFINITY } }],
  });
  const first = { action_id: 'slow', params: { page: 0 } };
  await gateway.runAction(first, callContext({ waitMs: 20 }));
  await upstream.waitForRequests('submitTask', 1);
  upstream.service.addAction({ ...action, job: {} });
  const store = await openStore(folder);
  await sql`create trigger leaves after insert on gateway_member when new.position = 1 begin
    update gateway_intent set state = 'refused', open = 0, job_id = null, charged = 0,
      refusal = '{"code":"CANCELLED","message":"The call was cancelled. Nothing was sent."}'
    where state = 'submitted'; end`.execute(store.query);
  const { body } = await gateway.runBatch(
    { action_id: 'slow', batch: [{ page: 0 }, { page: 1 }] },
    callContext({ waitMs: 5_000 }),
  );
  expect(body).toMatchObject({ status: 'completed', rows_completed: 2, credits_used: 2 });
});

it('a batch that is repeated in a new process pays for such a row too, within what the repeat allows', async () => {
  const action = { action_id: 'slow', catalog_slug: 'shop', credits: 1 };
  const { gateway, upstream, folder } = await startGateway({
    actions: [{ ...action, job: { ms: Number.POSITIVE_INFINITY } }],
  });
  const batch = { action_id: 'slow', batch: [{ page: 0 }, { page: 1 }] };
  await gateway.runBatch(batch, callContext({ waitMs: 20 }));
  // Looked at: so their job ids are kept.
  await upstream.waitForRequests('getJob', 2);
  await gateway.close();
  const store = await openStore(folder);
  await sql`update gateway_intent set state = 'refused', open = 0, job_id = null, charged = 0,
    refusal = '{"code":"CANCELLED","message":"The call was cancelled. Nothing was sent."}'
    where params = '{"page":0}'`.execute(store.query);
  upstream.service.addAction({ ...action, job: {} });
  for (const job of upstream.service.jobs.values()) job.script = {};
  const { gateway: second } = openGateway(upstream, folder);
  const refused = await second.runBatch({ ...batch, max_credits: 0.5 }, callContext({ waitMs: 5_000 }));
  expect(refused.body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  const { body } = await second.runBatch(batch, callContext({ waitMs: 5_000 }));
  expect(body).toMatchObject({ status: 'completed', rows_completed: 2, credits_used: 2 });
  expect(upstream.requestsTo('submitTask')).toHaveLength(3);
});
