/** One database on either engine: a SQLite file (libsql) or PostgreSQL (pg), with typed queries by kysely. */
import type { Kysely, QueryExecutorProvider, Transaction } from 'kysely';
import type { Statement, StatementResults, Statements } from './statement.ts';

export type Engine = 'sqlite' | 'postgres';
export type Target = { readonly file: string } | { readonly url: string };

/**
 * The statements that bring a schema one version forward; a list of them makes it. The hash of their text is the schema's
 * version, so nothing in it may depend on the time or the machine. Only column types that both engines have: `integer`,
 * `bigint` (64 bits), `double precision`, `text` and `binaryType(engine)`.
 */
export type Migration = (engine: Engine) => readonly string[];

/**
 * Values are bound alike on both engines: a boolean is 0 or 1, bytes are `Uint8Array`s in and `Buffer`s out,
 * 64-bit integers are numbers. A Date or a text with NUL is a programming error and throws a TypeError.
 */
export interface Database<Schema> {
  readonly engine: Engine;
  /** Single statements, each its own transaction. */
  readonly query: Kysely<Schema>;
  /**
   * Runs the statements as one transaction and in one round trip: no lock is held while the database waits for this
   * process, whatever stops it. So a statement cannot depend on what an earlier one returned; it reads what that one
   * wrote instead. Each statement sees what was committed before it began: to check and write, the first one takes a
   * lock (`lockStatement`, or an update of the row that is shared). Any error undoes all of them.
   */
  batch<Rows extends readonly unknown[]>(
    statements: Statements<Rows>,
    options?: BatchOptions,
  ): Promise<StatementResults<Rows>>;
  /** Reads outside any transaction. */
  read<Row>(statement: Statement<Row>): Promise<readonly Row[]>;
  /**
   * A statement for a batch: until its transaction ends, batches and transactions that ask for the same name wait.
   */
  lockStatement(name: string): Statement;
  /** A statement for a batch: wakes the listeners of `channel` in all processes at the commit. */
  notifyStatement(channel: string): Statement;
  /**
   * Runs `work` in one transaction; what it throws rolls back. On SQLite the write lock is taken at the start
   * (`begin immediate`) and every other query of this process waits, so `work` awaits nothing but its queries. Its
   * locks are held across round trips: prefer `batch` for what others wait for.
   */
  transaction<Result>(work: (transaction: Transaction<Schema>) => Promise<Result>): Promise<Result>;
  /**
   * Until the transaction ends, others that ask for the same name wait. On SQLite nothing is to be done: a transaction
   * has the file for itself.
   */
  lock(transaction: QueryExecutorProvider, name: string): Promise<void>;
  /** Wakes the listeners of `channel` in all processes when the transaction commits. Nothing on SQLite. */
  notify(transaction: QueryExecutorProvider, channel: string): Promise<void>;
  /** Calls `listener` after a `notify` of any process, and after a lost connection came back. Returns how to stop. */
  listen(channel: string, listener: () => void): Promise<() => Promise<void>>;
  /**
   * Whether the file's log was left behind: a process that used it was killed or lost its power, or one is running.
   * False on PostgreSQL, which recovers by itself.
   */
  readonly hasLog: boolean;
  /** Rejects with a `StoreError` of kind `corrupt` where the file's structure is damaged. */
  checkIntegrity(): Promise<void>;
  close(): Promise<void>;
}

interface BatchOptions {
  /**
   * False: does not wait for the disk. The end of the process loses nothing, a power failure may. For data that can be
   * recovered elsewhere.
   */
  readonly synced?: boolean;
  /**
   * False: rejects with a refusal, and nothing is written, where another process has the lock of a SQLite file now. On
   * PostgreSQL nothing locks more than single rows.
   */
  readonly mayWait?: boolean | undefined;
}

/** The type of a bytes column. */
export const binaryType = (engine: Engine): 'blob' | 'bytea' => (engine === 'sqlite' ? 'blob' : 'bytea');
