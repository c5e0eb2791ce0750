/** The newest paid work of a principal: runs, builds and batches. The runs that a batch began are part of its entry. */
import { sql } from 'kysely';
import type { Database } from '../../store/database.ts';
import type { Principal } from '../interface/principal.ts';
import type { GatewaySchema } from './schema.ts';

export interface RecentJob {
  readonly kind: 'call' | 'batch';
  /** The id of the intent or the batch. */
  readonly id: string;
}

export class RecentJobs {
  readonly #database: Database<GatewaySchema>;
  readonly #principal: string;

  constructor(database: Database<GatewaySchema>, { id }: Principal) {
    this.#database = database;
    this.#principal = id;
  }

  /** The newest first. */
  async page(limit: number, offset: number): Promise<readonly RecentJob[]> {
    const { rows } = await sql<RecentJob>`select kind, id from (${this.#all()}) as jobs
      order by created_at desc, id limit ${limit} offset ${offset}`.execute(this.#database.query);
    return rows;
  }

  async count(): Promise<number> {
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from (${this.#all()}) as jobs`.execute(this.#database.query);
    return Number(rows[0]?.count ?? 0);
  }

  #all() {
    return sql`select 'call' as kind, call.id, call.created_at from gateway_intent as call
      where call.principal = ${this.#principal} and not exists (
        select 1 from gateway_batch_row as input join gateway_batch as batch on batch.id = input.batch_id
        where input.intent_id = call.id and batch.created_at <= call.created_at)
      union all
      select 'batch' as kind, id, created_at from gateway_batch where principal = ${this.#principal}`;
  }
}
