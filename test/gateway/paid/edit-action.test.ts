/** What is done with an own action, at a service that has only the upstream's word for it. */
import { afterEach, expect, it } from 'vitest';
import { callContext, closeGateways, startGateway } from '../../support/gateway.ts';

afterEach(closeGateways);

async function start() {
  const { upstream, gateway } = await startGateway({
    actions: [{ action_id: '127-0-0-1_list', catalog_slug: '127-0-0-1', mine: true }],
    extensions: 'action-edit',
  });
  const known = { status: 'ok', action_id: '127-0-0-1_list', name: 'List', description: null, version: '1' };
  upstream.service.edits = (endpoint) =>
    endpoint === 'repairAction'
      ? upstream.service.error(404, 'NOT_FOUND', 'No such built action')
      : { status: 200, body: known };
  return { upstream, gateway };
}

it.each([
  ['its id', '127-0-0-1_list', '127-0-0-1_list'],
  ['the name of its tool', '_127-0-0-1_list', '127-0-0-1_list'],
  ['the tool that it had before it was removed', '_127-0-0-1_gone', '127-0-0-1_gone'],
  ['an id of a service that begins its ids so', '_gone', '_gone'],
])('an own action is named by %s', async (_what, given, id) => {
  const { upstream, gateway } = await start();
  const change = { kind: 'edit', name: 'List' } as const;
  const { body } = await gateway.editAction({ action_id: given, change }, callContext());
  expect(body).toMatchObject({ status: 'edited' });
  expect(upstream.requestsTo('editAction').map(({ url }) => url.split('/').at(-1))).toEqual([id]);
});

it('a repair of an action that nobody built names the list of those that the caller built', async () => {
  const { gateway } = await start();
  const change = { kind: 'repair' } as const;
  const { body } = await gateway.editAction({ action_id: 'nosuch', change }, callContext());
  expect(body).toMatchObject({
    error: { code: 'NOT_FOUND' },
    next: { kind: 'own-action', state: 'unknown', action_id: 'nosuch' },
  });
});

it('an action that has only one version says so, and not that it is unknown', async () => {
  const { gateway, upstream } = await start();
  upstream.service.edits = () => upstream.service.error(409, 'NO_EARLIER_VERSION', 'None');
  const change = { kind: 'revert' } as const;
  const { body } = await gateway.editAction({ action_id: '127-0-0-1_list', change }, callContext());
  expect(body).toMatchObject({
    error: { code: 'NO_EARLIER_VERSION', message: expect.stringContaining('no earlier version') },
    next: { kind: 'own-action', state: 'only-version', action_id: '127-0-0-1_list' },
  });
});

it('removing an action names the watches that run it, and no others', async () => {
  const { gateway, upstream } = await start();
  upstream.service.addAction({ action_id: 'shop-list', catalog_slug: 'shop' });
  const watch = async (action_id: string, params = {}) => {
    const { body } = await gateway.watch({ action_id, params, every: '1h' }, callContext());
    return body.watch_id;
  };
  const ids = [await watch('127-0-0-1_list'), await watch('127-0-0-1_list', { q: 'x' })];
  await watch('shop-list');
  const change = { kind: 'remove' } as const;
  const { body } = await gateway.editAction({ action_id: '127-0-0-1_list', change }, callContext());
  expect(body).toMatchObject({
    status: 'removed',
    watches: ids.map((watch_id) => ({ watch_id, state: 'active' })),
    next: { kind: 'own-action', state: 'removed', watches: 2 },
  });
});

it('a run after a revert is a new one, though nobody confirmed that the one before was read', async () => {
  const { gateway, upstream } = await start();
  const run = async () =>
    (await gateway.runAction({ action_id: '127-0-0-1_list', params: {} }, callContext())).body;
  const first = await run();
  expect(await run()).toMatchObject({ job_id: first.job_id, attached: true });
  await gateway.editAction({ action_id: '127-0-0-1_list', change: { kind: 'revert' } }, callContext());
  const after = await run();
  expect(after).not.toHaveProperty('attached');
  expect(after.job_id).not.toBe(first.job_id);
  expect(upstream.requestsTo('submitTask')).toHaveLength(2);
});
