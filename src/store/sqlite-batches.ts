/**
 * Runs batches on a SQLite connection without giving up the event loop while the write lock is held: a process that
 * is stopped between two awaits would block all others. Batches that wait at the same moment commit together.
 */
import type Libsql from 'libsql';
import { storeFailure } from './errors.ts';
import type { Statement, StatementResult } from './statement.ts';

/** The file's one connection, shared with everything else that uses it. */
export interface Turn {
  /** Waits for the connection and then for the write lock. */
  begin(): Promise<void>;
  commit(): Promise<void>;
  rollback(): void;
  /** Lets others use the connection; resolves when what was committed is on the disk, if that is wanted. */
  end(options: { synced: boolean }): Promise<void>;
}

interface Waiting {
  readonly statements: readonly Statement[];
  readonly synced: boolean;
  readonly beforeCommit: (() => void) | undefined;
  readonly resolve: (results: StatementResult<unknown>[]) => void;
  readonly reject: (error: unknown) => void;
}

type Ran = { readonly batch: Waiting; readonly results: StatementResult<unknown>[] };

/** Bounds the time for which others wait for the lock. */
const maxTogether = 64;
const maxCached = 300;

export class SqliteBatches {
  readonly #connection: Libsql.Database;
  readonly #turn: Turn;
  readonly #prepared = new Map<string, Libsql.Statement<unknown[]>>();
  #waiting: Waiting[] = [];
  #running = false;

  constructor(connection: Libsql.Database, turn: Turn) {
    this.#connection = connection;
    this.#turn = turn;
  }

  run(
    statements: readonly Statement[],
    options: { readonly synced: boolean; readonly beforeCommit: (() => void) | undefined },
  ): Promise<StatementResult<unknown>[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements, ...options, resolve, reject });
      void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    while (this.#waiting.length > 0) await this.#commitWaiting();
    this.#running = false;
  }

  async #commitWaiting(): Promise<void> {
    let together: Waiting[] = [];
    try {
      await this.#turn.begin();
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      return;
    }
    const ran: Ran[] = [];
    let failure: unknown;
    try {
      together = this.#waiting.splice(0, maxTogether);
      for (const batch of together) {
        const results = this.#runOne(batch, together.length > 1);
        if (results !== undefined) ran.push({ batch, results });
      }
      for (const { batch } of ran) batch.beforeCommit?.();
      await this.#turn.commit();
    } catch (error) {
      failure = storeFailure(error);
      this.#turn.rollback();
    }
    const isFailed = failure !== undefined;
    if (isFailed) for (const { reject } of together) reject(failure);
    const synced = !isFailed && ran.some(({ batch }) => batch.synced);
    const onDisk = this.#turn.end({ synced });
    for (const { batch, results } of isFailed ? [] : ran) {
      if (batch.synced) onDisk.then(() => batch.resolve(results), batch.reject);
      else batch.resolve(results);
    }
    // The next ones need not wait for the disk.
    onDisk.catch(() => undefined);
  }

  /** Undefined where the batch failed by itself and was undone. Throws where nothing can be said of the others. */
  #runOne(batch: Waiting, isolated: boolean): StatementResult<unknown>[] | undefined {
    if (isolated) this.#connection.exec('savepoint batch');
    try {
      const results = batch.statements.map((one) => this.#execute(one));
      if (isolated) this.#connection.exec('release batch');
      return results;
    } catch (error) {
      // A full disk, for one, has undone the whole transaction.
      if (!isolated || !this.#connection.inTransaction) throw error;
      this.#connection.exec('rollback to batch');
      this.#connection.exec('release batch');
      batch.reject(storeFailure(error));
      return undefined;
    }
  }

  #execute({ sql, parameters }: Statement): StatementResult<unknown> {
    const prepared = this.#prepared.get(sql) ?? this.#prepare(sql);
    try {
      if (prepared.reader) {
        const rows = prepared.all([...parameters]).map(withBuffers);
        return { rows, changes: rows.length };
      }
      return { rows: [], changes: prepared.run([...parameters]).changes };
    } catch (error) {
      this.#prepared.delete(sql);
      throw error;
    }
  }

  #prepare(sql: string): Libsql.Statement<unknown[]> {
    const prepared = this.#connection.prepare<unknown[]>(numbered(sql));
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
  for (const [column, value] of Object.entries(row)) {
    if (value instanceof ArrayBuffer) Object.assign(row, { [column]: Buffer.from(value) });
  }
  return row;
}
