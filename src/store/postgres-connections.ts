/**
 * Connections to PostgreSQL whose every wait is limited: if the server, the network or another process stalls, the
 * statement fails and the connection is discarded.
 */
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { refusal, StoreError, storeFailure } from './errors.ts';

/** Connections of one process. */
const poolSize = 10;
/** Milliseconds for a new connection, and for a free one of the pool when many ask at once. */
const connectTimeout = 8_000;
/** Milliseconds without an answer after which a connection is given up: later than the server would give up. */
const answerTimeout = 8_000;

/** Milliseconds, held by the server. */
const limits = {
  /** Ends the transaction of a process that stands still, and with it the locks it holds. */
  idle_in_transaction_session_timeout: 3_000,
  /** Longer than the limit above, so that the stalled process fails and not those that wait for it. */
  lock_timeout: 5_000,
  statement_timeout: 6_000,
};

/** Milliseconds for a migration: it may rewrite a large table, but a silent connection must not block other starts. */
const migrationLimits = { idle_in_transaction_session_timeout: 60_000, query_timeout: 30 * 60_000 };

const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5_000 };

/** Counts and sums would arrive as text; ours stay far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format),
};

/** `unlimited` is for migrations, which may rewrite a large table. */
export function openPool(connectionString: string, { unlimited }: { unlimited: boolean }): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    ...keepAlive,
    ...(unlimited ? migrationLimits : { ...limits, query_timeout: answerTimeout }),
    max: poolSize,
    connectionTimeoutMillis: connectTimeout,
    types,
  });
  // An idle connection that breaks is replaced by the pool; the next query tells if the server is gone.
  pool.on('error', () => undefined);
  // A connection that breaks between two queries of a transaction fails the next query. Without a listener it would end
  // the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A connection that only listens. Call `answers` from time to time, because a broken connection is silent. */
export async function openListener(
  connectionString: string,
): Promise<{ client: pg.Client; answers: () => Promise<boolean> }> {
  const client = new pg.Client({
    connectionString,
    ...keepAlive,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: listenerTimeout,
  });
  // The event `end` follows.
  client.on('error', () => undefined);
  await client.connect();
  const answers = () =>
    client.query('select 1').then(
      () => true,
      () => false,
    );
  return { client, answers };
}
const listenerTimeout = 4_000;

const none = { command: 'ROLLBACK', rowCount: 0, rows: [] };

/** The pool as kysely sees it: failures are `StoreError`s, and a connection that gave no answer is closed. */
export function discardingPool(pool: pg.Pool): PostgresPool {
  return {
    connect: async () => discardResults(await connect(pool)),
    end: () => pool.end(),
  };
}

/** Runs several statements, without parameters, in one round trip: the server makes them one transaction. */
export async function queryAll(pool: pg.Pool, text: string): Promise<pg.QueryResult[]> {
  const client = await connect(pool);
  let failure: unknown;
  try {
    const results: pg.QueryResult | pg.QueryResult[] = await client.query(text);
    return Array.isArray(results) ? results : [results];
  } catch (error) {
    failure = error;
    throw storeFailure(error);
  } finally {
    client.release(isBroken(failure));
  }
}

/** Rejects with a refusal: nothing was sent. */
function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  return pool.connect().catch((error: unknown) => {
    const failure = storeFailure(error);
    throw failure instanceof StoreError ? refusal(failure.kind, failure.message, failure.cause) : failure;
  });
}

function discardResults(client: pg.PoolClient): PostgresPoolClient {
  let failure: Error | undefined;
  async function run(sql: string, parameters: readonly unknown[]) {
    if (failure !== undefined) {
      // On a broken connection a rollback would wait behind the unanswered statement.
      if (sql === 'rollback') return none;
      throw failure;
    }
    try {
      return await client.query(sql, [...parameters]);
    } catch (error) {
      const storeError = storeFailure(error);
      if (isBroken(error)) failure = storeError;
      throw storeError;
    }
  }
  function query<Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  function query(sql: unknown, parameters: readonly unknown[] = []): unknown {
    return run(String(sql), parameters);
  }
  return { query, release: () => client.release(failure !== undefined) };
}

/** Whether the error is not one of the server's: the connection ended, or no answer came in time. */
const isBroken = (error: unknown): boolean => error !== undefined && !(error instanceof pg.DatabaseError);
