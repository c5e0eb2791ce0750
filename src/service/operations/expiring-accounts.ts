/** Accounts whose sign-in ends soon, or has ended. */
import { credentialColumns, getCredentialStatus } from '../accounts/credentials.ts';
import type { Context } from './context.ts';

export interface ExpiringAccount {
  readonly name: string;
  readonly slug: string;
  readonly site: string;
  /** Past, or now, where a new sign-in is needed. */
  readonly expiresAt: Date;
}

const soonMs = 3 * 86_400_000;

/** Of each account the credential that lasts longest; those of catalogs that are gone are left out. */
export async function listExpiringAccounts(
  { database, keys, publication }: Context,
  userId: string,
): Promise<ExpiringAccount[]> {
  const rows = await database.query
    .selectFrom('credentials')
    .innerJoin('identities', 'identities.id', 'credentials.identity_id')
    .select(credentialColumns)
    .select(['identities.name', 'identities.catalog_id'])
    .where('identities.user_id', '=', userId)
    .orderBy('credentials.expires_at', 'desc')
    .execute();
  await keys.learn(rows.map(({ key_id }) => key_id));
  const ends = rows.map((row) => ({
    row,
    expiresAt:
      getCredentialStatus(row, keys) === 'active' ? row.expires_at : Math.min(row.expires_at, Date.now()),
  }));
  const longest = new Map<string, (typeof ends)[number]>();
  for (const end of ends.sort((a, b) => b.expiresAt - a.expiresAt))
    if (!longest.has(end.row.identity_id)) longest.set(end.row.identity_id, end);
  const catalogs = (await publication.current()).visibleTo(userId);
  return [...longest.values()]
    .filter(({ expiresAt }) => expiresAt < Date.now() + soonMs)
    .flatMap(({ row, expiresAt }) => {
      const found = catalogs.find(({ catalog }) => catalog.id === row.catalog_id)?.catalog.definition;
      return found === undefined
        ? []
        : [{ name: row.name, slug: found.slug, site: found.name, expiresAt: new Date(expiresAt) }];
    })
    .sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
}
