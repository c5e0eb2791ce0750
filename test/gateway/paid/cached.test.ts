import { afterEach, describe, expect, it } from 'vitest';
import type { RunActionInput } from '../../../src/gateway/interface/gateway.ts';
import { isCloseTo } from '../../support/close-to.ts';
import { callContext, closeGateways, deliver, openStore, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };

async function start(job = {}) {
  const started = await startGateway({ actions: [{ ...list, job }] });
  const run = async (input: Partial<RunActionInput> = {}) =>
    (await deliver(started.gateway.runAction({ action_id: 'shop-list', ...input }, callContext()))).body;
  return { ...started, run };
}

describe('max_age_seconds', () => {
  it('answers with an earlier result of the same call, for free', async () => {
    const { upstream, run } = await start({ data: { rows: [1] } });
    const first = await run({ params: { a: 1, b: 2 } });
    expect(await run({ params: { b: 2, a: 1 }, max_age_seconds: 60 })).toEqual({
      status: 'completed',
      job_id: first.job_id,
      cached: true,
      credits_used: 0,
      job_credits: first.job_credits,
      completed_at: expect.toSatisfy(isCloseTo(first.completed_at)),
      execution_ms: first.execution_ms,
      data: { rows: [1] },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('runs anew without it, for other params, and where the result is older', async () => {
    const { upstream, run, folder } = await start();
    await run();
    await run();
    await run({ params: { a: 2 }, max_age_seconds: 60 });
    expect(upstream.requestsTo('submitTask')).toHaveLength(3);
    const { query } = await openStore(folder);
    await query
      .updateTable('gateway_intent')
      .set({ finished_at: Date.now() - 61_000 })
      .execute();
    expect(await run({ max_age_seconds: 60 })).not.toHaveProperty('cached');
    expect(upstream.requestsTo('submitTask')).toHaveLength(4);
    expect(await run({ max_age_seconds: 60 })).toHaveProperty('cached', true);
  });

  it('does not take a result for fresh that has ended in the future', async () => {
    const { upstream, run, folder } = await start();
    await run();
    const { query } = await openStore(folder);
    const ahead = Date.now() + 3_600_000;
    await query.updateTable('gateway_intent').set({ created_at: ahead, finished_at: ahead }).execute();
    expect(await run({ max_age_seconds: 60 })).not.toHaveProperty('cached');
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('runs anew where the action was repaired since', async () => {
    const { gateway, upstream, run } = await start();
    const { service } = upstream;
    service.extensions = 'action-edit';
    service.buildMs = 1;
    const body = { website_url: 'https://other.example/', goal: 'List the boats', force: true };
    service.edits = () =>
      service.answer('requestBuild', { parameter: '', query: new URLSearchParams(), body });
    await run();
    const repair = { action_id: 'shop-list', change: { kind: 'repair' } } as const;
    expect((await deliver(gateway.editAction(repair, callContext()))).body).toMatchObject({
      status: 'success',
    });
    expect(await run({ max_age_seconds: 60 })).not.toHaveProperty('cached');
    expect(await run({ max_age_seconds: 60 })).toHaveProperty('cached', true);
  });

  it('runs anew where the result is no longer kept, alone and in a batch', async () => {
    const { upstream, gateway, run, folder } = await start();
    for (const q of [1, 2]) await run({ params: { q } });
    const { query } = await openStore(folder);
    await query.deleteFrom('gateway_result').execute();
    const batch = [{ q: 1 }, { q: 3 }];
    const { body } = await gateway.runBatch(
      { action_id: 'shop-list', batch, max_age_seconds: 60 },
      callContext(),
    );
    expect(body).toMatchObject({ rows_completed: 2, credits_used: 6 });
    expect(await run({ params: { q: 2 }, max_age_seconds: 60 })).not.toHaveProperty('cached');
    expect(upstream.requestsTo('submitTask')).toHaveLength(5);
  });

  it('joins an open run before it takes an earlier result', async () => {
    const { upstream, gateway, run } = await start();
    await run();
    upstream.service.addAction({ ...list, job: { ms: Number.POSITIVE_INFINITY } });
    const open = await gateway.runAction({ action_id: 'shop-list' }, callContext({ waitMs: 2_000 }));
    expect(open.body).toMatchObject({ status: 'processing' });
    const job = [...upstream.service.jobs.values()].at(-1);
    if (job === undefined) return expect.fail('No job');
    job.script = { data: 'new' };
    expect(await run({ max_age_seconds: 3600 })).toMatchObject({ attached: true, data: 'new' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('takes the result of a run whose answer nobody fetched in time', async () => {
    const { upstream, gateway, run, folder } = await start({ data: 'kept' });
    await gateway.runAction({ action_id: 'shop-list' }, callContext());
    // Reads what was queued, so that it is written.
    await gateway.getJob({}, callContext());
    const { query } = await openStore(folder);
    // The end is written behind the answer.
    const states = () => query.selectFrom('gateway_intent').select('state').execute();
    await expect.poll(() => states()).toEqual([{ state: 'finished' }]);
    const twoHoursAgo = Date.now() - 2 * 60 * 60_000;
    await query.updateTable('gateway_intent').set({ finished_at: twoHoursAgo }).execute();
    expect(await run({ max_age_seconds: 86_400 })).toMatchObject({ cached: true, data: 'kept' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('never answers with a failure', async () => {
    const { upstream, run } = await start({ error: { code: 'EXECUTION_FAILED', message: 'No' } });
    await run();
    expect(await run({ max_age_seconds: 60 })).toMatchObject({ status: 'failed' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });
});
