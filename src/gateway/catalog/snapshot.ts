/** The visible actions at one moment, by id and by tool name. Immutable: a refresh makes a new one. */

import { runInSlices } from '../../client/slices.ts';
import type { Unreadable } from '../../contract/reading.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { measureSchema } from '../schemas/schema-limits.ts';
import type { PackedActions } from './packed-actions.ts';
import { nameActionsInSteps } from './tool-names.ts';

/** The types of some actions of one catalog, by action id, as its details named them at `readAt`. */
export interface CatalogTypes {
  readonly readAt: number;
  readonly types: Readonly<Record<string, string>>;
}

/** What is kept on disk between starts. */
export interface SnapshotData {
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
  readonly actions: PackedActions;
  readonly unreadable: readonly Unreadable[];
  /** Slugs of catalogs in which the requester owns actions. */
  readonly ownCatalogs: readonly string[];
  /** What the requester's own actions were built for, by action id. */
  readonly goals: Readonly<Record<string, string>>;
  /** By catalog, for a service whose search results name no types. */
  readonly catalogTypes: Readonly<Record<string, CatalogTypes>>;
}

export class Snapshot {
  readonly data: SnapshotData;
  /** Tool names in the order of the actions. */
  readonly names: readonly string[];
  #indexByName: ReadonlyMap<string, number> | undefined;

  private constructor(data: SnapshotData, names: readonly string[]) {
    this.data = data;
    this.names = names;
  }

  /** `names`: as an earlier snapshot of the same actions has them, beside the same reserved ones. */
  static async create(
    data: SnapshotData,
    reserved: readonly string[],
    names?: readonly string[],
  ): Promise<Snapshot> {
    return new Snapshot(data, names ?? (await runInSlices(nameActionsInSteps(data.actions, reserved))));
  }

  get size(): number {
    return this.data.actions.size;
  }

  /** Every visible action, parsed as it is reached. */
  *actions(): Generator<SearchResult> {
    for (let index = 0; index < this.size; index += 1) {
      const action = this.data.actions.read(index);
      if (action !== undefined) yield action;
    }
  }

  actionIds(): readonly string[] {
    return this.data.actions.ids;
  }

  /** Slugs of catalogs that have actions: the requester's own first, then by name. */
  websites(): readonly string[] {
    const slugs = new Set(this.data.actions.slugs);
    const ownCatalogs = new Set(this.data.ownCatalogs);
    const sorted = [...slugs].filter((slug) => slug !== '').sort();
    return [
      ...sorted.filter((slug) => ownCatalogs.has(slug)),
      ...sorted.filter((slug) => !ownCatalogs.has(slug)),
    ];
  }

  /** What an action was built for. */
  getGoal(actionId: string): string {
    return Object.hasOwn(this.data.goals, actionId) ? (this.data.goals[actionId] ?? '') : '';
  }

  /** What kind of action it is, by the search result or else by its catalog's details; undefined: nobody said yet. */
  getType({ action_id, catalog_slug, type }: SearchResult): string | undefined {
    if (type !== undefined) return type;
    const { catalogTypes } = this.data;
    const types = Object.hasOwn(catalogTypes, catalog_slug) ? catalogTypes[catalog_slug]?.types : undefined;
    return types !== undefined && Object.hasOwn(types, action_id) ? types[action_id] : undefined;
  }

  action(actionId: string): SearchResult | undefined {
    const index = this.data.actions.indexOf(actionId);
    return index === undefined ? undefined : this.data.actions.at(index);
  }

  getCredits(actionId: string): number | undefined {
    const index = this.data.actions.indexOf(actionId);
    return index === undefined ? undefined : this.data.actions.credits[index];
  }

  /** The action behind a tool's name, listed or not. */
  findActionByTool(name: string): SearchResult | undefined {
    // Made when the first name is looked up, because the list of tools at a start needs no index.
    this.#indexByName ??= new Map(this.names.map((tool, index) => [tool, index]));
    const index = this.#indexByName.get(name);
    return index === undefined ? undefined : this.data.actions.at(index);
  }

  getToolName(actionId: string): string | undefined {
    const index = this.data.actions.indexOf(actionId);
    return index === undefined ? undefined : this.names[index];
  }

  /** Actions a person should know to be unusable: unreadable, or with a schema that cannot be shown. */
  unavailable(): Unreadable[] {
    const unusable = [...this.actions()].flatMap((action) => {
      const size = measureSchema(action.params);
      return 'unusable' in size
        ? [{ id: action.action_id, reason: `${size.unusable}; run_action still runs it` }]
        : [];
    });
    return [...this.data.unreadable, ...unusable];
  }
}
