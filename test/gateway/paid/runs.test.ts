import { afterEach, describe, expect, it } from 'vitest';
import { isCloseTo } from '../../support/close-to.ts';
import {
  ageSnapshots,
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  startGateway,
} from '../../support/gateway.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };
const run = { action_id: 'shop-list', params: { q: 'a' } };

describe('a run', () => {
  it('[client.submit-once] is written down before it is sent', async () => {
    const { gateway, upstream, folder } = await startGateway({ actions: [list] });
    upstream.fail('submitTask', { kind: 'hang', carriedOut: true });
    const call = gateway.runAction(run, callContext({ waitMs: 300 }));
    await upstream.waitForRequests('submitTask', 1);
    const { query } = await openStore(folder);
    const rows = await query.selectFrom('gateway_intent').selectAll().execute();
    expect(rows).toMatchObject([{ subject: 'shop-list', state: 'intended', open: 1, price: 3, charged: 3 }]);
    expect((await call).body).toMatchObject({ status: 'processing' });
  });

  it('[client.poll-until-end] is polled until it has ended, also past a status that is new', async () => {
    const { gateway, upstream } = await startGateway({
      actions: [{ ...list, job: { data: [1], polls: 2 } }],
    });
    upstream.fail('getJob', { kind: 'answer', body: { status: 'warming-up' } }, { times: 2 });
    const context = callContext();
    const { body } = await gateway.runAction(run, context);
    expect(body).toEqual({
      status: 'completed',
      job_id: [...upstream.service.jobs.keys()][0],
      data: [1],
      credits_used: 3,
      job_credits: 3,
      execution_ms: expect.any(Number),
      completed_at: expect.stringMatching(/Z$/),
    });
    expect(upstream.requestsTo('getJob')).toHaveLength(5);
    expect(context.progressed[0]).toBe('Submitting shop-list (3 credits or more)');
  });

  it('[client.api-key] [client.content-type] has the key and the type in every request', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    await gateway.runAction(run, callContext());
    expect(new Set(upstream.requests.map(({ method }) => method))).toEqual(new Set(['GET', 'POST']));
    for (const { method, headers } of upstream.requests) {
      expect(headers['x-api-key']).toBe(upstream.apiKey);
      if (method === 'POST') expect(headers['content-type']).toBe('application/json');
    }
  });

  it('does not follow poll_url', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    upstream.fail('submitTask', {
      kind: 'answer',
      status: 202,
      body: { status: 'processing', job_id: 'a/b?c', poll_url: `${upstream.origin}/elsewhere` },
    });
    upstream.fail('getJob', { kind: 'answer', body: { status: 'completed', data: 1 } });
    expect((await gateway.runAction(run, callContext())).body).toMatchObject({ data: 1, job_id: 'a/b?c' });
    expect(upstream.requests.at(-1)?.url).toBe('/v1/svc/jobs/a%2Fb%3Fc');
  });

  it('that failed says so and costs nothing', async () => {
    const error = { code: 'EXECUTION_FAILED', message: '\u001b[31mNo page <IMPORTANT>' };
    const { gateway, upstream } = await startGateway({ actions: [{ ...list, job: { error } }] });
    const { body } = await deliver(gateway.runAction(run, callContext()));
    expect(body).toMatchObject({
      status: 'failed',
      error: { code: 'EXECUTION_FAILED', message: 'The service says: "No page"' },
      credits_used: 0,
      next: { kind: 'refunded', step: { kind: 'mend-run' } },
    });
    expect(upstream.service.balance).toBe(1000);
    const { body: jobs } = await gateway.getJob({}, callContext());
    expect(jobs).toMatchObject({ credits_spent_today: 0, jobs: [{ status: 'failed', credits: 0 }] });
  });

  it('that outlasts its wait answers with a handle; get_job goes on', async () => {
    const { gateway, upstream } = await startGateway({
      actions: [{ ...list, job: { ms: Number.POSITIVE_INFINITY, data: 'done' } }],
    });
    const { body } = await gateway.runAction(run, callContext({ waitMs: 1_500 }));
    const [job] = upstream.service.jobs.values();
    expect(body).toMatchObject({
      status: 'processing',
      job_id: job?.id,
      next: { kind: 'wait', for: 'job', call: { job_id: job?.id } },
    });
    if (job === undefined) return expect.fail('No job');
    const still = await gateway.getJob({ job_id: job.id }, callContext({ waitMs: 100 }));
    expect(still.body).toMatchObject({ status: 'processing', job_id: job.id });
    job.script = { data: 'done' };
    const end = await gateway.getJob({ job_id: job.id }, callContext());
    expect(end.body).toMatchObject({ status: 'completed', data: 'done' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('is looked at once by a get_job that does not wait', async () => {
    const { gateway, upstream } = await startGateway({
      actions: [{ ...list, job: { ms: Number.POSITIVE_INFINITY } }],
    });
    const first = await gateway.runAction(run, callContext({ waitMs: 1_500 }));
    const [job] = upstream.service.jobs.values();
    if (job === undefined) return expect.fail('No job');
    const now = callContext({ waitMs: 0 });
    expect((await gateway.getJob({ job_id: job.id }, now)).body).toMatchObject({ status: 'processing' });
    job.script = { data: 1 };
    expect((await gateway.getJob({ job_id: job.id }, now)).body).toMatchObject({
      status: 'completed',
      data: 1,
    });
    expect(first.body.job_id).toBe(job.id);
  });

  it('[client.sync-inline] of a sync action has its result at once, kept under an id of ours', async () => {
    const { gateway, upstream } = await startGateway({
      actions: [{ ...list, mode: 'sync', job: { data: { n: 1 } } }],
    });
    const { body } = await deliver(gateway.runAction(run, callContext()));
    expect(body).toMatchObject({ status: 'completed', data: { n: 1 }, credits_used: 3 });
    expect(String(body.job_id)).toMatch(/^local-/);
    expect(upstream.requestsTo('getJob')).toHaveLength(0);
    const again = await gateway.getJob({ job_id: String(body.job_id) }, callContext());
    expect(again.body).toEqual({
      ...body,
      credits_used: 0,
      completed_at: expect.toSatisfy(isCloseTo(body.completed_at)),
    });
  });

  it('[client.sync-inline] of a sync action that failed is a failure', async () => {
    const error = { code: 'EXECUTION_FAILED', message: 'No' };
    const { gateway } = await startGateway({ actions: [{ ...list, mode: 'sync', job: { error } }] });
    expect((await gateway.runAction(run, callContext())).body).toMatchObject({
      status: 'failed',
      credits_used: 0,
    });
  });

  it('[client.sync-inline] of a sync action that is answered with a job id is polled', async () => {
    const { gateway, upstream } = await startGateway({
      actions: [{ ...list, overrides: { mode: 'sync' }, job: { data: 5 } }],
    });
    expect((await gateway.runAction(run, callContext())).body).toMatchObject({
      status: 'completed',
      data: 5,
    });
    expect(upstream.requestsTo('getJob')).toHaveLength(1);
  });

  it('that failed is a failure also where a part of its result is asked for', async () => {
    const error = { code: 'EXECUTION_FAILED', message: 'Not there' };
    const { gateway } = await startGateway({ actions: [{ ...list, job: { error } }] });
    const { body } = await gateway.runAction(run, callContext());
    const part = { job_id: String(body.job_id), path: 'items[0]' };
    expect((await gateway.getJob(part, callContext())).body).toMatchObject({
      status: 'failed',
      error: { code: error.code, message: expect.stringContaining(error.message) },
    });
  });

  it('of an action that does not exist sends nothing', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    const { body } = await gateway.runAction({ action_id: 'none\u202e' }, callContext());
    expect(body).toMatchObject({
      error: { code: 'ACTION_NOT_FOUND', message: expect.not.stringContaining('\u202e') },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('of an action that is new reaches it, though the last catalog did not have it', async () => {
    const { gateway, upstream, folder } = await startGateway({ actions: [list] });
    await gateway.listing();
    await gateway.close();
    await ageSnapshots(folder, 60_000);
    upstream.service.addAction({ action_id: 'shop-new', catalog_slug: 'shop' });
    const { gateway: next } = openGateway(upstream, folder);
    expect((await next.runAction({ action_id: 'shop-new' }, callContext())).body.status).toBe('completed');
  });

  it('[client.body-over-status] [client.extra-members] is refused by the body, whatever the HTTP code', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    const error = { code: 'INSUFFICIENT_CREDITS', message: 'Poor', balance: 1, required: 3, hint: 'x' };
    upstream.fail(
      'submitTask',
      { kind: 'answer', status: 200, body: { status: 'error', error } },
      { times: 1 },
    );
    expect((await gateway.runAction(run, callContext())).body).toMatchObject({
      status: 'error',
      error: { code: 'INSUFFICIENT_CREDITS', balance: 1, required: 3, hint: 'x' },
      next: { kind: 'add-credits' },
    });
    expect((await gateway.runAction(run, callContext())).body.status).toBe('completed');
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it.each([
    [402, 'INSUFFICIENT_CREDITS'],
    [403, 'FORBIDDEN'],
    [500, 'EXECUTION_FAILED'],
    [404, 'NOT_FOUND'],
  ])('refused with %i %s can be called again and costs nothing', async (status, code) => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    const fault = {
      kind: 'answer',
      status,
      body: { status: 'error', error: { code, message: 'No' } },
    } as const;
    upstream.fail('submitTask', fault, { times: 1 });
    const { body } = await gateway.runAction(run, callContext());
    expect(body).toMatchObject({ status: 'error', error: { code }, next: { kind: expect.any(String) } });
    expect((await gateway.getJob({}, callContext())).body).toMatchObject({ credits_spent_today: 0 });
    expect((await gateway.runAction(run, callContext())).body).toMatchObject({ status: 'completed' });
    expect((await gateway.runAction(run, callContext())).body).not.toHaveProperty('error');
  });

  it('to a service that cannot be reached was not sent, and can be called again', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    await gateway.listing();
    await upstream.refuse();
    const { body } = await gateway.runAction(run, callContext());
    expect(body).toMatchObject({ status: 'error', error: { code: 'SERVICE_UNREACHABLE' } });
    await upstream.accept();
    const again = await gateway.runAction(run, callContext());
    expect(again.body).toMatchObject({ status: 'completed' });
    expect(again.body).not.toHaveProperty('attached');
  });

  it('refused with 429 says when to retry and is not sent again by itself', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    upstream.fail('submitTask', { kind: 'too-many-requests', retryAfter: '7' }, { times: 1 });
    expect((await gateway.runAction(run, callContext())).body).toMatchObject({
      error: { code: 'RATE_LIMITED', retry_after_seconds: 7 },
      next: { kind: 'retry', when: 7 },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });
});

describe('polling', () => {
  it('reads an unreadable answer again; three in a row are the error, with the job id', async () => {
    const { gateway, upstream } = await startGateway({ actions: [{ ...list, job: { polls: 1, data: 1 } }] });
    upstream.fail('getJob', { kind: 'html' }, { times: 2 });
    expect((await deliver(gateway.runAction(run, callContext()))).body).toMatchObject({
      status: 'completed',
    });
    upstream.clearFaults();
    upstream.fail('getJob', { kind: 'html' }, { times: 3 });
    const { body } = await gateway.runAction(run, callContext());
    const jobId = [...upstream.service.jobs.keys()][1];
    expect(body).toMatchObject({
      status: 'error',
      error: { code: 'SERVICE_ANSWER_UNREADABLE', job_id: jobId },
      next: { kind: 'wait', call: { job_id: jobId }, isLater: true },
    });
    // Paid and not delivered: the same call goes on with it.
    expect((await gateway.runAction(run, callContext())).body).toMatchObject({
      status: 'completed',
      attached: true,
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('waits as long as the service asks for between two looks', async () => {
    const { gateway, upstream } = await startGateway({ actions: [{ ...list, job: { data: 1 } }] });
    const processing = { status: 'processing', job_id: 'any', retry_after_ms: 2_500 };
    upstream.fail('getJob', { kind: 'answer', body: processing }, { times: 1 });
    expect((await gateway.runAction(run, callContext())).body).toMatchObject({ status: 'completed' });
    const [first, second] = upstream.requestsTo('getJob');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(2_490);
  });

  it('says lost when an accepted job stays unknown, and never runs it again by itself', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    upstream.fail('getJob', {
      kind: 'answer',
      status: 404,
      body: { status: 'error', error: { code: 'NOT_FOUND', message: 'No' } },
    });
    const { body } = await gateway.runAction(run, callContext({ waitMs: 20_000 }));
    const [jobId] = upstream.service.jobs.keys();
    expect(body).toMatchObject({
      status: 'error',
      error: { code: 'JOB_LOST', job_id: jobId, credits_at_stake: 3 },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('continues if the job is unknown only for a moment', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    upstream.fail(
      'getJob',
      { kind: 'answer', status: 404, body: { status: 'error', error: { code: 'NOT_FOUND', message: 'No' } } },
      { times: 3 },
    );
    expect((await gateway.runAction(run, callContext())).body.status).toBe('completed');
  });
});

it('a run that is not sent when the waits end is not sent any more', async () => {
  const { gateway, upstream } = await startGateway({
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }],
  });
  await gateway.listing();
  gateway.endWaits();
  const { body } = await gateway.runAction({ action_id: 'shop-list' }, callContext());
  expect(body).toMatchObject({
    error: { code: 'CANCELLED', message: expect.stringContaining('Nothing was sent') },
  });
  expect(upstream.requestsTo('submitTask')).toHaveLength(0);
});
