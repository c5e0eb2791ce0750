/**
 * Runs batches on a SQLite connection without giving up the event loop while the write lock is held: a process that
 * is stopped between two awaits would block all others. Batches that wait at the same moment commit together.
 */
import type Libsql from 'libsql';
import { refusal, storeFailure } from './errors.ts';
import type { Statement, StatementResult } from './statement.ts';

/** How long a batch waits for the flush under way, in milliseconds: longer, and the disk has stalled. */
const flushMs = 1_000;

/** The file's one connection, shared with everything else that uses it. */
export interface Turn {
  /** Throws a `StoreError` where nothing that is written would reach the disk. */
  check(): void;
  /** Takes the write lock at once; false where the connection or the lock is not free. Throws what `begin` rejects with. */
  tryBegin(): boolean;
  /** Waits for the connection and then for the write lock. */
  begin(): Promise<void>;
  /** Commits at once; false, and undone, where another statement must end first. */
  tryCommit(): boolean;
  commit(): Promise<void>;
  rollback(): void;
  /** What is being brought to the disk now; undefined where there is nothing. */
  readonly flushing: Promise<void> | undefined;
  /** Lets others use the connection that was waited for. */
  release(): Promise<void>;
  /** Resolves when what was committed is on the disk. */
  flush(): Promise<void>;
}

interface Waiting {
  readonly statements: readonly Statement[];
  readonly synced: boolean;
  /** Whether it waits for another process's lock. */
  readonly mayWait: boolean;
  readonly resolve: (results: StatementResult<unknown>[]) => void;
  readonly reject: (error: unknown) => void;
}

/** As of `Database.batch`. */
interface WaitingOptions {
  readonly synced: boolean;
  readonly mayWait?: boolean | undefined;
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
  #waitsForLock = false;

  constructor(connection: Libsql.Database, turn: Turn) {
    this.#connection = connection;
    this.#turn = turn;
  }

  run(
    statements: readonly Statement[],
    { synced, mayWait = true }: WaitingOptions,
  ): Promise<readonly StatementResult<unknown>[]> {
    return new Promise((resolve, reject) => {
      if (synced) this.#turn.check();
      if (!mayWait && this.#waitsForLock) throw lockedNow();
      this.#waiting.push({ statements, synced, mayWait, resolve, reject });
      this.#start();
    });
  }

  /** Runs a statement that only reads, at once. Throws the engine's own error. */
  read(statement: Statement): readonly unknown[] {
    return this.#execute(statement).rows;
  }

  /** Begins to commit what waits. */
  #start(): void {
    if (this.#running || this.#waiting.length === 0) return;
    this.#running = true;
    // Those that come in the same tick commit together.
    queueMicrotask(() => this.#next());
  }

  /** Batches that wait for the disk must wait for the flush under way; those that arrive until then commit together. */
  #next(): void {
    const { flushing } = this.#turn;
    if (flushing === undefined || !this.#waiting.some(({ synced }) => synced)) {
      this.#commitWaiting();
      return;
    }
    let timer: NodeJS.Timeout | undefined;
    const go = () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      this.#commitWaiting();
    };
    timer = setTimeout(go, flushMs).unref();
    flushing.then(go, go);
  }

  /** Commits what waits, without giving up the event loop where the connection and the lock are free. */
  #commitWaiting(): void {
    let isBegun = false;
    try {
      isBegun = this.#turn.tryBegin();
    } catch (error) {
      this.#failAll(error);
      this.#goOn();
      return;
    }
    const left = isBegun ? this.#commitAtOnce(this.#waiting.splice(0, maxTogether)) : [];
    this.#waiting.unshift(...left);
    if (!isBegun) this.#refuseHasty();
    if ((isBegun && left.length === 0) || this.#waiting.length === 0) this.#goOn();
    else void this.#commitInTurn();
  }

  /** Within the transaction that was begun. Returns what must wait for its turn after all. */
  #commitAtOnce(batches: readonly Waiting[]): readonly Waiting[] {
    try {
      const results = this.#runTogether(batches);
      if (this.#turn.tryCommit()) this.#answer(results);
      else return results.map(({ batch }) => batch);
    } catch (error) {
      this.#fail(batches, error);
    }
    return [];
  }

  /** As `#commitWaiting`, after a wait for the connection and the lock. */
  async #commitInTurn(): Promise<void> {
    try {
      this.#waitsForLock = true;
      await this.#turn.begin().finally(() => {
        this.#waitsForLock = false;
      });
      const batches = this.#waiting.splice(0, maxTogether);
      try {
        const results = this.#runTogether(batches);
        await this.#turn.commit();
        this.#answer(results);
      } catch (error) {
        this.#fail(batches, error);
      }
      await this.#turn.release();
    } catch (error) {
      this.#failAll(error);
    }
    this.#goOn();
  }

  /** Resolves when everything that waits was committed. */
  async settle(): Promise<void> {
    if (this.#waiting.length > 0) await this.run([], { synced: false }).catch(() => undefined);
  }

  #goOn(): void {
    this.#running = false;
    this.#start();
  }

  #answer(committed: readonly BatchResult[]): void {
    const synced = committed.filter(({ batch }) => batch.synced);
    if (synced.length > 0) {
      // The next batches need not wait for the disk.
      this.#turn.flush().then(
        () =>
          synced.forEach(({ batch, results }) => {
            batch.resolve(results);
          }),
        (error) =>
          synced.forEach(({ batch }) => {
            batch.reject(error);
          }),
      );
    }
    for (const { batch, results } of committed) if (!batch.synced) batch.resolve(results);
  }

  /** Ends those that do not wait for the lock. */
  #refuseHasty(): void {
    for (const { mayWait, reject } of this.#waiting) if (!mayWait) reject(lockedNow());
    this.#waiting = this.#waiting.filter(({ mayWait }) => mayWait);
  }

  #failAll(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #fail(batches: readonly Waiting[], error: unknown): void {
    const failure = storeFailure(error);
    try {
      this.#turn.rollback();
    } catch {
      // The next user of the connection tries again; the failure above is the one to tell.
    }
    for (const { reject } of batches) reject(failure);
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

const lockedNow = () => refusal('failed', 'Another process has the lock of the database now');

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
