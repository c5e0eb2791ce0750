import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it, vi } from 'vitest';
import { SharedActions } from '../../../src/gateway/catalog/shared-actions.ts';
import type { Actions } from '../../../src/gateway/catalog/snapshot.ts';
import { callContext, closeGateways, startGateway } from '../../support/gateway.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeGateways();
});

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

it('a replaced catalog is freed, whatever was listed, searched, paged and run before', async () => {
  const made: WeakRef<Actions>[] = [];
  const { share } = SharedActions.prototype;
  vi.spyOn(SharedActions.prototype, 'share').mockImplementation(function (this: SharedActions, ...args) {
    const actions = share.apply(this, args);
    made.push(new WeakRef(actions));
    // What a mock returns is kept by it.
    vi.mocked(SharedActions.prototype.share).mockClear();
    return actions;
  });
  const actions = Array.from({ length: 30 }, (_, n) => ({
    action_id: `shop-${n}`,
    catalog_slug: 'shop',
    description: `Reads prices of page ${n}`,
  }));
  const { gateway, upstream } = await startGateway({ actions });
  const listing = await gateway.listing();
  gateway.onListingChange(() => undefined);
  const search = async () => (await gateway.searchActions({ q: 'prices', limit: 5 }, callContext())).body;
  expect(await search()).toMatchObject({ total: 30 });
  const run = await gateway.runAction({ action_id: 'shop-1', params: {} }, callContext());
  expect(run.body.status).toBe('completed');

  upstream.service.addAction({ action_id: 'shop-new', catalog_slug: 'shop', description: 'Reads tides' });
  await gateway.searchActions({ q: 'tides' }, callContext());
  // The listing may change before that for another reason.
  await expect.poll(async () => (await gateway.listing()) !== listing && made.length).toBe(2);
  await vi.waitFor(
    () => {
      collectGarbage();
      expect(made.map((actions) => actions.deref() === undefined)).toEqual([true, false]);
    },
    { timeout: 15_000 },
  );
}, 30_000);
