/**
 * Deletes what is older than its time, in small batches away from calls. One process at a time looks, once an hour.
 *
 * Where the process may die: within a batch nothing is deleted; between two batches the next look, of any process,
 * goes on. Nothing is deleted in the 7 days after the table was made, which an upgrade does: what the first look would
 * delete is logged instead.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Migration } from './database.ts';
import { type Statement, statement } from './statement.ts';

export interface Retention {
  /** Days. */
  readonly resultsDays: number;
  readonly intentsDays: number;
}
export const defaultRetention: Retention = { resultsDays: 30, intentsDays: 90 };

export const dayMs = 24 * 60 * 60_000;
/** How long nothing is deleted after an upgrade. */
const graceMs = 7 * dayMs;
const betweenLooksMs = 60 * 60_000;
/** After the work of a start; most processes end before. */
const firstLookMs = 60_000;
const betweenBatchesMs = 50;

export interface RetentionStep {
  /** For the log: what is deleted, or done. */
  readonly what: string;
  /** For the log, where it deletes nothing. */
  readonly verb?: 'Closed';
  /** How many rows it would delete at `now`: `count`, and `bytes` where that is known. */
  readonly count: (now: number) => Statement<{ count: number; bytes: number | null }>;
  /** Deletes some of them: changes no row once there are none left. */
  readonly remove: (now: number) => Statement;
}

interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The table of one part of the program: when it may delete, and when somebody looked last. */
export const createRetentionTable =
  (table: string): Migration =>
  async ({ schema, transaction }) => {
    await schema
      .createTable(table)
      .addColumn('deletes_from', 'bigint', (column) => column.notNull())
      .addColumn('looked_at', 'bigint', (column) => column.notNull())
      .execute();
    const { sql } = await import('kysely');
    await sql`insert into ${sql.table(table)} values (${Date.now() + graceMs}, 0)`.execute(transaction);
  };

export class Sweeper<Schema> {
  readonly #database: Database<Schema>;
  readonly #table: string;
  readonly #steps: readonly RetentionStep[];
  readonly #logger: Logger;
  readonly #stopped = new AbortController();
  #sweeping: Promise<void> = Promise.resolve();

  constructor(database: Database<Schema>, table: string, steps: readonly RetentionStep[], logger: Logger) {
    this.#database = database;
    this.#table = table;
    this.#steps = steps;
    this.#logger = logger;
  }

  start(): void {
    this.#sweeping = this.#loop();
  }

  /** Resolves when no batch is under way. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#sweeping;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopped;
    for (let pause = firstLookMs; ; pause = betweenLooksMs) {
      await delay(pause, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.sweep(await this.#now());
      } catch (error) {
        this.#logger.warn({ err: error }, 'Old data could not be deleted; trying again in an hour');
      }
    }
  }

  /** The shared database's clock: a replica whose own clock is wrong must not delete recent rows. */
  async #now(): Promise<number> {
    if (this.#database.engine === 'sqlite') return Date.now();
    const [row] = await this.#database.read(
      statement<{ now: number }>('select (extract(epoch from clock_timestamp()) * 1000)::bigint as now'),
    );
    return row?.now ?? Date.now();
  }

  /** One look, unless another process looked within the hour. Resolves to the rows that were deleted. */
  async sweep(now: number): Promise<number> {
    const [claimed, state] = await this.#database.batch([
      statement(`update ${this.#table} set looked_at = $1 where looked_at <= $2`, now, now - betweenLooksMs),
      statement<{ deletes_from: number }>(`select deletes_from from ${this.#table}`),
    ]);
    const deletesFrom = state.rows[0]?.deletes_from ?? now + graceMs;
    if (claimed.changes === 0) return 0;
    if (now < deletesFrom) {
      await this.#announce(now, deletesFrom);
      return 0;
    }
    let removed = 0;
    for (const step of this.#steps) removed += await this.#run(step, now);
    return removed;
  }

  async #announce(now: number, deletesFrom: number): Promise<void> {
    for (const step of this.#steps) {
      const [{ rows }] = await this.#database.batch([step.count(now)], { synced: false });
      const { count = 0, bytes = null } = rows[0] ?? {};
      if (count === 0) continue;
      const size = bytes === null ? '' : ` (${Math.ceil(bytes / 1024 / 1024)} MB)`;
      this.#logger.warn(
        { count, bytes, from: new Date(deletesFrom).toISOString() },
        `${count} ${step.what}${size} will be deleted from ${new Date(deletesFrom).toISOString()} on: ` +
          'set SVC_KEEP_RESULTS_DAYS or SVC_KEEP_INTENTS_DAYS to keep them longer',
      );
    }
  }

  async #run(step: RetentionStep, now: number): Promise<number> {
    let removed = 0;
    while (!this.#stopped.signal.aborted) {
      const [{ changes }] = await this.#database.batch([step.remove(now)], { synced: false });
      removed += changes;
      if (changes === 0) break;
      await delay(betweenBatchesMs, undefined, { ref: false });
    }
    if (removed > 0)
      this.#logger.info({ count: removed }, `${step.verb ?? 'Deleted'} ${removed} ${step.what}`);
    return removed;
  }
}
