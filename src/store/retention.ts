/**
 * Deletes what is older than its time, in small batches away from calls. One process at a time looks, once an hour.
 *
 * Where the process may die: within a batch nothing is deleted; between two batches the next look, of any process,
 * goes on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from './database.ts';
import { type Statement, statement } from './statement.ts';

export interface Retention {
  /** Days. */
  readonly resultsDays: number;
  readonly intentsDays: number;
}
export const defaultRetention: Retention = { resultsDays: 30, intentsDays: 90 };

export const dayMs = 24 * 60 * 60_000;
const betweenLooksMs = 60 * 60_000;
/** After the work of a start; most processes end before. */
const firstLookMs = 60_000;
const betweenBatchesMs = 50;

export interface RetentionStep {
  /** For the log: what is deleted, or done. */
  readonly what: string;
  /** For the log, where it deletes nothing. */
  readonly verb?: 'Closed';
  /** Deletes some of them: changes no row once there are none left. */
  readonly remove: (now: number) => Statement;
}

interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The table of one part of the program: when somebody looked last. */
export const retentionTable = (table: string): readonly string[] => [
  `create table ${table} (looked_at bigint not null)`,
  `insert into ${table} values (0)`,
];

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
    const [claimed] = await this.#database.batch([
      statement(`update ${this.#table} set looked_at = $1 where looked_at <= $2`, now, now - betweenLooksMs),
    ]);
    if (claimed.changes === 0) return 0;
    let removed = 0;
    for (const step of this.#steps) removed += await this.#run(step, now);
    return removed;
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
