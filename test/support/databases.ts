/** PostgreSQL databases for the tests of one file. */
import { afterAll, inject } from 'vitest';
import { gatewayMigrations } from '../../src/gateway/store/migrations.ts';
import { migrations as serviceMigrations } from '../../src/service/store/migrations.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createDatabase, databaseOf, withClient } from './postgres.ts';

/**
 * Returns what makes a new database and gives its address. It has the tables of both halves, as a program leaves them that
 * has started; `isEmpty`: none. They go with the file's tests.
 *
 *     const createDatabase = useDatabases();
 *     const service = await startTestService({ databaseUrl: await createDatabase() });
 */
export function useDatabases({ isEmpty = false } = {}): () => Promise<string> {
  const made: string[] = [];
  afterAll(async () => {
    if (made.length === 0) return;
    await withClient(inject('postgres'), async (client) => {
      for (const url of made.splice(0))
        await client.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
    });
  });
  return async () => {
    const cluster = inject('postgres');
    if (cluster === '') throw new Error('PostgreSQL is not installed');
    const url = await createDatabase(cluster, isEmpty ? undefined : await findTemplate(cluster));
    made.push(url);
    return url;
  };
}

const template = 'svc_template';

/** The database that has the tables. The first who needs it makes it, and the others wait. */
async function findTemplate(cluster: string): Promise<string> {
  await withClient(cluster, async (client) => {
    await client.query('select pg_advisory_lock(1)');
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [template]);
    if (rowCount !== 0) return;
    // Whoever began it may have been stopped.
    await client.query(`drop database if exists ${template}_unfinished`);
    await client.query(`create database ${template}_unfinished`);
    const url = databaseOf(cluster, `${template}_unfinished`);
    await (await openDatabase<object>({ url }, gatewayMigrations, 'gateway')).close();
    await (await openDatabase<object>({ url }, serviceMigrations, 'service')).close();
    await client.query(`alter database ${template}_unfinished rename to ${template}`);
  });
  return template;
}
