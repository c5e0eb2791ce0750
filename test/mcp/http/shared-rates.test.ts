/** Requests in a minute, of two replicas together. */
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { gatewayMigrations } from '../../../src/gateway/store/migrations.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { openSmallPool } from '../../../src/store/small-pool.ts';
import { closeHttp, serveHttp, standalone } from '../../support/http.ts';
import { hasPostgres, startPostgres } from '../../support/postgres.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await closeHttp();
  for (const close of closers.splice(0).reverse()) await close();
});

const requestsPerMinute = 10;

async function startCluster() {
  const cluster = await startPostgres();
  if (cluster === undefined) throw new Error('PostgreSQL is not installed');
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= cluster.stop();
    return stopped;
  };
  closers.push(stop);
  const databaseUrl = await cluster.createDatabase();
  await (await openDatabase({ url: databaseUrl }, gatewayMigrations, 'gateway')).close();
  const replica = async () => {
    const pool = await openSmallPool(databaseUrl);
    closers.push(() => pool.end());
    const access = { sharedKey: undefined, token: undefined };
    return (await serveHttp({ ratePool: pool, limits: { requestsPerMinute }, access })).server.origin;
  };
  return { stop, databaseUrl, origins: await Promise.all([replica(), replica()]) };
}

const ask = async (origin: string | undefined, key: string) => {
  const { headers, ...rest } = standalone('tools/list');
  const answer = await fetch(`${origin}/mcp`, { ...rest, headers: { ...headers, 'x-api-key': key } });
  await answer.text();
  return answer;
};

describe.skipIf(!hasPostgres)('requests of one key in a minute', () => {
  it('are counted at both replicas together, and those of another key apart', async () => {
    const { origins } = await startCluster();
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => ask(origins[index % 2], 'a')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(requestsPerMinute);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(30 - requestsPerMinute);
    for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    for (const origin of origins) {
      expect((await ask(origin, 'a')).status).toBe(429);
      expect((await ask(origin, 'b')).status).toBe(200);
    }
  });

  it('are still counted, by each for itself, while the database does not answer', async () => {
    const { stop, origins } = await startCluster();
    expect((await ask(origins[0], 'a')).status).toBe(200);
    await stop();
    const statuses = [];
    for (let count = 0; count < 12; count += 1) statuses.push((await ask(origins[0], 'a')).status);
    expect(statuses.slice(0, 9).every((status) => status === 200)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });

  it('are served while the database takes the count and does not answer', async () => {
    const { databaseUrl, origins } = await startCluster();
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    closers.push(() => other.end());
    await other.query('begin; lock table gateway_request_rate in access exclusive mode');
    expect((await ask(origins[0], 'a')).status).toBe(200);
    await other.query('rollback');
    expect((await ask(origins[0], 'a')).status).toBe(200);
  }, 30_000);
});
