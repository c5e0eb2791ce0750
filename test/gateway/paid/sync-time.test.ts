/** A sync action has a time of its own: the call may leave before, and the paid answer is kept. */
import { afterEach, expect, it } from 'vitest';
import { defaultTimeLimits } from '../../../src/gateway/foundation/time-limits.ts';
import { callContext, closeGateways, deliver, openGateway, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const call = { action_id: 'shop-now', params: { q: 1 } };

async function start() {
  const actions = [{ action_id: 'shop-now', credits: 3, mode: 'sync' }];
  const started = await startGateway({ actions });
  const { upstream } = started;
  upstream.fail('submitTask', { kind: 'delay', ms: 2_500 });
  return { ...started, submissions: () => upstream.requestsTo('submitTask').length };
}

it('is two minutes', () => {
  expect(defaultTimeLimits.syncMs).toBe(120_000);
});

it('get_job gets the end of a call that left', async () => {
  const { gateway, submissions } = await start();
  const { body } = await gateway.runAction(call, callContext({ waitMs: 500 }));
  expect(body).toMatchObject({ status: 'processing', job_id: expect.stringMatching(/^local-/) });
  const job = { job_id: String(body.job_id) };
  expect((await deliver(gateway.getJob(job, callContext()))).body).toMatchObject({
    status: 'completed',
    data: { params: { q: 1 } },
  });
  expect(submissions()).toBe(1);
});

it('the same call joins, also where its first caller cancelled', async () => {
  const { gateway, upstream, submissions } = await start();
  const leaving = new AbortController();
  const first = gateway.runAction(call, callContext({ signal: leaving.signal }));
  await upstream.waitForRequests('submitTask', 1);
  leaving.abort();
  expect((await first).body).toMatchObject({ error: { code: 'CANCELLED' } });
  expect((await gateway.runAction(call, callContext())).body).toMatchObject({
    status: 'completed',
    attached: true,
  });
  expect(submissions()).toBe(1);
});

it('the id of its row is no job to another key, as an id that never was', async () => {
  const { gateway, upstream, folder } = await startGateway({
    actions: [{ action_id: 'shop-now', mode: 'sync' }],
  });
  const { body } = await deliver(gateway.runAction(call, callContext()));
  const job_id = String(body.job_id);
  expect(job_id).toMatch(/^local-/);
  const other = openGateway(upstream, folder, {}, 'another-key').gateway;
  const code = async (id: string, at = other) =>
    Object((await at.getJob({ job_id: id }, callContext())).body.error).code;
  expect(await code(job_id)).toBe('JOB_NOT_FOUND');
  expect(await code('local-0', gateway)).toBe('JOB_NOT_FOUND');
  expect((await gateway.getJob({ job_id }, callContext())).body).toMatchObject({ status: 'completed' });
});
