/** Names that do not exist: the answer suggests the nearest, and costs the other keys of this address none of their requests. */
import { afterEach, expect, it } from 'vitest';
import { callContext, closeGateways, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

it('catalogs that nobody has are soon answered from a list, which is read anew after ten seconds', async () => {
  let now = 0;
  const { gateway, upstream } = await startGateway(
    { actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }] },
    {},
    { clock: { now: () => Date.now(), monotonic: () => now } },
  );
  await gateway.listing();
  const lists = () => upstream.requestsTo('listCatalogs').length;
  const before = lists();
  const names = Array.from({ length: 70 }, (_, index) => `nope${index}`);
  const answers = await Promise.all([
    ...names.map((slug) => gateway.browseCatalogs({ catalog: slug }, callContext())),
    ...names.map((catalog_slug) => gateway.listIdentities({ catalog: catalog_slug }, callContext())),
    ...names.map((catalog_slug) => gateway.login({ catalog: catalog_slug }, callContext())),
  ]);
  for (const { body } of answers)
    expect(body).toMatchObject({ status: 'error', error: { code: 'NOT_FOUND' } });
  expect(upstream.requestsTo('getCatalog')).toHaveLength(10);
  expect(lists()).toBe(before + 1);
  // It may be there by now.
  now += 10_000;
  await gateway.browseCatalogs({ catalog: 'nope0' }, callContext());
  expect(lists()).toBe(before + 2);
  expect((await gateway.browseCatalogs({ catalog: 'shop' }, callContext())).body).toMatchObject({
    catalog: { slug: 'shop' },
  });
});
