/** How definitions of catalogs and actions are written to the database, whatever they come from. */
import { createHash, randomUUID } from 'node:crypto';
import type { ServiceSchema, ServiceTransaction } from '../database/schema.ts';
import type { ActionDefinition, CatalogDefinition } from '../foundation/ports.ts';

export type CatalogHead = Omit<CatalogDefinition, 'actions'>;

export interface Rows {
  readonly catalogs: readonly ServiceSchema['catalogs'][];
  readonly actions: readonly ServiceSchema['actions'][];
}

export async function readRows(transaction: ServiceTransaction): Promise<Rows> {
  return {
    catalogs: await transaction.selectFrom('catalogs').selectAll().orderBy('slug').execute(),
    actions: await transaction.selectFrom('actions').selectAll().orderBy('action_id').execute(),
  };
}

const hashDefinition = (definition: unknown): string =>
  createHash('sha256').update(JSON.stringify(definition)).digest('hex');

/** Gives new definitions an id and changed ones a new `updated_at`; keeps what jobs will run. */
export async function recordCatalogs(
  transaction: ServiceTransaction,
  definitions: readonly CatalogDefinition[],
): Promise<void> {
  const storedRows = await readRows(transaction);
  const catalogHashes = new Map(storedRows.catalogs.map((row) => [row.slug, row.content_hash]));
  const actionHashes = new Map(storedRows.actions.map((row) => [row.action_id, row.content_hash]));
  for (const { actions, ...head } of definitions) {
    if (catalogHashes.get(head.slug) !== hashDefinition(head)) await saveCatalog(transaction, head);
    const changed = actions.filter((action) => actionHashes.get(action.action_id) !== hashDefinition(action));
    if (changed.length === 0) continue;
    const catalog = await transaction
      .selectFrom('catalogs')
      .select('id')
      .where('slug', '=', head.slug)
      .executeTakeFirstOrThrow();
    for (const action of changed) await saveAction(transaction, action, { catalogId: catalog.id });
  }
}

export interface Owned {
  readonly status?: string;
  readonly ownerUserId?: string | null;
  /** Keep the whole definition in the database: it comes from no file. */
  readonly stored?: boolean;
  /** What it was built for. */
  readonly domain?: string;
}

export async function saveCatalog(
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
      content_hash: hashDefinition(head),
      definition: owned.stored === true ? JSON.stringify(head) : null,
      status: owned.status ?? 'active',
      owner_user_id: owned.ownerUserId ?? null,
      domain: owned.domain ?? null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.column('slug').doUpdateSet((row) => ({
        content_hash: row.ref('excluded.content_hash'),
        definition: row.ref('excluded.definition'),
        domain: row.ref('excluded.domain'),
        updated_at: row.ref('excluded.updated_at'),
      })),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function saveAction(
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
      content_hash: hashDefinition(action),
      definition: owned.stored === true ? JSON.stringify(action) : null,
      status: owned.status ?? 'active',
      owner_user_id: owned.ownerUserId ?? null,
      domain: owned.domain ?? null,
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
        domain: row.ref('excluded.domain'),
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
        credits_max: action.credits_max,
        reads_any_website: action.reads_any_website,
      }),
    })
    .onConflict((conflict) => conflict.columns(['action_id', 'wheel_version']).doNothing())
    .execute();
}

/** Makes every process read the catalogs again. The lock on this row makes publications take turns. */
export async function countUpVersion(transaction: ServiceTransaction): Promise<void> {
  await transaction
    .updateTable('publications')
    .set((row) => ({ version: row('version', '+', 1) }))
    .execute();
}
