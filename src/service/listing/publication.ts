/**
 * Joins the definitions of the catalog source (files of this process) and of the database (built ones, shared by
 * all processes) with what the database keeps of each: its id, its times and who sees it.
 */
import type { Logger } from 'pino';
import type { ServiceDatabase, ServiceTransaction } from '../database/schema.ts';
import type { CatalogClash, CatalogDefinition, CatalogSource } from '../foundation/ports.ts';
import { catalogIdFor, readCatalogHead } from './built-catalogs.ts';
import { type ListedAction, type ListedCatalog, Listing } from './listing.ts';
import { getDomain } from './resources.ts';
import {
  type CatalogHead,
  parseAction,
  parseCatalog,
  type Rows,
  readRows,
  recordCatalogs,
} from './stored-definitions.ts';

/** Milliseconds between two looks at the version that every process counts up. */
const pollMs = 500;

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
    let announcedVersion = await this.#version();
    let isAsking = false;
    const timer = setInterval(async () => {
      // A database that hangs is not asked by every tick.
      if (isAsking) return;
      isAsking = true;
      // One that does not answer now is asked again at the next tick.
      const version = await this.#version().catch(() => announcedVersion);
      isAsking = false;
      if (version !== announcedVersion) announce();
      announcedVersion = version;
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
    const current = await this.#listing;
    if (current !== undefined && current.version >= version && this.#listing !== undefined)
      return current.listing;
    const reading = this.#read(version);
    this.#listing = reading;
    reading.catch(() => {
      if (this.#listing === reading) this.#listing = undefined;
    });
    return (await reading).listing;
  }

  async #read(version: number): Promise<{ version: number; listing: Listing }> {
    const definitions = this.#unique(this.#source.current());
    const { rows, used, clashes } = await this.#database.transaction(async (transaction) => {
      const stored = await readRows(transaction);
      const clashes = definitions.flatMap((catalog) => findClash(catalog, stored) ?? []);
      const used = definitions.filter(({ slug }) => clashes.every((clash) => clash.slug !== slug));
      await recordCatalogs(transaction, used, stored);
      await moveStrangers(transaction, used);
      return { rows: await readRows(transaction), used, clashes };
    });
    await this.#source.refuse(clashes);
    return { version, listing: new Listing(join(used, rows)) };
  }

  /** Ids are unique in the whole service; of two definitions with the same one the first counts. */
  #unique(catalogs: readonly CatalogDefinition[]): CatalogDefinition[] {
    const slugs = new Set<string>();
    const actionIds = new Set<string>();
    const isNew = (seenIds: Set<string>, kind: string, id: string) => {
      if (!seenIds.has(id)) return seenIds.add(id);
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

/** What was built, and paid, stays: a catalog with the slug of a built one, or an id of a built action, is not used. */
function findClash({ slug, actions }: CatalogDefinition, stored: Rows): CatalogClash | undefined {
  const row = stored.catalogs.find((catalog) => catalog.slug === slug && catalog.definition !== null);
  if (row !== undefined && stored.actions.some(({ catalog_id }) => catalog_id === row.id))
    return {
      slug,
      path: ['slug'],
      reason: `slug: ${slug} is already the slug of a catalog of built actions; choose another one`,
    };
  const builtIds = new Set(stored.actions.flatMap((row) => (row.definition === null ? [] : row.action_id)));
  const index = actions.findIndex(({ action_id }) => builtIds.has(action_id));
  const id = actions[index]?.action_id;
  if (id === undefined) return undefined;
  return {
    slug,
    path: ['actions', index, 'action_id'],
    reason: `actions.${index}.action_id: ${id} is already the id of a built action; choose another one, or delete that one (svc-mcp service builds delete ${id})`,
  };
}

/**
 * Built actions that an earlier version attached to a file's catalog of another domain get a catalog of their own:
 * they must not be run with the cookies of that catalog's accounts.
 */
async function moveStrangers(
  transaction: ServiceTransaction,
  definitions: readonly CatalogDefinition[],
): Promise<void> {
  const domains = new Map(definitions.map(({ slug, url }) => [slug, getDomain(url)]));
  const built = await transaction
    .selectFrom('actions as action')
    .innerJoin('catalogs as catalog', 'catalog.id', 'action.catalog_id')
    .innerJoin('build_requests as build', 'build.action_id', 'action.action_id')
    .select(['action.action_id', 'action.domain', 'catalog.slug', 'action.owner_user_id'])
    .select(['build.user_id', 'build.website_url'])
    .where('catalog.definition', 'is', null)
    .where('action.definition', 'is not', null)
    .execute();
  for (const { slug, domain, action_id, ...build } of built) {
    if (domain === null || (domains.get(slug) ?? domain) === domain) continue;
    const isPublic = build.owner_user_id === null;
    const place = { domain, websiteUrl: build.website_url, userId: build.user_id, isPublic };
    await transaction
      .updateTable('actions')
      .set({ catalog_id: await catalogIdFor(transaction, place) })
      .where('action_id', '=', action_id)
      .execute();
  }
}

function join(definitions: readonly CatalogDefinition[], rows: Rows): ListedCatalog[] {
  const heads = new Map<string, CatalogHead>(definitions.map(({ actions: _, ...head }) => [head.slug, head]));
  const fromSource = new Map(
    definitions.flatMap((catalog) => catalog.actions.map((action) => [action.action_id, action] as const)),
  );
  const actionsByCatalog = new Map<string, ListedAction[]>();
  for (const row of rows.actions) {
    const definition =
      fromSource.get(row.action_id) ?? (row.definition === null ? undefined : parseAction(row.definition));
    if (definition === undefined) continue;
    const actions = actionsByCatalog.get(row.catalog_id) ?? [];
    actionsByCatalog.set(row.catalog_id, actions);
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
    const definition =
      heads.get(row.slug) ?? (row.definition === null ? findHead(row, rows) : parseCatalog(row.definition));
    if (definition === undefined) return [];
    return {
      id: row.id,
      definition,
      status: row.status,
      ownerUserId: row.owner_user_id,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      actions: actionsByCatalog.get(row.id) ?? [],
    };
  });
}

/** The file of this catalog is gone; actions that were built for it stay. */
function findHead({ id, slug }: Rows['catalogs'][number], { actions }: Rows): CatalogHead | undefined {
  const built = actions.find(({ catalog_id, definition }) => catalog_id === id && definition !== null);
  if (built === undefined || built.domain === null) return undefined;
  return readCatalogHead({ domain: built.domain, websiteUrl: `https://${built.domain}/` }, slug);
}
