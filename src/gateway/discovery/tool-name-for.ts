/** The tool of an action that an answer names, also of one that the snapshot does not have yet. */
import type { Snapshot } from '../catalog/snapshot.ts';
import { type Named, nameActions } from '../catalog/tool-names.ts';

export function toolNameFor(action: Named, snapshot: Snapshot): string {
  const known = snapshot.toolNameOf(action.action_id);
  if (known !== undefined) return known;
  const [name] = nameActions([action], []).keys();
  return name ?? action.action_id;
}
