/** A disk that reports an error (EIO): nothing counts as written before a new start, and the answers say so. */
import fs from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { callContext, closeGateways, openGateway, startGateway } from '../support/gateway.ts';
import { action, catalog, readMoney, sourceOf, startTestService } from '../support/service.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeGateways();
});

/** What Linux tells once, and not again, of pages that it could not write. */
function breakDisk() {
  const error = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  return vi.spyOn(fs, 'fdatasync').mockImplementation((_file, end) => end(error));
}

it('a broken disk keeps the gateway from paying until it is restarted; reading goes on where it can', async () => {
  const { gateway, upstream, folder } = await startGateway({
    actions: [{ action_id: 'shop-list', catalog_slug: 'shop' }],
  });
  const run = async (one: typeof gateway, n: number) =>
    (await one.runAction({ action_id: 'shop-list', params: { n } }, callContext())).body;
  const first = await run(gateway, 1);
  expect(first).toMatchObject({ status: 'completed' });
  const disk = breakDisk();
  const refused = {
    status: 'error',
    error: { code: 'STORE_UNAVAILABLE' },
    next: { kind: 'repair-store', cause: 'broken-disk' },
  };
  expect(await run(gateway, 2)).toMatchObject(refused);
  disk.mockRestore();
  // The pages that were lost are not reported again.
  expect(await run(gateway, 3)).toMatchObject(refused);
  expect(upstream.requestsTo('submitTask')).toHaveLength(1);
  const read = await gateway.getJob({ job_id: String(first.job_id) }, callContext());
  expect(read.body).toMatchObject({ status: 'completed' });
  await gateway.close();
  const { gateway: restarted } = openGateway(upstream, folder);
  expect(await run(restarted, 4)).toMatchObject({ status: 'completed' });
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});

it('a broken disk keeps the service from answering for a charge, and from charging before a restart', async () => {
  const shop = catalog({ slug: 'shop', actions: [action({ action_id: 'books', credits_per_call: 3 })] });
  const service = await startTestService({ catalogs: sourceOf(shop) });
  const submit = () => service.call('POST', '/task', { action_id: 'books' });
  const accepted = await submit();
  expect(accepted.status).toBe(202);
  // Its end is the last thing written before the disk breaks.
  await service.finished(accepted.body.job_id);
  const disk = breakDisk();
  // Committed, but perhaps not on the disk.
  const unknown = await submit();
  expect([unknown.status, unknown.body.error]).toMatchObject([
    503,
    { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('needs a restart') },
  ]);
  disk.mockRestore();
  const before = await readMoney({ dataDir: service.dataDir, databaseUrl: undefined });
  const refused = await submit();
  expect([refused.status, refused.body.error]).toMatchObject([
    500,
    { code: 'EXECUTION_FAILED', message: expect.stringContaining('a restart is needed') },
  ]);
  const money = await readMoney({ dataDir: service.dataDir, databaseUrl: undefined });
  expect(money).toEqual(before);
  expect(money).toMatchObject({ mismatches: 0, doubleRefunds: 0 });
  await service.close();
});
