/** A lost job is a finding, not an end: it is looked for again, and its end may still come. On both engines. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/gateway/foundation/clock.ts';
import { useDatabases } from '../../support/databases.ts';
import { callContext, closeGateways, deliver, openGateway, startGateway } from '../../support/gateway.ts';
import { openRows } from '../../support/paid-rows.ts';
import { engines } from '../../support/postgres.ts';
import { envelope } from '../../support/upstream-faults.ts';
import type { JobScript } from '../../support/upstream-script.ts';
import { holdWriteLock } from '../../support/write-lock.ts';

afterEach(closeGateways);
const createDatabase = useDatabases();

const call = { action_id: 'shop-list', params: { q: 1 } };
const lost = { status: 'error', error: { code: 'JOB_LOST' } };

describe.each(engines)('on %s', (engine) => {
  /** A run whose job the service hides, and whose loss was told where `isTold`. */
  async function start({ isTold = true, job = {} }: { isTold?: boolean; job?: JobScript } = {}) {
    const limits = { lostAfterMs: 100 };
    const more = { limits, ...(engine === 'postgres' && { store: { url: await createDatabase() } }) };
    const actions = [{ action_id: 'shop-list', credits: 3, job }];
    const started = await startGateway({ actions }, {}, more);
    const { upstream, folder } = started;
    const hide = () => upstream.fail('getJob', envelope(404, 'NOT_FOUND', 'No'));
    hide();
    const run = (gateway = started.gateway, waitMs = 10_000) =>
      gateway.runAction(call, callContext({ waitMs }));
    const answer = await run();
    expect(answer.body).toMatchObject(lost);
    if (isTold) await deliver(answer);
    const [jobId = ''] = upstream.service.jobs.keys();
    const submissions = () => upstream.requestsTo('submitTask').length;
    const openOther = (clock: Clock = systemClock) =>
      openGateway(upstream, folder, {}, upstream.apiKey, { ...more, clock }).gateway;
    return { ...started, run, jobId, submissions, openOther, show: () => upstream.clearFaults() };
  }

  it.each([false, true])('get_job finds the end, in this process and another (told: %s)', async (isTold) => {
    const { gateway, jobId, openOther, show, submissions } = await start({ isTold });
    const look = (at = gateway) => at.getJob({ job_id: jobId }, callContext());
    expect((await look()).body).toMatchObject(lost);
    show();
    expect((await look(openOther())).body).toMatchObject({ status: 'completed', data: { params: { q: 1 } } });
    expect((await deliver(look())).body).toMatchObject({ status: 'completed' });
    // The end is kept, whatever the service does from here on.
    show();
    await expect.poll(async () => (await look()).body).toMatchObject({ status: 'completed' });
    expect((await gateway.getUsage(callContext())).body).toMatchObject({ today: { spent: 3 } });
    expect(submissions()).toBe(1);
  });

  it('a repeat after a told loss looks once more, and gets the end unpaid', async () => {
    const { run, openOther, show, submissions } = await start();
    show();
    expect((await run(openOther())).body).toMatchObject({ status: 'completed', attached: true });
    expect(submissions()).toBe(1);
  });

  it('a repeat joins a job that is there again and runs', async () => {
    const { run, show, submissions, upstream, jobId } = await start({
      job: { ms: Number.POSITIVE_INFINITY },
    });
    show();
    expect((await run(undefined, 300)).body).toMatchObject({ status: 'processing', job_id: jobId });
    for (const job of upstream.service.jobs.values()) job.script = { data: 'late' };
    expect((await deliver(run())).body).toMatchObject({ status: 'completed', data: 'late' });
    expect(submissions()).toBe(1);
  });

  it('a repeat is paid anew where the job is still gone, and the first may still end', async () => {
    const { gateway, run, show, submissions, upstream, jobId } = await start();
    expect((await run(undefined, 500)).body).not.toMatchObject({ attached: true });
    await expect.poll(submissions).toBe(2);
    expect(upstream.service.jobs.size).toBe(2);
    show();
    const first = await gateway.getJob({ job_id: jobId }, callContext());
    expect(first.body).toMatchObject({ status: 'completed', job_id: jobId });
    expect(submissions()).toBe(2);
  });

  it('a repeat is not paid where the service does not say whether it has the job', async () => {
    const { run, show, upstream, submissions } = await start();
    show();
    upstream.fail('getJob', envelope(403, 'FORBIDDEN', 'No'));
    expect((await run()).body).toMatchObject({ status: 'error', error: { code: 'FORBIDDEN' } });
    expect(submissions()).toBe(1);
  });

  it('a loss whose answer may not have been read is told again, whatever the clock of a process says', async () => {
    const { run, openOther, submissions } = await start({ isTold: false });
    await (await run()).unconfirmed?.();
    await expect.poll(async () => (await run()).body).toMatchObject(lost);
    const clock = { now: () => Date.now() + 25 * 3_600_000, monotonic: () => performance.now() };
    expect((await run(openOther(clock))).body).toMatchObject(lost);
    expect(submissions()).toBe(1);
  });

  it('a batch looks once more for what is lost', async () => {
    const { gateway, show, submissions } = await start();
    show();
    const batch = { action_id: 'shop-list', batch: [{ q: 1 }] };
    const { body } = await deliver(gateway.runBatch(batch, callContext()));
    expect(body).toMatchObject({ rows_completed: 1 });
    expect(submissions()).toBe(1);
  });
});

it('a job that was there again before its loss was written is known as running', async () => {
  const actions = [{ action_id: 'shop-list', credits: 3, job: { ms: Number.POSITIVE_INFINITY } }];
  const { gateway, upstream, folder } = await startGateway({ actions }, {}, { limits: { lostAfterMs: 100 } });
  const file = join(folder, 'gateway.db');
  const run = async (waitMs: number) => (await gateway.runAction(call, callContext({ waitMs }))).body;
  expect(await run(300)).toMatchObject({ status: 'processing' });
  upstream.fail('getJob', envelope(404, 'NOT_FOUND', 'No'));
  const release = holdWriteLock(file);
  expect(await run(5_000)).toMatchObject(lost);
  upstream.clearFaults();
  expect(await run(300)).toMatchObject({ status: 'processing', attached: true });
  release();
  const { database } = await openRows({ file });
  const state = async () =>
    (await database.query.selectFrom('gateway_intent').select('state').executeTakeFirstOrThrow()).state;
  await expect.poll(state).toBe('lost');
  expect(await run(300)).toMatchObject({ status: 'processing', attached: true });
  await expect.poll(state).toBe('submitted');
});

describe.each(engines)('a job id that is given again while its first call is open, on %s', (engine) => {
  it.each(['the same process', 'another process'])(
    'by %s: no call gets the data of the other',
    async (place) => {
      const more = engine === 'postgres' ? { store: { url: await createDatabase() } } : {};
      const job = (params: unknown): JobScript => ({ data: `of ${Object(params).q}` });
      const actions = [{ action_id: 'shop-list', credits: 3, job }];
      const { gateway, upstream, folder } = await startGateway({ actions }, {}, more);
      const body = { status: 'processing', job_id: 'job-1', poll_url: '/v1/svc/jobs/job-1' };
      upstream.fail('submitTask', { kind: 'answer', status: 202, body, carriedOut: true }, { times: 2 });
      const processing = { status: 'processing', retry_after_ms: 1_500 };
      upstream.fail('getJob', { kind: 'answer', body: processing });
      const run = (q: string, waitMs: number, at = gateway) =>
        at.runAction({ action_id: 'shop-list', params: { q } }, callContext({ waitMs }));
      const first = run('first', 6_000);
      await upstream.waitForRequests('getJob', 1);
      const other =
        place === 'the same process'
          ? gateway
          : openGateway(upstream, folder, {}, upstream.apiKey, more).gateway;
      // Restored from a backup: the first job is gone, and its id is free. Until then it runs.
      upstream.clearFaults();
      upstream.fail('submitTask', { kind: 'answer', status: 202, body }, { times: 1 });
      upstream.fail('getJob', {
        kind: 'answer',
        body: { status: 'completed', data: 'of second', credits_used: 3 },
      });
      expect((await deliver(run('second', 10_000, other))).body).toMatchObject({
        status: 'completed',
        data: 'of second',
      });
      expect((await first).body).not.toHaveProperty('data');
      expect((await run('first', 3_000)).body).toMatchObject(lost);
      expect((await run('first', 3_000, other)).body).toMatchObject(lost);
      expect((await other.getJob({ job_id: 'job-1' }, callContext())).body).toMatchObject({
        data: 'of second',
      });
    },
  );
});
