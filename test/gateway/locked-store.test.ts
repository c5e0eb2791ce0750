/** Another process holds the write lock of the gateway's file, as `svc-mcp doctor --compact` does for a long time. */
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { GatewayDatabase } from '../../src/gateway/store/gateway-database.ts';
import { statement } from '../../src/store/statement.ts';
import { callContext, closeGateways, deliver, startGateway, temporaryFolder } from '../support/gateway.ts';
import { holdWriteLock } from '../support/write-lock.ts';

afterEach(closeGateways);

it('the gateway is ready meanwhile, also with something to write', async () => {
  const file = join(await temporaryFolder(), 'gateway.db');
  const store = new GatewayDatabase({ file });
  const database = await store.open();
  const release = holdWriteLock(file);
  const written = database.batch([statement('update gateway_intent set open = 0 where id = $1', 'x')]);
  await store.checkAnswers();
  release();
  await written;
  await store.close();
});

it('get_job lists the recent jobs meanwhile', async () => {
  const { gateway, folder } = await startGateway({ actions: [{ action_id: 'shop-list' }] });
  const { body } = await deliver(gateway.runAction({ action_id: 'shop-list' }, callContext()));
  await gateway.getJob({}, callContext());
  const release = holdWriteLock(join(folder, 'gateway.db'));
  const listed = await gateway.getJob({}, callContext());
  expect(listed.body).toMatchObject({ jobs: [{ job_id: body.job_id }] });
  release();
});
