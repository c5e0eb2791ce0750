/** The engine for several machines: PostgreSQL by pg. */
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresDialect, PostgresQueryCompiler, sql } from 'kysely';
import pg from 'pg';
import { bindable } from './binding.ts';
import type { Database } from './database.ts';
import { StoreError } from './errors.ts';

/** Connections of one process. */
const poolSize = 10;
/** Milliseconds for a connection, and also for a free one of the pool when many ask at once. */
const connectTimeout = 30_000;
const reconnectPause = 1_000;

/** Counts and sums would arrive as text; ours stay far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format),
};

class Compiler extends PostgresQueryCompiler {
  protected override appendValue(value: unknown): void {
    super.appendValue(bindable(value));
  }
}

class Dialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new Compiler();
  }
}

export async function openPostgres<Schema>(url: string): Promise<Database<Schema>> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeout,
    types,
  });
  // An idle connection that breaks is replaced by the pool; the next query tells if the server is gone.
  pool.on('error', () => undefined);
  // One that breaks between two queries of a transaction fails the next of them; without a listener it would end
  // the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const query = new Kysely<Schema>({ dialect: new Dialect({ pool }) });
  try {
    await sql`select 1`.execute(query);
  } catch (error) {
    await pool.end();
    throw unreachable(error);
  }
  return {
    engine: 'postgres',
    query,
    transaction: (work) => query.transaction().execute(work),
    unsyncedTransaction: (work) =>
      query.transaction().execute(async (transaction) => {
        await sql`set local synchronous_commit = off`.execute(transaction);
        return work(transaction);
      }),
    lock: async (transaction, name) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
    },
    notify: async (transaction, channel) => {
      await sql`select pg_notify(${channel}, '')`.execute(transaction);
    },
    listen: (channel, listener) => listen(url, channel, listener),
    checkIntegrity: () => Promise.resolve(),
    close: () => query.destroy(),
  };
}

/** The address may hold a password, so it is not in the message. */
const unreachable = (cause: unknown) =>
  new StoreError(
    'unreachable',
    `PostgreSQL cannot be used (${cause instanceof Error ? cause.message : String(cause)}): ` +
      'check SVC_DATABASE_URL and that the server accepts connections',
    cause,
  );

/** A connection of its own that only listens. It comes back by itself, and then calls the listener once. */
async function listen(url: string, channel: string, listener: () => void): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  let client = await connect();

  async function connect(): Promise<pg.Client> {
    const next = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeout });
    next.on('notification', listener);
    // The event `end` follows.
    next.on('error', () => undefined);
    await next.connect();
    await next.query(`listen ${pg.escapeIdentifier(channel)}`);
    next.once('end', () => void reconnect());
    return next;
  }

  async function reconnect(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        client = await connect();
        if (stopped.signal.aborted) await client.end();
        listener();
        return;
      } catch {
        await delay(reconnectPause, undefined, { ref: false, signal: stopped.signal }).catch(() => undefined);
      }
    }
  }

  return async () => {
    stopped.abort();
    await client.end();
  };
}
