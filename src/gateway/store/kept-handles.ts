/** The handles of one principal in the store. */
import { randomBytes } from 'node:crypto';
import type { Database } from '../../store/database.ts';
import type { GatewaySchema, HandleRow } from './schema.ts';

const idBytes = 18;
/** The form of our ids. Other texts are not looked up, because a database does not take every text. */
const idForm = /^(?:[\w-]{24}|batch-[\w-]{36})$/;

export class KeptHandles {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;

  constructor(database: Database<GatewaySchema>, principal: string) {
    this.#database = database;
    this.#principal = principal;
  }

  /** Writes a new one and drops those that have expired. */
  async add(
    source: Pick<HandleRow, 'intent_id' | 'batch_id' | 'answer' | 'view'>,
    { now, ttlMs, id }: { now: number; ttlMs: number; id?: string },
  ): Promise<HandleRow> {
    const row: HandleRow = {
      id: id ?? randomBytes(idBytes).toString('base64url'),
      principal: this.#principal,
      ...source,
      created_at: now,
      expires_at: now + ttlMs,
      given_up_at: null,
    };
    await this.#database.query.deleteFrom('gateway_handle').where('expires_at', '<=', now).execute();
    await this.#database.query
      .insertInto('gateway_handle')
      .values(row)
      // Another process found the same batch by its id at the same time.
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return row;
  }

  async find(id: string, now: number): Promise<HandleRow | undefined> {
    if (!idForm.test(id)) return undefined;
    return this.#database.query
      .selectFrom('gateway_handle')
      .selectAll()
      .where('id', '=', id)
      .where('principal', '=', this.#principal)
      .where('expires_at', '>', now)
      .executeTakeFirst();
  }

  /** Only one whose paid call is under way, which the database itself decides: what has ended stays so. */
  async giveUp({ id, batch_id }: HandleRow, now: number): Promise<void> {
    const change = this.#database.query
      .updateTable('gateway_handle')
      .set({ given_up_at: now })
      .where('id', '=', id)
      .where('principal', '=', this.#principal)
      .where('given_up_at', 'is', null);
    if (batch_id !== null) return void (await change.execute());
    await change
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('gateway_intent')
            .select('gateway_intent.id')
            .whereRef('gateway_intent.id', '=', 'gateway_handle.intent_id')
            .where('gateway_intent.state', 'in', ['intended', 'submitted']),
        ),
      )
      .execute();
  }
}
