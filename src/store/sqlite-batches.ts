/**
 * Runs batches on a SQLite connection without giving up the event loop while the write lock is held: a process that
 * is stopped between two awaits would block all others. Batches that wait at the same moment commit together.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type Libsql from 'libsql';
import { storeFailure } from './errors.ts';
import type { Statement, StatementResult } from './statement.ts';

/** How long a batch waits for the flush under way, in milliseconds: longer, and the disk has stalled. */
const flushMs = 1_000;

/** The file's one connection, shared with everything else that uses it. */
export interface Turn {
  /** Waits for the connection and then for the write lock. */
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): void;
  /** Resolves when what is being brought to the disk now is there; undefined where there is nothing. */
  readonly flushing: Promise<void> | undefined;
  /** Lets others use the connection; resolves when what was committed is on the disk, if that is wanted. */
  end(options: { synced: boolean }): Promise<void>;
}

interface Waiting {
  readonly statements: readonly Statement[];
  readonly synced: boolean;
  readonly resolve: (results: StatementResult<unknown>[]) => void;
  readonly reject: (error: unknown) => void;
}

interface Prepared {
  readonly statement: Libsql.Statement<unknown[]>;
  readonly returnsRows: boolean;
}

type BatchResult = { readonly batch: Waiting; readonly results: StatementResult<unknown>[] };

/** Bounds the time for which others wait for the lock. */
const maxTogether = 64;
const maxCached = 300;

export class SqliteBatches {
  readonly #connection: Libsql.Database;
  readonly #turn: Turn;
  readonly #prepared = new Map<string, Prepared>();
  #waiting: Waiting[] = [];
  #running = false;

  constructor(connection: Libsql.Database, turn: Turn) {
    this.#connection = connection;
    this.#turn = turn;
  }

  run(statements: readonly Statement[], synced: boolean): Promise<StatementResult<unknown>[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements, synced, resolve, reject });
      void this.#drain();
    });
  }

  /** Runs a statement that only reads, at once. Throws the engine's own error. */
  read(statement: Statement): readonly unknown[] {
    return this.#execute(statement).rows;
  }

  async #drain(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (this.#waiting.length > 0) {
      await this.#waitForOthers();
      await this.#commitWaiting();
    }
    this.#running = false;
  }

  /** Batches that wait for the disk must wait for the flush under way; those that arrive until then commit together. */
  async #waitForOthers(): Promise<void> {
    const { flushing } = this.#turn;
    if (flushing === undefined || !this.#waiting.some(({ synced }) => synced)) return;
    await Promise.race([flushing, delay(flushMs, undefined, { ref: false })]);
  }

  async #commitWaiting(): Promise<void> {
    let together: Waiting[] = [];
    try {
      await this.#turn.begin();
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      return;
    }
    let runResults: BatchResult[] = [];
    let failure: unknown;
    try {
      together = this.#waiting.splice(0, maxTogether);
      runResults = this.#runTogether(together);
      await this.#turn.commit();
    } catch (error) {
      failure = storeFailure(error);
      try {
        this.#turn.rollback();
      } catch {
        // The next user of the connection tries again; the failure above is the one to tell.
      }
    }
    const isFailed = failure !== undefined;
    if (isFailed) for (const { reject } of together) reject(failure);
    const synced = !isFailed && runResults.some(({ batch }) => batch.synced);
    const onDisk = this.#turn.end({ synced });
    for (const { batch, results } of isFailed ? [] : runResults) {
      if (batch.synced) onDisk.then(() => batch.resolve(results), batch.reject);
      else batch.resolve(results);
    }
    // The next batches need not wait for the disk.
    onDisk.catch(() => undefined);
  }

  /** Runs the batches in one transaction and undoes those that fail by themselves. Throws if all of them are affected. */
  #runTogether(batches: readonly Waiting[]): BatchResult[] {
    if (batches.length === 1) return batches.map((batch) => this.#run(batch));
    this.#connection.exec('savepoint together');
    try {
      return batches.map((batch) => this.#run(batch));
    } catch (error) {
      // A full disk, for one, has undone the whole transaction.
      if (!this.#connection.inTransaction) throw error;
    }
    // Rare: run each batch again, by itself.
    this.#connection.exec('rollback to together');
    return batches.flatMap((batch) => this.#runIsolated(batch) ?? []);
  }

  #runIsolated(batch: Waiting): BatchResult | undefined {
    this.#connection.exec('savepoint batch');
    try {
      return this.#run(batch);
    } catch (error) {
      if (!this.#connection.inTransaction) throw error;
      this.#connection.exec('rollback to batch');
      batch.reject(storeFailure(error));
      return undefined;
    } finally {
      if (this.#connection.inTransaction) this.#connection.exec('release batch');
    }
  }

  #run(batch: Waiting): BatchResult {
    return { batch, results: batch.statements.map((statement) => this.#execute(statement)) };
  }

  #execute({ sql, parameters }: Statement): StatementResult<unknown> {
    const { statement, returnsRows } = this.#prepared.get(sql) ?? this.#prepare(sql);
    try {
      if (returnsRows) {
        const rows = statement.all([...parameters]).map(withBuffers);
        return { rows, changes: rows.length };
      }
      return { rows: [], changes: statement.run([...parameters]).changes };
    } catch (error) {
      this.#prepared.delete(sql);
      throw error;
    }
  }

  #prepare(sql: string): Prepared {
    const statement = this.#connection.prepare<unknown[]>(numbered(sql));
    const prepared = { statement, returnsRows: statement.reader };
    if (this.#prepared.size >= maxCached) this.#prepared.clear();
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

/** SQLite takes `$1` for a name and `?1` for a number. */
export const numbered = (sql: string): string => sql.replace(/\$(\d+)/g, '?$1');

/** libsql returns bytes as ArrayBuffer, pg as Buffer. */
export function withBuffers(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  // No `Object.entries`: this runs for every row that is read.
  for (const column in row) {
    const value: unknown = Reflect.get(row, column);
    if (value instanceof ArrayBuffer) Reflect.set(row, column, Buffer.from(value));
  }
  return row;
}
