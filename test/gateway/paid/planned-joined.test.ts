/** A call that waits for the run that shows the cost, and the same call by somebody who agrees to less. */
import { afterEach, expect, it, vi } from 'vitest';
import {
  callContext,
  closeGateways,
  openGateway,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';

afterEach(closeGateways);

// The refusal of the one closes the planned row that the other waits for.
it('a call that waits for its turn is sent although the same call is refused for its max_credits', async () => {
  const { gateway, upstream } = await startGateway(
    { actions: [{ action_id: 'slow', credits: 3, job: { ms: 600 } }] },
    { maxCreditsPerDay: 100 },
  );
  const ask = (page: number, max_credits?: number) =>
    gateway.runAction(
      { action_id: 'slow', params: { page }, max_credits },
      { ...callContext(), waitMs: 5_000 },
    );
  const showsCost = ask(0);
  await expect.poll(() => upstream.requestsTo('submitTask')).toHaveLength(1);
  const progress = vi.fn();
  const waiting = gateway.runAction(
    { action_id: 'slow', params: { page: 1 } },
    { ...callContext(), waitMs: 5_000, progress },
  );
  await expect.poll(() => progress).toHaveBeenCalledWith(expect.objectContaining({ progress: 0 }));
  const refused = await ask(1, 1);
  expect(refused.body).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
  expect((await showsCost).body).toMatchObject({ status: 'completed' });
  expect((await waiting).body).toMatchObject({ status: 'completed', credits_used: 3 });
});

// The other gateway plans and claims the call between this one's look for it and its own plan.
it('a call that another has begun while its price was read is joined', async () => {
  const upstream = await scriptedUpstream({
    actions: [{ action_id: 'slow', credits: 3, job: { ms: Number.POSITIVE_INFINITY } }],
  });
  const folder = await temporaryFolder();
  const open = () => openGateway(upstream, folder, { maxCreditsPerDay: 100 }).gateway;
  const [first, second] = [open(), open()];
  const run = (gateway: typeof first) =>
    gateway.runAction({ action_id: 'slow', params: {} }, { ...callContext(), waitMs: 2_000 });
  upstream.fail('getCatalog', { kind: 'delay', ms: 1_000 });
  const late = run(first);
  await upstream.waitForRequests('getCatalog', 1);
  upstream.clearFaults();
  const early = run(second);
  await upstream.waitForRequests('submitTask', 1);
  expect((await late).body).toMatchObject({ status: 'processing', attached: true });
  expect((await early).body).not.toHaveProperty('attached');
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
});
