/** The store cannot be used: another process holds its write lock, another version wrote it, or the program was updated. */
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, expect, it } from 'vitest';
import { GatewayDatabase, toStoreUnavailable } from '../../src/gateway/store/gateway-database.ts';
import { statement } from '../../src/store/statement.ts';
import {
  callContext,
  closeGateways,
  deliver,
  openGateway,
  scriptedUpstream,
  startGateway,
  temporaryFolder,
} from '../support/gateway.ts';
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

it('a part of the program that an update took away is told as such, with the step that helps', () => {
  const gone = Object.assign(new Error("Cannot find module '/opt/dist/x.js'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  expect(toStoreUnavailable(gone).body).toMatchObject({
    error: {
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('(the files of svc-mcp were replaced while it ran)'),
    },
    next: { kind: 'repair-store', cause: 'updated' },
  });
});

it('of another version, the call is refused with that step, and nothing is sent', async () => {
  const folder = await temporaryFolder();
  const connection = new Libsql(join(folder, 'gateway.db'));
  connection.exec('create table gateway_intent (id text)');
  connection.close();
  const upstream = await scriptedUpstream({ actions: [{ action_id: 'shop-list' }] });
  const { gateway } = openGateway(upstream, folder);
  const { body } = await gateway.runAction({ action_id: 'shop-list' }, callContext());
  expect(body).toMatchObject({
    error: { code: 'STORE_UNAVAILABLE', message: expect.stringContaining(folder) },
    next: { kind: 'repair-store', cause: 'other-schema' },
  });
  expect(upstream.requestsTo('submitTask')).toEqual([]);
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
