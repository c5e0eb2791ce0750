/** A call repeated past a doubt while its first request was still under way is charged twice: both answers say it. */
import { afterEach, expect, it, vi } from 'vitest';
import {
  callContext,
  closeGateways,
  openGateway,
  openStore,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';

afterEach(closeGateways);

it('an acceptance that comes after a resubmit is reported in both answers', async () => {
  const upstream = await scriptedUpstream({
    actions: [{ action_id: 'list', credits: 3, job: { ms: Number.POSITIVE_INFINITY } }],
  });
  const folder = await temporaryFolder();
  const [first, second] = [openGateway(upstream, folder), openGateway(upstream, folder)];
  const { query } = await openStore(folder);
  const call = { action_id: 'list', params: { q: 1 } };
  upstream.fail('submitTask', { kind: 'delay', ms: 2_000 }, { times: 1 });
  const slow = first.gateway.runAction(call, callContext({ waitMs: 25_000 }));
  await upstream.waitForRequests('submitTask', 1);
  // As another process writes it that takes this one for dead.
  await query.updateTable('gateway_intent').set({ state: 'unknown' }).execute();
  const repeated = second.gateway.runAction({ ...call, resubmit: true }, callContext({ waitMs: 25_000 }));
  await vi.waitFor(async () => {
    const rows = await query.selectFrom('gateway_intent').select('state').execute();
    expect(rows).toEqual([{ state: 'submitted' }, { state: 'submitted' }]);
  }, 20_000);
  for (const job of upstream.service.jobs.values()) job.script = { data: 1 };

  const [one, other] = [(await slow).body, (await repeated).body];
  for (const [answer, its] of [
    [one, other],
    [other, one],
  ]) {
    expect(answer).toMatchObject({
      status: 'completed',
      also_submitted: {
        job_id: its?.job_id,
        credits: 3,
        message: expect.stringMatching(/submitted twice.*Both were charged/),
      },
    });
  }
  expect(one.job_id).not.toBe(other.job_id);
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});
