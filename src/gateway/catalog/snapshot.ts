/** The visible actions at one moment, indexed by id and by tool name. Immutable: a refresh makes a new one. */
import type { Unreadable } from '../../contract/reading.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { measureSchema } from '../tools/schema-limits.ts';
import { nameActions } from '../tools/tool-names.ts';

/** What is kept on disk between starts. */
export interface SnapshotData {
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
  readonly results: readonly SearchResult[];
  readonly unreadable: readonly Unreadable[];
  /** Slugs of catalogs in which the requester owns actions. */
  readonly ownCatalogs: readonly string[];
  /** What the requester's own actions were built for, by action id. */
  readonly goals: Readonly<Record<string, string>>;
}

export class Snapshot {
  readonly data: SnapshotData;
  readonly #reserved: readonly string[];
  readonly #byId = new Map<string, SearchResult>();
  #toolNames: Map<string, SearchResult> | undefined;
  #namesById: Map<string, string> | undefined;

  constructor(data: SnapshotData, reserved: readonly string[]) {
    this.data = data;
    this.#reserved = reserved;
    for (const result of data.results)
      if (!this.#byId.has(result.action_id)) this.#byId.set(result.action_id, result);
  }

  get size(): number {
    return this.#byId.size;
  }

  actions(): Iterable<SearchResult> {
    return this.#byId.values();
  }

  /** Slugs of catalogs that have actions: the requester's own first, then by name. */
  websites(): readonly string[] {
    const slugs = new Set<string>();
    for (const { catalog_slug } of this.#byId.values()) slugs.add(catalog_slug);
    const own = new Set(this.data.ownCatalogs);
    const sorted = [...slugs].filter((slug) => slug !== '').sort();
    return [...sorted.filter((slug) => own.has(slug)), ...sorted.filter((slug) => !own.has(slug))];
  }

  actionIds(): Iterable<string> {
    return this.#byId.keys();
  }

  /** What an action was built for. */
  goalOf(actionId: string): string {
    return Object.hasOwn(this.data.goals, actionId) ? (this.data.goals[actionId] ?? '') : '';
  }

  action(actionId: string): SearchResult | undefined {
    return this.#byId.get(actionId);
  }

  /** Every visible action by the name of its tool, listed or not. */
  toolNames(): ReadonlyMap<string, SearchResult> {
    this.#toolNames ??= nameActions([...this.#byId.values()], this.#reserved);
    return this.#toolNames;
  }

  toolNameOf(actionId: string): string | undefined {
    if (this.#namesById === undefined) {
      this.#namesById = new Map();
      for (const [name, action] of this.toolNames()) this.#namesById.set(action.action_id, name);
    }
    return this.#namesById.get(actionId);
  }

  /** Actions a person should know to be unusable: unreadable, or with a schema that cannot be shown. */
  unavailable(): Unreadable[] {
    const unusable = [...this.#byId.values()].flatMap((action) => {
      const size = measureSchema(action.params);
      return 'unusable' in size
        ? [{ id: action.action_id, reason: `${size.unusable}; run_action still runs it` }]
        : [];
    });
    return [...this.data.unreadable, ...unusable];
  }
}
