/** A service that was restored from a backup gives a job id again: each paid call keeps its own result. */
import { afterEach, expect, it } from 'vitest';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  startGateway,
} from '../../support/gateway.ts';

afterEach(closeGateways);

const job_id = 'job-1';

/** Two calls that were given the same job id, one after the other, with data of their own. */
async function start() {
  const actions = [{ action_id: 'shop-list', catalog_slug: 'shop' }];
  const { gateway, upstream, folder } = await startGateway({ actions });
  const body = { status: 'processing', job_id, poll_url: `/v1/svc/jobs/${job_id}` };
  upstream.fail('submitTask', { kind: 'answer', status: 202, body }, { times: 2 });
  const database = await openStore(folder);
  const delivered = async () => {
    const rows = await database.query.selectFrom('gateway_intent').select('open').execute();
    return rows.filter(({ open }) => open === 0);
  };
  const run = async (n: number, more: { select?: string; max_age_seconds?: number } = {}, at = gateway) => {
    const call = { action_id: 'shop-list', params: { n }, ...more };
    return (await deliver(at.runAction(call, callContext()))).body;
  };
  const runWith = async (n: number, data: unknown, select?: string) => {
    const facts = { actionId: 'shop-list', params: { n }, credentialId: undefined, price: 1 };
    const job = { id: job_id, ...facts, startedAt: 0, polls: 0, refunded: false, script: { data } };
    upstream.service.jobs.set(job_id, job);
    const answer = await run(n, select === undefined ? {} : { select });
    // The end and the delivery are written behind the answer.
    await expect.poll(() => delivered()).toHaveLength(n);
    return answer;
  };
  expect(await runWith(1, { of: 'the first' })).toMatchObject({ data: { of: 'the first' } });
  return { gateway, upstream, run, runWith, openOther: () => openGateway(upstream, folder).gateway };
}

const second = { of: 'the second' };

it('the select of the second call is of its own result', async () => {
  const { runWith } = await start();
  expect(await runWith(2, second, 'of')).toMatchObject({ status: 'completed', data: 'the second' });
});

it('the job id reads the result of the newer call, in whole and in part', async () => {
  const { gateway, runWith, openOther } = await start();
  await runWith(2, second);
  for (const reader of [gateway, openOther()]) {
    expect((await reader.getJob({ job_id }, callContext())).body).toMatchObject({ data: second });
    const part = await reader.getJob({ job_id, select: 'of' }, callContext());
    expect(part.body).toMatchObject({ data: 'the second' });
  }
});

it('max_age_seconds answers each call with its own result', async () => {
  const { run, runWith, openOther } = await start();
  await runWith(2, second);
  for (const at of [undefined, openOther()]) {
    expect(await run(2, { max_age_seconds: 60 }, at)).toMatchObject({ cached: true, data: second });
    expect(await run(1, { max_age_seconds: 60 }, at)).toMatchObject({
      cached: true,
      data: { of: 'the first' },
    });
  }
});
