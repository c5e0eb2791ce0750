/** The engine for several machines: PostgreSQL by pg. */

import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresDialect, PostgresQueryCompiler, sql } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import { StoreError } from './errors.ts';
import { discardingPool, openListener, openPool, queryAll } from './postgres-connections.ts';
import { asRows, asTyped, bindable, type Statement, statement } from './statement.ts';

const reconnectPause = 1_000;
/** Milliseconds between two checks of a listening connection; with the limit for the answer below 10 s. */
const heartbeat = 4_000;

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

/** `unlimited`: for migrations only. */
export async function openPostgres<Schema>(
  url: string,
  { unlimited = false }: { unlimited?: boolean } = {},
): Promise<Database<Schema>> {
  const pool = openPool(url, { unlimited });
  const run = async (statements: readonly Statement[], synced: boolean) => {
    const prefix = synced ? [] : ['set local synchronous_commit = off'];
    const results = await queryAll(pool, [...prefix, ...statements.map(inlineParameters)].join(';\n'));
    return results.slice(prefix.length).map(({ rows, rowCount }) => ({ rows, changes: rowCount ?? 0 }));
  };
  const query = new Kysely<Schema>({ dialect: new Dialect({ pool: discardingPool(pool) }) });
  try {
    await sql`select 1`.execute(query);
  } catch (error) {
    await pool.end();
    throw unreachableError(error);
  }
  return {
    engine: 'postgres',
    query,
    batch: (statements, { synced = true } = {}) => asTyped(run(statements, synced)),
    read: async (statement) => asRows((await queryAll(pool, inlineParameters(statement)))[0]?.rows ?? []),
    lockStatement: (name) => statement('select 1 from pg_advisory_xact_lock(hashtextextended($1, 0))', name),
    notifyStatement: (channel) => statement("select 1 from pg_notify($1, '')", channel),
    transaction: (work) => query.transaction().execute(work),
    lock: async (transaction, name) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
    },
    notify: async (transaction, channel) => {
      await sql`select pg_notify(${channel}, '')`.execute(transaction);
    },
    listen: (channel, listener) => listen(url, channel, listener),
    hasLog: false,
    checkIntegrity: () => Promise.resolve(),
    close: () => query.destroy(),
  };
}

/** Several statements with parameters need several messages, between which the server would wait for us. */
const inlineParameters = ({ sql: text, parameters }: Statement): string =>
  text.replace(/\$(\d+)/g, (_name, number: string) => literal(parameters[Number(number) - 1]));

/** Values as `bindable` lets them through. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  // In parentheses: `- -1` would begin a comment without its space.
  if (typeof value === 'number' || typeof value === 'bigint') return `(${value})`;
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'::bytea`;
  return pg.escapeLiteral(String(value));
}

/** The address may hold a password, so it is not in the message. */
const unreachableError = (cause: unknown) =>
  new StoreError(
    'unreachable',
    `PostgreSQL cannot be used (${cause instanceof Error ? cause.message : String(cause)}): ` +
      'check SVC_DATABASE_URL and that the server accepts connections',
    cause,
  );

/** A separate connection that only listens. It reconnects by itself and then calls the listener once. */
async function listen(url: string, channel: string, listener: () => void): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  const { signal } = stopped;
  let close = await connect();

  async function connect(): Promise<() => Promise<void>> {
    const { client, answers } = await openListener(url);
    client.on('notification', listener);
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    const ended = new AbortController();
    client.once('end', () => {
      ended.abort();
      void reconnect();
    });
    void beat(ended.signal, async () => {
      // While a query is unanswered, `end` cuts the connection.
      if (!(await answers())) void client.end();
    });
    return () => client.end();
  }

  async function beat(ended: AbortSignal, ask: () => Promise<void>): Promise<void> {
    while (!ended.aborted) {
      await delay(heartbeat, undefined, { ref: false, signal: ended }).catch(() => undefined);
      if (!ended.aborted) await ask();
    }
  }

  async function reconnect(): Promise<void> {
    while (!signal.aborted) {
      try {
        close = await connect();
        if (signal.aborted) await close();
        listener();
        return;
      } catch {
        await delay(reconnectPause, undefined, { ref: false, signal }).catch(() => undefined);
      }
    }
  }

  return async () => {
    stopped.abort();
    await close();
  };
}
