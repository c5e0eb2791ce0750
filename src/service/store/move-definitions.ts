/**
 * Migration: definitions of catalogs and actions have one home. Until now they were in files of a process, in rows, and in
 * a table of versions, and were joined at each read. Built actions keep their ids, owners and versions. What files
 * and the program itself define is marked as `earlier` and retired: the first start imports it again under its ids.
 * All versions stay, because accepted jobs run them.
 */
import { randomUUID } from 'node:crypto';
import { type QueryExecutorProvider, sql } from 'kysely';
import * as z from 'zod';
import type { Migration } from '../../store/database.ts';
import { makeCatalog } from './split-catalogs.ts';

const Versioned = z.looseObject({ wheel_version: z.string() });
const Head = z.looseObject({ url: z.string() });
const Json = z.looseObject({});

const toHead = (slug: string, domain: string) => ({
  slug,
  name: domain,
  url: `https://${domain}/`,
  category: 'web',
  description: `Data from ${domain}`,
  logo_url: `https://${domain}/favicon.ico`,
  auth_types: [],
  auth_login_url: null,
});

interface ActionRow {
  readonly id: string;
  readonly action_id: string;
  readonly catalog_id: string;
  readonly definition: string | null;
  readonly status: string;
  readonly owner_user_id: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export const moveDefinitions: Migration = async ({ transaction }) => {
  await separateDomains(transaction);
  await moveCatalogs(transaction);
  await sql`create table action_rows (
    action_id text not null,
    version text not null,
    id text not null,
    catalog_id text references catalogs (id),
    owner text references users (id),
    status text not null,
    source text not null,
    definition text not null,
    retired_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (action_id, version)
  )`.execute(transaction);
  await moveActions(transaction);
  const statements = [
    // A process of the last version, which cannot read the new tables, claims no job any more; those that it runs still end.
    sql`alter table jobs rename column run_after to not_before`,
    sql`drop table action_versions`,
    sql`drop table actions`,
    sql`alter table action_rows rename to actions`,
    sql`create unique index current_actions on actions (action_id) where retired_at is null`,
    sql`update publications set version = version + 1`,
  ];
  for (const statement of statements) await statement.execute(transaction);
};

/**
 * An early version attached built actions also to the catalog of a file for another domain. Its file says which domain is its
 * own, but it is not read here: the one that the slug begins with is taken for it, and the others get catalogs of theirs.
 */
async function separateDomains(transaction: QueryExecutorProvider): Promise<void> {
  const { rows } = await sql<ActionRow & { domain: string; slug: string }>`
    select actions.*, catalogs.slug from actions join catalogs on catalogs.id = catalog_id
    where catalogs.definition is null and actions.definition is not null and actions.domain is not null
    order by actions.created_at, action_id`.execute(transaction);
  for (const { action_id, catalog_id, slug, domain, owner_user_id: owner, created_at } of rows) {
    const domains = rows.filter((other) => other.catalog_id === catalog_id).map((other) => other.domain);
    const own = domains.find((one) => one.replaceAll('.', '-').startsWith(slug)) ?? domains[0];
    if (own === undefined || domain === own) continue;
    const id = await makeCatalog(transaction, { created_at }, toHead(slug, domain), { domain, owner });
    await sql`update actions set catalog_id = ${id} where action_id = ${action_id}`.execute(transaction);
  }
}

/** Identities and builds refer to catalogs, so these are changed in place. */
async function moveCatalogs(transaction: QueryExecutorProvider): Promise<void> {
  const statements = [
    sql`alter table catalogs add column source text not null default 'earlier'`,
    sql`alter table catalogs add column retired_at bigint`,
    sql`alter table catalogs rename column owner_user_id to owner`,
    sql`alter table catalogs drop column content_hash`,
    sql`alter table catalogs drop column status`,
    sql`update catalogs set source = 'built' where definition is not null`,
  ];
  for (const statement of statements) await statement.execute(transaction);
  const { rows } = await sql<{ id: string; slug: string; definition: string | null; domain: string | null }>`
    select catalogs.id, slug, catalogs.definition, coalesce(catalogs.domain, (
      select min(actions.domain) from actions where catalog_id = catalogs.id and actions.definition is not null
    )) as domain from catalogs`.execute(transaction);
  for (const { id, slug, definition, domain } of rows) {
    if (definition !== null) {
      const { hostname } = new URL(Head.parse(JSON.parse(definition)).url);
      await sql`update catalogs set domain = ${domain ?? hostname.replace(/^www\./, '')} where id = ${id}`.execute(
        transaction,
      );
      continue;
    }
    // Its file says what it is; until that is read again, or where it is gone, this stands for it.
    const host = domain ?? `${slug}.invalid`;
    const head = toHead(slug, host);
    await sql`update catalogs set domain = ${host}, definition = ${JSON.stringify(head)}, retired_at = ${Date.now()}
      where id = ${id}`.execute(transaction);
  }
}

async function moveActions(transaction: QueryExecutorProvider): Promise<void> {
  const { rows: actions } = await sql<ActionRow>`select * from actions`.execute(transaction);
  const actionsById = new Map(actions.map((action) => [action.action_id, action]));
  const { rows: versions } = await sql<{ action_id: string; wheel_version: string; definition: string }>`
    select * from action_versions`.execute(transaction);
  for (const { action_id, wheel_version, definition } of versions)
    await insertVersion(transaction, actionsById.get(action_id), { action_id, wheel_version, definition });
  const now = Date.now();
  for (const action of actions) {
    if (action.definition === null) continue;
    const { wheel_version } = Versioned.parse(JSON.parse(action.definition));
    await sql`insert into action_rows values (${action.action_id}, ${wheel_version}, ${action.id}, ${action.catalog_id},
      ${action.owner_user_id}, ${action.status}, 'built', ${action.definition}, null, ${action.created_at}, ${now})
      on conflict (action_id, version) do update set definition = excluded.definition, source = 'built', retired_at = null`.execute(
      transaction,
    );
  }
}

/** Of a version the recipe and the price expression were kept; what else a definition needs is filled in. */
async function insertVersion(
  transaction: QueryExecutorProvider,
  action: ActionRow | undefined,
  version: { readonly action_id: string; readonly wheel_version: string; readonly definition: string },
): Promise<void> {
  const now = Date.now();
  const { action_id, wheel_version } = version;
  const current = action?.definition == null ? {} : Json.parse(JSON.parse(action.definition));
  const definition = {
    action_id,
    name: action_id,
    description: null,
    tags: [],
    type: 'scrape',
    mode: 'async',
    auth_mode: 'none',
    parameters: { type: 'object', properties: {} },
    credits_per_call: 1,
    ...current,
    wheel_version,
    credits_expression: undefined,
    credits_max: undefined,
    ...Json.parse(JSON.parse(version.definition)),
  };
  await sql`insert into action_rows values (${action_id}, ${wheel_version}, ${action?.id ?? randomUUID()},
    ${action?.catalog_id ?? null}, ${action?.owner_user_id ?? null}, ${action?.status ?? 'active'}, 'earlier',
    ${JSON.stringify(definition)}, ${now}, ${action?.created_at ?? now}, ${now})`.execute(transaction);
}
