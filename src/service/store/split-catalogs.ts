/**
 * Migration: a catalog of built actions is for one domain and, while all of it is private, for one user. Until now one
 * with the same slug was shared by everybody and by domains that look alike. Actions keep their ids, and identities
 * their ids and sessions; what moves to a new catalog takes the identities of its owner along.
 */
import { createHash, randomUUID } from 'node:crypto';
import { type QueryExecutorProvider, sql } from 'kysely';
import * as z from 'zod';
import type { Migration } from '../../store/database.ts';

interface BuiltAction {
  readonly action_id: string;
  readonly catalog_id: string;
  readonly owner_user_id: string | null;
  readonly domain: string;
}
interface CatalogRow {
  readonly id: string;
  readonly slug: string;
  readonly definition: string;
  readonly owner_user_id: string | null;
  readonly created_at: number;
}
/** Actions of a catalog that stay together; `owner` is null where one of them is public. */
interface Part {
  readonly domain: string;
  readonly owner: string | null;
  readonly actions: readonly BuiltAction[];
}

const Head = z.looseObject({ url: z.string() });
const Recipe = z.looseObject({ recipe: z.looseObject({ request: z.looseObject({ url: z.string() }) }) });

const getHost = (url: string): string =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '';

export const splitBuiltCatalogs: Migration = async ({ transaction }) => {
  for (const column of [
    sql`catalogs add column domain text`,
    sql`actions add column domain text`,
    sql`build_requests add column replaces text`,
  ])
    await sql`alter table ${column}`.execute(transaction);
  const actions = await builtActions(transaction);
  for (const { action_id, domain } of actions)
    await sql`update actions set domain = ${domain} where action_id = ${action_id}`.execute(transaction);
  const { rows: catalogs } = await sql<CatalogRow>`
    select id, slug, definition, owner_user_id, created_at from catalogs where definition is not null
    order by created_at, id`.execute(transaction);
  for (const catalog of catalogs)
    await split(
      transaction,
      catalog,
      actions.filter(({ catalog_id }) => catalog_id === catalog.id),
    );
  await sql`update publications set version = version + 1`.execute(transaction);
};

async function builtActions(transaction: QueryExecutorProvider): Promise<BuiltAction[]> {
  const { rows } = await sql<Omit<BuiltAction, 'domain'> & { domain: string | null; definition: string }>`
    select action_id, catalog_id, owner_user_id, definition, (
      select min(build.domain) from build_requests build where build.action_id = actions.action_id
    ) as domain from actions where definition is not null order by created_at, action_id`.execute(
    transaction,
  );
  return rows.map(({ definition, domain, ...row }) => {
    const recipe = Recipe.safeParse(JSON.parse(definition)).data?.recipe;
    return { ...row, domain: domain ?? getHost(recipe?.request.url ?? '') };
  });
}

/** By domain, and by owner where nothing of the domain is public. */
function toParts(actions: readonly BuiltAction[]): Part[] {
  const parts = new Map<string, { domain: string; owner: string | null; actions: BuiltAction[] }>();
  for (const action of actions) {
    const isShared = actions.some(
      ({ domain, owner_user_id }) => domain === action.domain && owner_user_id === null,
    );
    const owner = isShared ? null : action.owner_user_id;
    const key = `${action.domain} ${owner ?? ''}`;
    const part = parts.get(key) ?? { domain: action.domain, owner, actions: [] };
    part.actions.push(action);
    parts.set(key, part);
  }
  return [...parts.values()];
}

async function split(
  transaction: QueryExecutorProvider,
  catalog: CatalogRow,
  actions: readonly BuiltAction[],
): Promise<void> {
  const head = Head.parse(JSON.parse(catalog.definition));
  const domain = getHost(head.url);
  const parts = toParts(actions);
  const ofDomain = parts.filter((part) => part.domain === domain);
  const remaining =
    ofDomain.find(({ owner }) => owner === null) ??
    ofDomain.find(({ owner }) => owner === catalog.owner_user_id) ??
    ofDomain[0];
  await sql`update catalogs set domain = ${domain}, owner_user_id = ${remaining ? remaining.owner : catalog.owner_user_id},
    definition = ${JSON.stringify({ ...head, name: domain, description: `Data from ${domain}` })}
    where id = ${catalog.id}`.execute(transaction);
  for (const part of parts.filter((candidate) => candidate !== remaining)) {
    const id = await makeCatalog(transaction, catalog, head, part);
    for (const { action_id } of part.actions)
      await sql`update actions set catalog_id = ${id} where action_id = ${action_id}`.execute(transaction);
    const keepsCatalog =
      remaining !== undefined && (remaining.owner === null || remaining.owner === part.owner);
    const isOfDomain = part.domain === domain || !ofDomain.some(({ owner }) => owner === part.owner);
    if (part.owner !== null && !keepsCatalog && isOfDomain)
      await sql`update identities set catalog_id = ${id}
        where catalog_id = ${catalog.id} and user_id = ${part.owner}`.execute(transaction);
  }
}

export async function makeCatalog(
  transaction: QueryExecutorProvider,
  catalog: Pick<CatalogRow, 'created_at'>,
  head: z.infer<typeof Head>,
  { domain, owner }: Pick<Part, 'domain' | 'owner'>,
): Promise<string> {
  const id = randomUUID();
  const slug = await freeSlug(transaction, domain, owner);
  const origin = domain === getHost(head.url) ? new URL(head.url).origin : `https://${domain}`;
  const definition = JSON.stringify({
    ...head,
    slug,
    name: domain,
    url: `${origin}/`,
    description: `Data from ${domain}`,
    logo_url: `${origin}/favicon.ico`,
  });
  const hash = createHash('sha256').update(definition).digest('hex');
  await sql`insert into catalogs
    (id, slug, content_hash, definition, status, owner_user_id, domain, created_at, updated_at)
    values (${id}, ${slug}, ${hash}, ${definition}, 'active', ${owner}, ${domain},
      ${catalog.created_at}, ${Date.now()})`.execute(transaction);
  return id;
}

async function freeSlug(
  transaction: QueryExecutorProvider,
  domain: string,
  owner: string | null,
): Promise<string> {
  const plain = domain
    .replaceAll('-', '--')
    .replace(/[^a-z0-9-]/g, '-')
    .slice(0, 45)
    .replace(/^-+|-+$/g, '');
  const digits = createHash('sha256')
    .update(`${owner ?? ''} ${domain}`)
    .digest('hex');
  const candidates = [...(owner === null ? [plain] : []), `${plain}-${digits.slice(0, 6)}`];
  for (const slug of candidates) {
    const { rows } = await sql`select id from catalogs where slug = ${slug}`.execute(transaction);
    if (rows.length === 0) return slug;
  }
  return `${plain}-${digits.slice(0, 16)}`;
}
