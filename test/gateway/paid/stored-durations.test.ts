/** Durations of earlier runs decide when a job is polled: one that cannot be right must not delay later answers. */
import { afterEach, expect, it } from 'vitest';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  openStore,
  startGateway,
} from '../../support/gateway.ts';

afterEach(closeGateways);

it.each([25, 20])('one stored duration of %i hours does not delay later runs', async (hours) => {
  const { gateway, upstream, folder } = await startGateway({
    actions: [{ action_id: 'list', job: { ms: 300 } }],
  });
  const run = (q: number, by = gateway) =>
    deliver(by.runAction({ action_id: 'list', params: { q } }, callContext()));
  for (const q of [1, 2, 3]) await run(q);
  const { query } = await openStore(folder);
  const read = () => query.selectFrom('gateway_intent').select(['id', 'duration_ms']).execute();
  // The end of the last run is written a moment after its answer.
  await expect
    .poll(async () => (await read()).map(({ duration_ms }) => duration_ms === null))
    .toEqual([false, false, false]);
  const rows = await read();
  await query
    .updateTable('gateway_intent')
    .set({ duration_ms: hours * 3_600_000 })
    .where('id', '=', rows[0]?.id ?? '')
    .execute();
  await gateway.close();
  // It waits 10 s; with the value in the schedule a poll would come after a minute.
  const { gateway: restarted } = openGateway(upstream, folder);
  expect((await run(4, restarted)).body).toMatchObject({ status: 'completed' });
});

it('those of the own calls count at once', async () => {
  const { gateway, upstream } = await startGateway({
    actions: [{ action_id: 'list', job: { ms: 1_500 } }],
  });
  const run = (q: number) => deliver(gateway.runAction({ action_id: 'list', params: { q } }, callContext()));
  const polls = () => upstream.requestsTo('getJob').length;
  await run(1);
  const first = polls();
  await run(2);
  const before = polls();
  // Two runs of 1.5 s are known by now: the third is not asked for in its first moments.
  await run(3);
  expect(polls() - before).toBeLessThan(first);
});
