/** How definitions of catalogs and actions are written to the database, whatever they come from. */
import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { actionModes, authModes, LoginField } from '../../contract/resources.ts';
import type { ServiceSchema, ServiceTransaction } from '../database/schema.ts';
import type { ActionDefinition, CatalogDefinition } from '../foundation/ports.ts';

export type CatalogHead = Omit<CatalogDefinition, 'actions'>;

const StoredAction = z.looseObject({
  action_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  type: z.string(),
  mode: z.enum(actionModes),
  auth_mode: z.enum(authModes),
  parameters: z.record(z.string(), z.unknown()),
  credits_per_call: z.number(),
  credits_expression: z.string().optional(),
  credits_max: z.number().optional(),
  wheel_version: z.string(),
  reads_any_website: z.literal(true).optional(),
  recipe: z.unknown(),
});

const StoredCatalog = z.looseObject({
  slug: z.string(),
  name: z.string(),
  url: z.string(),
  category: z.string(),
  description: z.string(),
  logo_url: z.string(),
  auth_types: z.array(z.string()),
  auth_login_url: z.string().nullable(),
  signed_in: z.unknown().optional(),
  login: z.looseObject({ fields: z.array(LoginField), recipe: z.unknown() }).optional(),
});

const StoredVersion = StoredAction.pick({
  recipe: true,
  credits_expression: true,
  credits_max: true,
});

/** A definition as `saveAction` writes it. Throws where it is none. */
export const parseAction = (text: string): ActionDefinition => StoredAction.parse(JSON.parse(text));

/** A head as `saveCatalog` writes it. Throws where it is none. */
export const parseCatalog = (text: string): CatalogHead => StoredCatalog.parse(JSON.parse(text));

/** What `saveAction` keeps of a version for the jobs that were accepted with it. */
export const parseVersion = (text: string): z.infer<typeof StoredVersion> =>
  StoredVersion.parse(JSON.parse(text));

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

/** Practice sites have other ports in each process, which must not rewrite the rows of the others. */
const portOfThisMachine = /(\/\/(?:127\.0\.0\.1|localhost|\[::1\])):\d+/g;

const hashDefinition = (definition: unknown): string =>
  createHash('sha256').update(JSON.stringify(definition).replace(portOfThisMachine, '$1')).digest('hex');

/** Gives new definitions an id and changed ones a new `updated_at`; keeps what jobs will run. */
export async function recordCatalogs(
  transaction: ServiceTransaction,
  definitions: readonly CatalogDefinition[],
  storedRows: Rows,
): Promise<void> {
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
    .onConflict((conflict) => {
      const update = conflict.column('action_id').doUpdateSet((row) => ({
        catalog_id: row.ref('excluded.catalog_id'),
        content_hash: row.ref('excluded.content_hash'),
        definition: row.ref('excluded.definition'),
        status: row.ref('excluded.status'),
        owner_user_id: row.ref('excluded.owner_user_id'),
        domain: row.ref('excluded.domain'),
        updated_at: row.ref('excluded.updated_at'),
      }));
      // Another process may have built it since the rows were read.
      return owned.stored === true ? update : update.where('actions.definition', 'is', null);
    })
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
