/** GET /usage, an extension of the interface: what the user has left and has spent today. */
import type { UsageAnswer } from '../../contract/endpoints.ts';
import type { Context } from './context.ts';

const dayMs = 24 * 60 * 60_000;

/** `spent_today`: charges minus refunds since 00:00 UTC. */
export async function readUsage({ database }: Context, userId: string): Promise<UsageAnswer> {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const [user, spent] = await Promise.all([
    database.query.selectFrom('users').select('balance').where('id', '=', userId).executeTakeFirstOrThrow(),
    database.query
      .selectFrom('ledger')
      .select(({ fn }) => fn.sum<number | null>('amount').as('amount'))
      .where('user_id', '=', userId)
      .where('created_at', '>=', today)
      .where('kind', '!=', 'grant')
      .executeTakeFirst(),
  ]);
  return { status: 'ok', balance: user.balance, spent_today: 0 - (spent?.amount ?? 0) };
}
