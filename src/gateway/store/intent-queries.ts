/** What is read of the intents of one principal, without changing any. */
import { sql } from 'kysely';
import type { Database } from '../../store/database.ts';
import { statement } from '../../store/statement.ts';
import type { Principal } from '../interface/principal.ts';
import type { AcceptedIntent } from './intent-statements.ts';
import type { GatewaySchema, IntentRow } from './schema.ts';

export class IntentQueries {
  protected readonly database: Database<GatewaySchema>;
  protected readonly principal: string;

  constructor(database: Database<GatewaySchema>, principal: Principal) {
    this.database = database;
    this.principal = principal.id;
  }

  byJob(jobId: string): Promise<IntentRow | undefined> {
    return this.selectOne('job_id', jobId);
  }

  /** Whether the job comes from a call of any principal. */
  async isOfAnyone(jobId: string): Promise<boolean> {
    const row = await this.database.query
      .selectFrom('gateway_intent')
      .select('id')
      .where('job_id', '=', jobId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** The newest intent of the same call that was made after this one. */
  async other(intent: AcceptedIntent): Promise<IntentRow | undefined> {
    return this.database.query
      .selectFrom('gateway_intent')
      .selectAll()
      .where('principal', '=', this.principal)
      .where('call_hash', '=', intent.call_hash)
      .where('id', '!=', intent.id)
      .where('created_at', '>=', intent.created_at)
      .orderBy('created_at', 'desc')
      .executeTakeFirst();
  }

  /** Durations in milliseconds of the newest runs of an action that ended well. */
  async durations(subject: string, count = 10): Promise<number[]> {
    // One row, because each costs as much as finding them all.
    const [row] = await this.database.read(
      statement<{ durations: string | null }>(
        `select string_agg(cast(duration_ms as text), ' ') as durations from (
          select duration_ms from gateway_intent where principal = $1 and subject = $2 and outcome = 'completed'
            and duration_ms is not null order by created_at desc limit $3) as newest`,
        this.principal,
        subject,
        count,
      ),
    );
    return (row?.durations ?? '').split(' ').filter(Boolean).map(Number);
  }

  /** Credits that the newest completed runs of an action at this base price have cost. */
  async costs(subject: string, base: number, count: number): Promise<number[]> {
    const rows = await this.database.query
      .selectFrom('gateway_intent')
      .select('charged')
      .where('principal', '=', this.principal)
      .where('subject', '=', subject)
      // A literal: databases use a partial index only where they see that its condition holds.
      .where('outcome', '=', sql.lit('completed'))
      .where('price', '=', base)
      .where('kind', '=', 'run')
      .orderBy('created_at', 'desc')
      .limit(count)
      .execute();
    return rows.map((row) => row.charged);
  }

  /** The newest first. */
  protected selectRecent(limit: number, offset: number): Promise<IntentRow[]> {
    return this.database.query
      .selectFrom('gateway_intent')
      .selectAll()
      .where('principal', '=', this.principal)
      .orderBy('created_at', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
  }

  /** Open calls without a key whose answer is not known, or not yet. */
  protected selectDoubtful(kind: IntentRow['kind']): Promise<IntentRow[]> {
    return (
      this.database.query
        .selectFrom('gateway_intent')
        .selectAll()
        .where('principal', '=', this.principal)
        // A literal: databases use a partial index only where they see that its condition holds.
        .where((row) => row('open', '=', row.lit(1)))
        .where('kind', '=', kind)
        .where('state', 'in', ['intended', 'unknown'])
        .where('keyed', '=', 0)
        .execute()
    );
  }

  protected selectOne(column: 'id' | 'job_id', value: string): Promise<IntentRow | undefined> {
    return this.database.query
      .selectFrom('gateway_intent')
      .selectAll()
      .where('principal', '=', this.principal)
      .where(column, '=', value)
      .executeTakeFirst();
  }
}
