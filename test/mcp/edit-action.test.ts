/** The arguments of `edit_action`. */
import { expect, it } from 'vitest';
import { editAction } from '../../src/mcp/tools/edit-action.ts';
import { toolList } from '../../src/mcp/tools/tool-list.ts';
import { FakeGateway } from '../support/fake-gateway.ts';
import { callContext } from '../support/gateway.ts';

it.each([
  [{ name: 'Boats' }, { kind: 'edit', name: 'Boats' }],
  [{ description: 'All of them' }, { kind: 'edit', description: 'All of them' }],
  [{ repair: true }, { kind: 'repair' }],
  [{ preview: true }, { kind: 'preview' }],
  [{ repair: true, preview: true }, { kind: 'preview' }],
  [{ revert: true }, { kind: 'revert' }],
  [{ remove: true, repair: false }, { kind: 'remove' }],
])('%o is %o', async (args, change) => {
  const gateway = new FakeGateway();
  await editAction.run(gateway, { action_id: 'a_b', ...args }, callContext());
  expect(gateway.calls).toMatchObject([{ method: 'editAction', input: { action_id: 'a_b', change } }]);
});

it.each([[{}], [{ revert: true, remove: true }], [{ name: 'x', repair: true }], [{ repair: false }]])(
  '%o is refused, because it is not one thing',
  async (args) => {
    await expect(
      editAction.run(new FakeGateway(), { action_id: 'a_b', ...args }, callContext()),
    ).rejects.toMatchObject({ body: { error: { code: 'INVALID_PARAMS' } } });
  },
);

it('is not listed where the service edits no actions', () => {
  const names = (lacksEditing: boolean) =>
    toolList({ tools: [], unlisted: 0, lacksEditing }).map(({ name }) => name);
  expect(names(false)).toContain('edit_action');
  expect(names(true)).not.toContain('edit_action');
});
