/** The tool of an action that an answer names, also of one that the snapshot does not have yet. */
import type { Snapshot } from '../catalog/snapshot.ts';
import { type Named, nameActions } from '../catalog/tool-names.ts';

export function toolNameFor(action: Named, snapshot: Snapshot): string {
  const toolName = snapshot.getToolName(action.action_id);
  if (toolName !== undefined) return toolName;
  const [name] = nameActions([action], []).keys();
  return name ?? action.action_id;
}
