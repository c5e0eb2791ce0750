/** What is published, and who sees it (specification: What the service does, 6; Authentication, 2). */
import type { ActionDefinition, CatalogHead } from '../foundation/ports.ts';

export interface ListedCatalog {
  readonly id: string;
  readonly definition: CatalogHead;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly actions: readonly ListedAction[];
}

export interface ListedAction {
  readonly id: string;
  readonly catalogId: string;
  readonly definition: ActionDefinition;
  readonly status: string;
  /** As in the table `actions`. */
  readonly source: string;
  /** Why it cannot be run. It stays listed, so that its owner can build it again. */
  readonly problem?: string | undefined;
  /** The only user who sees it; null: everybody. */
  readonly ownerUserId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A catalog and those of its actions that one user sees; at least one. */
export interface VisibleCatalog {
  readonly catalog: ListedCatalog;
  readonly actions: readonly ListedAction[];
}

/** Everything published at one moment. */
export class Listing {
  readonly #catalogs: readonly ListedCatalog[];
  readonly #bySlug: ReadonlyMap<string, ListedCatalog>;
  readonly #byActionId: ReadonlyMap<string, { catalog: ListedCatalog; action: ListedAction }>;

  constructor(catalogs: readonly ListedCatalog[]) {
    this.#catalogs = catalogs;
    this.#bySlug = new Map(catalogs.map((catalog) => [catalog.definition.slug, catalog]));
    this.#byActionId = new Map(
      catalogs.flatMap((catalog) =>
        catalog.actions.map((action) => [action.definition.action_id, { catalog, action }] as const),
      ),
    );
  }

  visibleTo(userId: string): VisibleCatalog[] {
    return this.#catalogs.flatMap((catalog) => visiblePart(catalog, userId) ?? []);
  }

  /** Undefined both where there is no such catalog and where the user sees nothing of it. */
  catalog(slug: string, userId: string): VisibleCatalog | undefined {
    const catalog = this.#bySlug.get(slug);
    return catalog && visiblePart(catalog, userId);
  }

  /** Undefined both where there is no such action and where the user does not see it. */
  action(actionId: string, userId: string): { catalog: ListedCatalog; action: ListedAction } | undefined {
    const listedAction = this.#byActionId.get(actionId);
    return listedAction && isVisible(listedAction.action, userId) ? listedAction : undefined;
  }
}

function visiblePart(catalog: ListedCatalog, userId: string): VisibleCatalog | undefined {
  const actions = catalog.actions.filter((action) => isVisible(action, userId));
  return actions.length === 0 ? undefined : { catalog, actions };
}

/** A private action, or one in review, is visible to its owner only. */
function isVisible({ ownerUserId, status }: ListedAction, userId: string): boolean {
  return ownerUserId === userId || (ownerUserId === null && status === 'active');
}
