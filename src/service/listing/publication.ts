/**
 * Joins the definitions of the catalog source (files of this process) and of the database (built ones, shared by
 * all processes) with what the database keeps of each: its id, its times and who sees it.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { ServiceDatabase, ServiceSchema, ServiceTransaction } from '../database/schema.ts';
import type { ActionDefinition, CatalogDefinition, CatalogSource } from '../ports.ts';
import { type ListedAction, type ListedCatalog, Listing } from './listing.ts';

/** Milliseconds between two looks at the version that every process counts up. */
const pollMs = 500;

type CatalogHead = Omit<CatalogDefinition, 'actions'>;

export class Publication {
  readonly #database: ServiceDatabase;
  readonly #source: CatalogSource;
  readonly #logger: Logger;
  readonly #listeners = new Set<() => void>();
  #listing: Promise<{ version: number; listing: Listing }> | undefined;

  constructor(database: ServiceDatabase, source: CatalogSource, logger: Logger) {
    this.#database = database;
    this.#source = source;
    this.#logger = logger;
  }

  /**
   * Calls the listener within a second after anything published changed: a catalog file, or what this or another
   * process on the same database published. Returns how to stop that.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Follows the source and the database from now on; returns how to stop that. */
  async watch(): Promise<() => void> {
    const announce = () => {
      for (const listener of this.#listeners) listener();
    };
    const stopSource = this.#source.onChange(() => {
      this.#listing = undefined;
      announce();
    });
    let announced = await this.#version();
    const timer = setInterval(async () => {
      // A database that does not answer now is asked again at the next tick.
      const version = await this.#version().catch(() => announced);
      if (version !== announced) announce();
      announced = version;
    }, pollMs);
    timer.unref();
    return () => {
      stopSource();
      clearInterval(timer);
    };
  }

  async #version(): Promise<number> {
    const row = await this.#database.query
      .selectFrom('publications')
      .select('version')
      .executeTakeFirstOrThrow();
    return row.version;
  }

  /** Everything published now; read anew only when something changed, here or in another process. */
  async current(): Promise<Listing> {
    const version = await this.#version();
    const known = await this.#listing;
    if (known !== undefined && known.version >= version && this.#listing !== undefined) return known.listing;
    const reading = this.#read(version);
    this.#listing = reading;
    reading.catch(() => {
      if (this.#listing === reading) this.#listing = undefined;
    });
    return (await reading).listing;
  }

  async #read(version: number): Promise<{ version: number; listing: Listing }> {
    const definitions = this.#unique(this.#source.current());
    const rows = await this.#database.transaction(async (transaction) => {
      await recordCatalogs(transaction, definitions);
      return readRows(transaction);
    });
    return { version, listing: new Listing(join(definitions, rows)) };
  }

  /** Ids are unique in the whole service; of two definitions with the same one the first counts. */
  #unique(catalogs: readonly CatalogDefinition[]): CatalogDefinition[] {
    const slugs = new Set<string>();
    const actionIds = new Set<string>();
    const isNew = (seen: Set<string>, kind: string, id: string) => {
      if (!seen.has(id)) return seen.add(id);
      this.#logger.warn({ id }, `Two definitions of the same ${kind}; the second one is ignored`);
      return undefined;
    };
    return catalogs
      .filter((catalog) => isNew(slugs, 'catalog', catalog.slug))
      .map((catalog) => ({
        ...catalog,
        actions: catalog.actions.filter((action) => isNew(actionIds, 'action', action.action_id)),
      }));
  }
}

interface Rows {
  readonly catalogs: readonly ServiceSchema['catalogs'][];
  readonly actions: readonly ServiceSchema['actions'][];
}

async function readRows(transaction: ServiceTransaction): Promise<Rows> {
  return {
    catalogs: await transaction.selectFrom('catalogs').selectAll().orderBy('slug').execute(),
    actions: await transaction.selectFrom('actions').selectAll().orderBy('action_id').execute(),
  };
}

const hashOf = (definition: unknown): string =>
  createHash('sha256').update(JSON.stringify(definition)).digest('hex');

/** Gives new definitions an id and changed ones a new `updated_at`; keeps what jobs will run. */
async function recordCatalogs(
  transaction: ServiceTransaction,
  definitions: readonly CatalogDefinition[],
): Promise<void> {
  const known = await readRows(transaction);
  const catalogHashes = new Map(known.catalogs.map((row) => [row.slug, row.content_hash]));
  const actionHashes = new Map(known.actions.map((row) => [row.action_id, row.content_hash]));
  for (const { actions, ...head } of definitions) {
    if (catalogHashes.get(head.slug) !== hashOf(head)) await saveCatalog(transaction, head);
    const changed = actions.filter((action) => actionHashes.get(action.action_id) !== hashOf(action));
    if (changed.length === 0) continue;
    const catalog = await transaction
      .selectFrom('catalogs')
      .select('id')
      .where('slug', '=', head.slug)
      .executeTakeFirstOrThrow();
    for (const action of changed) await saveAction(transaction, action, { catalogId: catalog.id });
  }
}

interface Owned {
  readonly status?: string;
  readonly ownerUserId?: string | null;
  /** Keep the whole definition in the database: it comes from no file. */
  readonly stored?: boolean;
}

async function saveCatalog(
  transaction: ServiceTransaction,
  head: CatalogHead,
  owned: Owned = {},
): Promise<string> {
  const now = Date.now();
  const row = await transaction
    .insertInto('catalogs')
    .values({
      id: randomUUID(),
      slug: head.slug,
      content_hash: hashOf(head),
      definition: owned.stored === true ? JSON.stringify(head) : null,
      status: owned.status ?? 'active',
      owner_user_id: owned.ownerUserId ?? null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.column('slug').doUpdateSet((row) => ({
        content_hash: row.ref('excluded.content_hash'),
        definition: row.ref('excluded.definition'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

async function saveAction(
  transaction: ServiceTransaction,
  action: ActionDefinition,
  owned: Owned & { readonly catalogId: string },
): Promise<void> {
  const now = Date.now();
  await transaction
    .insertInto('actions')
    .values({
      id: randomUUID(),
      action_id: action.action_id,
      catalog_id: owned.catalogId,
      content_hash: hashOf(action),
      definition: owned.stored === true ? JSON.stringify(action) : null,
      status: owned.status ?? 'active',
      owner_user_id: owned.ownerUserId ?? null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.column('action_id').doUpdateSet((row) => ({
        catalog_id: row.ref('excluded.catalog_id'),
        content_hash: row.ref('excluded.content_hash'),
        definition: row.ref('excluded.definition'),
        status: row.ref('excluded.status'),
        owner_user_id: row.ref('excluded.owner_user_id'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .execute();
  await transaction
    .insertInto('action_versions')
    .values({
      action_id: action.action_id,
      wheel_version: action.wheel_version,
      definition: JSON.stringify({
        recipe: action.recipe,
        credits_expression: action.credits_expression,
      }),
    })
    .onConflict((conflict) => conflict.columns(['action_id', 'wheel_version']).doNothing())
    .execute();
}

function join(definitions: readonly CatalogDefinition[], rows: Rows): ListedCatalog[] {
  const heads = new Map<string, CatalogHead>(definitions.map(({ actions: _, ...head }) => [head.slug, head]));
  const fromSource = new Map(
    definitions.flatMap((catalog) => catalog.actions.map((action) => [action.action_id, action] as const)),
  );
  const actionsOf = new Map<string, ListedAction[]>();
  for (const row of rows.actions) {
    const definition = fromSource.get(row.action_id) ?? parseAction(row.definition);
    if (definition === undefined) continue;
    const actions = actionsOf.get(row.catalog_id) ?? [];
    actionsOf.set(row.catalog_id, actions);
    actions.push({
      id: row.id,
      catalogId: row.catalog_id,
      definition,
      status: row.status,
      ownerUserId: row.owner_user_id,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    });
  }
  return rows.catalogs.flatMap((row) => {
    const definition = heads.get(row.slug) ?? parseCatalog(row.definition);
    if (definition === undefined) return [];
    return {
      id: row.id,
      definition,
      status: row.status,
      ownerUserId: row.owner_user_id,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      actions: actionsOf.get(row.id) ?? [],
    };
  });
}

/** Written by `saveAction` only, so the shape is known. */
const parseAction = (text: string | null): ActionDefinition | undefined =>
  text === null ? undefined : JSON.parse(text);
const parseCatalog = (text: string | null): CatalogHead | undefined =>
  text === null ? undefined : JSON.parse(text);

/**
 * Publishes a built action, in a catalog of the database or one that exists already, and tells every process.
 * An `ownerUserId` makes it private; `pending_review` keeps a public one to its owner until somebody reviewed it.
 * Returns its id: ids are unique in the whole service, so one that is taken, perhaps by an action that the owner
 * does not see, gets a number.
 */
export async function publish(
  transaction: ServiceTransaction,
  published: {
    readonly catalog: CatalogHead | { readonly id: string };
    readonly action: ActionDefinition;
    readonly ownerUserId: string | null;
    readonly status?: 'active' | 'pending_review';
  },
): Promise<string> {
  const { catalog, action, ...owned } = published;
  // The lock on this row makes publications take turns.
  await transaction
    .updateTable('publications')
    .set((row) => ({ version: row('version', '+', 1) }))
    .execute();
  const isTaken = async (id: string) =>
    (await transaction.selectFrom('actions').select('id').where('action_id', '=', id).executeTakeFirst()) !==
    undefined;
  let actionId = action.action_id;
  for (let number = 2; await isTaken(actionId); number++) actionId = `${action.action_id}_${number}`;
  const catalogId = 'id' in catalog ? catalog.id : await catalogIdFor(transaction, catalog, owned);
  await saveAction(transaction, { ...action, action_id: actionId }, { ...owned, catalogId, stored: true });
  return actionId;
}

/** A catalog that is there already stays as it is: it may be another user's, or a file's. */
async function catalogIdFor(
  transaction: ServiceTransaction,
  head: CatalogHead,
  owned: Owned,
): Promise<string> {
  const existing = await transaction
    .selectFrom('catalogs')
    .select('id')
    .where('slug', '=', head.slug)
    .executeTakeFirst();
  return existing?.id ?? saveCatalog(transaction, head, { ...owned, status: 'active', stored: true });
}
