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
