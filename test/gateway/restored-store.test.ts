/** A gateway whose PostgreSQL is restored from a backup while it runs: rows are gone that it had written and been told are there. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useDatabases } from '../support/databases.ts';
import {
  callContext,
  closeGateways,
  deliver,
  type OpenGateway,
  openGateway,
  startGateway,
} from '../support/gateway.ts';
import { hasPostgres } from '../support/postgres.ts';
import { backUp } from '../support/restored-database.ts';
import type { Upstream } from '../support/upstream.ts';

const createDatabase = useDatabases();
afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop', credits: 3 };
const endless = { ms: Number.POSITIVE_INFINITY };
const call = { action_id: 'shop-list', params: { q: 'a' } };
/** Reads of the store work again: its first queries may meet connections that the restore has cut. */
const listed = (gateway: OpenGateway['gateway']) => async () =>
  (await gateway.getJob({}, callContext())).body;

describe.skipIf(!hasPostgres)('after its database was restored, a gateway', () => {
  let gateway: OpenGateway['gateway'];
  let upstream: Upstream;
  let openOther: () => OpenGateway['gateway'];
  let restore: () => Promise<void>;

  beforeEach(async () => {
    const url = await createDatabase();
    const more = { store: { url } };
    const started = await startGateway({ actions: [{ ...list, job: endless }] }, {}, more);
    ({ gateway, upstream } = started);
    openOther = () => openGateway(upstream, started.folder, {}, upstream.apiKey, more).gateway;
    // Opens the store.
    await listed(gateway)();
    const restoreRows = await backUp(url);
    restore = async () => {
      await restoreRows();
      await expect.poll(listed(gateway)).toHaveProperty('jobs');
    };
  });

  const endJobs = () => {
    upstream.service.addAction(list);
    for (const job of upstream.service.jobs.values()) job.script = {};
  };
  const sent = () => upstream.requestsTo('submitTask').map(({ body }) => Object(body).params);

  it('puts back the accepted run that it follows: it counts, and the same call joins it', async () => {
    const running = await gateway.runAction(call, callContext({ waitMs: 300 }));
    expect(running.body).toMatchObject({ status: 'processing' });
    const progress = vi.fn();
    const waiting = gateway.runAction(call, callContext({ waitMs: 20_000, progress }));
    // It has joined: a connection that the restore cuts is none of its.
    await expect.poll(() => progress).toHaveBeenCalled();
    await restore();
    endJobs();
    const answer = { status: 'completed', job_id: running.body.job_id };
    expect((await waiting).body).toMatchObject(answer);
    const other = openOther();
    expect((await other.runAction(call, callContext())).body).toMatchObject({ ...answer, attached: true });
    expect(await listed(other)()).toMatchObject({ total: 1, credits_spent_today: 3 });
    expect(sent()).toHaveLength(1);
  });

  it('goes on blocking the call that it cannot tell the end of', async () => {
    upstream.fail('submitTask', { kind: 'hang', carriedOut: true }, { times: 1 });
    const first = gateway.runAction(call, callContext());
    await upstream.waitForRequests('submitTask', 1);
    await restore();
    await upstream.refuse();
    await upstream.accept();
    expect((await first).body).toMatchObject({ status: 'unknown' });
    expect((await openOther().runAction(call, callContext())).body).toMatchObject({ status: 'unknown' });
    expect(sent()).toHaveLength(1);
  });

  it('ends a batch with what it has paid, sends nothing more of it, and does not wait for what is gone', async () => {
    const batch = Array.from({ length: 12 }, (_, n) => ({ n }));
    const waiting = deliver(
      gateway.runBatch({ action_id: 'shop-list', batch }, callContext({ waitMs: 30_000 })),
    );
    await upstream.waitForRequests('submitTask', 5);
    await expect.poll(async () => JSON.stringify(await listed(gateway)())).toContain('"batch"');
    await restore();
    endJobs();
    const { body } = await waiting;
    const rows = batch.map((params, n) => ({
      params,
      status: n < 5 ? 'completed' : expect.stringMatching(/not_sent|error/),
    }));
    expect(body).toMatchObject({
      rows_total: 12,
      rows_completed: 5,
      stopped: { code: 'STORE_UNAVAILABLE' },
      rows,
    });
    expect(sent()).toHaveLength(5);
    expect(await listed(openOther())()).toMatchObject({ credits_spent_today: 15 });
  });
});
