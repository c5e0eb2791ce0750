/** A write that fails after the service has accepted a paid request: its job id is answered at once and not lost. */
import { sql } from 'kysely';
import { afterEach, expect, it, vi } from 'vitest';
import {
  callContext,
  closeGateways,
  openGateway,
  openStore,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../../support/gateway.ts';

afterEach(closeGateways);

const list = { action_id: 'shop-list', catalog_slug: 'shop' };
const running = { ...list, job: { polls: 1_000_000 } };
const buildInput = { website_url: 'https://shop.example', goal: 'List books' };

/** Every change of an intent to the state fails until `stop`. */
async function failWrites(folder: string, state: string) {
  const { query } = await openStore(folder);
  await sql`create trigger fail_write before update on gateway_intent when new.state = ${sql.lit(state)}
    begin select raise(abort, 'the disk is full'); end`.execute(query);
  return { query, stop: () => sql`drop trigger fail_write`.execute(query) };
}

it('a run whose acceptance cannot be written answers with its job id, which is written later', async () => {
  const { gateway, upstream, folder } = await startGateway({ actions: [running] });
  await gateway.getJob({}, callContext());
  const { query, stop } = await failWrites(folder, 'submitted');
  const { body } = await gateway.runAction({ action_id: 'shop-list' }, callContext({ waitMs: 3_000 }));
  expect(body).toMatchObject({ status: 'processing', job_id: expect.not.stringContaining('local-') });
  const again = await gateway.runAction({ action_id: 'shop-list' }, callContext({ waitMs: 3_000 }));
  expect(again.body).toMatchObject({ attached: true, job_id: body.job_id });
  await stop();
  await vi.waitUntil(async () => {
    const rows = await query.selectFrom('gateway_intent').select(['state', 'job_id']).execute();
    return rows[0]?.state === 'submitted' && rows[0].job_id === body.job_id;
  }, 20_000);
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
});

it('a build whose acceptance cannot be written answers with its id, and its end settles the intent', async () => {
  const upstream = await scriptedUpstream();
  const folder = await temporaryFolder();
  const { gateway } = openGateway(upstream, folder);
  await gateway.getJob({}, callContext());
  const { query, stop } = await failWrites(folder, 'submitted');
  const { body } = await gateway.requestBuild(buildInput, callContext({ waitMs: 3_000 }));
  const id = upstream.service.builds[0]?.id ?? '';
  expect(body).toMatchObject({ status: 'pending', build_request: { id } });
  const again = await gateway.requestBuild(buildInput, callContext({ waitMs: 300 }));
  expect(again.body).toMatchObject({ attached: true, build_request: { id } });
  expect(upstream.requestsTo('requestBuild')).toHaveLength(1);
  await stop();
  upstream.service.finishBuild(id);
  await gateway.listBuildRequests({ id }, callContext());
  await vi.waitUntil(
    async () => {
      const rows = await query.selectFrom('gateway_intent').select(['state', 'outcome', 'charged']).execute();
      return rows[0]?.state === 'finished' && rows[0].outcome === 'failed' && rows[0].charged === 0;
    },
    { timeout: 20_000 },
  );
});

it('a result whose end cannot be written at first is kept once the store takes it', async () => {
  const { gateway, folder } = await startGateway({ actions: [list] });
  await gateway.getJob({}, callContext());
  const { query, stop } = await failWrites(folder, 'finished');
  const { body } = await gateway.runAction({ action_id: 'shop-list' }, callContext());
  expect(body).toMatchObject({ status: 'completed' });
  await stop();
  await vi.waitUntil(
    async () => (await query.selectFrom('gateway_result').selectAll().execute()).length === 1,
    20_000,
  );
});
