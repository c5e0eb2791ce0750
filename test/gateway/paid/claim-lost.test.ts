/** A claim whose commit the process does not hear of: the row is written as claimed, and nothing was sent. */
import { afterEach, expect, it, vi } from 'vitest';
import { OrderRows } from '../../../src/gateway/paid/order-rows.ts';
import { StoreError } from '../../../src/store/errors.ts';
import { callContext, closeGateways, openStore, startGateway } from '../../support/gateway.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeGateways();
});

// It stays `intended` of a living process, costs its reserve, and blocks the call for a day once its time is over.
it('a row whose claim was lost is refused, so that it is not in doubt later', async () => {
  const { gateway, upstream, folder } = await startGateway({ actions: [{ action_id: 'quick', credits: 3 }] });
  const claim = OrderRows.prototype.claim;
  vi.spyOn(OrderRows.prototype, 'claim').mockImplementationOnce(async function (this: OrderRows, ...claimed) {
    await claim.apply(this, claimed);
    throw new StoreError('unreachable', 'The connection broke');
  });
  await gateway.runBatch({ action_id: 'quick', batch: [{ page: 1 }] }, callContext({ waitMs: 300 }));
  expect(upstream.requestsTo('submitTask')).toHaveLength(0);
  const { query } = await openStore(folder);
  const read = () => query.selectFrom('gateway_intent').select(['state', 'charged']).execute();
  await expect.poll(read, { timeout: 2_000 }).toEqual([{ state: 'refused', charged: 0 }]);
});
