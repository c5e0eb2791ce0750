/**
 * Catalogs of built actions. One belongs to one domain and, while all of its actions are private, to one user; a
 * public one may hold private actions of several users. Slugs never depend on what other users built privately.
 */
import { createHash, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { CatalogHead } from '../foundation/ports.ts';
import { operatorName } from '../money/users.ts';
import { toFieldName } from '../page/words.ts';
import type { ServiceQuery, ServiceTransaction } from '../store/schema.ts';
import { builtSource, parseCatalog, saveCatalog } from './definition-rows.ts';

/** Where an action is to be published, and for whom. */
export interface PublicationTarget {
  readonly domain: string;
  /** Any address of the site. */
  readonly websiteUrl: string;
  readonly userId: string;
  readonly isPublic: boolean;
}

/** A catalog that exists, or the head of the one to be made. */
export interface ChosenCatalog {
  readonly id: string | undefined;
  readonly head: CatalogHead;
  readonly owner: string | null;
}

/** The longest slug that is derived from a domain without being shortened. */
const maxSlug = 50;

/**
 * A different slug for every domain: `my-bank.t.com` is `my--bank-t-com`, `my.bank.t.com` is `my-bank-t-com`. That of an address
 * begins with a word, as the names of its tools then do: `127.0.0.1` is `site-127-0-0-1`, which no domain is.
 */
export function slugOfDomain(domain: string): string {
  const named = isIP(domain.replace(/^\[|\]$/g, '')) > 0 ? `site.${domain}` : domain;
  const slug = named.replaceAll('-', '--').replaceAll('.', '-');
  return /^[a-z0-9][a-z0-9-]*$/.test(slug) && slug.length <= maxSlug
    ? slug
    : `${slug.replace(/[^a-z0-9-]/g, '').slice(0, maxSlug - 9)}-${getHashTag(domain, 8)}`.replace(
        /^-+/,
        'site-',
      );
}

/** The first hexadecimal digits of a text's SHA-256. */
export const getHashTag = (text: string, digits = 6): string =>
  createHash('sha256').update(text).digest('hex').slice(0, digits);

/**
 * A part of an action's id: Latin letters, digits and _, as in catalog files. Words of other scripts become digits of
 * their hash.
 */
export function toIdPart(words: readonly string[]): string {
  const latin = words.filter((word) => /^\w+$/.test(word));
  if (latin.length > 0) return toFieldName(latin.slice(0, 3).join(' '));
  return words.length > 0 ? getHashTag(words.join(' ')) : 'data';
}

/** The user of the embedded service's own key, who also reviews public builds. */
export async function isOperator(query: ServiceQuery, userId: string): Promise<boolean> {
  const user = await query.selectFrom('users').select('name').where('id', '=', userId).executeTakeFirst();
  return user?.name === operatorName;
}

/** The catalog that an action would be published in now: one's own or a public one of its domain, or a new one. */
export async function chooseCatalog(query: ServiceQuery, place: PublicationTarget): Promise<ChosenCatalog> {
  const { domain, userId, isPublic } = place;
  const rows = await query
    .selectFrom('catalogs')
    .select(['id', 'slug', 'owner', 'definition'])
    .where('domain', '=', domain)
    .where('source', '=', builtSource)
    .execute();
  const ownCatalog = rows.find((row) => row.owner === userId);
  const shared = rows.find((row) => row.owner === null);
  // The first public action of a domain makes a private catalog public; its private actions stay private.
  const first = rows.find((row) => row.slug === slugOfDomain(domain)) ?? ownCatalog;
  const existing = isPublic ? (shared ?? first) : (ownCatalog ?? shared);
  if (existing !== undefined)
    return { id: existing.id, head: parseCatalog(existing.definition), owner: existing.owner };
  const head = readCatalogHead(place, await slugForBuild(query, place));
  return { id: undefined, head, owner: isPublic ? null : userId };
}

/** The id of the catalog for an action. Creates the catalog, or makes it public, if needed. */
export async function catalogIdFor(
  transaction: ServiceTransaction,
  place: PublicationTarget,
): Promise<string> {
  const { id, head, owner } = await chooseCatalog(transaction, place);
  if (id !== undefined && (owner === null || !place.isPublic)) return id;
  const { url, logo_url } = readCatalogHead(place, head.slug);
  const catalog = { ...head, url, logo_url };
  return saveCatalog(transaction, catalog, {
    source: builtSource,
    owner: place.isPublic ? null : place.userId,
  });
}

/** Contains no text of a page. */
export function readCatalogHead(
  { domain, websiteUrl }: Pick<PublicationTarget, 'domain' | 'websiteUrl'>,
  slug: string,
): CatalogHead {
  const { origin } = new URL(websiteUrl);
  return {
    slug,
    name: domain,
    url: `${origin}/`,
    category: 'web',
    description: `Data from ${domain}`,
    logo_url: `${origin}/favicon.ico`,
    auth_types: [],
    auth_login_url: null,
  };
}

/**
 * Users other than the operator get a slug of their own for a private catalog, whether or not others have taken the
 * plain one.
 */
async function slugForBuild(
  query: ServiceQuery,
  { domain, userId, isPublic }: PublicationTarget,
): Promise<string> {
  const slug = slugOfDomain(domain);
  const ownCatalog = `${slug}-${getHashTag(`${userId} ${domain}`)}`;
  const candidates = isPublic || (await isOperator(query, userId)) ? [slug, ownCatalog] : [ownCatalog];
  for (const candidate of candidates) {
    const row = await query
      .selectFrom('catalogs')
      .select('id')
      .where('slug', '=', candidate)
      .executeTakeFirst();
    if (row === undefined) return candidate;
  }
  return `${slug}-${randomUUID().slice(0, 8)}`;
}
