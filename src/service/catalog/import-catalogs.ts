/**
 * Imports the catalogs that this process has (those that ship and the files of its folder) as rows of the database. An import
 * changes only rows of its own source: a slug or an id that belongs to another one is a clash, and the whole catalog
 * is left out, so that nothing changes its meaning because a file appeared.
 *
 * One transaction writes everything. A death before its commit changes nothing, and the next start imports again; a death
 * after it loses nothing, because the same import writes nothing. Definitions that are gone are retired, never deleted.
 */

import type {
  ActionDefinition,
  CatalogClash,
  CatalogDefinition,
  CatalogImport,
  CatalogSource,
} from '../foundation/ports.ts';
import type { ServiceDatabase, ServiceQuery, ServiceSchema, ServiceTransaction } from '../store/schema.ts';
import {
  builtSource,
  countUpVersion,
  parseCatalog,
  retireActions,
  saveAction,
  saveCatalog,
} from './definition-rows.ts';
import { getDomain } from './resources.ts';

type CatalogRow = ServiceSchema['catalogs'];
type ActionRow = Pick<
  ServiceSchema['actions'],
  'action_id' | 'version' | 'catalog_id' | 'source' | 'definition'
>;
type ReadableImport = CatalogImport & { readonly catalog: CatalogDefinition };

/** The current rows. */
interface CurrentRows {
  readonly catalogs: readonly CatalogRow[];
  readonly actions: readonly ActionRow[];
}

interface Plan {
  readonly retiredActions: readonly string[];
  readonly retiredCatalogs: readonly string[];
  readonly saved: readonly {
    readonly source: string;
    readonly catalog: CatalogDefinition;
    readonly actions: readonly ActionDefinition[];
  }[];
  readonly clashes: readonly CatalogClash[];
}

/** Resolves with what could not be imported. */
export async function importCatalogs(
  database: ServiceDatabase,
  source: Pick<CatalogSource, 'origins' | 'current'>,
): Promise<readonly CatalogClash[]> {
  // Most imports change nothing and need no lock.
  const plan = planImport(await readCurrent(database.query), source);
  if (isDone(plan)) return plan.clashes;
  return database.transaction(async (transaction) => {
    await countUpVersion(transaction);
    const current = planImport(await readCurrent(transaction), source);
    await apply(transaction, current);
    return current.clashes;
  });
}

const readCurrent = async (query: ServiceQuery): Promise<CurrentRows> => ({
  catalogs: await query.selectFrom('catalogs').selectAll().execute(),
  actions: await query
    .selectFrom('actions')
    .select(['action_id', 'version', 'catalog_id', 'source', 'definition'])
    .where('retired_at', 'is', null)
    .execute(),
});

const isDone = ({ retiredActions, retiredCatalogs, saved }: Plan): boolean =>
  retiredActions.length + retiredCatalogs.length + saved.length === 0;

async function apply(transaction: ServiceTransaction, plan: Plan): Promise<void> {
  await retireActions(transaction, plan.retiredActions);
  for (const id of plan.retiredCatalogs)
    await transaction.updateTable('catalogs').set({ retired_at: Date.now() }).where('id', '=', id).execute();
  for (const { source, catalog, actions } of plan.saved) {
    const { actions: _, ...head } = catalog;
    const catalogId = await saveCatalog(transaction, head, { source });
    for (const action of actions) await saveAction(transaction, action, { catalogId, source });
  }
}

function planImport(
  rows: CurrentRows,
  { origins, current }: Pick<CatalogSource, 'origins' | 'current'>,
): Plan {
  const imports = current();
  const unreadable = new Set(imports.flatMap(({ source, catalog }) => (catalog === undefined ? source : [])));
  /** Whether the source's earlier rows are replaced by what it has now. */
  const isReplaced = (source: string, refused: ReadonlyMap<string, unknown>) =>
    origins.some((origin) => source.startsWith(origin)) && !unreadable.has(source) && !refused.has(source);
  const clashes = findClashes(rows, imports.filter(isReadable), isReplaced);
  const accepted = imports.filter(isReadable).filter(({ source }) => !clashes.has(source));
  const ids = new Set(accepted.flatMap(({ catalog }) => catalog.actions.map(({ action_id }) => action_id)));
  const slugs = new Set(accepted.map(({ catalog }) => catalog.slug));
  return {
    clashes: [...clashes.values()],
    retiredActions: rows.actions
      .filter(({ action_id, source }) => isReplaced(source, clashes) && !ids.has(action_id))
      .map(({ action_id }) => action_id),
    retiredCatalogs: rows.catalogs
      .filter(({ retired_at, source }) => retired_at === null && isReplaced(source, clashes))
      .filter(({ slug }) => !slugs.has(slug))
      .map(({ id }) => id),
    saved: accepted.flatMap((imported) => findChanges(rows, imported) ?? []),
  };
}

const isReadable = (imported: CatalogImport): imported is ReadableImport => imported.catalog !== undefined;

function findChanges(
  rows: CurrentRows,
  { source, catalog }: ReadableImport,
): Plan['saved'][number] | undefined {
  const { actions, ...head } = catalog;
  const row = rows.catalogs.find(({ slug }) => slug === head.slug);
  const existing = new Map(
    rows.actions
      .filter((action) => action.source === source && action.catalog_id === row?.id)
      .map((action) => [action.action_id, action.definition]),
  );
  const changed = actions.filter((action) => existing.get(action.action_id) !== JSON.stringify(action));
  const isSameHead =
    row?.source === source && row.retired_at === null && row.definition === JSON.stringify(head);
  return isSameHead && changed.length === 0 ? undefined : { source, catalog, actions: changed };
}

/**
 * Clashes by source. Imports that already hold their slug come first, then the others in their order. A refused import
 * keeps its earlier rows, which may clash with another import, so the search repeats until no further import is
 * refused.
 */
function findClashes(
  rows: CurrentRows,
  imports: readonly ReadableImport[],
  isReplaced: (source: string, refused: ReadonlyMap<string, unknown>) => boolean,
): ReadonlyMap<string, CatalogClash> {
  const holders = new Set(rows.catalogs.map(({ source, retired_at }) => (retired_at === null ? source : '')));
  const ordered = [...imports].sort((a, b) => Number(holders.has(b.source)) - Number(holders.has(a.source)));
  const clashes = new Map<string, CatalogClash>();
  for (;;) {
    const countBefore = clashes.size;
    const held = toHeld(rows, ({ source }) => !isReplaced(source, clashes));
    for (const { source, catalog } of ordered) {
      if (clashes.has(source)) continue;
      const clash = findClash(catalog, held);
      if (clash !== undefined) {
        clashes.set(source, { source, ...clash });
        continue;
      }
      held.slugs.set(catalog.slug, catalog.name);
      for (const { action_id } of catalog.actions) held.actions.set(action_id, source);
    }
    if (clashes.size === countBefore) return clashes;
  }
}

interface Held {
  /** Names of the imported catalogs by their slugs. */
  readonly slugs: Map<string, string>;
  /** Slugs of catalogs with built actions; the domain is undefined where the catalog was made for them. */
  readonly builtInto: ReadonlyMap<string, string | undefined>;
  /** Sources by the ids of actions. */
  readonly actions: Map<string, string>;
}

function toHeld(rows: CurrentRows, isHeld: (row: { readonly source: string }) => boolean): Held {
  const built = new Set(rows.actions.map((row) => (row.source === builtSource ? row.catalog_id : null)));
  return {
    slugs: new Map(
      rows.catalogs
        .filter((row) => row.retired_at === null && row.source !== builtSource && isHeld(row))
        .map(({ slug, definition }) => [slug, parseCatalog(definition).name]),
    ),
    builtInto: new Map(
      rows.catalogs
        .filter(({ id }) => built.has(id))
        .map(({ slug, source, domain }) => [slug, source === builtSource ? undefined : domain]),
    ),
    actions: new Map(rows.actions.filter(isHeld).map(({ action_id, source }) => [action_id, source])),
  };
}

function findClash(catalog: CatalogDefinition, held: Held): Omit<CatalogClash, 'source'> | undefined {
  const { slug, url, actions } = catalog;
  const holder = held.slugs.get(slug);
  if (holder !== undefined)
    return { path: ['slug'], reason: `slug: ${slug} is already the slug of ${holder}` };
  const domain = held.builtInto.get(slug);
  if (held.builtInto.has(slug) && domain === undefined)
    return {
      path: ['slug'],
      reason: `slug: ${slug} is already the slug of a catalog of built actions; choose another one`,
    };
  // Actions of another domain would run with the cookies of this catalog's accounts.
  if (domain !== undefined && domain !== getDomain(url))
    return {
      path: ['url'],
      reason: `url: actions for ${domain} were built into the catalog ${slug}; keep that domain, or choose another slug`,
    };
  const ownIds = new Set<string>();
  for (const [index, { action_id: id }] of actions.entries()) {
    const source = ownIds.has(id) ? '' : held.actions.get(id);
    ownIds.add(id);
    if (source === undefined) continue;
    const reason =
      source === builtSource
        ? `${id} is already the id of a built action; choose another one, or delete that one (svc-mcp service builds delete ${id})`
        : `${id} is already the id of an action`;
    return { path: ['actions', index, 'action_id'], reason: `actions.${index}.action_id: ${reason}` };
  }
  return undefined;
}
