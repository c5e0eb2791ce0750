/** After the service has accepted a call, no failure of the store makes an error of its result. */
import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';
import type { JobScript } from '../../support/upstream-script.ts';
import { watchStore } from '../../support/watched-store.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };
const batch = [{ n: 0 }, { n: 1 }, { n: 2 }];
const echo = (params: unknown): JobScript => ({ data: { of: Object(params).n } });
const rows = batch.map(({ n }) => ({ params: { n }, status: 'completed', data: { of: n } }));

describe('a store that takes no more changes of paid calls once they were sent', () => {
  async function start() {
    const { gateway, upstream, folder } = await startGateway({ actions: [{ ...list, job: echo }] });
    await gateway.getJob({}, callContext());
    const { query } = await openStore(folder);
    // To claim a call is a change too; it comes before the call is sent.
    await sql`create trigger fail_write before update on gateway_intent
      when new.state <> 'intended' begin select raise(abort, 'the disk is full'); end`.execute(query);
    const repair = () => sql`drop trigger fail_write`.execute(query);
    const states = () => query.selectFrom('gateway_intent').select('state').execute();
    return { gateway, upstream, repair, states };
  }

  it('leaves a run its result', async () => {
    const { gateway, upstream } = await start();
    const call = { action_id: 'shop-list', params: { n: 7 } };
    const { body } = await gateway.runAction(call, callContext());
    expect(body).toMatchObject({ status: 'completed', credits_used: 3, data: { of: 7 } });
    const again = await gateway.runAction(call, callContext());
    expect(again.body).toMatchObject({ status: 'completed', job_id: body.job_id, data: { of: 7 } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });

  it('leaves the rows of a batch their results', async () => {
    const { gateway, upstream } = await start();
    const { body } = await gateway.runBatch({ action_id: 'shop-list', batch }, callContext());
    expect(body).toMatchObject({ status: 'completed', rows_completed: 3, credits_used: 9, rows });
    expect(upstream.requestsTo('submitTask')).toHaveLength(3);
  });

  it('has the rows of a batch as soon as it takes changes again', async () => {
    const { gateway, upstream, repair, states } = await start();
    await gateway.runBatch({ action_id: 'shop-list', batch }, callContext());
    await repair();
    await vi.waitFor(
      async () =>
        expect((await states()).map(({ state }) => state)).toEqual(['finished', 'finished', 'finished']),
      20_000,
    );
    const again = await gateway.runBatch({ action_id: 'shop-list', batch }, callContext());
    expect(again.body).toMatchObject({ rows_completed: 3, rows });
    expect(upstream.requestsTo('submitTask')).toHaveLength(3);
  });
});

describe('a store that neither reads nor writes once the calls were sent', () => {
  async function start(sent: number) {
    const folder = await temporaryFolder();
    const store = watchStore(folder);
    let left = sent;
    const job = (params: unknown) => {
      left -= 1;
      if (left === 0) store.breaksAfter = store.uses;
      return echo(params);
    };
    const upstream = await scriptedUpstream({ actions: [{ ...list, job }] });
    const { gateway } = openGateway(upstream, folder, {}, upstream.apiKey, { store });
    const repair = () => {
      store.breaksAfter = Number.POSITIVE_INFINITY;
    };
    return { gateway, upstream, repair };
  }

  it('leaves a run its result', async () => {
    const { gateway } = await start(1);
    const { body } = await gateway.runAction({ action_id: 'shop-list', params: { n: 7 } }, callContext());
    expect(body).toMatchObject({ status: 'completed', credits_used: 3, data: { of: 7 } });
  });

  it('leaves the rows of a batch their results', async () => {
    const { gateway, upstream } = await start(3);
    const { body } = await gateway.runBatch({ action_id: 'shop-list', batch }, callContext());
    expect(body).toMatchObject({ status: 'completed', rows_completed: 3, rows });
    expect(upstream.requestsTo('submitTask')).toHaveLength(3);
  });

  it('does not let the same call be paid again after its repair', async () => {
    const { gateway, upstream, repair } = await start(1);
    const call = { action_id: 'shop-list', params: { n: 7 } };
    await gateway.runAction(call, callContext());
    repair();
    const again = await deliver(gateway.runAction(call, callContext()));
    expect(again.body).toMatchObject({ data: { of: 7 } });
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  });
});
