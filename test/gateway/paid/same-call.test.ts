import { afterEach, describe, expect, it, vi } from 'vitest';
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
const run = { action_id: 'shop-list', params: { q: 'a' } };

describe('a cancelled call', () => {
  it('before the submission sends nothing', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    await gateway.listing();
    const context = callContext({ signal: AbortSignal.abort() });
    expect((await gateway.runAction(run, context)).body).toMatchObject({ error: { code: 'CANCELLED' } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  });

  it('after the submission leaves the job running, and the same call gets its result', async () => {
    const { gateway, upstream } = await startGateway({
      actions: [{ ...list, job: { ms: Number.POSITIVE_INFINITY } }],
    });
    const cancel = new AbortController();
    const call = gateway.runAction(run, callContext({ signal: cancel.signal }));
    await upstream.waitForRequests('getJob', 1);
    cancel.abort();
    expect((await call).body).toMatchObject({ error: { code: 'CANCELLED' } });
    const [job] = upstream.service.jobs.values();
    if (job === undefined) return expect.fail('No job');
    job.script = { data: 'paid' };
    const again = await deliver(gateway.runAction(run, callContext()));
    expect(again.body).toMatchObject({
      data: 'paid',
      attached: true,
      submitted_at: expect.stringMatching(/Z$/),
    });
    const third = await gateway.runAction(run, callContext({ waitMs: 100 }));
    expect(third.body).not.toHaveProperty('attached');
    await upstream.waitForRequests('submitTask', 2);
  });

  it('whose answer was ready but not delivered is answered from it', async () => {
    const { gateway, upstream } = await startGateway({ actions: [{ ...list, job: { data: 'paid' } }] });
    await gateway.runAction(run, callContext());
    const again = await deliver(gateway.runAction(run, callContext()));
    expect(again.body).toMatchObject({ data: 'paid', attached: true });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });
});

describe('the same call', () => {
  it('fifty times at once is one submission, and all but one are attached', async () => {
    const { gateway, upstream } = await startGateway({
      actions: [{ ...list, job: { polls: 2, data: 'one' } }],
    });
    const params = { a: 1, b: { c: [1, 2], d: null } };
    const sameParams = { b: { d: null, c: [1, 2] }, a: 1 };
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        deliver(
          gateway.runAction(
            { action_id: 'shop-list', params: index % 2 ? params : sameParams },
            callContext(),
          ),
        ),
      ),
    );
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
    for (const { body } of answers) expect(body).toMatchObject({ status: 'completed', data: 'one' });
    expect(answers.filter(({ body }) => body.attached === true)).toHaveLength(49);
    expect(upstream.service.balance).toBe(997);
  });

  it('with other params, or in another order of a list, is another run', async () => {
    const { gateway, upstream } = await startGateway({ actions: [list] });
    const calls = [{ l: [1, 2] }, { l: [2, 1] }, { l: [1, 2], m: null }].map((params) =>
      gateway.runAction({ action_id: 'shop-list', params }, callContext()),
    );
    await Promise.all(calls);
    expect(upstream.requestsTo('submitTask')).toHaveLength(3);
  });

  it('after an hour without delivery is a new run', async () => {
    const { gateway, upstream, folder } = await startGateway({ actions: [list] });
    await gateway.runAction(run, callContext());
    const { query } = await openStore(folder);
    const state = () =>
      query.selectFrom('gateway_intent').select(['state', 'finished_at']).executeTakeFirstOrThrow();
    await vi.waitFor(async () => expect((await state()).state).toBe('finished'), 20_000);
    await query
      .updateTable('gateway_intent')
      .set({ finished_at: Date.now() - 3_599_000 })
      .execute();
    expect((await gateway.runAction(run, callContext())).body).toHaveProperty('attached', true);
    await query
      .updateTable('gateway_intent')
      .set({ finished_at: Date.now() - 3_601_000 })
      .execute();
    expect((await gateway.runAction(run, callContext())).body).not.toHaveProperty('attached');
    expect(upstream.requestsTo('submitTask')).toHaveLength(2);
  });

  it('of another key on the same folder is another run', async () => {
    const { gateway, upstream, folder } = await startGateway({ actions: [list] });
    await gateway.runAction(run, callContext());
    const stranger = openGateway(upstream, folder, {}, 'another-key');
    const { body } = await stranger.gateway.getJob({}, callContext());
    expect(body).toMatchObject({ jobs: [], credits_spent_today: 0 });
  });
});
