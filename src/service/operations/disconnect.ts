/** Disconnecting an account: its sessions are deleted here. What the site keeps of them is the site's. */

import { notFound } from '../foundation/request-error.ts';
import { lockBalance } from '../money/ledger.ts';
import type { ServiceDatabase } from '../store/schema.ts';

/** Where it was the default, the oldest that is left takes its place. Refuses with `NOT_FOUND`. */
export async function disconnectIdentity(
  database: ServiceDatabase,
  userId: string,
  identityId: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    // Whoever makes or chooses identities of a user takes turns, so that there is always one default.
    await lockBalance(transaction, userId);
    const identity = await transaction
      .selectFrom('identities')
      .selectAll()
      .where('id', '=', identityId)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (identity === undefined) throw notFound('identity');
    await transaction.deleteFrom('credentials').where('identity_id', '=', identityId).execute();
    await transaction.deleteFrom('identities').where('id', '=', identityId).execute();
    if (identity.is_default === 0) return;
    const oldest = await transaction
      .selectFrom('identities')
      .select('id')
      .where('user_id', '=', userId)
      .where('catalog_id', '=', identity.catalog_id)
      .orderBy('created_at')
      .executeTakeFirst();
    if (oldest === undefined) return;
    await transaction.updateTable('identities').set({ is_default: 1 }).where('id', '=', oldest.id).execute();
  });
}

export interface ConnectedAccount {
  readonly id: string;
  readonly userId: string;
  readonly user: string;
  /** The catalog's slug. */
  readonly catalog: string;
  readonly name: string;
}

/** Of all users, for the operator. */
export async function listAccounts({ query }: ServiceDatabase): Promise<ConnectedAccount[]> {
  const rows = await query
    .selectFrom('identities')
    .innerJoin('users', 'users.id', 'identities.user_id')
    .innerJoin('catalogs', 'catalogs.id', 'identities.catalog_id')
    .select(['identities.id', 'identities.user_id', 'identities.name', 'users.name as user', 'catalogs.slug'])
    .orderBy('users.name')
    .orderBy('catalogs.slug')
    .orderBy('identities.name')
    .execute();
  return rows.map(({ id, user_id, user, slug, name }) => ({
    id,
    userId: user_id,
    user,
    catalog: slug,
    name,
  }));
}
