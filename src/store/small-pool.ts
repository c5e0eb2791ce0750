/** A separate small pool for counters, so that a burst of them cannot take the connections of jobs and paid calls. */
import type pg from 'pg';

/** Milliseconds for a connection, for a free one, and for an answer: short, because counting must not delay requests. */
const timeout = 2_000;

export async function openSmallPool(connectionString: string): Promise<pg.Pool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString,
    max: 2,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
  });
  // An idle connection that breaks is replaced by the pool; one in use fails its query.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
