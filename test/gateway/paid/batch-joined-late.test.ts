/** A batch that is asked for again, after the first caller was cancelled and before what was under way has ended. */
import { afterEach, expect, it } from 'vitest';
import { callContext, closeGateways, startGateway } from '../../support/gateway.ts';

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
