import * as z from 'zod';
import { buildCredits } from '../../contract/limits.ts';
import { GatewayError } from '../../gateway/foundation/errors.ts';
import type { EditActionInput } from '../../gateway/interface/gateway.ts';
import { defineTool } from './define-tool.ts';
import { boolean } from './inputs.ts';

const input = z.strictObject({
  action_id: z.string(),
  name: z.string().describe('New title').optional(),
  description: z.string().optional(),
  repair: boolean().describe('Read the changed page again').optional(),
  preview: boolean().describe('Only show the repair; free').optional(),
  revert: boolean().describe('Back one version').optional(),
  remove: boolean().optional(),
});

export const editAction = defineTool({
  name: 'edit_action',
  title: 'Edit or repair an own action',
  description:
    'Renames, repairs, reverts or removes an own action. Use it after SITE_CHANGED. A repair costs ' +
    `${buildCredits} credits, refunded unless earlier results prove it. Not for new columns: build anew.`,
  scope: 'builds:write',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  mayBeTask: true,
  input,
  run: async (gateway, { action_id, ...wanted }, context) =>
    gateway.editAction({ action_id, change: changeOf(wanted) }, context),
});

/** The one thing that is asked for. */
function changeOf(wanted: Omit<z.infer<typeof input>, 'action_id'>): EditActionInput['change'] {
  const { name, description, repair, preview, revert, remove } = wanted;
  const isEdit = name !== undefined || description !== undefined;
  const isRepair = repair === true || preview === true;
  const asked = [isEdit, isRepair, revert === true, remove === true].filter(Boolean);
  if (asked.length !== 1)
    throw new GatewayError(
      'INVALID_PARAMS',
      'edit_action does one thing: name and description, or repair, or revert, or remove.',
      { kind: 'correct', named: 'issues' },
      { issues: [{ path: '', message: 'needs exactly one of name or description, repair, revert, remove' }] },
    );
  if (isEdit) return { kind: 'edit', name, description };
  if (isRepair) return { kind: preview === true ? 'preview' : 'repair' };
  return { kind: revert === true ? 'revert' : 'remove' };
}
