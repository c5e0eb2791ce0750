/**
 * A row that was written and not sent, whose refusal the store takes only once another call has asked by its key: that one
 * is charged.
 */
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, expect, it, vi } from 'vitest';
import { OrderRows } from '../../../src/gateway/paid/order-rows.ts';
import { PaidRows } from '../../../src/gateway/paid/paid-rows.ts';
import { StoreError } from '../../../src/store/errors.ts';
import { callContext, closeGateways, deliver, openStore, startGateway } from '../../support/gateway.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeGateways();
});

const call = { action_id: 'quick', params: { page: 1 } };
const insert = OrderRows.prototype.insert;

it.each([
  [
    'its insert was not confirmed',
    'STORE_UNAVAILABLE',
    async function (this: OrderRows, ...given: Parameters<OrderRows['insert']>): ReturnType<typeof insert> {
      await insert.apply(this, given);
      throw new StoreError('unreachable', 'Query read timeout');
    },
  ],
  [
    'its caller had left',
    'CANCELLED',
    async function (this: OrderRows, ...given: Parameters<OrderRows['insert']>): ReturnType<typeof insert> {
      const inserted = await insert.apply(this, given);
      caller.abort();
      return inserted;
    },
  ],
] as const)(
  'a refusal that lands late, because %s, leaves the request of another',
  async (_, code, first) => {
    caller = new AbortController();
    const { gateway, upstream, folder } = await startGateway({
      actions: [{ action_id: 'quick', credits: 3, job: { polls: 2 } }],
      extensions: 'idempotency',
    });
    await gateway.listing();
    vi.spyOn(OrderRows.prototype, 'insert').mockImplementationOnce(first);
    const { refuse, accept } = PaidRows.prototype;
    // The store takes nothing of the first call until the second one was sent, and only then what that one writes.
    const tried = vi.fn();
    const landed = vi.fn();
    vi.spyOn(PaidRows.prototype, 'refuse').mockImplementation(async function (this: PaidRows, ...given) {
      tried();
      if (upstream.requestsTo('submitTask').length === 0) throw new StoreError('unreachable', 'Silent');
      const refused = await refuse.apply(this, given);
      landed();
      return refused;
    });
    vi.spyOn(PaidRows.prototype, 'accept').mockImplementation(async function (this: PaidRows, ...given) {
      await vi.waitUntil(() => landed.mock.calls.length > 0, { timeout: 10_000 });
      return accept.apply(this, given);
    });
    const refused = await gateway.runAction(call, callContext({ signal: caller.signal }));
    expect(refused.body).toMatchObject({ error: { code } });
    await expect.poll(() => tried).toHaveBeenCalled();
    const store = new Libsql(join(folder, 'gateway.db'));
    store.exec('update gateway_intent set deadline = 0');
    store.close();

    const { body } = await deliver(gateway.runAction(call, callContext()));
    expect(body).toMatchObject({ status: 'completed', credits_used: 3 });
    const { query } = await openStore(folder);
    const read = () => query.selectFrom('gateway_intent').select(['state', 'charged', 'job_id']).execute();
    await expect.poll(read).toEqual([{ state: 'delivered', charged: 3, job_id: body.job_id }]);
    expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  },
);

let caller: AbortController;
