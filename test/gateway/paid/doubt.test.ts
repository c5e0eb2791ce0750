/** What nobody knows is said once, blocks the same call, and is never sent again by itself. */
import { writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Gateway } from '../../../src/gateway/interface/gateway.ts';
import { PaidRows } from '../../../src/gateway/paid/paid-rows.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  startGateway,
} from '../../support/gateway.ts';
import { envelope, type Fault } from '../../support/upstream-faults.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };
const call = { action_id: 'shop-list', params: { q: 'a' } };
const run = async (gateway: Gateway, more: object = {}) =>
  (await deliver(gateway.runAction({ ...call, ...more }, callContext()))).body;

const doubts: [string, Fault][] = [
  ['a reset before the body was read', { kind: 'reset-before-body' }],
  ['a reset after it was carried out', { kind: 'reset', carriedOut: true }],
  ['a reset after the headers', { kind: 'reset-after-headers' }],
  ['a truncated answer', { kind: 'truncate' }],
  ['HTML with 200', { kind: 'html' }],
  ['HTML with 502', { kind: 'html', status: 502 }],
  ['an undocumented 500', envelope(500, 'INTERNAL', 'Oops')],
  ['503', envelope(503, 'BUSY', 'Later')],
  ['a task without a job_id', { kind: 'answer', status: 202, body: { status: 'processing' } }],
  ['an acceptance that names no job', { kind: 'answer', status: 202, body: { accepted: true } }],
  ['an empty answer', { kind: 'answer', status: 202, body: '' }],
  ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:1/task', status: 307 }],
];

describe('a submission', () => {
  it.each(doubts)('that ends in %s is unknown', async (_, fault) => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    upstream.fail('submitTask', fault, { times: 1 });
    const body = await run(gateway);
    expect(body).toMatchObject({
      status: 'unknown',
      error: {
        code: 'SUBMISSION_UNKNOWN',
        message: expect.stringContaining('3 credits'),
        credits_at_stake: 3,
        blocked_until: expect.stringMatching(/Z$/),
      },
      next: { kind: 'resubmit', call: { ...call, resubmit: true } },
    });
    // The same call is blocked, another one is not.
    expect(await run(gateway)).toMatchObject({ status: 'unknown' });
    expect(await run(gateway, { params: { q: 'b' } })).toMatchObject({ status: 'completed' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
    // What may have been spent counts as spent.
    expect((await gateway.getJob({}, callContext())).body).toMatchObject({ credits_spent_today: 6 });
    expect(await run(gateway, { resubmit: true })).toMatchObject({ status: 'completed' });
    expect(await run(gateway)).toMatchObject({ status: 'completed' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(4);
  });

  it('whose answer with 200 names no job has that answer for its data, says so, and is paid once', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    upstream.fail('submitTask', { kind: 'answer', status: 200, body: { accepted: true } }, { times: 1 });
    const answer = { status: 'completed', data: { accepted: true } };
    const note = expect.stringContaining('without a job id');
    const { body } = await gateway.runAction(call, callContext());
    expect(body).toMatchObject({ ...answer, note });
    expect(await run(gateway)).toMatchObject({ ...answer, attached: true, job_id: body.job_id });
    expect((await gateway.getJob({}, callContext())).body).toMatchObject({ credits_spent_today: 3 });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('that hangs is unknown after its own time, whatever the wait of the call', async () => {
    const script = { actions: [{ ...list, mode: 'sync' }] };
    const { gateway, upstream } = await startGateway(script, {}, { limits: { syncMs: 2_500 } });
    // What a first call loads takes no part of its time.
    await run(gateway, { params: {} });
    upstream.fail('submitTask', { kind: 'hang', carriedOut: true });
    const { body } = await gateway.runAction(call, callContext({ waitMs: 100 }));
    expect(body).toMatchObject({ status: 'processing', job_id: expect.stringMatching(/^local-/) });
    expect(await run(gateway)).toMatchObject({ status: 'unknown' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('that fifty callers wait for is unknown to all of them, and sent once', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    upstream.fail('submitTask', { kind: 'reset', carriedOut: true });
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => gateway.runAction(call, callContext())),
    );
    expect(new Set(answers.map(({ body }) => body.status))).toEqual(new Set(['unknown']));
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });
});

describe('the block', () => {
  it('stays where a resubmit is refused', async () => {
    const { gateway, upstream, folder } = await startGateway({ actions: [list] }, { maxCreditsPerDay: 5 });
    upstream.fail('submitTask', { kind: 'reset', carriedOut: true }, { times: 1 });
    expect(await run(gateway)).toMatchObject({ status: 'unknown' });
    const refused = await run(gateway, { resubmit: true });
    expect(refused).toMatchObject({ error: { code: 'BUDGET_EXCEEDED' } });
    const { gateway: raised } = openGateway(upstream, folder, { maxCreditsPerDay: 50 });
    expect(await run(raised)).toMatchObject({ status: 'unknown' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    expect(await run(raised, { resubmit: true })).toMatchObject({ status: 'completed' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('holds in the next process too, and ends by itself after 24 hours', async () => {
    const { gateway, upstream, folder } = await startGateway({ actions: [list] });
    upstream.fail('submitTask', { kind: 'reset' }, { times: 1 });
    await run(gateway);
    await gateway.close();
    const { gateway: next } = openGateway(upstream, folder);
    expect(await run(next)).toMatchObject({ status: 'unknown' });
    const { query } = await openStore(folder);
    const set = (age: number) =>
      query
        .updateTable('gateway_intent')
        .set({ created_at: Date.now() - age })
        .execute();
    await set(86_390_000);
    expect(await run(next)).toMatchObject({ status: 'unknown' });
    await set(86_401_000);
    expect(await run(next)).toMatchObject({ status: 'completed' });
  });

  it('of a process that has gone starts at once; of another machine when its time is up', async () => {
    const { gateway, upstream, folder } = await startGateway({ actions: [list] });
    upstream.fail('submitTask', { kind: 'hang' }, { times: 1 });
    const dying = gateway.runAction(call, callContext({ waitMs: 60 }));
    await upstream.waitForRequests('submitTask', 1);
    await dying;
    const { query } = await openStore(folder);
    const own = (owner: string, deadline: number) =>
      query.updateTable('gateway_intent').set({ owner, deadline, state: 'intended' }).execute();
    await own('another-machine:1:x', Date.now() + 30_000);
    const { gateway: next } = openGateway(upstream, folder);
    const early = await next.runAction(call, callContext({ waitMs: 300 }));
    expect(early.body).toMatchObject({ status: 'processing', job_id: expect.stringMatching(/^local-/) });
    const again = { status: 'unknown', next: { kind: 'resubmit', call: { ...call, resubmit: true } } };
    const looks = vi.spyOn(PaidRows.prototype, 'get');
    const waiting = next.runAction(call, callContext());
    await vi.waitFor(() => expect(looks).toHaveBeenCalled(), 20_000);
    looks.mockRestore();
    await own('another-machine:1:x', Date.now() - 6_000);
    expect((await waiting).body).toMatchObject(again);
    expect(await run(next)).toMatchObject(again);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });
});

describe('the budget', () => {
  const paid = (credits: number) => ({ ...list, credits });
  const runs = (gateway: Gateway, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext()),
      ),
    );
  const refusedOf = (answers: Awaited<ReturnType<typeof runs>>) =>
    answers.filter(({ body }) => Object(body.error).code === 'BUDGET_EXCEEDED');

  it('of a call refuses what costs more, before anything is sent', async () => {
    const { gateway, upstream } = await startGateway({ actions: [paid(6)] }, { maxCreditsPerCall: 5 });
    expect(await run(gateway)).toMatchObject({
      error: { code: 'BUDGET_EXCEEDED', price: 6, limit: 5, spent: 0 },
      next: { kind: 'raise-limit', limit: 'SVC_MAX_CREDITS_PER_CALL', to: 6, or: 'cheaper-action' },
    });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('of a day is exact under concurrency', async () => {
    const { gateway, upstream } = await startGateway({ actions: [paid(3)] }, { maxCreditsPerDay: 10 });
    const answers = await runs(gateway, 20);
    const refused = refusedOf(answers);
    expect(refused).toHaveLength(17);
    expect(upstream.requestsTo('submitTask')).toHaveLength(3);
    const { resets_at: reset }: { resets_at?: string } = Object(refused[0]?.body.error);
    expect(Date.parse(reset ?? '') % 86_400_000).toBe(0);
    expect(Date.parse(reset ?? '')).toBeGreaterThan(Date.now());
  });

  it('gets refunds and cheaper ends back, and more where a job cost more', async () => {
    const { gateway } = await startGateway(
      {
        actions: [
          {
            ...paid(5),
            job: (params) =>
              Object(params).n === 0
                ? { error: { code: 'EXECUTION_FAILED', message: 'No' } }
                : { creditsUsed: 2 },
          },
        ],
      },
      { maxCreditsPerDay: 10 },
    );
    for (const [n, spent] of [
      [0, 0],
      [1, 2],
      [2, 4],
    ] as const) {
      await deliver(gateway.runAction({ action_id: 'shop-list', params: { n } }, callContext()));
      expect((await gateway.getJob({}, callContext())).body).toMatchObject({ credits_spent_today: spent });
    }
  });

  /** A job that costs 9 instead of 3, and ends when it is told to. */
  async function startCostly(maxCreditsPerDay: number) {
    const job = { ms: Number.POSITIVE_INFINITY };
    const started = await startGateway({ actions: [{ ...paid(3), job }] }, { maxCreditsPerDay });
    const end = () => {
      for (const one of started.upstream.service.jobs.values()) one.script = { creditsUsed: 9, data: 'kept' };
    };
    const spent = async (of: Gateway, credits: number) =>
      vi.waitFor(
        async () =>
          expect((await of.getJob({}, callContext())).body).toMatchObject({ credits_spent_today: credits }),
        { timeout: 20_000 },
      );
    return { ...started, end, spent };
  }

  it('learns what a job cost whose caller has cancelled, and the same call still gets its result', async () => {
    const { gateway, upstream, end, spent } = await startCostly(10);
    const cancel = new AbortController();
    const cancelled = gateway.runAction(call, callContext({ signal: cancel.signal }));
    await upstream.waitForRequests('getJob', 1);
    cancel.abort();
    expect((await cancelled).body).toMatchObject({ error: { code: 'CANCELLED' } });
    end();
    await spent(gateway, 9);
    expect(await run(gateway, { params: { q: 'other' } })).toMatchObject({
      error: { code: 'BUDGET_EXCEEDED' },
    });
    expect(await run(gateway)).toMatchObject({ status: 'completed', attached: true, data: 'kept' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('learns what a job cost whose handle nobody reads, also from an earlier process', async () => {
    const { gateway, upstream, folder, end, spent } = await startCostly(20);
    expect((await gateway.runAction(call, callContext({ waitMs: 1_000 }))).body.status).toBe('processing');
    await upstream.waitForRequests('getJob', 1);
    await gateway.close();
    end();
    const { gateway: next } = openGateway(upstream, folder, { maxCreditsPerDay: 20 });
    // The first paid call of the process looks for what is open.
    await next.runAction({ ...call, params: { q: 'other' } }, callContext({ waitMs: 1_000 }));
    end();
    await spent(next, 18);
  });

  it('is that of the UTC day', async () => {
    const { gateway, folder } = await startGateway({ actions: [paid(10)] }, { maxCreditsPerDay: 10 });
    await run(gateway);
    expect(await run(gateway, { params: {} })).toMatchObject({
      error: { code: 'BUDGET_EXCEEDED', spent: 10 },
    });
    const { query } = await openStore(folder);
    await query
      .updateTable('gateway_intent')
      .set({ created_at: Math.floor(Date.now() / 86_400_000) * 86_400_000 - 1 })
      .execute();
    expect(await run(gateway, { params: {} })).toMatchObject({ status: 'completed' });
  });

  it('is not asked where a call attaches to what is paid', async () => {
    const { gateway } = await startGateway({ actions: [paid(10)] }, { maxCreditsPerDay: 10 });
    await gateway.runAction(call, callContext());
    expect(await run(gateway)).toMatchObject({ status: 'completed', attached: true });
  });

  it('for a confirmation is compared with the price alone', async () => {
    const { gateway, upstream } = await startGateway({ actions: [paid(5)] }, { confirmAboveCredits: 5 });
    expect(await run(gateway)).toMatchObject({ status: 'completed' });
    const { gateway: strict } = await startGateway({ actions: [paid(6)] }, { confirmAboveCredits: 5 });
    const question = {
      kind: 'confirmation',
      confirmation: { actionId: 'shop-list', credits: 6, spentToday: 0 },
    };
    expect(await strict.runAction(call, callContext({ confirmation: 'unasked' }))).toMatchObject({
      question,
    });
    const answered = (credits: number, answer: 'accepted' | 'declined') =>
      strict.runAction(
        call,
        callContext({ confirmation: { credits, answer, consent: `${credits} ${answer}` } }),
      );
    expect(await answered(5, 'accepted')).toMatchObject({ question });
    const declined = await answered(6, 'declined');
    expect(declined.body).toMatchObject({ error: { code: 'CONFIRMATION_DECLINED' } });
    const accepted = await answered(6, 'accepted');
    expect(accepted.body).toMatchObject({ status: 'completed' });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });
});

it('without a store no paid call is sent, and everything else works', async () => {
  const { upstream, folder } = await startGateway({ actions: [list] });
  await writeFile(`${folder}/file`, '');
  const { gateway } = openGateway(upstream, `${folder}/file/below`);
  expect(await run(gateway)).toMatchObject({
    error: { code: 'STORE_UNAVAILABLE' },
    next: { kind: 'repair-store', cause: 'not-writable' },
  });
  expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  expect((await gateway.searchActions({}, callContext())).body).toMatchObject({ total: 1 });
  expect((await gateway.listing()).tools).toHaveLength(1);
});
