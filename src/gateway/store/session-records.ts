/**
 * Which sessions of clients over HTTP have not ended, for restarts and other replicas. The ids hold the rest; only their
 * hashes are kept here.
 */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { databaseNow } from '../../store/database-time.ts';
import type { GatewayDatabase } from './gateway-database.ts';

/** Rows of sessions that nobody has used for so long are deleted. */
const keptMs = 7 * 24 * 3_600_000;

export class SessionRecords {
  readonly #database: GatewayDatabase;

  constructor(database: GatewayDatabase) {
    this.#database = database;
  }

  /** Records a use of the session, and the session itself at its first one. */
  async use(id: string): Promise<void> {
    const { query, engine } = await this.#database.open();
    const now = databaseNow(engine);
    await query
      .insertInto('gateway_session')
      .values({ id: digest(id), used_at: now })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ used_at: now }))
      .execute();
    await query
      .deleteFrom('gateway_session')
      .where('used_at', '<', sql<number>`${now} - ${sql.lit(keptMs)}`)
      .execute();
  }

  /** Whether the session was used within the last `idleMs` and not ended. */
  async isOpen(id: string, idleMs: number): Promise<boolean> {
    const { query, engine } = await this.#database.open();
    const row = await query
      .selectFrom('gateway_session')
      .select('used_at')
      .where('id', '=', digest(id))
      .where('used_at', '>=', sql<number>`${databaseNow(engine)} - ${sql.lit(idleMs)}`)
      .executeTakeFirst();
    return row !== undefined;
  }

  async end(id: string): Promise<void> {
    const { query } = await this.#database.open();
    await query.deleteFrom('gateway_session').where('id', '=', digest(id)).execute();
  }
}

const digest = (id: string) => createHash('sha256').update(id).digest('base64url');
