import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunActionInput } from '../../../src/gateway/interface/gateway.ts';
import { isCloseTo } from '../../support/close-to.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  startGateway,
} from '../../support/gateway.ts';

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

  const versionOf = (wheel_version: string) => ({ ...list, overrides: { wheel_version } });

  it('takes a result of the version that the action has now, whichever that is, alone and in a batch', async () => {
    const { upstream, folder } = await startGateway({ actions: [versionOf('one')] });
    /** A process on the same store that reads what the service lists now. */
    const open = async () => {
      const snapshots = (await readdir(folder)).filter((name) => name.startsWith('catalog-'));
      for (const name of snapshots) await rm(join(folder, name));
      const { gateway } = openGateway(upstream, folder);
      const run = async () => {
        const input = { action_id: 'shop-list', max_age_seconds: 60 };
        return (await deliver(gateway.runAction(input, callContext()))).body;
      };
      return { gateway, run };
    };
    const first = await (await open()).run();
    upstream.service.addAction(versionOf('two'));
    const changed = await open();
    const second = await changed.run();
    expect(second).not.toHaveProperty('cached');
    expect(await changed.run()).toMatchObject({ cached: true, job_id: second.job_id });
    upstream.service.addAction(versionOf('one'));
    const reverted = await open();
    expect(await reverted.run()).toMatchObject({ cached: true, job_id: first.job_id });
    const batch = { action_id: 'shop-list', batch: [{}], max_age_seconds: 60 };
    expect((await reverted.gateway.runBatch(batch, callContext())).body).toMatchObject({
      credits_used: 0,
      rows: [{ job_id: first.job_id }],
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('asks the service for the version before it answers: another process may have changed the action', async () => {
    const { upstream, gateway } = await startGateway({ actions: [versionOf('one')] });
    const run = async () =>
      (await deliver(gateway.runAction({ action_id: 'shop-list', max_age_seconds: 60 }, callContext()))).body;
    await run();
    // The snapshot of this process still has the version before.
    upstream.service.addAction(versionOf('two'));
    expect(await run()).not.toHaveProperty('cached');
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
    // A run without an earlier result asks for nothing.
    expect(upstream.requestsTo('getCatalog')).toHaveLength(1);
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
