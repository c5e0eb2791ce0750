import { notFound } from '../foundation/request-error.ts';
import { lockBalance } from '../money/ledger.ts';
import type { Context } from './context.ts';

/** Makes it the only default of its catalog. Refuses with `NOT_FOUND` for an unknown one and for another user's. */
export async function setDefaultIdentity(
  { database }: Context,
  userId: string,
  identityId: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    // Requests that make or choose identities of a user take turns, so that there is always one default.
    await lockBalance(transaction, userId);
    const chosen = await transaction
      .selectFrom('identities')
      .select('catalog_id')
      .where('id', '=', identityId)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (chosen === undefined) throw notFound('identity');
    await transaction
      .updateTable('identities')
      .set((row) => ({ is_default: row.case().when('id', '=', identityId).then(1).else(0).end() }))
      .where('user_id', '=', userId)
      .where('catalog_id', '=', chosen.catalog_id)
      .execute();
  });
}
