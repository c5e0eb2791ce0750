/** `get_job` without an id costs a number of queries that does not grow with the rows of batches. */
import { afterEach, expect, it } from 'vitest';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  scriptedUpstream,
  temporaryFolder,
} from '../../support/gateway.ts';
import { watchStore } from '../../support/watched-store.ts';

afterEach(closeGateways);

it('a list of three batches of forty rows costs no query for each row', async () => {
  const upstream = await scriptedUpstream({ actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }] });
  const folder = await temporaryFolder();
  const store = watchStore(folder);
  const { gateway } = openGateway(upstream, folder, {}, upstream.apiKey, { store });
  for (const of of [0, 1, 2]) {
    const batch = Array.from({ length: 40 }, (_, n) => ({ of, n }));
    await deliver(gateway.runBatch({ action_id: 'shop-list', batch }, callContext({ waitMs: 30_000 })));
  }
  // Ends and deliveries are written behind the answers.
  const { query } = await openStore(folder);
  const open = () => query.selectFrom('gateway_intent').select('id').where('open', '=', 1).execute();
  await expect.poll(() => open()).toEqual([]);

  const before = store.uses;
  const { body } = await gateway.getJob({}, callContext());
  expect(store.uses - before).toBeLessThanOrEqual(20);
  const entry = { kind: 'batch', rows_total: 40, rows_completed: 40 };
  expect(body).toMatchObject({ total: 3, jobs: [entry, entry, entry] });
});

it('a list names the account of a run only where its action has accounts', async () => {
  const upstream = await scriptedUpstream({
    actions: [
      { action_id: 'shop-list', catalog_slug: 'shop' },
      { action_id: 'shop-own', catalog_slug: 'shop', auth_mode: 'optional' },
    ],
  });
  const { gateway } = openGateway(upstream, await temporaryFolder());
  for (const action_id of ['shop-list', 'shop-own'])
    await deliver(gateway.runAction({ action_id }, callContext()));
  const { body } = await gateway.getJob({}, callContext());
  const jobs: object[] = Array.isArray(body.jobs) ? body.jobs : [];
  expect(jobs).toMatchObject([{ action_id: 'shop-own', account: null }, { action_id: 'shop-list' }]);
  expect(jobs[1]).not.toHaveProperty('account');
});
