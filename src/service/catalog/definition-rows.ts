/** Reads and writes the definitions of catalogs and actions in the database, for every source. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import * as z from 'zod';
import { actionModes, authModes, LoginField, Usual } from '../../contract/resources.ts';
import type { ActionDefinition, CatalogHead } from '../foundation/ports.ts';
import type { ServiceQuery, ServiceTransaction } from '../store/schema.ts';
import { getDomain } from './resources.ts';

/** The source of what was built. Imports have sources of their own. */
export const builtSource = 'built';

export const StoredColumn = z.object({
  label: z.string(),
  kind: z.string(),
  path: z.string(),
  samples: z.array(z.string()),
  match: z.string().optional(),
});

export const StoredChoice = z.object({
  candidate: z.object({ id: z.string(), kind: z.string(), layout: z.string() }),
  fields: z.record(z.string(), StoredColumn),
});

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
  columns: StoredChoice.optional(),
  usual: Usual.optional(),
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

/** A definition as `saveAction` writes it. Throws where it is none. */
export const parseAction = (text: string): ActionDefinition => StoredAction.parse(JSON.parse(text));

/** A head as `saveCatalog` writes it. Throws where it is none. */
export const parseCatalog = (text: string): CatalogHead => StoredCatalog.parse(JSON.parse(text));

/** The recipe and price with which an accepted job runs, also of a retired version. */
export async function findVersion(
  query: ServiceQuery,
  actionId: string,
  version: string,
): Promise<{ readonly source: string; readonly definition: string } | undefined> {
  return query
    .selectFrom('actions')
    .select(['source', 'definition'])
    .where('action_id', '=', actionId)
    .where('version', '=', version)
    .executeTakeFirst();
}

/** Takes over the slug from any earlier holder; the catalog keeps its id, and with it the accounts. */
export async function saveCatalog(
  transaction: ServiceTransaction,
  head: CatalogHead,
  { source, owner = null }: { readonly source: string; readonly owner?: string | null },
): Promise<string> {
  const now = Date.now();
  const values = {
    slug: head.slug,
    source,
    owner,
    domain: getDomain(head.url),
    definition: JSON.stringify(head),
    retired_at: null,
    updated_at: now,
  };
  const row = await transaction
    .insertInto('catalogs')
    .values({ id: randomUUID(), created_at: now, ...values })
    .onConflict((conflict) => conflict.column('slug').doUpdateSet(values))
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Makes this the current version of the action. The previous one is kept for jobs that were accepted with it. */
export async function saveAction(
  transaction: ServiceTransaction,
  action: ActionDefinition,
  owned: {
    readonly catalogId: string;
    readonly source: string;
    readonly owner?: string | null;
    readonly status?: string;
  },
): Promise<void> {
  const now = Date.now();
  const { action_id, wheel_version: version } = action;
  const { catalogId: catalog_id, source, owner = null, status = 'active' } = owned;
  const earlier = await transaction
    .selectFrom('actions')
    .select(['id', 'created_at'])
    .where('action_id', '=', action_id)
    .orderBy('created_at')
    .executeTakeFirst();
  await retireActions(transaction, [action_id]);
  const values = {
    catalog_id,
    owner,
    status,
    source,
    definition: JSON.stringify(action),
    retired_at: null,
    updated_at: now,
  };
  await transaction
    .insertInto('actions')
    .values({ action_id, version, id: randomUUID(), created_at: now, ...earlier, ...values })
    .onConflict((conflict) => conflict.columns(['action_id', 'version']).doUpdateSet(values))
    .execute();
}

/** Removes actions from the catalogs. Jobs that ran them stay readable, and accepted ones still run. */
export async function retireActions(
  transaction: ServiceTransaction,
  actionIds: readonly string[],
): Promise<void> {
  if (actionIds.length === 0) return;
  await transaction
    .updateTable('actions')
    .set({ retired_at: Date.now() })
    .where('action_id', 'in', actionIds)
    .where('retired_at', 'is', null)
    .execute();
}

/** Makes every process read the catalogs again. The lock on this row makes publications take turns. */
export async function countUpVersion(transaction: ServiceTransaction): Promise<void> {
  await sql`update publications set version = version + 1`.execute(transaction);
}
