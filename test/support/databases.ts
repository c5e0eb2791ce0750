/** PostgreSQL databases for the tests of one file. */
import { afterAll } from 'vitest';
import { type PostgresCluster, startPostgres } from './postgres.ts';

/**
 * Returns what makes a new, empty database and gives its address. The first one starts a cluster, which ends with the
 * file's tests.
 *
 *     const createDatabase = useDatabases();
 *     const service = await startTestService({ databaseUrl: await createDatabase() });
 */
export function useDatabases(): () => Promise<string> {
  let starting: Promise<PostgresCluster | undefined> | undefined;
  afterAll(async () => {
    await (await starting)?.stop();
    starting = undefined;
  });
  return async () => {
    starting ??= startPostgres();
    const cluster = await starting;
    if (cluster === undefined) throw new Error('PostgreSQL is not installed');
    return cluster.createDatabase();
  };
}
