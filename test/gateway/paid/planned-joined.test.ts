/** A call that waits for the run that shows the cost, and the same call by somebody who agrees to less. */
import { afterEach, expect, it, vi } from 'vitest';
import { callContext, closeGateways, startGateway } from '../../support/gateway.ts';

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
