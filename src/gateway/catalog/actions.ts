/** The visible actions in the order of the service, found by id and by the name of their tool. Immutable. */
import type { SearchResult } from '../../contract/resources.ts';
import { nameActions } from './tool-names.ts';

export class Actions {
  readonly all: readonly SearchResult[];
  /** Each action by its id. */
  readonly byId: ReadonlyMap<string, SearchResult>;
  /** Each action by the name of its tool, in the same order. */
  readonly byTool: ReadonlyMap<string, SearchResult>;
  #tools: ReadonlyMap<string, string> | undefined;

  /** `reserved`: names that no tool may have. */
  constructor(actions: readonly SearchResult[], reserved: readonly string[]) {
    const byId = new Map<string, SearchResult>();
    for (const action of actions) {
      // Of two actions with the same id the dearer counts, so that no limit is passed.
      const before = byId.get(action.action_id);
      if (before === undefined || action.credits > before.credits) byId.set(action.action_id, action);
    }
    this.all = [...byId.values()];
    this.byId = byId;
    this.byTool = nameActions(this.all, reserved);
  }

  getToolName(actionId: string): string | undefined {
    // Made when the first name is asked for, because the list of tools at a start needs no such index.
    this.#tools ??= new Map([...this.byTool].map(([tool, { action_id }]) => [action_id, tool]));
    return this.#tools.get(actionId);
  }
}
