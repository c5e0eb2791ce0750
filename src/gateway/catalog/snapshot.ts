/** The visible actions at one moment, by id and by tool name. Immutable: a refresh makes a new one. */
import { createHash } from 'node:crypto';
import type { Unreadable } from '../../contract/reading.ts';
import type { SearchResult } from '../../contract/resources.ts';
import { measureSchema } from '../schemas/argument-bounds.ts';

/** The types of some actions of one catalog, by action id, as its details named them at `readAt`. */
export interface CatalogTypes {
  readonly readAt: number;
  readonly types: Readonly<Record<string, string>>;
}

/** What is kept on disk between starts. */
export interface SnapshotData {
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
  readonly actions: Actions;
  readonly unreadable: readonly Unreadable[];
  /** Slugs of catalogs in which the requester owns actions. */
  readonly ownCatalogs: readonly string[];
  /** What the requester's own actions were built for, by action id. */
  readonly goals: Readonly<Record<string, string>>;
  /** By catalog, for a service whose search results name no types. */
  readonly catalogTypes: Readonly<Record<string, CatalogTypes>>;
  /** The service has answered, and cannot edit actions. */
  readonly lacksEditing: boolean;
}

export class Snapshot {
  readonly data: SnapshotData;
  #websites: readonly string[] | undefined;

  constructor(data: SnapshotData) {
    this.data = data;
  }

  get size(): number {
    return this.actions.length;
  }

  get actions(): readonly SearchResult[] {
    return this.data.actions.all;
  }

  /** Each action by the name of its tool, listed or not. */
  get tools(): ReadonlyMap<string, SearchResult> {
    return this.data.actions.byTool;
  }

  /** Slugs of catalogs that have actions: the requester's own first, then by name. */
  websites(): readonly string[] {
    this.#websites ??= this.#listWebsites();
    return this.#websites;
  }

  #listWebsites(): readonly string[] {
    const slugs = new Set(this.actions.map(({ catalog_slug }) => catalog_slug));
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

  /** How the requester gets another version of an action that it built; undefined where it built none of that id. */
  waysToMend(actionId: string): 'edit_action' | 'request_build' | undefined {
    if (!Object.hasOwn(this.data.goals, actionId)) return undefined;
    return this.data.lacksEditing ? 'request_build' : 'edit_action';
  }

  /** What kind of action it is, by the search result or else by its catalog's details; undefined: nobody said yet. */
  getType({ action_id, catalog_slug, type }: SearchResult): string | undefined {
    if (type !== undefined) return type;
    const { catalogTypes } = this.data;
    const types = Object.hasOwn(catalogTypes, catalog_slug) ? catalogTypes[catalog_slug]?.types : undefined;
    return types !== undefined && Object.hasOwn(types, action_id) ? types[action_id] : undefined;
  }

  action(actionId: string): SearchResult | undefined {
    return this.data.actions.byId.get(actionId);
  }

  getCredits(actionId: string): number | undefined {
    return this.action(actionId)?.credits;
  }

  getToolName(actionId: string): string | undefined {
    return this.data.actions.getToolName(actionId);
  }

  /** The tool of an action that an answer names, also of one that the snapshot does not have yet. */
  toToolName(action: ActionName): string {
    const [name = action.action_id] = nameActions([action], []).keys();
    return this.getToolName(action.action_id) ?? name;
  }

  /** Actions that do not work as listed, for `svc-mcp doctor`: unreadable, or with a schema that cannot be shown. */
  unavailable(): Unreadable[] {
    const unusable = this.actions.flatMap((action) => {
      const size = measureSchema(action.params);
      return 'unusable' in size
        ? [{ id: action.action_id, reason: `${size.unusable}; run_action still runs it` }]
        : [];
    });
    return [...this.data.unreadable, ...unusable];
  }
}

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

const maxLength = 40;
const digitCount = 6;

/** Some clients keep tools as members of a plain object, which has these already. */
const inherited = Object.getOwnPropertyNames(Object.prototype);

export interface ActionName {
  readonly action_id: string;
  readonly catalog_slug: string;
}

/**
 * Each action by its name, in their order. The action's id, cleaned, with the catalog's slug before it unless it
 * starts with it; too long a name is cut and ends in six hex digits of the id's SHA-256, and so does every name that
 * collides with another or with a reserved one.
 */
export function nameActions<Item extends ActionName>(
  actions: readonly Item[],
  reserved: readonly string[],
): Map<string, Item> {
  const plain = actions.map(toPlainName);
  const counts = countEach([...reserved, ...inherited, ...plain]);
  const isRepeated = (name: string) => (counts.get(name) ?? 0) > 1;
  const shortened = (name: string, { action_id }: Item) => withDigits(name, action_id, digitCount);
  const shortCounts = countEach(
    actions.flatMap((action, index) => {
      const name = plain[index] ?? '';
      return isRepeated(name) ? [shortened(name, action)] : [];
    }),
  );
  const named = new Map<string, Item>();
  for (const [index, action] of actions.entries()) {
    const name = plain[index] ?? '';
    if (!isRepeated(name)) {
      named.set(name, action);
      continue;
    }
    const short = shortened(name, action);
    // More digits only where even six collide, and for each of them: a name must not depend on the order.
    const isFree = !counts.has(short) && shortCounts.get(short) === 1;
    named.set(isFree ? short : withDigits(short, action.action_id, 4 * digitCount), action);
  }
  return named;
}

function countEach(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function toPlainName({ action_id, catalog_slug }: ActionName): string {
  const id = cleaned(action_id);
  const slug = cleaned(catalog_slug);
  const full = id.startsWith(slug) ? id : `${slug}_${id}`;
  // Gemini refuses the whole list for a single name that begins with anything else.
  const name = /^[A-Za-z_]/.test(full) ? full : `_${full}`;
  return name.length > maxLength ? withDigits(name, action_id, digitCount) : name;
}

const cleaned = (text: string) => text.replace(/[^A-Za-z0-9_-]/gu, '_');

function withDigits(name: string, actionId: string, count: number): string {
  const digits = createHash('sha256').update(actionId).digest('hex').slice(0, count);
  const suffix = `_${digits}`;
  const stem = name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  return `${stem.slice(0, maxLength - suffix.length)}${suffix}`;
}
