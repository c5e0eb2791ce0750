/** What this principal has paid before: results to answer with again, and what was spent on what. */

import { sql } from 'kysely';
import type { Database } from '../../store/database.ts';
import { databaseNow } from '../../store/database-time.ts';
import type { Principal } from '../interface/principal.ts';
import { callHash, type PaidCall } from './canonical.ts';
import type { Intent } from './intents.ts';
import type { GatewaySchema } from './schema.ts';
import { closesAt, unansweredMs } from './states.ts';
import { parseObject } from './stored-json.ts';

const dayMs = 24 * 60 * 60_000;

/** Credits and runs of one action, or of builds for one website. */
export interface SpentOn {
  readonly kind: Intent['kind'];
  readonly subject: string;
  readonly runs: number;
  readonly spent: number;
}

export interface SpentDay {
  /** The UTC day, such as `2026-11-22`. */
  readonly day: string;
  readonly runs: number;
  readonly spent: number;
}

export class EarlierCalls {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;

  constructor(database: Database<GatewaySchema>, principal: Principal) {
    this.#database = database;
    this.#principal = principal.id;
  }

  /**
   * The newest completed run of the same call that ended within `maxAgeMs`; undefined where there is none, or where an
   * open call must be joined first.
   */
  async completedSame(call: PaidCall, maxAgeMs: number): Promise<Intent | undefined> {
    const hash = callHash(call);
    const now = databaseNow(this.#database.engine);
    const open = await this.#database.query
      .selectFrom('gateway_intent')
      .selectAll()
      .select(now.as('now'))
      .where('principal', '=', this.#principal)
      .where('call_hash', '=', hash)
      // A literal: SQLite uses a partial index only where it sees that its condition holds.
      .where((row) => row('open', '=', row.lit(1)))
      .executeTakeFirst();
    if (open !== undefined && open.now < (closesAt(open) ?? Number.POSITIVE_INFINITY)) return undefined;
    return (
      this.#database.query
        .selectFrom('gateway_intent')
        .selectAll()
        .where('principal', '=', this.#principal)
        .where('subject', '=', call.subject)
        .where('outcome', '=', sql.lit('completed'))
        // Bounds the search by the index; no run is waited for longer than this.
        .where('created_at', '>=', sql<number>`${now} - ${maxAgeMs + unansweredMs}`)
        .where('call_hash', '=', hash)
        .where('finished_at', '>=', sql<number>`${now} - ${maxAgeMs}`)
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirst()
    );
  }

  /** What was spent on what since a moment, the dearest first. */
  async spentOn(since: number, limit: number): Promise<SpentOn[]> {
    const rows = await this.#database.query
      .selectFrom('gateway_intent')
      .select(({ fn }) => [
        'kind',
        'subject',
        fn.countAll<number>().as('runs'),
        fn.sum<number>('charged').as('spent'),
      ])
      .where('principal', '=', this.#principal)
      .where('created_at', '>=', since)
      .where('state', '!=', 'refused')
      .groupBy(['kind', 'subject'])
      .orderBy('spent', 'desc')
      .orderBy('subject')
      .limit(limit)
      .execute();
    return rows.map(({ kind, subject, runs, spent }) => ({ kind, subject, runs: Number(runs), spent }));
  }

  /** What was spent on each UTC day since a moment, the newest first. */
  async spentByDay(since: number): Promise<SpentDay[]> {
    const day = sql<number>`created_at / ${sql.lit(dayMs)}`;
    const rows = await this.#database.query
      .selectFrom('gateway_intent')
      .select(({ fn }) => [
        day.as('day'),
        fn.countAll<number>().as('runs'),
        fn.sum<number>('charged').as('spent'),
      ])
      .where('principal', '=', this.#principal)
      .where('created_at', '>=', since)
      .where('state', '!=', 'refused')
      .groupBy(day)
      .orderBy('day', 'desc')
      .execute();
    return rows.map((row) => ({
      day: new Date(Number(row.day) * dayMs).toISOString().slice(0, 10),
      runs: Number(row.runs),
      spent: row.spent,
    }));
  }

  /** What the newest completed runs of an action have cost, the newest first. */
  async lastCosts(subject: string, count: number): Promise<number[]> {
    const rows = await this.#database.query
      .selectFrom('gateway_intent')
      .select('charged')
      .where('principal', '=', this.#principal)
      .where('subject', '=', subject)
      .where('outcome', '=', sql.lit('completed'))
      .orderBy('created_at', 'desc')
      .limit(count)
      .execute();
    return rows.map(({ charged }) => charged);
  }

  /** The last balance that a refusal of the service named within a week. */
  async lastBalance(): Promise<{ balance: number; at: number } | undefined> {
    const row = await this.#database.query
      .selectFrom('gateway_intent')
      .select(['refusal', 'created_at'])
      .where('principal', '=', this.#principal)
      .where('created_at', '>=', sql<number>`${databaseNow(this.#database.engine)} - ${7 * dayMs}`)
      .where('refusal', 'like', '%"balance":%')
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined || row.refusal === null) return undefined;
    const { balance } = parseObject(row.refusal);
    return typeof balance === 'number' ? { balance, at: row.created_at } : undefined;
  }
}
